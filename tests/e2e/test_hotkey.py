"""A hotkey that is pressed on a real display brings the window and its search box."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.ui.engines import make_home

if TYPE_CHECKING:
    from pathlib import Path

# Presses keys through the X11 extension XTEST.
PRESS = """
from Xlib import X, XK, display
from Xlib.ext import xtest
here = display.Display()
codes = [here.keysym_to_keycode(XK.string_to_keysym(n)) for n in ("Control_L", "Alt_L", "l")]
for code in codes:
    xtest.fake_input(here, X.KeyPress, code)
for code in reversed(codes):
    xtest.fake_input(here, X.KeyRelease, code)
here.sync()
"""


@pytest.mark.timeout(180)
@pytest.mark.skipif(importlib.util.find_spec("pynput") is None, reason="the extra is not installed")
def test_the_hotkey_shows_the_window_until_it_is_unset(tmp_path: Path, display: str) -> None:
    home = make_home(tmp_path / "home")
    environment = {
        **home.environment,
        "DISPLAY": display,
        "QT_QPA_PLATFORM": "xcb",
        "XDG_SESSION_TYPE": "x11",
    }

    def press() -> None:
        subprocess.run([sys.executable, "-c", PRESS], env=environment, check=True, timeout=60)

    with subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.drive_hotkey", "Ctrl+Alt+L"],
        cwd=home.folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as window:
        try:
            assert window.stdin is not None
            assert window.stdout is not None
            assert window.stdout.readline() == "listening\n"
            press()
            assert window.stdout.readline() == "deaf\n"
            press()
            window.stdin.write("\n")
            window.stdin.flush()
            assert window.stdout.readline() == "hidden\n"
            assert window.wait(60) == 0
        finally:
            window.kill()
