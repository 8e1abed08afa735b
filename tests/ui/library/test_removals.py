"""A removed folder is hidden at once, and removed by the engine when undo has expired."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject

from indexer.api.errors import WorldError
from indexer.api.requests import Index, Remove
from tests.ui.library.port import canned_context
from ui.library.folder_tree import FILE_NAME, Removals

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_a_removal_survives_a_window_that_closes(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, said = canned_context(tmp_path)
    owner = QObject()
    removals = Removals(context, owner)
    removals.remove_folder("/a", ["*.bak"])
    assert json.loads((tmp_path / FILE_NAME).read_text()) == {str(context.library): ["/a"]}
    link.is_connected = False
    said.lapse()
    assert link.asked == []
    link.is_connected = True
    link.answers[Remove] = lambda _request: 0
    later = Removals(context, owner)  # the next window
    assert link.asked[-1] == Remove((Path("/a"),))
    qtbot.waitUntil(lambda: not later.hidden)
    assert not (tmp_path / FILE_NAME).exists()


def test_a_removal_waits_for_an_engine_that_is_gone(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, said = canned_context(tmp_path)
    owner = QObject()
    removals = Removals(context, owner)
    removals.remove_folder("/a", ["*.bak"])
    said.lapse()
    qtbot.waitUntil(lambda: not link.waiting)  # it answers that there is no engine
    assert removals.hidden == {"/a"}
    assert json.loads((tmp_path / FILE_NAME).read_text()) == {str(context.library): ["/a"]}
    link.answers[Remove] = lambda _request: 0
    link.connected.emit()
    qtbot.waitUntil(lambda: not removals.hidden)
    assert not (tmp_path / FILE_NAME).exists()


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"LIBRARY": 1}'])
def test_a_damaged_list_of_removals_removes_nothing(
    qtbot: QtBot, tmp_path: Path, content: str
) -> None:
    context, link, _said = canned_context(tmp_path)
    (tmp_path / FILE_NAME).write_text(content.replace("LIBRARY", str(context.library)))
    owner = QObject()
    assert not Removals(context, owner).hidden
    assert link.asked == []


def test_a_removal_is_sent_to_its_own_library_only(qtbot: QtBot, tmp_path: Path) -> None:
    context, link, _said = canned_context(tmp_path)
    owner = QObject()
    Removals(context, owner).remove_folder("/a", [])
    other = replace(context, library=tmp_path / "another library")
    later = Removals(other, owner)
    assert not later.hidden
    later.remove_folder("/b", [])
    assert link.asked == []
    assert Removals(context, owner).hidden == {"/a"}


@pytest.mark.parametrize(("code", "told"), [("not_a_root", False), ("disk_full", True)])
def test_a_failed_removal_is_reported_unless_the_folder_is_gone(
    qtbot: QtBot, tmp_path: Path, code: str, told: bool
) -> None:
    context, link, said = canned_context(tmp_path)
    link.answers[Remove] = lambda _request: WorldError(code)
    owner = QObject()
    removals = Removals(context, owner)
    removals.remove_folder("/a", ["*.bak"])
    said.lapse()
    qtbot.waitUntil(lambda: not removals.hidden)
    assert (len(said.texts) == 2) is told


def test_two_removals_are_undone_one_by_one_even_after_they_were_carried_out(
    qtbot: QtBot, tmp_path: Path
) -> None:
    context, link, said = canned_context(tmp_path)
    link.answers[Remove] = lambda _request: 0
    owner = QObject()
    removals = Removals(context, owner)
    removals.remove_folder("/a", ["*.bak"])
    first = said.told[-1]
    assert first.expired is not None
    assert first.undo is not None
    removals.remove_folder("/b", [])
    first.expired()  # another notice takes its place
    assert Remove((Path("/a"),)) in link.asked
    assert removals.hidden == {"/a", "/b"}
    qtbot.waitUntil(lambda: removals.hidden == {"/b"})
    second = said.told[-1]
    assert second.undo is not None
    second.undo()
    assert not removals.hidden
    first.undo()
    assert link.asked[-1] == Index((Path("/a"),), patterns=("*.bak",), kept=True)
