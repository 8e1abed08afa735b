"""The rows of the folders' list, and the sentence about each folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from tests.answers import root
from ui.library.folder_list import FolderModel, embedded, name_of, state_of

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_a_folder_shows_its_progress() -> None:
    states = {"indexed": 3, "text_only": 1, "queued": 4, "failed": 2}
    folder = root("/a/b", 10, states=states)
    assert name_of(folder) == "b"
    assert embedded(folder) == 3 / 8
    said = state_of(folder)
    assert "Meaning search 37 % ready" in said
    assert "· 4 file" in said
    assert "2 could not be read" in said
    assert state_of(root("/a", states={"indexed": 1})) == "Up to date"
    assert state_of(root("/a", offline=True)).startswith("Offline")


@pytest.mark.parametrize(
    ("how", "why", "told"),
    [
        ("events", "", "Up to date · Changes are noticed at once"),
        ("polling", "network", "every few minutes: its drive does not report changes by others"),
        ("polling", "exhausted", "max_user_watches)"),
        ("", "", "Up to date"),
    ],
)
def test_a_folder_shows_how_its_changes_are_detected(how: str, why: str, told: str) -> None:
    folder = root("/a", states={"indexed": 1}, watched=how, watched_why=why)
    assert state_of(folder).endswith(told)


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
