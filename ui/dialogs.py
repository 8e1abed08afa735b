"""The dialogs of the window, each made when first shown: settings, keys, help.

It must not know what happens inside a dialog.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from ui.help import HelpWindow, page_about
from ui.keys import KeyList

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from ui.ports import Context

SETTINGS, KEYS, HELP = "settings", "keys", "help"


class Dialogs(QObject):
    """Signals: ``deletion_requested``: the library and the window's files are to be deleted."""

    deletion_requested = Signal()

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._window = context, window
        self._made: dict[str, QWidget] = {}

    def show_settings(self) -> None:
        from ui.settings_dialog.dialog import SettingsDialog

        def make() -> QWidget:
            dialog = SettingsDialog(self._context, self._window)
            dialog.deletion_requested.connect(self.deletion_requested)
            return dialog

        self._show(SETTINGS, make)

    def show_keys(self) -> None:
        self._show(KEYS, lambda: KeyList(self._window))

    def show_help(self) -> None:
        """Open the help page of the widget that has the focus."""
        page = page_about(QApplication.focusWidget())
        window = self._show(HELP, lambda: HelpWindow(self._window))
        assert isinstance(window, HelpWindow)  # noqa: S101  # made above
        window.show_page(page)

    def _show(self, name: str, make: Callable[[], QWidget]) -> QWidget:
        dialog = self._made.get(name)
        if dialog is None or not isValid(dialog):  # some are deleted when they are closed
            dialog = self._made[name] = make()
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        return dialog
