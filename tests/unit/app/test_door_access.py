"""Doors are closed until the person opens them, and what is asked is kept in a bounded log."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from app import logs
from app.doors import call_log
from app.doors.access import EVERYTHING, Access, Door
from app.settings import Settings
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setattr("app.paths.log_folder", lambda: tmp_path / "log")
    return Settings(tmp_path / "settings.json")


@pytest.mark.parametrize("door", Door)
def test_every_door_is_closed_at_first(settings: Settings, door: Door) -> None:
    access = Access.read(settings, door)
    assert access.scopes() == ()
    with pytest.raises(WorldError) as caught:
        access.check_open(door)
    assert caught.value.code == "door_closed"
    for scope in ("", "Contracts", EVERYTHING):
        with pytest.raises(WorldError) as caught:
            access.check(scope)
        assert caught.value.code == "unknown_collection"


def test_a_door_sees_what_was_allowed_from_the_next_call_on(settings: Settings) -> None:
    Settings(settings.file).set(Door.MCP.setting, ("Contracts", "Leases"))
    access = Access.read(settings, Door.MCP)
    assert access.scopes() == ("Contracts", "Leases")
    access.check("contracts")
    with pytest.raises(WorldError):
        access.check("Diaries")
    with pytest.raises(WorldError):
        access.check("")
    assert Access.read(settings, Door.SERVE).scopes() == ()
    Settings(settings.file).set(Door.MCP.setting, (EVERYTHING,))
    access = Access.read(settings, Door.MCP)
    assert access.scopes() == access.scopes([EVERYTHING]) == ("",)
    access.check("Diaries")
    Settings(settings.file).reset(Door.MCP.setting)
    assert Access.read(settings, Door.MCP).scopes() == ()


def test_the_log_is_for_its_owner_bounded_and_can_be_switched_off(settings: Settings) -> None:
    for number in range(6_000):
        call_log.note_call(settings, Door.MCP, "a tool", "search", query=f"{number} " + "x" * 500)
    files = sorted(call_log.log_file().parent.iterdir())
    assert len(files) == 2
    assert sum(file.stat().st_size for file in files) <= 2 * call_log.MAX_BYTES + 2_000
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    newest = call_log.read_calls(2)
    assert [call["query"].split()[0] for call in newest] == ["5999", "5998"]
    assert (newest[0]["door"], newest[0]["who"]) == ("mcp", "a tool")
    settings.set(call_log.SETTING, False)
    call_log.note_call(settings, Door.MCP, "a tool", "search", query="unseen")
    assert call_log.read_calls(1) == newest[:1]
    logs.remove()
    assert call_log.read_calls(1) == []


def test_a_broken_line_of_the_log_is_left_out(settings: Settings) -> None:
    call_log.note_call(settings, Door.SERVE, "\ud800\n\x1b[2J", "read", path="a\nb")
    with call_log.log_file().open("a") as file:
        file.write("[]\n{broken\n")
    (call,) = call_log.read_calls(5)
    assert call["path"] == "a\nb"
    assert b"\x1b" not in call_log.log_file().read_bytes()
