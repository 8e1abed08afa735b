"""The controls of the preview: pages, zoom, outline, selection, and the actions on a hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf
import pytest
from PySide6.QtCore import QLocale, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QToolButton

from indexer.api.formats import page_unit
from tests.ui.preview.made import hit_of, passages_of
from tests.ui.preview.seen import show, turn, wait_for_page
from tests.ui.search.pages import filters_of
from ui.preview import controls as actions_module
from ui.preview.controls import selected_passage
from ui.preview.page_layout import Fit

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.types import Hit
    from tests.ui.library.port import Canned
    from ui.preview.panel import Preview


def test_a_page_is_entered_by_label_or_number(
    qtbot: QtBot, preview: Preview, tmp_path: Path
) -> None:
    document = pymupdf.open()
    for _ in range(6):
        document.new_page().insert_text((72, 72), "A lamp is lit at dusk.")
    document.set_page_labels([{"startpage": 0, "style": "r"}, {"startpage": 2, "style": "D"}])
    path = tmp_path / "a.pdf"
    document.save(path)
    show(qtbot, preview, hit_of(path, passages_of(path)[0]))
    assert (preview.bar.page.text(), preview.bar.total.text()) == ("i", "(1 of 6)")
    hit = preview.hit_actions.hit
    assert hit is not None
    preview.pages.selection.select_page(1)
    qtbot.waitUntil(lambda: "lamp" in preview.pages.selection.text)
    selected = selected_passage(preview, hit)
    assert selected is not None
    assert (hit.page_label, selected.page_label) == ("", "i")
    for text, page in (("3", 5), ("ii", 2), ("6", 6), ("99", 6), ("x", 6)):
        preview.bar.page.setText(text)
        qtbot.keyClick(preview.bar.page, Qt.Key.Key_Return)
        assert preview.pages.page == page
    assert preview.bar.page.text() == "4"


def test_zooming(qtbot: QtBot, preview: Preview, hits: list[Hit]) -> None:
    show(qtbot, preview, hits[0])
    fitted = preview.pages.scale
    qtbot.keyClick(preview, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert preview.pages.scale > fitted
    assert preview.bar.zoom.text() == f"{round(100 * preview.pages.scale)} %"
    qtbot.keyClick(preview, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert preview.pages.scale == pytest.approx(fitted)
    turn(preview.pages, 120)
    assert preview.pages.scale > fitted
    turn(preview.pages, -120)
    turn(preview.pages, -120)
    assert preview.pages.scale < fitted
    preview.bar.zoom.menu().actions()[1].trigger()
    assert preview.pages.zoom.fit is Fit.PAGE
    for _ in range(30):
        preview.pages.zoom_by(1)
    assert preview.pages.scale == pytest.approx(4.0)
    wait_for_page(qtbot, preview)
    assert max(len(preview.pages.visible_keys(page)) for page in preview.pages.visible_pages()) >= 1
    for _ in range(30):
        preview.pages.zoom_by(-1)
    assert preview.pages.scale == pytest.approx(0.25)
    wait_for_page(qtbot, preview)


def test_the_toolbar_shows_each_change_of_zoom(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[0])
    fitted = preview.pages.scale
    preview.resize(500, 900)
    qtbot.waitUntil(lambda: preview.pages.scale < fitted)
    assert preview.bar.zoom.text() == f"{round(100 * preview.pages.scale)} %"


def test_text_is_selected_with_the_mouse_and_copied(
    qtbot: QtBot, preview: Preview, canned: Canned, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[0])
    view = preview.pages
    document = view.document
    assert document is not None
    qtbot.waitUntil(lambda: document.letters(1) is not None)
    letters = document.letters(1)
    assert letters is not None
    start = letters.text.index("keeper")
    end = letters.text.index("narrow") + len("narrow")

    def point(place: int, *, right: bool) -> QPoint:
        letter = letters.boxes[place]
        assert letter is not None
        at = view.layout_.from_page(1, letter).translated(-QPointF(view.offset()))
        return QPointF(at.right() - 1 if right else at.left() + 1, at.center().y()).toPoint()

    press = point(start, right=False)
    qtbot.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=press)
    qtbot.mouseMove(view.viewport(), point(end - 1, right=True))
    view.selection.move(QPointF(point(end - 1, right=True)) + QPointF(view.offset()))
    assert view.selection.text.split() == letters.text[start:end].split()
    qtbot.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton)
    view.selection.copy()
    assert QGuiApplication.clipboard().text() == "keeper climbed the narrow"
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=press)
    assert view.selection.text == "keeper"
    preview.bar.copy.click()
    assert QGuiApplication.clipboard().text() == "keeper"
    preview.hit_actions.cite()
    clipboard = QGuiApplication.clipboard()
    qtbot.waitUntil(lambda: clipboard.text().startswith("“keeper”\n"))
    assert clipboard.text().endswith(", p. 1")
    assert "<i>" in clipboard.mimeData().html()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=press)
    preview.bar.copy.click()
    assert QGuiApplication.clipboard().text().startswith("Night 1. The keeper climbed")
    assert canned[2].texts == [
        "The selection was copied.", "Passage and citation copied", "Passage copied.",
    ]  # fmt: skip
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert view.selection.text == letters.text


def test_the_outline_leads_to_its_pages(qtbot: QtBot, preview: Preview, tmp_path: Path) -> None:
    document = pymupdf.open()
    for _ in range(9):
        document.new_page().insert_text((72, 72), "A lamp is lit at dusk.")
    document.set_toc([[1, "One", 1], [2, "One and a half", 3], [1, "Two", 6], [1, "Three", 8]])
    path = tmp_path / "a.pdf"
    document.save(path)
    show(qtbot, preview, hit_of(path, passages_of(path)[0]))
    preview.pages.go_to(4)
    preview.bar.side.click()
    tree = preview.side
    qtbot.waitUntil(tree.isVisible)
    qtbot.waitUntil(lambda: tree.currentIndex().data() == "One and a half")
    qtbot.keyClick(tree, Qt.Key.Key_Down)
    qtbot.keyClick(tree, Qt.Key.Key_Return)
    assert preview.pages.page == 6
    preview.pages.go_to(9)
    assert tree.currentIndex().data() == "Three"


def test_the_menu_finds_in_the_document_what_is_similar_and_where_else_it_is_said(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[1])
    queries: list[str] = []
    asked: list[Hit] = []
    preview.like_requested.connect(queries.append)
    preview.hit_actions.elsewhere_requested.connect(asked.append)
    entries = {each.text().partition("\t")[0]: each for each in preview.bar.menu.actions()}
    entries["Similar"].trigger()
    entries["Said elsewhere"].trigger()
    place = f"{hits[1].path}#{hits[1].start}-{hits[1].end}"
    assert [filters_of(query) for query in queries] == [[("like", place)]]
    assert asked == [hits[1]]
    entries["Find in document"].trigger()
    assert preview.finding.isVisible()


def test_opening_outside_goes_to_the_page_in_view(
    qtbot: QtBot, preview: Preview, hits: list[Hit], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str, int]] = []
    monkeypatch.setattr(
        actions_module, "open_external", lambda hit, _context, page: opened.append((hit.path, page))
    )
    monkeypatch.setattr(
        actions_module, "show_in_folder", lambda path, _notices: opened.append((path, -1))
    )
    show(qtbot, preview, hits[1])
    preview.pages.go_to(5)
    preview.bar.open.click()
    preview.folder.trigger()
    assert opened == [(hits[1].path, 5), (hits[1].path, -1)]


def test_every_control_has_a_name_and_can_be_reached(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    show(qtbot, preview, hits[0])
    for button in preview.bar.findChildren(QToolButton):
        assert button.accessibleName()
        assert button.toolTip()
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert preview.pages.accessibleName()
    assert preview.text.accessibleName()


def test_steps_between_hits_are_shown_where_there_is_no_list(
    qtbot: QtBot, preview: Preview, hits: list[Hit]
) -> None:
    preview.show_hit(hits[0], hits, 0)
    wait_for_page(qtbot, preview)
    assert not preview.bar.after.isVisible()
    preview.bar.show_steps(shown=True)
    assert preview.bar.place.text() == f"Hit 1 of {len(hits)}"
    with qtbot.waitSignal(preview.hit_requested):
        preview.bar.after.click()
    preview.bar.show_steps(shown=False)
    preview.resize(preview.minimumSizeHint().width(), 600)
    QApplication.processEvents()
    for part in (preview.bar.page, preview.bar.zoom, preview.bar.more):
        assert part.isVisible()
        assert preview.bar.rect().contains(part.geometry())


def test_slides_and_sheets_are_named(preview: Preview) -> None:
    labels = []
    for form in ("pptx", "xlsx", "epub", "docx", "mbox", "ipynb", "md"):
        preview.bar.show_unit(page_unit(form), 3)
        labels.append(preview.bar.unit.text())
    assert labels == ["Slide 3", "Sheet 3", "", "Page 3", "Message 3", "Cell 3", ""]


def test_the_number_of_a_hit_is_written_as_other_numbers_are(preview: Preview) -> None:
    before = QLocale()
    QLocale.setDefault(QLocale("de_DE"))
    try:
        preview.bar.show_hits(1233, 2000)
    finally:
        QLocale.setDefault(before)
    assert "1.234" in preview.bar.place.text()
    assert "2.000" in preview.bar.place.text()
