"""A hotkey that is pressed on a real display brings the window and its search box."""

from __future__ import annotations

import subprocess
import sys
from ctypes.util import find_library
from typing import TYPE_CHECKING

import pytest

from tests.ui.engines import make_home

if TYPE_CHECKING:
    from pathlib import Path

# Presses keys through the X11 extension XTEST.
PRESS = """
import ctypes
x11, test = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
x11.XOpenDisplay.restype, x11.XStringToKeysym.restype = ctypes.c_void_p, ctypes.c_ulong
here = ctypes.c_void_p(x11.XOpenDisplay(None))
keysyms = [ctypes.c_ulong(x11.XStringToKeysym(n)) for n in (b"Control_L", b"Alt_L", b"l")]
codes = [x11.XKeysymToKeycode(here, each) & 0xFF for each in keysyms]
for down, order in ((1, codes), (0, codes[::-1])):
    for code in order:
        test.XTestFakeKeyEvent(here, code, down, 0)
x11.XSync(here, 0)
"""


@pytest.mark.timeout(180)
@pytest.mark.skipif(find_library("Xtst") is None, reason="needs libXtst to press keys")
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
