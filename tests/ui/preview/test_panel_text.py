"""Formats without pages in the preview: their text, with the same marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pptx import Presentation
from PySide6.QtCore import QPoint
from PySide6.QtGui import (
    QFont,
    QPalette,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QApplication

from tests.ui.preview.made import hit_of, passages_of
from tests.ui.preview.seen import like, pixels, turn

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from ui.preview.panel import Preview


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html"])
def test_text_formats_show_their_text_with_the_same_marks(
    qtbot: QtBot, preview: Preview, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    lines = [f"Night {i}. The 🕯️ lamp burnt in the cafe\u0301. It went out." for i in range(300)]
    joint = "<p>" if name.endswith("html") else "\r\n\r\n"
    path.write_bytes(joint.join(lines).encode())
    passages = passages_of(path)
    passage = passages[len(passages) // 2]
    preview.show_hit(hit_of(path, passage, (1, 0)), [], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text)
    qtbot.waitUntil(lambda: bool(preview.text.extraSelections()))
    marked = [selection.cursor.selectedText() for selection in preview.text.extraSelections()]
    best = hit_of(path, passage, (1,)).marks[0]
    assert "".join(marked[-1:]).split() == passage.text[slice(*best)].splitlines()[-1].split()
    seen = preview.text.cursorForPosition(QPoint(20, preview.text.viewport().height() // 3))
    assert seen.position() > 0
    assert not preview.bar.page.isVisible()
    assert preview.bar.unit.text() == ""
    assert not preview.banner.isVisible()
    before = preview.text.document().defaultFont().pixelSize()
    turn(preview.text, 120)
    assert preview.text.document().defaultFont().pixelSize() > before


def test_more_of_a_long_text_is_loaded_where_the_person_reaches_its_edge(
    qtbot: QtBot, preview: Preview, tmp_path: Path
) -> None:
    path = tmp_path / "long.txt"
    whole = "\n\n".join(f"Paragraph {i} says what it says." for i in range(5_000))
    path.write_bytes(whole.encode())
    passages = passages_of(path)
    preview.show_hit(hit_of(path, passages[len(passages) // 2]), [], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text)
    start, end = preview.text.loaded
    assert 0 < start < end < len(whole)
    bar = preview.text.verticalScrollBar()
    bar.setValue(bar.maximum())
    qtbot.waitUntil(lambda: preview.text.loaded[1] > end)
    bar.setValue(0)
    qtbot.waitUntil(lambda: preview.text.loaded[0] < start)
    assert preview.text.toPlainText() == whole[slice(*preview.text.loaded)]
    assert preview.text.extraSelections()


def test_each_slide_has_a_card(qtbot: QtBot, preview: Preview, tmp_path: Path) -> None:
    path = tmp_path / "talk.pptx"
    talk = Presentation()
    for number in range(1, 13):
        slide = talk.slides.add_slide(talk.slide_layouts[1])
        slide.shapes.title.text = f"Part {number}"
        slide.placeholders[1].text = f"What is said in part {number}."
    talk.save(str(path))
    preview.show_hit(hit_of(path, passages_of(path)[0], format="pptx"), [], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text)
    QApplication.processEvents()
    view = preview.text
    painted = pixels(view.viewport())
    column = painted[:, view.viewport().width() // 2]
    grey = view.palette().color(QPalette.ColorRole.Window)
    gaps = like(column[:, None], grey, 2)[:, 0]
    begins = [at for at in range(1, len(gaps)) if not gaps[at] and gaps[at - 1]]
    assert len(begins) >= 3  # cards begin where the grey between them ends
    assert preview.bar.unit.text() == "Slide 1"
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum())
    last = preview.bar.unit.text()
    assert last.startswith("Slide ")
    assert int(last.split()[1]) > 6


def test_a_slide_has_its_levels_and_its_notes_apart(
    qtbot: QtBot, preview: Preview, tmp_path: Path
) -> None:
    path = tmp_path / "talk.pptx"
    talk = Presentation()
    for title in ("Rent", "Repairs"):
        slide = talk.slides.add_slide(talk.slide_layouts[1])
        slide.shapes.title.text = title
        body = slide.placeholders[1].text_frame
        body.text = "It is paid each month."
        inner = body.add_paragraph()
        inner.text, inner.level = "By transfer.", 1
        slide.notes_slide.notes_text_frame.text = "Say this slowly."
    talk.save(str(path))
    preview.show_hit(hit_of(path, passages_of(path)[0], format="pptx"), [], 0)
    qtbot.waitUntil(lambda: preview.shown is preview.text)
    blocks: dict[str, QTextBlock] = {}
    block = preview.text.document().begin()
    while block.isValid():
        blocks.setdefault(block.text(), block)
        block = block.next()
    outer, inner = blocks["It is paid each month."], blocks["By transfer."]
    assert outer.textList().format().indent() < inner.textList().format().indent()
    notes = blocks["Say this slowly."]
    assert notes.textList() is None
    assert notes.blockFormat().hasProperty(QTextFormat.Property.BackgroundBrush)
    assert not outer.blockFormat().hasProperty(QTextFormat.Property.BackgroundBrush)
    assert blocks["Rent"].blockFormat().topMargin() < blocks["Repairs"].blockFormat().topMargin()


def test_a_text_does_not_take_over_the_type_of_the_one_before(
    qtbot: QtBot, preview: Preview, tmp_path: Path
) -> None:
    first, second = tmp_path / "a.md", tmp_path / "b.txt"
    first.write_text("# A heading\n")
    second.write_text("Plain words, and more of them.")
    for path in (first, second):
        preview.show_hit(hit_of(path, passages_of(path)[0]), [], 0)
        qtbot.waitUntil(lambda path=path: path.read_text()[2:9] in preview.text.loaded_text)  # type: ignore[misc]  # bound now
    form = QTextCursor(preview.text.document().begin()).charFormat()
    assert form.fontWeight() != QFont.Weight.DemiBold
    assert not form.hasProperty(QTextCharFormat.Property.FontPixelSize)
