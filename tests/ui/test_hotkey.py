"""The hotkey works where the system allows it; elsewhere a notice says why not."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.ui.portal import HAS_BUS, FakePortal, private_bus
from ui.hotkey import Hotkey, portal_keys, pynput_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

linux = pytest.mark.skipif(sys.platform != "linux", reason="of Linux")


class Ears:
    """A listener that does not need a keyboard."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.press: Callable[[], None] | None = None
        self.stopped = 0

    def listen(self, keys: str, pressed: Callable[[], None]) -> Ears:
        self.heard.append(keys)
        self.press = pressed
        return self

    def wait(self) -> None:
        pass

    def stop(self) -> None:
        self.stopped += 1


@pytest.mark.parametrize(
    ("keys", "notation"),
    [
        ("Ctrl+Alt+L", "<ctrl>+<alt>+l"),
        ("Meta+Space", "<cmd>+<space>"),
        ("Ctrl+Shift+F7", "<ctrl>+<shift>+<f7>"),
        ("F9", "<f9>"),
        ("Ctrl+PgUp", "<ctrl>+<page_up>"),
        ("Alt+Ö", "<alt>+ö"),
        ("L", None),  # could not be typed any more
        ("Shift+L", None),
        ("Ctrl+L, Ctrl+M", None),
        ("nonsense", None),
        ("", None),
    ],
)
@pytest.mark.skipif(sys.platform == "darwin", reason="Qt exchanges two keys there")
def test_keys_are_written_as_the_library_wants_them(keys: str, notation: str | None) -> None:
    assert pynput_keys(keys) == notation


def test_a_hotkey_is_listened_for_and_replaced(qtbot: QtBot) -> None:
    ears = Ears()
    hotkey = Hotkey(listen=ears.listen)
    assert hotkey.listen_for("Ctrl+Alt+L") == ""
    assert ears.press is not None
    with qtbot.waitSignal(hotkey.pressed):
        ears.press()
    assert hotkey.listen_for("Ctrl+Alt+K") == ""
    assert ears.stopped == 1
    assert hotkey.listen_for("") == ""
    assert ears.stopped == 2
    assert len(ears.heard) == 2


def test_an_invalid_hotkey_is_reported(qtbot: QtBot) -> None:
    assert "“L”" in Hotkey(listen=Ears().listen).listen_for("L")


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The address of a private bus, which is the session's."""
    monkeypatch.setenv("XDG_SESSION_TYPE", "wayland")
    with private_bus(tmp_path) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address


@pytest.mark.parametrize(
    ("keys", "written"),
    [
        ("Ctrl+Alt+L", "CTRL+ALT+l"),
        ("Meta+Space", "LOGO+space"),
        ("Ctrl+Shift+F7", "CTRL+SHIFT+F7"),
        ("Ctrl+PgUp", "CTRL+Page_Up"),
    ],
)
@linux
def test_keys_are_written_as_the_portal_wants_them(keys: str, written: str) -> None:
    assert portal_keys(keys) == written


@linux
@pytest.mark.skipif(not HAS_BUS, reason="needs dbus-daemon")
def test_the_portal_listens_on_wayland(bus: str, qtbot: QtBot) -> None:
    portal, hotkey = FakePortal(bus), Hotkey()
    with closing(_Stopped(hotkey)):
        assert hotkey.listen_for("Ctrl+Alt+L") == ""
        qtbot.waitUntil(lambda: len(portal.calls) == 2)
        (made, _), (bound, body) = portal.calls
        assert (made, bound) == ("CreateSession", "BindShortcuts")
        ((name, wanted),) = body[1]
        assert (name, wanted["preferred_trigger"][1]) == ("search", "CTRL+ALT+l")
        portal.press("another")
        portal.press(session="/of/another")
        with qtbot.waitSignal(hotkey.pressed):
            portal.press()
        assert hotkey.listen_for("Ctrl+Alt+K") == ""
        qtbot.waitUntil(lambda: len(portal.calls) == 4)
        with qtbot.waitSignal(hotkey.pressed):
            portal.press()


@linux
@pytest.mark.skipif(not HAS_BUS, reason="needs dbus-daemon")
def test_a_declined_hotkey_is_told(bus: str, qtbot: QtBot) -> None:
    FakePortal(bus, code=1)
    hotkey = Hotkey()
    with closing(_Stopped(hotkey)), qtbot.waitSignal(hotkey.refused) as told:
        assert hotkey.listen_for("Ctrl+Alt+L") == ""
    assert "declined" in told.args[0]


@linux
@pytest.mark.skipif(not HAS_BUS, reason="needs dbus-daemon")
def test_a_bus_without_a_portal_is_told(bus: str, qtbot: QtBot) -> None:
    hotkey = Hotkey()
    with closing(_Stopped(hotkey)), qtbot.waitSignal(hotkey.refused) as told:
        assert hotkey.listen_for("Ctrl+Alt+L") == ""
    assert "keyboard settings" in told.args[0]


class _Stopped:
    """Stops a hotkey when it is closed."""

    def __init__(self, hotkey: Hotkey) -> None:
        self.close = hotkey.stop


@linux
@pytest.mark.skipif(not HAS_BUS, reason="needs dbus-daemon")
def test_without_a_display_the_portal_is_asked(
    bus: str, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setenv("XDG_SESSION_TYPE", "x11")
    monkeypatch.delenv("DISPLAY", raising=False)
    portal, hotkey = FakePortal(bus), Hotkey()
    with closing(_Stopped(hotkey)):
        assert hotkey.listen_for("Ctrl+Alt+L") == ""
        qtbot.waitUntil(lambda: len(portal.calls) == 2)
        assert [call for call, _ in portal.calls] == ["CreateSession", "BindShortcuts"]
