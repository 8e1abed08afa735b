"""The main flows over a real engine in its own process, on real files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pymupdf
import pytest

from indexer.api.requests import GetActivity
from tests.ui.engines import answer
from tests.ui.library.port import fact
from ui import passwords
from ui.engine_client import ActivityFeed
from ui.library import first_run
from ui.library.file_actions import cited_by
from ui.library.file_model import Column
from ui.library.first_run import FirstRun
from ui.library.page import LibraryPage

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.ui.notices import RecordedNotices
    from ui.ports import Context

SECRET = "the open sea"


@pytest.fixture
def context(real_context: Context) -> Context:
    return real_context


@pytest.fixture(autouse=True)
def store(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_shared", [passwords.Passwords(lambda: None)])


def _locked(target: Path) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 72), "The treasure lies on the island behind the lighthouse.")
        document.save(target, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=SECRET, owner_pw="me")


def _states(page: LibraryPage) -> dict[str, str]:
    rows = range(page.model.rowCount())
    return {
        str(page.model.index(row, Column.NAME).data()): str(
            page.model.index(row, Column.STATE).data()
        )
        for row in rows
    }


def test_from_the_first_run_to_a_password_to_an_absent_folder(
    qtbot: QtBot,
    context: Context,
    notices: RecordedNotices,
    library_files: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _locked(library_files / "locked.pdf")
    monkeypatch.setattr(first_run, "usual_folders", lambda: [str(library_files)])
    _first_run(qtbot, context)
    page = LibraryPage(context)
    qtbot.addWidget(page)
    feed = ActivityFeed(context.link, page)
    feed.changed.connect(page.show_activity)
    page.resize(1200, 700)
    page.show()
    _unlock(qtbot, page)
    _correct(qtbot, page, notices)
    _leave_out(qtbot, page)
    _take_away(qtbot, page, library_files)
    _pause(qtbot, page, context)
    feed.close()
    page.hide()


def _first_run(qtbot: QtBot, context: Context) -> None:
    page = FirstRun(context)
    qtbot.addWidget(page)
    feed = ActivityFeed(context.link, page)
    feed.changed.connect(page.show_activity)
    page.show()
    qtbot.waitUntil(page.card.start.isEnabled)
    assert fact(page.card.facts, "To read:").startswith("4 ")
    with qtbot.waitSignal(page.finished) as finished:
        page.card.start.click()
    assert finished.args == [page.suggestion.text]
    assert page.suggestion.text
    page.hide()


def _unlock(qtbot: QtBot, page: LibraryPage) -> None:
    def is_state(state: str) -> bool:
        return _states(page).get("locked.pdf") == state

    qtbot.waitUntil(lambda: is_state("Needs a password"))
    page.table.selectRow(list(_states(page)).index("locked.pdf"))
    line = page.details.password
    line.field.setText("wrong")
    line.enter()
    qtbot.waitUntil(lambda: line.note.text().startswith("Wrong password"))
    assert is_state("Needs a password"), "the engine was not even asked"
    line.field.setText(SECRET)
    line.enter()
    qtbot.waitUntil(lambda: is_state("Ready"))
    page.table.selectRow(list(_states(page)).index("locked.pdf"))
    qtbot.waitUntil(page.details.page.isVisible)
    assert page.details.page.pixmap().width() > 100, "its first page"


def _correct(qtbot: QtBot, page: LibraryPage, notices: RecordedNotices) -> None:
    form = page.details.correction
    page.details.correct.click()
    qtbot.waitUntil(form.isVisible)
    assert not any(field.cursorPosition() for field in form.fields), "a long name is read from here"
    for field, text in zip(form.fields, ("The island", "Doe, Jane", "1881"), strict=True):
        field.setText(text)
    (row,) = page.chosen()
    form.button.click()
    qtbot.waitUntil(lambda: "locked.pdf is corrected." in notices.texts)
    shown: list[tuple[str, str, str]] = []
    page.file_actions.ask_document(row, lambda one: shown.append(cited_by(one)))
    qtbot.waitUntil(lambda: shown == [("The island", "Doe, Jane", "1881")])


def _leave_out(qtbot: QtBot, page: LibraryPage) -> None:
    # A test before may have left Ctrl down, with which a row joins those that are selected.
    page.table.clearSelection()
    page.table.selectRow(list(_states(page)).index("ice.txt"))
    page.file_actions.exclude.trigger()
    qtbot.waitUntil(lambda: _states(page).get("ice.txt") == "Left out")


def _take_away(qtbot: QtBot, page: LibraryPage, folder: Path) -> None:
    assert list(page.tree.roots[str(folder)].patterns) == ["/ice.txt"]
    folder.rename(folder.with_name("elsewhere"))
    page.tree.setFocus()
    page._look_for_changes()
    qtbot.waitUntil(lambda: page.tree.roots[str(folder)].offline)
    qtbot.waitUntil(lambda: any("offline" in text for text, _button in page.attention.lines))


def _pause(qtbot: QtBot, page: LibraryPage, context: Context) -> None:
    qtbot.waitUntil(page.work.pause.isEnabled)
    page.work.pause.click()
    qtbot.waitUntil(lambda: page.work.sentence.text() == "Paused")
    assert answer(qtbot, context.link, GetActivity()).paused
    page.work.pause.click()
    qtbot.waitUntil(lambda: page.work.sentence.text() != "Paused")
