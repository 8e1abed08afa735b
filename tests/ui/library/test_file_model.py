"""The model of files fetches only visible pages, and keeps rows in place when files change."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QAbstractItemModelTester

from indexer.api.answers import FileList
from indexer.api.errors import WorldError
from indexer.api.requests import ListFiles, Order
from indexer.api.types import FileState
from tests.ui.library.port import CannedLink, ManyFiles, canned_context, make_row
from ui.library.file_model import (
    PAGE,
    PAGES_KEPT,
    ROW_ROLE,
    Column,
    FileModel,
    cell_hint,
    cell_text,
    folder_text,
    reason_text,
)
from ui.library.file_table import chip_colours
from ui.words import names

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

HUNDRED_THOUSAND = 100_000


@pytest.fixture
def many() -> ManyFiles:
    return ManyFiles(HUNDRED_THOUSAND)


@pytest.fixture
def made(qtbot: QtBot, tmp_path: Path, many: ManyFiles) -> tuple[FileModel, CannedLink]:
    context, link, _said = canned_context(tmp_path)
    link.answers[ListFiles] = many
    model = FileModel(context)
    model.refresh()
    qtbot.waitUntil(lambda: model.total == many.total)
    return model, link


def _name(model: FileModel, row: int) -> Any:
    return model.index(row, Column.NAME).data()


def _is_here(model: FileModel, row: int) -> bool:
    return bool(_name(model, row) != "…")


def _has_rows(model: FileModel, total: int) -> bool:
    return model.rowCount() == total


def test_rows_are_fetched_when_visible(qtbot: QtBot, made: tuple[FileModel, CannedLink]) -> None:
    model, link = made
    assert model.rowCount() == HUNDRED_THOUSAND
    assert _name(model, 5) == "file 000005.pdf"
    link.asked.clear()
    assert _name(model, 77_777) == "…"
    qtbot.waitUntil(lambda: _name(model, 77_777) == "file 077777.pdf")
    assert link.asked == [ListFiles(offset=77_777 // PAGE * PAGE, limit=PAGE, order=Order.NAME)]


def test_scrolling_through_all_rows_is_quick_and_bounded(
    qtbot: QtBot, made: tuple[FileModel, CannedLink]
) -> None:
    model, link = made
    link.asked.clear()
    began = time.perf_counter()
    for row in range(0, HUNDRED_THOUSAND, 50):
        _name(model, row)
    assert time.perf_counter() - began < 2
    qtbot.waitUntil(lambda: _name(model, HUNDRED_THOUSAND - 1) != "…")
    assert len(link.asked) < 10, "only the pages where the scrolling ended are worth fetching"
    for row in range(0, HUNDRED_THOUSAND, PAGE):
        _name(model, row)
        qtbot.waitUntil(partial(_is_here, model, row))
        if row > (PAGES_KEPT + 5) * PAGE:
            break
    assert _name(model, 0) == "…", "of the pages seen, only the latest are kept"
    qtbot.waitUntil(partial(_is_here, model, 0))


def test_descending_order_reverses_the_list(
    qtbot: QtBot, made: tuple[FileModel, CannedLink]
) -> None:
    model, _link = made
    model.sort(Column.NAME, Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: _name(model, 0) == "file 099999.pdf")
    assert _name(model, 1) == "file 099998.pdf"
    qtbot.waitUntil(lambda: _name(model, HUNDRED_THOUSAND - 1) == "file 000000.pdf")


def test_the_model_passes_qts_model_tester(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    few = link.answers[ListFiles] = ManyFiles(PAGE + 50)
    model = FileModel(context)
    # It reads every cell after each change, so the list is short.
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    model.refresh()
    qtbot.waitUntil(lambda: model.total == few.total)
    for total in (PAGE + 60, 3, 0, PAGE + 1):
        few.total = total
        model.refresh()
        qtbot.waitUntil(partial(_has_rows, model, total))
    model.sort(Column.SIZE, Qt.SortOrder.AscendingOrder)
    model.show_files(text="file 00000")
    qtbot.waitUntil(lambda: model.total == 10)


def test_the_engine_sorts(qtbot: QtBot, made: tuple[FileModel, CannedLink]) -> None:
    model, link = made
    for column, order, expected in (
        (Column.SIZE, Qt.SortOrder.DescendingOrder, (Order.SIZE, False)),
        (Column.SIZE, Qt.SortOrder.AscendingOrder, (Order.SIZE, True)),
        (Column.MODIFIED, Qt.SortOrder.DescendingOrder, (Order.MODIFIED, False)),
        (Column.STATE, Qt.SortOrder.AscendingOrder, (Order.STATE, False)),
        (Column.NAME, Qt.SortOrder.AscendingOrder, (Order.NAME, False)),
    ):
        model.sort(column, order)
        assert (model.filter.order, model.filter.backwards) == expected
        asked = link.asked[-1]
        assert isinstance(asked, ListFiles)
        assert asked.order is expected[0]
    before, asked_before = model.filter, len(link.asked)
    for section in (int(Column.PAGES), int(Column.NAME), -1):  # no order, the same, no column
        model.sort(section, Qt.SortOrder.AscendingOrder)
    assert model.filter == before
    assert len(link.asked) == asked_before
    assert not model.can_sort(Column.PAGES)


def test_a_filter_replaces_the_list_with_its_first_page(
    qtbot: QtBot, made: tuple[FileModel, CannedLink], many: ManyFiles
) -> None:
    model, link = made
    many.states = {7: (FileState.FAILED, "child_died"), 90_000: (FileState.FAILED, "read_error")}
    link.holding.add(ListFiles)
    model.show_files(state="failed")
    assert _name(model, 5) == "file 000005.pdf", "the old rows stay until then"
    link.holding.clear()
    link.release()
    qtbot.waitUntil(lambda: model.total == 2)
    assert _name(model, 1) == "file 090000.pdf"
    assert model.index(0, Column.STATE).data() == "Failed"
    row = model.index(0, 0).data(ROW_ROLE)
    assert reason_text(row) == "Reader stopped"
    assert row.code == "child_died"
    model.show_files(state="", text="file 00001")
    qtbot.waitUntil(lambda: model.total == 10)


def test_answers_to_an_old_filter_are_dropped(
    qtbot: QtBot, made: tuple[FileModel, CannedLink]
) -> None:
    model, link = made
    link.holding.add(ListFiles)
    model.show_files(text="file 00001")
    model.show_files(text="file 000020")
    link.holding.clear()
    link.release()
    qtbot.waitUntil(lambda: model.total == 1)
    assert _name(model, 0) == "file 000020.pdf"


def test_rows_stay_in_place_when_files_come_and_go(
    qtbot: QtBot, made: tuple[FileModel, CannedLink], many: ManyFiles
) -> None:
    model, _link = made
    resets: list[None] = []
    model.modelReset.connect(lambda: resets.append(None))
    for total in (HUNDRED_THOUSAND + 5, 300, 0, 10):
        many.total = total
        model.refresh()
        qtbot.waitUntil(partial(_has_rows, model, total))
    assert not resets
    qtbot.waitUntil(lambda: _name(model, 9) == "file 000009.pdf")


def test_a_refresh_shows_new_states_in_place(
    qtbot: QtBot, made: tuple[FileModel, CannedLink], many: ManyFiles
) -> None:
    model, _link = made
    many.states = {3: (FileState.QUEUED, "")}
    with qtbot.waitSignal(model.dataChanged):
        model.refresh()
    assert model.index(3, Column.STATE).data() == "Waiting"


@pytest.mark.parametrize("order", list(Qt.SortOrder))
def test_what_is_selected_follows_its_file(
    qtbot: QtBot, tmp_path: Path, order: Qt.SortOrder
) -> None:
    context, link, _said = canned_context(tmp_path)
    files = [make_row(number) for number in range(1, 9)]
    link.answers[ListFiles] = lambda _request: FileList(tuple(files), len(files))
    model = FileModel(context)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    model.sort(Column.NAME, order)
    model.refresh()
    qtbot.waitUntil(lambda: _has_rows(model, 8))
    selection = QItemSelectionModel(model)

    def selected() -> list[str]:
        return sorted(index.data() for index in selection.selectedRows())

    def choose(name: str) -> None:
        row = next(row for row in range(8) if _name(model, row) == name)
        rows = QItemSelectionModel.SelectionFlag.Rows | QItemSelectionModel.SelectionFlag.Select
        selection.select(model.index(row, 0), rows)

    choose("file 000003.pdf")
    choose("file 000007.pdf")
    assert selected() == ["file 000003.pdf", "file 000007.pdf"]
    files.insert(0, make_row(0))
    files.insert(5, make_row(100_000))
    model.refresh()
    qtbot.waitUntil(lambda: _has_rows(model, 10))
    assert selected() == ["file 000003.pdf", "file 000007.pdf"]
    del files[:4]
    model.refresh()
    qtbot.waitUntil(lambda: _has_rows(model, 6))
    assert selected() == ["file 000007.pdf"]
    files.reverse()
    with qtbot.waitSignal(model.layoutChanged):
        model.refresh()
    assert selected() == ["file 000007.pdf"]


def test_rows_stay_while_the_engine_is_gone(
    qtbot: QtBot, made: tuple[FileModel, CannedLink], many: ManyFiles
) -> None:
    model, link = made
    link.answers[ListFiles] = lambda _request: WorldError("engine_gone")
    with qtbot.waitSignal(model.counted):
        model.refresh()
    assert _name(model, 5) == "file 000005.pdf"


def test_cells_have_accessible_texts(made: tuple[FileModel, CannedLink]) -> None:
    model, _link = made
    role = Qt.ItemDataRole.AccessibleTextRole
    assert model.index(0, Column.SIZE).data(role) == "Size: 1.0 kB"
    assert model.index(0, Column.NAME).data(Qt.ItemDataRole.ToolTipRole).startswith("/documents/")
    assert model.headerData(0, Qt.Orientation.Vertical) is None
    assert model.index(0, Column.NAME).data(Qt.ItemDataRole.DecorationRole) is None


@pytest.mark.parametrize(
    ("file", "chosen", "folder"),
    [
        ("a.pdf", "", "documents"),
        ("rent/old/a.pdf", "", "documents/rent/old"),
        ("rent/old/a.pdf", "/documents", "rent/old"),
        ("rent/old/a.pdf", "/documents/rent/old", ""),
    ],
)
def test_the_folder_of_a_file_is_named_from_the_chosen_one(
    file: str, chosen: str, folder: str
) -> None:
    row = replace(make_row(1), file=file, path=f"/documents/{file}")
    assert folder_text(row, chosen) == folder


def test_a_cell_explains_what_it_leaves_out() -> None:
    row = make_row(1, FileState.UNREADABLE, code="unreadable", detail='{"reason": "xml_damaged"}')
    whole = make_row(2, pages=7)
    assert cell_hint(row, Column.NAME) == row.path
    assert "its XML is damaged" in cell_hint(row, Column.STATE)
    assert cell_hint(whole, Column.STATE) == names.state_help(FileState.INDEXED) != ""
    assert cell_hint(row, Column.SIZE) == ""
    assert (cell_text(whole, Column.PAGES), cell_text(row, Column.PAGES)) == ("7", "")
    assert cell_text(replace(whole, file="notes.md"), Column.PAGES) == "", "texts have no pages"


def test_titles_and_authors_are_columns_on_one_line() -> None:
    row = make_row(1, title="The lamp\nis lit", author="A. \u202eKeeper")
    assert cell_text(row, Column.TITLE) == "The lamp is lit"
    assert cell_text(row, Column.AUTHOR) == "A. Keeper"
    assert cell_text(make_row(2), Column.TITLE) == cell_text(make_row(2), Column.AUTHOR) == ""


def test_the_reason_says_more_than_the_state() -> None:
    damaged = make_row(
        1, FileState.UNREADABLE, code="unreadable", detail='{"reason": "xml_damaged"}'
    )
    assert cell_text(damaged, Column.STATE) == "Unreadable"
    assert reason_text(damaged) == "its XML is damaged"
    old = make_row(1, FileState.UNSUPPORTED, code="needs_libreoffice", detail='{"format": "doc"}')
    assert (cell_text(old, Column.STATE), reason_text(old)) == ("Not read", "Needs LibreOffice")
    assert reason_text(make_row(1, FileState.EMPTY, code="empty")) == "", "the state says it"


def test_what_is_found_by_its_words_alone_is_not_ready() -> None:
    ready, german = make_row(1), make_row(1, language="de", by_words=True)
    assert (cell_text(ready, Column.STATE), cell_text(german, Column.STATE)) == (
        "Ready",
        "Found by words",
    )
    assert "Deutsch" in cell_hint(german, Column.STATE)
    assert chip_colours(german.state, by_words=True) == chip_colours(FileState.TEXT_ONLY)
    queued = replace(german, state=FileState.QUEUED)
    assert cell_text(queued, Column.STATE) == "Waiting"
