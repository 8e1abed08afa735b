"""The tray icon and its menu: search, pause and quit while the window is closed.

It must not know what a choice does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QSystemTrayIcon

from ui.icons import icon

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from indexer.api.status import Activity

Reason = QSystemTrayIcon.ActivationReason


class Tray(QObject):
    """Signals: ``search_requested``, ``pause_requested`` (whether to pause), ``quit_requested``."""

    search_requested = Signal()
    pause_requested = Signal(bool)
    quit_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.menu = QMenu(parent)
        self.search = QAction(icon("search"), self.tr("Search…"), self.menu)
        self.pause = QAction(icon("pause"), self.tr("Pause reading"), self.menu)
        self.pause.setCheckable(True)
        self.pause.setEnabled(False)
        self.quit = QAction(icon("quit"), self.tr("Quit Lectern"), self.menu)
        self.search.triggered.connect(self.search_requested)
        self.pause.triggered.connect(self.pause_requested)
        self.quit.triggered.connect(self.quit_requested)
        self.menu.addActions([self.search, self.pause])
        self.menu.addSeparator()
        self.menu.addAction(self.quit)
        self._icon = QSystemTrayIcon(icon("lectern"), self)
        self._icon.setToolTip("Lectern")
        self._icon.setContextMenu(self.menu)
        self._icon.activated.connect(self._activated)

    @staticmethod
    def is_available() -> bool:
        return QSystemTrayIcon.isSystemTrayAvailable()

    def show(self) -> None:
        self._icon.show()

    def show_activity(self, activity: Activity | None) -> None:
        """Show in the menu whether reading is paused."""
        self.pause.setEnabled(activity is not None)
        self.pause.setChecked(activity is not None and activity.paused)

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in {Reason.Trigger, Reason.DoubleClick}:
            self.search_requested.emit()
