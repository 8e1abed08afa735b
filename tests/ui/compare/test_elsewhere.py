"""Asking where else the library says what is selected, over a real engine and render child."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from indexer.api.answers import Parallel
from indexer.api.requests import Index
from tests.ui.basket.made import LEASE, lease
from tests.ui.engines import answer
from tests.ui.menus import entries
from tests.ui.search.hits import hit
from tests.ui.search.pages import search
from ui.compare.statement_rows import RowList, StatementRow, _once, _row
from ui.preview.panel import Preview
from ui.search.page import SearchPage
from ui.search_pane import SearchPane
from ui.state import WindowState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from ui.engine_client import EngineLink
    from ui.ports import Context

SENTENCE = "The deposit is returned within 30 days of the end of the lease."
IN_FLAT, IN_HOUSE = '"within 30 days"', '"within 60 days"'


@pytest.fixture
def pane(
    qtbot: QtBot, real_link: EngineLink, real_context: Context, library_files: Path
) -> Iterator[SearchPane]:
    lease(library_files / "flat.pdf")
    (library_files / "house.txt").write_text(
        "The house stands by the lake.\n\n" + SENTENCE.replace("30", "60") + " So it was agreed."
    )
    answer(qtbot, real_link, Index((library_files,)))
    search, preview = SearchPage(real_context), Preview(real_context)
    pane = SearchPane(real_context, WindowState(real_context.folder), search, preview)
    qtbot.addWidget(pane)
    pane.resize(1200, 800)
    with qtbot.waitExposed(pane):
        pane.show()
    pane.activateWindow()
    yield pane
    pane.close_parts()


def answered(qtbot: QtBot, pane: SearchPane) -> list[StatementRow]:
    """The rows of the answer, but for the first, which is what was asked about."""
    pane.elsewhere.list.setFocus()
    qtbot.waitUntil(lambda: len(pane.elsewhere.list.rows) > 1)
    return [widget.row for widget in pane.elsewhere.list.rows[1:]]


def first_cell(row: StatementRow) -> tuple[str, list[str], str]:
    cell = row.cells[0]
    assert cell is not None
    return cell.text, [cell.text[slice(*span)] for span in cell.marks], cell.foot


def test_a_heading_before_a_sentence_is_not_repeated() -> None:
    text = "Rent\nIt is 600 a month. It rises with the index."
    found = hit(text=text, best=(0, text.index(" It rises")))
    at = text.index("600")
    row = _row(Parallel(found, "It is 500 a month.", 0.9, True, ((at, at + 3),), ()))
    assert first_cell(row)[:2] == ("It is 600 a month.", ["600"])


def test_a_sentence_that_several_documents_have_is_listed_once() -> None:
    found = [
        Parallel(hit(path, text="It is 500 a month."), "It is 600.", 0.9, False, (), ())
        for path in ("/a.txt", "/b.txt", "/c.txt")
    ]
    ((first, more),) = _once(found)
    assert (first, more) == (found[0], 2)
    assert first_cell(_row(first, more))[2] == "2 more, nearly the same"


def test_a_row_of_an_answer_is_not_opened_before_it_can_be_read(qtbot: QtBot) -> None:
    listed, opened = RowList(), list[StatementRow]()
    qtbot.addWidget(listed)
    listed.opened.connect(opened.append)
    listed._unread.setInterval(10_000_000)
    row = _row(Parallel(hit("/docs/1.txt"), "", 1.0, same=True, marks=(), pairs=()))
    listed.show_rows([("", [row])])
    QTest.keyClick(listed.rows[0], Qt.Key.Key_Return)
    assert not opened
    listed._unread.stop()
    QTest.keyClick(listed.rows[0], Qt.Key.Key_Return)
    assert opened == [row]


def test_a_selection_on_a_page_is_asked_for(qtbot: QtBot, pane: SearchPane) -> None:
    search(qtbot, pane.search, IN_FLAT)
    pages = pane.preview.pages
    qtbot.waitUntil(lambda: pane.preview.has_pages and bool(pages.marks.passage))
    pages.selection.select_page(1)
    qtbot.waitUntil(lambda: SENTENCE in " ".join(pages.selection.text.split()))
    pages.setFocus()
    with qtbot.waitSignal(pane.preview.hit_actions.elsewhere_requested):
        QTest.keyClick(
            pages,
            Qt.Key.Key_F,
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
        )
    assert pane.left.currentWidget() is pane.elsewhere
    house = next(row for row in answered(qtbot, pane) if row.of.file == "house.txt")
    text, marked, foot = first_cell(house)
    assert SENTENCE.replace("30", "60") in text
    assert (marked, foot) == (["60"], "30 days here, 60 days there")

    rows = pane.elsewhere.list.rows
    number = [widget.row for widget in rows].index(house)
    assert "30 days here, 60 days there" in rows[number].accessibleName()
    pane.elsewhere.list.choose_row(number)
    qtbot.waitUntil(lambda: pane.preview.shown is pane.preview.text)
    qtbot.waitUntil(lambda: SENTENCE[:20] in pane.preview.text.loaded_text)
    QTest.keyClick(rows[number], Qt.Key.Key_Home)
    qtbot.waitUntil(lambda: pane.preview.has_pages)
    pane.elsewhere.back.click()
    assert pane.left.currentWidget() is pane.search.listing
    assert pane.search.bar.box.hasFocus()


def test_a_selection_in_a_text_is_asked_for(qtbot: QtBot, pane: SearchPane) -> None:
    search(qtbot, pane.search, IN_HOUSE)
    text = pane.preview.text
    qtbot.waitUntil(lambda: pane.preview.shown is text and "deposit" in text.toPlainText())
    cursor = text.document().find("deposit is returned")
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    pane.preview.hit_actions.ask_elsewhere()
    flat = next(row for row in answered(qtbot, pane) if row.of.file == "flat.pdf")
    assert first_cell(flat)[1:] == (["30"], "60 days here, 30 days there")


def test_without_a_selection_the_passage_is_asked_for(qtbot: QtBot, pane: SearchPane) -> None:
    search(qtbot, pane.search, IN_FLAT)
    hit = pane.search.current_hit
    assert hit is not None
    pane.search.results.view.setFocus()
    pane.ask_elsewhere(hit)
    assert any(row.of.file == "house.txt" for row in answered(qtbot, pane))
    assert pane.elsewhere.hit == hit
    assert " ".join(LEASE.split()[:3]) in pane.elsewhere.list.rows[0].accessibleName()
    house = next(row for row in pane.elsewhere.list.rows if row.row.of.file == "house.txt")
    menu = entries(house)
    menu["Copy path"].trigger()
    assert QApplication.clipboard().text() == house.row.of.path
    search(qtbot, pane.search, "ice")  # a new search brings the results back
    assert pane.left.currentWidget() is pane.search.listing
