"""Hides the real window on a real display and waits for its hotkey.

``python -m tests.e2e.drive_hotkey KEYS`` is started by ``test_hotkey`` under a display of its own.
It prints a line for each step, and waits for a line before the last one.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app import paths
from app.gui import Program
from app.settings import Settings
from ui.application import make_application
from ui.hotkey import Hotkey
from ui.pages import LIBRARY

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_S = 120.0
QUIET_MS = 500


def until(condition: Callable[[], object], what: str) -> None:
    ends = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > ends:
            sys.exit(f"never reached: {what}")
        QTest.qWait(20)


def say(what: str) -> None:
    print(what, flush=True)  # what the test reads


def main() -> None:
    app = make_application()
    settings = Settings()
    program = Program(app, settings, paths.default_library(), offline=True)
    window = program.window
    window.present()
    until(window.isVisible, "a window")
    settings.set("hotkey", sys.argv[1])
    if program.hotkey.listener is None:  # X11 has given the key by then
        sys.exit("there is no hotkey")
    if "Another program" not in Hotkey().listen_for(sys.argv[1]):
        sys.exit("the same key was given to two")
    reasons = QKeyEvent(
        QEvent.Type.ShortcutOverride, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier
    )
    reasons.ignore()
    QApplication.sendEvent(window.pages.search.search.bar.box, reasons)
    if reasons.isAccepted():
        sys.exit("the search box goes to the end of the line instead of showing the words")
    window.pages.show_page(LIBRARY)
    window.hide()
    say("listening")
    until(window.isVisible, "the window")
    # Without a window manager no window is active, but its focus widget is set.
    box = window.pages.search.search.bar.box
    until(lambda: window.focusWidget() is box, "the search box")
    settings.set("hotkey", "")
    window.hide()
    say("deaf")
    sys.stdin.readline()
    QTest.qWait(QUIET_MS)
    say("hidden" if window.isHidden() else "called all the same")
    program.close()


if __name__ == "__main__":
    main()
