"""The folders of the library: nothing is read before Start, and a removal can be undone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QPushButton

from app.cli_library import status_lines
from indexer.api.phrases import Note
from indexer.api.requests import GetStatus, Index
from indexer.api.status import LanguageStatus
from indexer.api.types import FileState
from tests.answers import EMPTY, root
from tests.ui.library.port import canned_context, fact
from tests.ui.notices import RecordedNotices
from ui.library.page import LibraryPage
from ui.library.work_line import AttentionList
from ui.widgets import dropped_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QAction
    from pytestqt.qtbot import QtBot

    from tests.fake_engine import FakeEngine
    from tests.ui.notices import RecordedNotices
    from ui.ports import Context


@pytest.fixture
def page(qtbot: QtBot, context: Context) -> Iterator[LibraryPage]:
    page = LibraryPage(context)
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    yield page
    page.hide()


def _add(qtbot: QtBot, page: LibraryPage, folder: Path) -> None:
    page.add_paths([str(folder)])
    qtbot.waitUntil(page.card.start.isEnabled)
    page.card.start.click()
    qtbot.waitUntil(lambda: bool(page.tree.roots))


def test_nothing_is_shown_before_the_engine_has_answered(qtbot: QtBot, context: Context) -> None:
    page = LibraryPage(context)
    qtbot.addWidget(page)
    assert page.panel.currentIndex() == 0
    page.show()
    qtbot.waitUntil(lambda: page.panel.currentWidget() is page.empty)
    assert "No files yet" in page.empty.text()
    page.hide()


def test_nothing_is_read_before_start(
    page: LibraryPage,
    qtbot: QtBot,
    engine: FakeEngine,
    library_files: Path,
    notices: RecordedNotices,
) -> None:
    qtbot.waitUntil(lambda: page.panel.currentWidget() is page.empty)
    page.add_paths([str(library_files)])
    assert page.card.isVisible()
    assert not page.card.start.isEnabled()
    qtbot.waitUntil(page.card.start.isEnabled)
    facts = page.card.facts
    assert fact(facts, "To read:").startswith("4 ")
    assert "Plain text:\u00a03" in fact(facts, "Kinds:")
    assert "Left out by a rule:\u00a01" in fact(facts, "Skipped:")
    assert engine.roots == []
    page.card.cancel.click()
    assert not page.card.isVisible()
    _add(qtbot, page, library_files)
    assert engine.roots == [str(library_files)]
    undo = notices.told[-1].undo
    assert undo is not None
    undo()
    qtbot.waitUntil(lambda: not page.tree.roots)
    assert engine.roots == []
    _add(qtbot, page, library_files)
    qtbot.waitUntil(lambda: page.model.total == 4)
    assert page.panel.currentIndex() == 0
    assert page.tree.roots[str(library_files)].files == 4


def test_the_focus_returns_from_a_card(
    page: LibraryPage, qtbot: QtBot, library_files: Path
) -> None:
    window = page.window()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    page.add.setFocus()
    for ends in (page.card.cancel, page.card.start):
        page.add_paths([str(library_files)])
        qtbot.waitUntil(page.card.start.hasFocus)
        ends.click()
        assert page.add.hasFocus()
    qtbot.waitUntil(lambda: bool(page.tree.roots))
    page.tree.setFocus()
    _choose_root(page)
    page._edit_patterns()
    qtbot.waitUntil(page.patterns.text.hasFocus)
    qtbot.keyClick(page.patterns.text, Qt.Key.Key_Escape)
    assert page.patterns.isHidden()
    assert page.tree.hasFocus()


def _choose_root(page: LibraryPage) -> None:
    item = page.tree.topLevelItem(1)
    assert item is not None
    page.tree.setCurrentItem(item)


def _entries(page: LibraryPage) -> dict[str, QAction]:
    """The entries of the menu of the chosen folder, which is closed again."""
    page.tree.customContextMenuRequested.emit(QPoint(5, 5))
    menu = page.findChildren(QMenu)[-1]
    menu.hide()
    return {action.text().replace("&", ""): action for action in menu.actions()}


def test_a_known_folder_is_not_added_again(
    page: LibraryPage, qtbot: QtBot, library_files: Path, notices: RecordedNotices
) -> None:
    _add(qtbot, page, library_files)
    page.add_paths([str(library_files)])
    assert not page.card.isVisible()
    assert "already" in notices.texts[-1]


def test_folders_are_dropped(page: LibraryPage, library_files: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(library_files)), QUrl("https://example.org/")])
    event = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    page.dropEvent(event)
    assert list(page.card.paths) == [str(library_files)]
    assert dropped_paths(QMimeData()) == []


def test_dropped_addresses_that_are_not_local_are_ignored(
    page: LibraryPage, notices: RecordedNotices
) -> None:
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/")])
    point, no_key = QPoint(5, 5), Qt.KeyboardModifier.NoModifier
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    over = QDragEnterEvent(point, copy, data, left, no_key)
    over.ignore()
    page.dragEnterEvent(over)
    assert not over.isAccepted()
    page.dropEvent(QDropEvent(QPointF(point), copy, data, left, no_key))
    page.add_paths([])
    assert not page.card.isVisible()
    assert notices.texts == []
    data.setUrls([QUrl.fromLocalFile("/a")])
    page.dragEnterEvent(over)
    assert over.isAccepted()


def test_a_removal_can_be_undone_or_is_carried_out(
    page: LibraryPage,
    qtbot: QtBot,
    engine: FakeEngine,
    library_files: Path,
    notices: RecordedNotices,
) -> None:
    _add(qtbot, page, library_files)
    _choose_root(page)
    _entries(page)["Remove folder"].trigger()
    assert page.tree.topLevelItemCount() == 1
    told = notices.told[-1]
    assert told.undo is not None
    told.undo()
    assert page.tree.topLevelItemCount() == 2
    _choose_root(page)
    qtbot.keyClick(page.tree, Qt.Key.Key_Delete)
    expired = notices.told[-1].expired
    assert expired is not None
    expired()
    qtbot.waitUntil(lambda: engine.roots == [])
    qtbot.waitUntil(lambda: not page.removals.hidden)


def test_patterns_are_tried_before_they_are_saved(
    page: LibraryPage,
    qtbot: QtBot,
    engine: FakeEngine,
    library_files: Path,
    notices: RecordedNotices,
) -> None:
    _add(qtbot, page, library_files)
    _choose_root(page)
    _entries(page)["Patterns of folder…"].trigger()
    editor = page.patterns
    qtbot.waitUntil(lambda: editor.count.text() == "4 file(s) stay.")
    assert not editor.save.isEnabled()
    qtbot.keyClicks(editor.text, "ice.txt")
    assert not editor.save.isEnabled()
    qtbot.waitUntil(editor.save.isEnabled)
    assert engine.rules == {}
    said = "Leaves out 1 file(s) of the library: ice.txt. 3 file(s) stay."
    assert editor.count.text() == said
    editor.save.click()
    qtbot.waitUntil(lambda: engine.rules == {str(library_files): ["ice.txt"]})
    qtbot.waitUntil(lambda: not editor.isVisible())
    undo = notices.told[-1].undo
    assert undo is not None
    undo()
    qtbot.waitUntil(lambda: not engine.rules.get(str(library_files)))


def test_folders_inside_others_are_listed_and_their_files_shown(
    page: LibraryPage, qtbot: QtBot, library_files: Path
) -> None:
    _add(qtbot, page, library_files)
    qtbot.waitUntil(lambda: page.model.total == 4)
    top = page.tree.topLevelItem(1)
    assert top is not None
    assert (top.text(0), top.text(1)) == ("documents", "4")
    top.setExpanded(True)
    qtbot.waitUntil(lambda: top.childCount() == 1)
    inner = top.child(0)
    assert inner is not None
    assert (inner.text(0), inner.text(1)) == ("contracts", "1")
    page.tree.setCurrentItem(inner)
    qtbot.waitUntil(lambda: page.model.total == 1)
    entries = _entries(page)
    assert [name for name, each in entries.items() if each.isEnabled()] == ["Open folder"]
    (library_files / "contracts" / "deeper").mkdir()
    (library_files / "contracts" / "deeper" / "new.txt").write_text("The cellar is dry.")
    _choose_root(page)
    _entries(page)["Rescan folder"].trigger()
    qtbot.waitUntil(lambda: inner.text(1) == "2")
    inner.setExpanded(True)
    qtbot.waitUntil(lambda: inner.childCount() == 1)


def test_the_languages_that_the_model_does_not_cover_are_told(qtbot: QtBot, tmp_path: Path) -> None:
    context, _link, _said = canned_context(tmp_path)
    listed = AttentionList(context)
    qtbot.addWidget(listed)
    coming = LanguageStatus("de", 2, Note("language_coming", {"model": "many"}))
    listed.show_status(replace(EMPTY, languages=(LanguageStatus("en", 7), coming)))
    ((text, label),) = listed.lines
    assert text.startswith("2 document(s) in 1 language(s) are found by words only")
    assert "until the change to many is complete" in text
    assert not label
    offered = LanguageStatus("fr", 3, Note("language_offered", {"model": "many"}))
    listed.show_status(replace(EMPTY, languages=(coming, offered)))
    text = "5 document(s) in 2 language(s) are found by words only"
    assert listed.lines == [(text, "Use the multil&ingual model…")]
    (button,) = listed.findChildren(QPushButton)
    with qtbot.waitSignal(listed.models_requested):
        button.click()
    listed.show_status(EMPTY)
    assert listed.isHidden()


def test_attention_breaks_no_line_that_has_room_when_the_text_grows(
    qtbot: QtBot, tmp_path: Path
) -> None:
    listed = AttentionList(canned_context(tmp_path)[0])
    qtbot.addWidget(listed)
    listed.show_status(replace(EMPTY, files={FileState.NEEDS_PASSWORD: 3}))
    (said,) = (each for each in listed.findChildren(QLabel) if each.text())
    font = listed.font()
    font.setPointSizeF(2 * font.pointSizeF())
    listed.setFont(font)
    listed.resize(1500, 100)
    with qtbot.waitExposed(listed):
        listed.show()
    QApplication.processEvents()
    assert said.width() >= said.fontMetrics().horizontalAdvance(said.text())


def test_what_stops_the_watching_of_folders_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    context, _link, _said = canned_context(tmp_path)
    listed = AttentionList(context)
    qtbot.addWidget(listed)
    stopped = replace(EMPTY, watch_problem=Note("internal", {"reason": "OSError"}))
    listed.show_status(stopped)
    ((text, _label),) = listed.lines
    assert text.startswith("Changes in the folders wait: ")
    assert "OSError" in text
    (line,) = [each for each in status_lines(stopped) if each.startswith("Watching")]
    assert "OSError" in line


def test_an_offline_folder_cannot_be_read_again(qtbot: QtBot, tmp_path: Path) -> None:
    context, _link, _said = canned_context(tmp_path)
    away = root("/away", 3, offline=True, states={"offline": 3})
    page = LibraryPage(context)
    qtbot.addWidget(page)
    page.show_status(replace(EMPTY, roots=(away,)))
    assert page.attention.lines == [("1 folder(s) offline: the drive is not connected", "")]
    _choose_root(page)
    enabled = [name for name, each in _entries(page).items() if each.isEnabled()]
    assert enabled == ["Patterns of folder…", "Remove folder"]
    said = page.details.facts.findChildren(QLabel)
    assert any("not available" in label.text() for label in said)


def test_indexing_continues_after_the_page_is_deleted(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    link.holding |= {Index, GetStatus}
    page = LibraryPage(context)
    page.card.accepted.emit(["/a"])
    page.refresh()
    page.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert Index((Path("/a"),), kept=True) in link.asked
    number = 1 + link.kinds().index(Index)
    assert number not in link.cancelled
