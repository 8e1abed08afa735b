"""Highlights and notes: made, painted, kept, found again and listed, with a real render child."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pymupdf
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, QPointF
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtWidgets import QApplication, QInputDialog, QToolTip, QWidget

from indexer.api.json_files import read_object
from indexer.api.pages import find_quote
from tests.ui.notices import RecordedNotices
from tests.ui.preview.made import hit_of, passages_of
from tests.ui.preview.seen import like, pixels, show
from tests.unit.extract.pdfs import PROSE, box, save
from ui.basket.basket import COLOURS, HIGHLIGHTS, Basket
from ui.file_worker import FileWorker
from ui.preview.highlights import Highlighter
from ui.preview.marks import NO_MARKS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from ui.preview.panel import Preview

QUOTE = "The lamp is trimmed each evening."


class Desk:
    """A preview with highlights of its own."""

    def __init__(self, preview: Preview, folder: Path, qtbot: QtBot) -> None:
        self.preview, self.folder, self.qtbot = preview, folder, qtbot
        self.notices = RecordedNotices()
        self.worker = FileWorker(preview)
        self.kept = Basket(folder, self.worker, preview, HIGHLIGHTS)
        self.highlighter = Highlighter(preview, self.kept, self.notices, preview)

    def select(self, quote: str) -> None:
        """Select a quote on the shown page."""
        pages = self.preview.pages
        document = pages.document
        assert document is not None
        page = pages.page

        def there() -> bool:
            document.want_letters(page)
            return document.letters(page) is not None

        self.qtbot.waitUntil(there)
        letters = document.letters(page)
        assert letters is not None
        span = find_quote(quote, letters.text, 0)
        assert span is not None
        pages.selection._set(page, *span)

    def shown_lines(self, page: int) -> int:
        placed = self.preview.pages.placed_highlights(page)
        return sum(len(lines) for _one, lines in placed)


@pytest.fixture
def desk(preview: Preview, tmp_path: Path, qtbot: QtBot) -> Iterator[Desk]:
    made = Desk(preview, tmp_path / "person", qtbot)
    yield made
    made.kept.flush()
    made.worker.close()


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    return save(tmp_path / "contract.pdf", box(72, 90, 540, 700, f"{QUOTE} {PROSE}"))


def first(path: Path) -> Hit:
    stamp = path.stat().st_mtime_ns
    return replace(hit_of(path, passages_of(path)[0]), modified_ns=stamp, format="pdf")


def test_a_selection_is_highlighted_painted_and_written(desk: Desk, contract: Path) -> None:
    show(desk.qtbot, desk.preview, first(contract))
    desk.preview.pages.set_marks(NO_MARKS)
    desk.select("lamp is trimmed")
    desk.highlighter.mark("green")
    (one,) = desk.kept.kept
    assert (one.hit.text, one.hit.page, one.colour) == ("lamp is trimmed", 1, "green")
    desk.qtbot.waitUntil(lambda: desk.shown_lines(1) == 1)
    desk.preview.pages.selection.clear()
    assert like(pixels(desk.preview.pages), QColor(COLOURS["green"])).sum() > 100
    path = desk.folder / HIGHLIGHTS
    desk.qtbot.waitUntil(lambda: bool(read_object(path)))
    if sys.platform != "win32":  # where a file has the rights of its folder
        assert path.stat().st_mode & 0o077 == 0

    desk.select("lamp is trimmed")
    desk.highlighter.mark("pink")
    assert [each.colour for each in desk.kept.kept] == ["pink"]
    desk.select("lamp is trimmed")
    desk.highlighter.toggle()
    assert len(desk.kept) == 0
    undo = desk.notices.told[-1].undo
    assert undo is not None
    undo()
    assert [each.colour for each in desk.kept.kept] == ["pink"]


@pytest.mark.parametrize("turn", [0, 90])
def test_a_copy_of_the_pdf_has_the_highlights_and_their_notes(
    desk: Desk, contract: Path, turn: int
) -> None:
    with pymupdf.open(contract) as document:
        document[0].set_rotation(turn)
        document.save(contract.with_name("turned.pdf"))
    original = contract.with_name("turned.pdf").replace(contract)
    before = original.read_bytes()
    show(desk.qtbot, desk.preview, first(original))
    desk.highlighter.ask_copy()
    assert desk.notices.texts[-1] == "This document has no highlights."
    desk.select("lamp is trimmed")
    desk.highlighter.mark("green")
    desk.kept.annotate(desk.kept.kept[0].key, "Who pays?")
    copy = contract.with_name("copy.pdf")
    known = desk.kept.kept
    desk.highlighter.write_copy(original, known, copy)
    desk.qtbot.waitUntil(lambda: "written" in desk.notices.texts[-1])
    with pymupdf.open(copy) as document:
        page = document[0]
        (mark,) = page.annots()
        assert (mark.type[1], mark.info["content"]) == ("Highlight", "Who pays?")
        (place,) = page.search_for("lamp is trimmed")
        assert abs(mark.rect & place) > 0.5 * abs(mark.rect)
        green = QColor(COLOURS["green"])
        assert mark.colors["stroke"][1] == pytest.approx(green.greenF(), abs=0.01)
    link = contract.with_name("link.pdf")
    link.symlink_to(original)
    for path in (original, link):
        desk.highlighter.write_copy(original, known, path)
        assert desk.notices.texts[-1] == "The document itself is not changed."
    assert original.read_bytes() == before
    show(desk.qtbot, desk.preview, first(original))
    again = contract.with_name("again.pdf")
    desk.highlighter.write_copy(original, known[:0], again)
    desk.qtbot.waitUntil(again.exists)
    with pymupdf.open(again) as document:
        assert not list(document[0].annots()), "what is open was not changed"


def test_a_note_is_shown_beside_its_highlight(desk: Desk, contract: Path) -> None:
    show(desk.qtbot, desk.preview, first(contract))
    desk.select("lamp is trimmed")
    desk.highlighter.write_note()
    dialog = desk.preview.findChild(QInputDialog)
    assert dialog is not None
    dialog.setTextValue("Who pays?")
    dialog.accept()
    assert [one.note for one in desk.kept.kept] == ["Who pays?"]
    desk.kept.flush()
    desk.qtbot.waitUntil(lambda: desk.shown_lines(1) == 1)
    pages = desk.preview.pages
    ((_one, (line,)),) = pages.placed_highlights(1)
    at = pages.layout_.transform(1).map(line.center()) - QPointF(pages.offset())
    told = QHelpEvent(QEvent.Type.ToolTip, at.toPoint(), QPoint())
    QApplication.sendEvent(pages.viewport(), told)
    assert QToolTip.text() == "Who pays?"
    QToolTip.hideText()
    assert pages.highlight_at(QPoint(1, 1)) is None


@pytest.mark.skipif(sys.platform == "win32", reason="there a shown file keeps its name")
def test_a_highlight_follows_its_renamed_and_its_changed_file(desk: Desk, contract: Path) -> None:
    show(desk.qtbot, desk.preview, first(contract))
    desk.select(QUOTE)
    desk.highlighter.toggle()
    moved = contract.with_name("signed.pdf")
    contract.rename(moved)
    show(desk.qtbot, desk.preview, first(moved))
    desk.qtbot.waitUntil(lambda: desk.shown_lines(1) == 1)

    pages = (box(72, 90, 540, 700, text) for text in (PROSE, f"A new clause. {QUOTE} {PROSE}"))
    changed = save(contract.with_name("changed.pdf"), *pages)
    passage = next(each for each in passages_of(changed) if find_quote(QUOTE, each.text, 0))
    changed.replace(contract)
    show(desk.qtbot, desk.preview, hit_of(contract, passage))
    desk.qtbot.waitUntil(lambda: desk.shown_lines(2) == 1)
    assert desk.shown_lines(1) == 0


def test_without_a_selection_the_best_sentence_is_highlighted(
    desk: Desk, contract: Path, qtbot: QtBot
) -> None:
    hit = first(contract)
    show(qtbot, desk.preview, hit)
    desk.highlighter.toggle()
    assert [one.hit.text for one in desk.kept.kept] == [hit.text[slice(*hit.best)]]
    desk.highlighter.toggle()
    assert desk.kept.kept == ()


def test_a_text_shows_its_highlights(desk: Desk, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "log.txt"
    path.write_text(f"{PROSE}\n\n{QUOTE}\n\n{PROSE}\n", "utf-8")
    passage = next(each for each in passages_of(path) if QUOTE in each.text)
    hit = hit_of(path, passage, format="text")
    desk.preview.show_hit(hit, [hit], 0)
    qtbot.waitUntil(lambda: desk.preview.shown is desk.preview.text)
    view = desk.preview.text
    start = view.loaded_text.index(QUOTE)
    view.setTextCursor(view._cursor(start, start + len(QUOTE)))
    desk.highlighter.mark("blue")
    (one,) = desk.kept.kept
    assert (one.hit.text, one.place) == (QUOTE, start)
    tints = [each.format.background().color() for each in view.extraSelections()]
    assert QColor(COLOURS["blue"]) in tints


def test_a_damaged_file_of_highlights_is_kept(tmp_path: Path, qtbot: QtBot) -> None:
    (tmp_path / HIGHLIGHTS).write_text("{no", "utf-8")
    parent = QWidget()
    qtbot.addWidget(parent)
    worker = FileWorker(parent)
    kept = Basket(tmp_path, worker, parent, HIGHLIGHTS)
    assert kept.kept == ()
    assert kept.set_aside is not None
    assert kept.set_aside.read_text("utf-8") == "{no"
    worker.close()


def test_the_nearest_place_of_a_quote_is_taken() -> None:
    text = "a lamp, a\nlamp, a  lamp"
    assert find_quote("a lamp", text, 10) == (8, 14)
    assert find_quote("no lamp", text, 0) is None
    assert find_quote(" ", text, 0) is None
