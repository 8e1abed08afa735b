"""The files of the library over the fake engine: list, filter, and act on them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton

from indexer.api.contract import LibraryPart
from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus, Index, ListFiles
from tests.ui.engines import answer
from tests.ui.library.port import ManyFiles, canned_context, fact
from tests.ui.reach import visible_controls
from ui import passwords
from ui.engine_client import ActivityFeed
from ui.library.cards import lines_of, pattern_for
from ui.library.file_details import FirstPage
from ui.library.file_model import Column, FileModel
from ui.library.file_table import FileTable
from ui.library.page import LibraryPage
from ui.words import amounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.errors import LecternError
    from tests.fake_engine import FakeEngine
    from tests.ui.notices import RecordedNotices
    from ui.ports import Context


@pytest.fixture(autouse=True)
def store(qapp: object, monkeypatch: pytest.MonkeyPatch) -> passwords.Passwords:
    """Passwords of this test alone, in a system without a keyring."""
    made = passwords.Passwords(lambda: None)
    monkeypatch.setattr(passwords, "_shared", [made])
    return made


@pytest.fixture
def page(
    qtbot: QtBot, context: Context, engine: FakeEngine, library_files: Path
) -> Iterator[LibraryPage]:
    (library_files / "locked.txt").write_text("LOCKED swordfish The treasure is on the island.")
    (library_files / "broken.txt").write_text("BROKEN")
    answer(qtbot, context.link, Index((library_files,)))
    page = LibraryPage(context)
    ActivityFeed(context.link, page)
    qtbot.addWidget(page)
    page.resize(1000, 600)
    page.show()
    qtbot.waitUntil(lambda: page.model.total == 6)
    yield page
    page.hide()


def test_a_single_file_is_selected_by_the_focus(page: LibraryPage, qtbot: QtBot) -> None:
    page.window().activateWindow()
    page.show_files(state="empty")
    qtbot.waitUntil(lambda: page.model.total == 1)
    page.text.setFocus()
    page.table.setFocus()
    qtbot.waitUntil(lambda: [row.file for row in page.chosen()] == ["empty.txt"])


def _choose(page: LibraryPage, name: str) -> None:
    for row in range(page.model.total):
        if page.model.index(row, Column.NAME).data() == name:
            page.table.selectRow(row)
            return
    raise AssertionError(f"{name} is not listed")


def _state(page: LibraryPage, name: str) -> str:
    for row in range(page.model.total):
        if page.model.index(row, Column.NAME).data() == name:
            return str(page.model.index(row, Column.STATE).data())
    return ""


def test_every_file_is_listed_with_its_state(page: LibraryPage, qtbot: QtBot) -> None:
    assert _state(page, "empty.txt") == "Empty"
    assert _state(page, "lease.txt") == "Ready"
    qtbot.waitUntil(lambda: page.states.count() == 5)
    texts = [page.states.itemText(at) for at in range(5)]
    assert texts[0] == "All files (6)"
    assert "Needs a password (1)" in texts


def test_a_state_a_folder_and_a_text_filter(page: LibraryPage, qtbot: QtBot) -> None:
    page.show_files(state="empty")
    qtbot.waitUntil(lambda: page.model.total == 1)
    page.show_files()
    qtbot.waitUntil(lambda: page.model.total == 6)
    qtbot.keyClicks(page.text, "contracts")
    qtbot.waitUntil(lambda: page.model.total == 1)
    qtbot.keyClicks(page.text, "nothing of the kind")
    qtbot.waitUntil(lambda: page.panel.currentWidget() is page.empty)
    assert "No file matches" in page.empty.text()


def test_a_document_is_unlocked_with_its_password(
    page: LibraryPage,
    qtbot: QtBot,
    engine: FakeEngine,
    store: passwords.Passwords,
    library_files: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FirstPage, "try_password", lambda *given: given[-1](None))
    assert not page.details.password.isVisible()
    _choose(page, "locked.txt")
    assert page.details.password.isVisible()
    assert page.details.password.field.echoMode() is page.details.password.field.EchoMode.Password
    assert not page.details.password.button.isEnabled()
    qtbot.waitUntil(lambda: "No supported keyring" in page.details.password.note.text())
    assert not page.details.password.keep.isEnabled()
    page.details.password.field.setFocus()
    qtbot.keyClicks(page.details.password.field, "swordfish")
    qtbot.keyClick(page.details.password.field, Qt.Key.Key_Return)
    path = str(library_files / "locked.txt")
    assert store.remembered_password(path) == "swordfish"
    qtbot.waitUntil(lambda: engine.passwords == {path: "swordfish"})
    page.show_files(state="indexed")
    qtbot.waitUntil(lambda: _state(page, "locked.txt") in {"Ready", "Waiting"})


def test_what_is_said_of_a_password_stays_while_the_list_is_refreshed(
    page: LibraryPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[Callable[[LecternError | None], None]] = []
    monkeypatch.setattr(FirstPage, "try_password", lambda *given: waiting.append(given[-1]))
    _choose(page, "locked.txt")
    line = page.details.password
    qtbot.waitUntil(lambda: "No supported keyring" in line.note.text())
    line.field.setText("wrong")
    line.enter()
    (row,) = page.chosen()
    page.details.show_rows([replace(row, attempts=row.attempts + 1)])
    line._show_keyring(there=False)  # which may come late
    assert line.note.text().startswith("Checking")
    waiting.pop()(WorldError("wrong_password"))
    assert line.note.text().startswith("Wrong password")


def test_the_letters_of_a_password_can_be_shown(page: LibraryPage, qtbot: QtBot) -> None:
    _choose(page, "locked.txt")
    line = page.details.password
    line.eye.trigger()
    assert line.field.echoMode() is line.field.EchoMode.Normal
    _choose(page, "lease.txt")
    _choose(page, "locked.txt")
    assert line.field.echoMode() is line.field.EchoMode.Password, "hidden for the next one"


def test_a_failed_file_is_read_again(
    page: LibraryPage, qtbot: QtBot, library_files: Path, notices: RecordedNotices
) -> None:
    (library_files / "broken.txt").write_text("Mended by its own program.")
    _choose(page, "broken.txt")
    page.file_actions.retry.trigger()
    qtbot.waitUntil(lambda: bool(notices.texts))
    assert "will be read again" in notices.texts[-1]
    qtbot.waitUntil(lambda: _state(page, "broken.txt") == "Ready")


def test_what_needs_the_person_has_the_button_that_helps(
    page: LibraryPage, qtbot: QtBot, notices: RecordedNotices
) -> None:
    qtbot.waitUntil(lambda: len(page.attention.lines) == 3)
    assert page.attention.lines[:2] == [
        ("1 file(s) need a password", "&Unlock…"),
        ("1 file(s) could not be read", "&Try again"),
    ]
    _unlock, again = page.attention.findChildren(QPushButton)
    again.click()
    qtbot.waitUntil(lambda: bool(notices.texts))
    page.window().activateWindow()
    # The lines are made anew once the file is read again.
    buttons = filter(QPushButton.isVisible, page.attention.findChildren(QPushButton))
    next(each for each in buttons if each.text() == "&Unlock…").click()
    qtbot.waitUntil(lambda: [row.file for row in page.chosen()] == ["locked.txt"])
    assert page.details.password.isVisible()
    assert page.states.currentData() == "needs_password"


def test_a_file_is_left_out_and_let_in_again(
    page: LibraryPage,
    qtbot: QtBot,
    engine: FakeEngine,
    library_files: Path,
    notices: RecordedNotices,
) -> None:
    root = str(library_files)
    engine.rules[root] = ["*.tmp"]
    _choose(page, "ice.txt")
    page.file_actions.exclude.trigger()
    qtbot.waitUntil(lambda: engine.rules[root] == ["*.tmp", "/ice.txt"])
    qtbot.waitUntil(lambda: bool(notices.told))
    assert notices.told[-1].undo is not None
    notices.told[-1].undo()
    qtbot.waitUntil(lambda: engine.rules[root] == ["*.tmp"])


def test_paths_are_copied(page: LibraryPage, library_files: Path) -> None:
    _choose(page, "ice.txt")
    page.file_actions.copy.trigger()
    assert QGuiApplication.clipboard().text() == str(library_files / "ice.txt")


def test_the_details_say_why_and_what_helps(page: LibraryPage, qtbot: QtBot) -> None:
    _choose(page, "broken.txt")
    assert "cannot be read" in page.details.why.text()
    assert "save it again" in page.details.advice.text()
    buttons = page.details.buttons.findChildren(QPushButton)
    (retry,) = (each for each in buttons if each.accessibleName() == "Retry")
    assert retry.isVisible()
    _choose(page, "lease.txt")
    qtbot.waitUntil(lambda: not retry.isVisible())  # its state may come later than its name
    page.table.selectAll()
    assert page.details.name.text().startswith("6 ")
    page.table.clearSelection()
    assert not page.details.buttons.isVisible()


def test_headings_sort_where_the_engine_can(page: LibraryPage, qtbot: QtBot) -> None:
    header = page.table.horizontalHeader()
    header.sectionClicked.emit(int(Column.PAGES))
    assert header.sortIndicatorSection() == Column.NAME
    header.setSortIndicator(Column.SIZE, Qt.SortOrder.DescendingOrder)
    header.sectionClicked.emit(int(Column.SIZE))
    assert page.model.filter.order == "size"
    qtbot.waitUntil(lambda: page.model.index(0, Column.NAME).data() == "lighthouse.md")


def test_a_hidden_page_sends_no_requests(page: LibraryPage) -> None:
    page.hide()
    page._questions.cancel(GetStatus.wire_name)
    page._context.link.changed.emit(frozenset({LibraryPart.FILES}))
    assert not page._questions.is_waiting(GetStatus.wire_name)


def test_patterns_match_one_file_only() -> None:
    import pathspec

    names = ["a.txt", "b/[1] x?.txt", "#top", "!bang", "trailing "]
    if sys.platform != "win32":  # where it parts folders
        names.append("back\\slash*")
    for name in names:
        spec = pathspec.GitIgnoreSpec.from_lines([pattern_for(name)])
        assert spec.match_file(name), name
        assert not spec.match_file(f"deeper/{name}")
    spec = pathspec.GitIgnoreSpec.from_lines([pattern_for("a[1].txt")])
    assert not spec.match_file("a1.txt")
    assert lines_of("*.tmp\n\n  \nold/\n") == ["*.tmp", "old/"]


def test_selecting_all_of_many_files_does_not_visit_each_row(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, link, _said = canned_context(tmp_path)
    link.answers[ListFiles] = ManyFiles(50_000)
    page = LibraryPage(context)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: page.model.total == 50_000)
    counted: list[None] = []
    count = FileModel.columnCount

    def counting(model: FileModel, *parent: Any) -> int:
        counted.append(None)
        return count(model, *parent)

    monkeypatch.setattr(FileModel, "columnCount", counting)
    page.table.selectAll()
    page.grab()
    assert len(counted) < 10_000
    page.hide()


def test_the_library_is_described_while_no_file_is_chosen(
    page: LibraryPage, qtbot: QtBot, library_files: Path
) -> None:
    facts = page.details.facts
    qtbot.waitUntil(lambda: fact(facts, "Text:") != "")
    assert page.details.name.text() == "All folders"
    page.tree.choose_folder(str(library_files))
    assert page.details.name.text() == "documents"
    _choose(page, "ice.txt")
    assert facts.isHidden()
    assert page.details.name.text() == "ice.txt"


def test_the_sizes_of_files_are_not_cut_in_any_language(
    page: LibraryPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amounts, "size", lambda number: f"{number} octets, all told")
    table = page.table
    table.resize(1400, 300)
    table.restyle()
    needed = table.fontMetrics().horizontalAdvance(amounts.size(999))
    assert table.columnWidth(Column.SIZE) > needed


@pytest.mark.parametrize(("width", "hidden"), [(1400, 0), (420, 5)])
def test_columns_are_hidden_before_names_are_cut(
    page: LibraryPage, qtbot: QtBot, width: int, hidden: int
) -> None:
    table = FileTable(page.model, [])
    qtbot.addWidget(table)
    table.resize(width, 300)
    table.show()
    header = table.horizontalHeader()
    assert sum(header.isSectionHidden(column) for column in Column) == hidden
    letter = table.fontMetrics().averageCharWidth()
    assert header.sectionSize(Column.NAME) >= 25 * letter
    assert header.length() == table.viewport().width()
    assert not table.grab().isNull()
    table.hide()


def test_the_controls_are_few(page: LibraryPage, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: len(page.attention.lines) == 3)
    _choose(page, "locked.txt")
    controls = visible_controls(page)
    assert len(controls) <= 20, [type(each).__name__ for each in controls]


def test_the_details_fit_with_text_at_200_percent(page: LibraryPage, qtbot: QtBot) -> None:
    font = page.font()
    font.setPointSizeF(2 * font.pointSizeF())
    page.setFont(font)
    page.resize(1100, 800)
    _choose(page, "locked.txt")
    details = page.details

    def seen() -> bool:
        parts = (details.password.field, details.password.button)
        return all(part.height() >= part.fontMetrics().height() for part in parts)

    qtbot.waitUntil(seen)
    page.resize(500, 300)
    qtbot.waitUntil(lambda: details.verticalScrollBar().maximum() > 0)
    assert page.table.isVisible()
