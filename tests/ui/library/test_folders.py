"""The folders' page: nothing is read before Start, and a removal can be undone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMenu

from indexer.api.phrases import Note
from indexer.api.requests import GetStatus, Index
from indexer.api.status import LanguageStatus, ModelChange
from tests.answers import EMPTY, root
from tests.ui.library.port import canned_context
from tests.ui.notices import RecordedNotices
from ui.library.folder_list import name_of
from ui.library.folders import FoldersPage
from ui.widgets import dropped_paths

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from tests.fake_engine import FakeEngine
    from tests.ui.notices import RecordedNotices
    from ui.ports import Context


@pytest.fixture
def page(qtbot: QtBot, context: Context) -> Iterator[FoldersPage]:
    page = FoldersPage(context)
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    yield page
    page.hide()


def _add(qtbot: QtBot, page: FoldersPage, folder: Path) -> None:
    page.add_paths([str(folder)])
    qtbot.waitUntil(page.card.start.isEnabled)
    page.card.start.click()
    qtbot.waitUntil(lambda: page.model.rowCount() > 0)


def test_nothing_is_shown_before_the_engine_has_answered(qtbot: QtBot, context: Context) -> None:
    page = FoldersPage(context)
    qtbot.addWidget(page)
    assert page.stack.currentIndex() == 0
    page.show()
    qtbot.waitUntil(lambda: page.stack.currentIndex() == 1)
    page.hide()


def test_nothing_is_read_before_start(
    page: FoldersPage, qtbot: QtBot, engine: FakeEngine, library_files: Path
) -> None:
    qtbot.waitUntil(lambda: page.stack.currentIndex() == 1)
    page.add_paths([str(library_files)])
    assert page.card.isVisible()
    assert not page.card.start.isEnabled()
    qtbot.waitUntil(page.card.start.isEnabled)
    facts = page.card.facts
    assert facts.value("To read:").startswith("4 ")
    assert "Plain text:\u00a03" in facts.value("Kinds:")
    assert "Left out by a rule:\u00a01" in facts.value("Skipped:")
    assert engine.roots == []
    page.card.cancel.click()
    assert not page.card.isVisible()
    _add(qtbot, page, library_files)
    assert engine.roots == [str(library_files)]
    assert page.stack.currentIndex() == 0
    qtbot.waitUntil(lambda: page.model.roots[0].files == 4)


def test_the_focus_returns_from_a_card(
    page: FoldersPage, qtbot: QtBot, library_files: Path
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
    qtbot.waitUntil(lambda: page.model.rowCount() > 0)
    page.list.setFocus()
    assert page.list.chosen() == [*page.model.roots], "the only one: no key would select it"
    page.edit.click()
    qtbot.waitUntil(page.patterns.text.hasFocus)
    qtbot.keyClick(page.patterns.text, Qt.Key.Key_Escape)
    assert page.patterns.isHidden()
    assert page.list.hasFocus()
    page.remove.setFocus()
    page.remove.click()
    assert page.add.hasFocus()


def test_a_known_folder_is_not_added_again(
    page: FoldersPage, qtbot: QtBot, library_files: Path, notices: RecordedNotices
) -> None:
    _add(qtbot, page, library_files)
    page.add_paths([str(library_files)])
    assert not page.card.isVisible()
    assert "already" in notices.texts[-1]


def test_folders_are_dropped(page: FoldersPage, library_files: Path) -> None:
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
    page: FoldersPage, notices: RecordedNotices
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
    page: FoldersPage,
    qtbot: QtBot,
    engine: FakeEngine,
    library_files: Path,
    notices: RecordedNotices,
) -> None:
    _add(qtbot, page, library_files)
    page.list.setCurrentIndex(page.model.index(0))
    page.remove.click()
    assert page.model.rowCount() == 0
    told = notices.told[-1]
    assert told.undo is not None
    assert told.expired is not None
    told.undo()
    assert page.model.rowCount() == 1
    page.list.setCurrentIndex(page.model.index(0))
    page.remove.click()
    expired = notices.told[-1].expired
    assert expired is not None
    expired()
    qtbot.waitUntil(lambda: engine.roots == [])
    qtbot.waitUntil(lambda: not page.removals.hidden)


def test_patterns_are_tried_before_they_are_saved(
    page: FoldersPage, qtbot: QtBot, engine: FakeEngine, library_files: Path
) -> None:
    _add(qtbot, page, library_files)
    page.list.setCurrentIndex(page.model.index(0))
    page.edit.click()
    editor = page.patterns
    qtbot.waitUntil(lambda: "4 files to read" in editor.count.text().replace("file(s)", "files"))
    assert not editor.save.isEnabled()
    qtbot.keyClicks(editor.text, "ice.txt")
    assert not editor.save.isEnabled()
    qtbot.waitUntil(editor.save.isEnabled)
    assert engine.rules == {}
    assert editor.count.text().startswith("3 ")
    editor.save.click()
    qtbot.waitUntil(lambda: engine.rules == {str(library_files): ["ice.txt"]})
    qtbot.waitUntil(lambda: not editor.isVisible())


@pytest.fixture
def silent_page(qtbot: QtBot, tmp_path: Path) -> Iterator[FoldersPage]:
    """A page whose engine never answers, so that it shows only what a test passes to it."""
    context, link, _said = canned_context(tmp_path)
    link.holding.add(GetStatus)
    page = FoldersPage(context)
    qtbot.addWidget(page)
    page.show()
    yield page
    page.hide()


def test_a_change_of_the_model_is_shown_above_the_folders(silent_page: FoldersPage) -> None:
    page = silent_page
    assert page.change.isHidden()
    page.show_status(replace(EMPTY, changing=ModelChange("gte-small", "int8", 0.25)))
    assert page.change.isVisible()
    assert page.change.label.text() == (
        "Changing to the language model gte-small: 25 % done. Until then the one before answers."
    )
    assert page.change.bar.value() == page.change.bar.maximum() // 4
    page.show_status(EMPTY)
    assert page.change.isHidden()
    assert name_of(root("/")) == "/"


def test_uncovered_languages_are_listed_above_the_folders(
    silent_page: FoldersPage,
) -> None:
    page = silent_page
    assert page.uncovered.isHidden()
    languages = (
        LanguageStatus("en", 7),
        LanguageStatus("de", 2, Note("language_coming", {"model": "many"})),
        LanguageStatus("zxx", 1, Note("language_uncovered")),
    )
    page.show_status(replace(EMPTY, languages=languages))
    assert page.uncovered.isVisible()
    assert page.uncovered.text().split("\n") == [
        f"\u2068{name}\u2069, {rest}"  # isolated, since a name may be written from right to left
        for name, rest in (
            ("Deutsch", "2 document(s): found by words only until the change to many is complete."),
            ("zxx", "1 document(s): found by words only: no available language model covers it."),
        )
    ]
    page.show_status(EMPTY)
    assert page.uncovered.isHidden()


def test_an_offline_folder_cannot_be_read_again(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    away = root("/away", 3, offline=True, states={"offline": 3})
    link.answers[GetStatus] = lambda _request: replace(EMPTY, roots=(away,))
    page = FoldersPage(context)
    qtbot.addWidget(page)
    page.refresh()
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    page.list.setCurrentIndex(page.model.index(0))
    assert not page.rescan.isEnabled()
    assert not page.open.isEnabled()
    assert page.remove.isEnabled()
    wanted: list[str] = []
    page.files_requested.connect(wanted.append)
    page.files.click()
    assert wanted == ["/away"]


def test_indexing_continues_after_the_page_is_deleted(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    link.holding |= {Index, GetStatus}
    page = FoldersPage(context)
    page.card.accepted.emit(["/a"])
    page.refresh()
    page.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert Index((Path("/a"),), kept=True) in link.asked
    number = 1 + link.kinds().index(Index)
    assert number not in link.cancelled


def test_the_menu_of_a_folder_does_what_the_buttons_do(
    page: FoldersPage, qtbot: QtBot, library_files: Path
) -> None:
    page.list.customContextMenuRequested.emit(QPoint(5, 5))
    assert page.findChildren(QMenu) == []  # there is no folder yet
    _add(qtbot, page, library_files)
    page.list.setCurrentIndex(page.model.index(0))
    page.list.customContextMenuRequested.emit(QPoint(5, 5))
    (menu,) = page.findChildren(QMenu)
    entries = {action.text().replace("&", ""): action for action in menu.actions()}
    assert list(entries) == ["Show files", "Open folder", "Rescan", "Patterns…", "Remove"]
    with qtbot.waitSignal(page.files_requested) as wanted:
        entries["Show files"].trigger()
    assert wanted.args == [str(library_files)]
    menu.hide()
