"""Closes a window once it shows the page of a hit, for ``lectern self-test``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from ui.main_window import MainWindow

PATIENCE_S = 120.0
LOOK_MS = 50


class WindowCheck(QObject):
    """Polls a window until it shows the page with the passage, at most ``PATIENCE_S`` seconds.

    Attributes:
        status: An exit status: 0 once the page was shown, else 1.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.status = 1
        self._window = window
        self._ends = time.monotonic() + PATIENCE_S
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._look)
        self._timer.start(LOOK_MS)

    def _look(self) -> None:
        preview = self._window.pages.search.preview
        if preview.has_pages and not preview.pages.loading and preview.pages.marks.pages():
            self.status = 0
        elif time.monotonic() < self._ends:
            return
        self._timer.stop()
        self._window.quit()
