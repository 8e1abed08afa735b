"""The quick search on the system-wide hotkey.

Owns both, and what the quick search hands to the main window. It must not know how keys are
listened for (``ui.hotkey``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ui.hotkey import Hotkey
from ui.pages import FIRST_RUN
from ui.ports import Notice

if TYPE_CHECKING:
    from ui.main_window import MainWindow
    from ui.ports import Context
    from ui.quick_search import QuickSearch


class HotkeySearch(QObject):
    """Follows the setting ``hotkey`` when ``choose`` is called."""

    def __init__(self, context: Context, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._window = window
        self.quick: QuickSearch | None = None  # from the first press of the hotkey on
        self.hotkey = Hotkey(self)
        self.hotkey.refused.connect(self._say_no_hotkey)
        self.hotkey.pressed.connect(self._show)

    def choose(self) -> None:
        """Listen for the hotkey of the settings."""
        refusal = self.hotkey.choose(str(self._context.settings["hotkey"]))
        if refusal:
            self._say_no_hotkey(refusal)

    def stop(self) -> None:
        """Stop listening, and cancel what is under way."""
        if self.quick is not None:
            self.quick.stop()
        self.hotkey.stop()

    def close(self) -> None:
        """Delete the quick search."""
        self.hotkey.stop()
        if self.quick is not None:
            self.quick.deleteLater()

    def _show(self) -> None:
        """Show the quick search; the window instead, where nothing can be searched yet."""
        from ui.quick_search import QuickSearch

        if self._window.pages.name == FIRST_RUN:
            self._window.present()
            return
        if self.quick is None:
            self.quick = QuickSearch(self._context)
            self.quick.window_requested.connect(self._window.present)
            self.quick.kept.connect(self._window.pages.keep)
            self.quick.compared.connect(self._compare)
        self.quick.toggle()

    def _compare(self, first: str, second: str) -> None:
        self._window.present()
        self._window.pages.compare(first, second)

    def _say_no_hotkey(self, refusal: str) -> None:
        self._context.notices.post(Notice(refusal, seconds=0))
