"""Passwords in the keyring open their documents for each new engine, and ask for nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from indexer.api.answers import FileList
from indexer.api.requests import ListFiles, Unlock
from indexer.api.system_keyring import SERVICE
from indexer.api.types import FileState
from tests.ui.library.port import canned_context, make_row
from tests.ui.settings.test_passwords import MemoryKeyring
from ui.library.file_actions import FileActions
from ui.passwords import KEPT_FILE_NAME, KeptPasswords, Passwords, kept_paths

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_passwords_of_the_keyring_are_sent_to_each_engine(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    locked = [make_row(n, FileState.NEEDS_PASSWORD, code="needs_password") for n in (1, 2)]
    locked.append(make_row(3, FileState.NEEDS_PASSWORD, code="wrong_password"))
    link.answers[ListFiles] = lambda _request: FileList(tuple(locked), len(locked))
    link.answers[Unlock] = lambda _request: 1
    keyring, owner = MemoryKeyring(), QObject()
    store = Passwords(lambda: keyring)
    kept = KeptPasswords(context, store, owner)
    assert link.asked == [], "who does not use the keyring is not asked to unlock it"
    actions = FileActions(context, store, owner)
    actions.unlock(locked[0], "one", keep=True)
    actions.unlock(locked[1], "two", keep=False)
    actions.unlock(locked[2], "three", keep=True)
    qtbot.waitUntil(lambda: len(keyring.kept) == 2)
    assert "one" not in (tmp_path / KEPT_FILE_NAME).read_text()
    assert kept_paths(tmp_path) == {locked[0].path, locked[2].path}
    fresh = Passwords(lambda: keyring)
    link.asked.clear()
    later = KeptPasswords(context, fresh, owner)
    unlocked = Unlock(Path(locked[0].path), "one")
    qtbot.waitUntil(lambda: unlocked in link.asked)
    assert link.kinds() == [ListFiles, Unlock], "a wrong one is not tried again"
    assert kept is not later
    assert keyring.kept[SERVICE, locked[2].path] == "three"


def test_a_damaged_list_of_documents_counts_as_empty(tmp_path: Path) -> None:
    assert kept_paths(tmp_path) == set()
    (tmp_path / KEPT_FILE_NAME).write_text("no json")
    assert kept_paths(tmp_path) == set()
    (tmp_path / KEPT_FILE_NAME).write_text("[1]")
    assert kept_paths(tmp_path) == set()
