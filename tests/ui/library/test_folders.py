"""Folders: nothing is read before it was asked for, and what was removed can be had back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QAbstractItemModelTester

from indexer.api.answers import FormatEstimate, Removal
from indexer.api.errors import WorldError
from indexer.api.formats import FORMATS
from indexer.api.phrases import Note
from indexer.api.requests import EstimateIndex, GetStatus, Index, Remove, SetPatterns
from indexer.api.status import LanguageStatus, ModelChange
from tests.answers import EMPTY, NOTHING, root
from tests.ui.library.port import CannedLink, canned_context
from tests.ui.notices import RecordedNotices
from ui.library.drops import dropped_paths
from ui.library.estimate_card import EstimateCard
from ui.library.folder_model import FolderModel, embedded, name_of, state_of
from ui.library.folders import FoldersPage
from ui.library.patterns_editor import PatternsEditor
from ui.library.removals import FILE_NAME, Removals
from ui.words import amounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from tests.fake_engine import FakeEngine
    from tests.ui.notices import RecordedNotices
    from ui.ports import Context

FORMAT_NAMES = [known.name for known in FORMATS]


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


def test_nothing_is_read_before_start(
    page: FoldersPage, qtbot: QtBot, engine: FakeEngine, library_files: Path
) -> None:
    assert page.stack.currentIndex() == 1
    page.add_paths([str(library_files)])
    assert page.card.isVisible()
    assert not page.card.start.isEnabled()
    qtbot.waitUntil(page.card.start.isEnabled)
    facts = page.card.facts
    assert facts.value("To read:").startswith("4 ")
    assert "Plain text 3" in facts.value("Kinds:")
    assert "Left out by a rule 1" in facts.value("Left out:")
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
    page.list.setCurrentIndex(page.model.index(0))
    page.list.setFocus()
    page.edit.click()
    qtbot.waitUntil(page.patterns.text.hasFocus)
    page.patterns.close_editor()
    assert page.list.hasFocus()
    page.remove.setFocus()
    page.remove.click()
    assert page.add.hasFocus()


def test_what_is_there_already_is_not_added_twice(
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


def test_what_is_no_folder_of_this_machine_is_not_taken(
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


def test_a_removal_survives_a_window_that_closes(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, said = canned_context(tmp_path)
    owner = FolderModel()
    removals = Removals(context, owner)
    removals.remove(["/a"])
    assert json.loads((tmp_path / FILE_NAME).read_text()) == ["/a"]
    link.is_connected = False
    said.lapse()
    assert link.asked == []
    link.is_connected = True
    link.answers[Remove] = lambda _request: Removal(0, 0, 0)
    later = Removals(context, owner)  # the next window
    assert link.asked[-1] == Remove((Path("/a"),))
    qtbot.waitUntil(lambda: not later.hidden)
    assert not (tmp_path / FILE_NAME).exists()


def test_a_removal_waits_for_an_engine_that_is_gone(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, said = canned_context(tmp_path)
    owner = FolderModel()
    removals = Removals(context, owner)
    removals.remove(["/a"])
    said.lapse()
    qtbot.waitUntil(lambda: not link.waiting)  # it answers that there is no engine
    assert removals.hidden == {"/a"}
    assert json.loads((tmp_path / FILE_NAME).read_text()) == ["/a"]
    link.answers[Remove] = lambda _request: Removal(0, 0, 0)
    link.connected.emit()
    qtbot.waitUntil(lambda: not removals.hidden)
    assert not (tmp_path / FILE_NAME).exists()


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"/a": 1}'])
def test_a_damaged_list_of_removals_removes_nothing(
    qtbot: QtBot, tmp_path: Path, content: str
) -> None:
    context, link, _said = canned_context(tmp_path)
    (tmp_path / FILE_NAME).write_text(content)
    owner = FolderModel()
    assert not Removals(context, owner).hidden
    assert link.asked == []


@pytest.mark.parametrize(("code", "told"), [("not_a_root", False), ("disk_full", True)])
def test_a_removal_that_fails_is_said_unless_it_is_gone(
    qtbot: QtBot, tmp_path: Path, code: str, told: bool
) -> None:
    context, link, said = canned_context(tmp_path)
    link.answers[Remove] = lambda _request: WorldError(code)
    owner = FolderModel()
    removals = Removals(context, owner)
    removals.remove(["/a"])
    said.lapse()
    qtbot.waitUntil(lambda: not removals.hidden)
    assert (len(said.texts) == 2) is told


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


def test_a_pattern_that_cannot_be_read_is_said(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    link.answers[SetPatterns] = lambda _request: ()
    link.answers[EstimateIndex] = lambda _request: WorldError(
        "bad_setting", name="exclude", value="[", reason="it is not closed"
    )
    editor = PatternsEditor(context)
    qtbot.addWidget(editor)
    editor.edit("/a", "a")
    qtbot.waitUntil(lambda: "not closed" in editor.count.text())
    assert not editor.save.isEnabled()


def test_an_estimate_waits_for_the_engine(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    card = EstimateCard(context)
    qtbot.addWidget(card)
    card.consider(["/a"])
    qtbot.waitUntil(lambda: "engine is starting" in card.note.text())
    link.answers[EstimateIndex] = lambda _request: NOTHING
    link.connected.emit()
    qtbot.waitUntil(lambda: "nothing in it" in card.note.text())
    assert not card.start.isEnabled()


def test_an_estimate_says_what_is_known_and_what_is_new(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    card = EstimateCard(context)
    qtbot.addWidget(card)
    link.answers[EstimateIndex] = lambda _request: replace(NOTHING, known=7)
    card.consider(["/a", "/b", "/c", "/d"])
    qtbot.waitUntil(card.start.isEnabled)
    assert card.note.text() == "Everything in it has been read already."
    assert card.facts.value("Known already:") == amounts.files(7)
    kinds = {name: FormatEstimate(n, n) for n, name in enumerate(FORMAT_NAMES[:7], 1)}
    new = replace(NOTHING, files=28, formats=kinds, measured=True)
    link.answers[EstimateIndex] = lambda _request: new
    with qtbot.waitSignal(card.estimated):
        card.consider(["/a"])
    assert card.note.text() == ""  # the time is no guess
    assert card.facts.value("Kinds:").endswith("…")
    assert card.facts.value("Kinds:").count("·") == 6


def test_an_estimate_says_what_is_wrong(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    link.answers[EstimateIndex] = lambda _request: WorldError("path_missing", path="/a")
    card = EstimateCard(context)
    qtbot.addWidget(card)
    card.consider(["/a"])
    qtbot.waitUntil(lambda: "nothing at /a" in card.note.text())


def test_a_folder_says_how_far_it_is() -> None:
    states = {"indexed": 3, "text_only": 1, "queued": 4, "failed": 2}
    folder = root("/a/b", 10, states=states)
    assert name_of(folder) == "b"
    assert embedded(folder) == 3 / 8
    said = state_of(folder)
    assert "37 % embedded" in said
    assert "· 4 file" in said
    assert "2 could not be read" in said
    assert state_of(root("/a", states={"indexed": 1})) == "Up to date"
    assert state_of(root("/a", offline=True)).startswith("Offline")


@pytest.mark.parametrize(
    ("how", "why", "told"),
    [
        ("events", "", "Up to date · Changes are noticed at once"),
        ("polling", "network", "every few minutes: its drive does not tell what others change"),
        ("polling", "exhausted", "max_user_watches)"),
        ("", "", "Up to date"),
    ],
)
def test_a_folder_says_how_its_changes_are_heard_of(how: str, why: str, told: str) -> None:
    folder = root("/a", states={"indexed": 1}, watched=how, watched_why=why)
    assert state_of(folder).endswith(told)


@pytest.fixture
def silent_page(qtbot: QtBot, tmp_path: Path) -> Iterator[FoldersPage]:
    """A page whose engine answers nothing: what it shows is what a test gives it."""
    context, link, _said = canned_context(tmp_path)
    link.holding.add(GetStatus)
    page = FoldersPage(context)
    qtbot.addWidget(page)
    page.show()
    yield page
    page.hide()


def test_a_change_of_the_model_stands_above_the_folders(silent_page: FoldersPage) -> None:
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


def test_languages_that_the_model_was_not_made_for_stand_above_the_folders(
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
    assert page.uncovered.text() == (
        "Deutsch, 2 document(s): found by words only until the change to many is complete.\n"
        "zxx, 1 document(s): found by words only: no language model known here was made for it."
    )
    page.show_status(EMPTY)
    assert page.uncovered.isHidden()


def test_folders_change_in_place(qtbot: QtBot) -> None:
    model = FolderModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    one, two, three = (root(path) for path in ("/1", "/2", "/3"))
    model.show_roots([one, two])
    with qtbot.waitSignal(model.dataChanged):
        model.show_roots([root("/1", 5), two])
    with qtbot.assertNotEmitted(model.dataChanged):
        model.show_roots([root("/1", 5), two])
    model.show_roots([two, three], hidden={"/2"})
    assert [each.path for each in model.roots] == ["/3"]
    assert "/3" in model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    model.show_roots([])


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


def test_indexing_goes_on_when_the_page_goes(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    _use(link, _said)
    page = FoldersPage(context)
    page.card.accepted.emit(["/a"])
    page.refresh()
    page.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert Index((Path("/a"),), kept=True) in link.asked
    number = 1 + link.kinds().index(Index)
    assert number not in link.cancelled


def _use(link: CannedLink, _said: RecordedNotices) -> None:
    link.holding |= {Index, GetStatus}
