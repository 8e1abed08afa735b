"""The main window: its parts, the keys that work everywhere, its dialogs, notices and tray."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QIcon, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QSystemTrayIcon,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from indexer.api.requests import GetStatus, SetPace
from indexer.api.status import Activity, Speed, Status
from ui import keys
from ui.desktop import open_path
from ui.help import KEYS, HelpWindow, page_about
from ui.pages import BASKET, FIRST_RUN, HIGHLIGHTS, LIBRARY, SEARCH, Pages
from ui.ports import Context, Notice, ignore
from ui.supervisor import EngineState, Supervisor
from ui.theme import icon, separator
from ui.widgets import filled, timer
from ui.window_parts import NoticeBar, Rail, StatusLine
from ui.words import amounts

if TYPE_CHECKING:
    from ui.engine_client import ActivityFeed
    from ui.settings_dialog.dialog import SettingsDialog
    from ui.state import WindowState

# The window's first size, in widths of a letter and in lines.
COLUMNS, LINES = 150, 42
# The file of a library's catalog; if it is missing, nothing was ever indexed.
CATALOG = "catalog.sqlite"


class MainWindow(QMainWindow):
    """The one window of the program.

    Signals:
        quit_requested: The window is closed and its state is saved; the program should end.
        ending_chosen: The ``Ending`` to carry out after ``quit_requested``.
    """

    quit_requested = Signal()
    ending_chosen = Signal(object)

    def __init__(
        self, context: Context, supervisor: Supervisor, feed: ActivityFeed, notices: NoticeBar,
        state: WindowState,
    ) -> None:  # fmt: skip
        super().__init__()
        self.has_tray = False
        self._context = context
        self._supervisor = supervisor
        self._feed = feed
        self._notices = notices
        self._state = state
        self._quitting = False
        self._to_open: tuple[str, ...] = ()  # paths that wait for the engine's status
        self.dialogs = Dialogs(context, self)
        self.setWindowTitle("Lectern")
        self.pages = Pages(context, state)
        self.alerts = WindowAlerts(notices, state, self.pages)
        self.rail = Rail()
        self.status = StatusLine()
        self._arrange()
        self._add_actions()
        self._connect()
        if not state.restore_window(self):
            letter = self.fontMetrics()
            self.resize(letter.averageCharWidth() * COLUMNS, letter.lineSpacing() * LINES)
        known = os.access(context.library / CATALOG, os.F_OK)
        self.pages.show_page(SEARCH if known else FIRST_RUN)
        if known:
            self.pages.search.search.restore()

    def _arrange(self) -> None:
        line, edge = separator(QFrame.Shape.HLine), separator(QFrame.Shape.VLine)
        self._around = (self.rail, edge, line, self.status)
        column = filled(QVBoxLayout(), self.pages, line, self.status, spacing=0, wide=self.pages)
        middle = QWidget()
        filled(QHBoxLayout(middle), self.rail, edge, column, spacing=0, wide=column)
        self.setCentralWidget(middle)
        self._notices.float_over(self.pages)

    def _show_around(self, reading: bool) -> None:  # a slot
        """Hide the parts around the pages while a document has the window for itself."""
        for part in self._around:
            part.setHidden(reading)

    def _add_actions(self) -> None:
        """Add the keys that work wherever the focus is, and the buttons of the rail."""

        def preview() -> None:
            self.pages.search.toggle_preview()

        def pause() -> None:
            self._feed.pause(not self._feed.paused)

        for name, text, drawing, sequence in (
            (SEARCH, self.tr("Search"), "search", keys.PAGES[0]),
            (LIBRARY, self.tr("Library"), "library", keys.PAGES[1]),
            (BASKET, self.tr("Basket"), "basket", keys.PAGES[2]),
            (HIGHLIGHTS, self.tr("Highlights"), "highlight", keys.PAGES[3]),
        ):
            show = partial(self.pages.show_page, name)
            self.rail.add_page(name, self._add_action(text, sequence, show, drawing))
        show_settings = self.dialogs.show_settings
        settings = self._add_action(self.tr("Settings"), keys.SETTINGS, show_settings, "settings")
        self.rail.add_last(SETTINGS, settings)
        for text, sequence, act in (
            (self.tr("Go to the search box"), keys.SEARCH_BOX, self.go_to_search),
            (self.tr("Back"), keys.STEPS[0], partial(self._go, -1)),
            (self.tr("Forward"), keys.STEPS[1], partial(self._go, 1)),
            (self.tr("Show or hide the preview"), keys.PREVIEW, preview),
            (self.tr("Pause reading, or go on"), keys.PAUSE, pause),
            (self.tr("Help"), keys.HELP, self.dialogs.show_help),
            (self.tr("Keys"), keys.LIST, partial(self.dialogs.show_help, KEYS)),
            (self.tr("Close the window"), keys.CLOSE, self.close),
            (self.tr("Quit Lectern"), keys.QUIT, self.quit),
        ):
            self._add_action(text, sequence, act)

    def _add_action(
        self, text: str, sequence: str, act: Callable[[], object], drawing: str = ""
    ) -> QAction:
        action = QAction(icon(drawing) if drawing else QIcon(), text, self)
        action.setShortcut(QKeySequence(sequence))
        if sequence == keys.HELP:  # works in dialogs too
            action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
        action.triggered.connect(lambda _checked=False: act())
        self.addAction(action)
        return action

    def _connect(self) -> None:
        self.pages.shown.connect(self.rail.show_chosen)
        self.pages.shown.connect(self._show_engine)
        self.pages.currentChanged.connect(self._notices.leave_page)
        self.pages.models_requested.connect(self.dialogs.show_models)
        self.pages.reading.connect(self._show_around)
        self.pages.help_requested.connect(self.dialogs.show_help)
        self.pages.basket.changed.connect(self._count_kept)
        self.dialogs.ending_chosen.connect(self.ending_chosen)
        self.dialogs.ending_chosen.connect(self.quit)
        self.status.pause_requested.connect(self._feed.pause)
        self.status.retry_requested.connect(self._supervisor.start)
        self._supervisor.changed.connect(self._show_engine)
        self._feed.changed.connect(self._show_activity_now)
        self._feed.changed.connect(self.pages.show_activity)
        self._context.link.connected.connect(self._greet_engine)
        self._context.settings.watch(self._setting_changed)
        self._show_engine()
        self._count_kept()
        for each in (self.pages.basket, self.pages.highlights):
            each.tell_trouble(self._notices)

    def _count_kept(self) -> None:
        number = len(self.pages.basket)
        self.rail.show_count(BASKET, number, amounts.hits(number) if number else "")

    def go_to_search(self) -> None:
        self.pages.show_page(SEARCH)

    def present(self, query: str = "", paths: Sequence[str] = ()) -> None:
        """Bring the window to the front, even if hidden or minimised; then search or open paths."""
        if self.isMinimized():
            self.showNormal()
        else:
            self.show()
        self.raise_()
        self.activateWindow()
        if query:
            self.pages.search_for(query)
        if paths:
            self._to_open = tuple(paths)
            if self._context.link.is_connected:
                self._context.link.send_request(GetStatus(), done=self._handle_status)

    def show_search(self) -> None:
        """Bring the window to the front with the focus in the search box."""
        self.present()
        if self.pages.name != FIRST_RUN:
            self.go_to_search()

    def show_or_hide(self) -> None:
        """Show the window with its search box, or hide it if it is active, by the hotkey."""
        if self.isHidden() or self.isMinimized() or not self.isActiveWindow():
            self.show_search()
        elif self.has_tray:
            self.hide()
        else:
            self.showMinimized()

    def quit(self) -> None:
        """Close the window and end the program."""
        self._quitting = True
        self.close()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # A shortcut would take the key before the focused widget, which may need it.
        if event.matches(QKeySequence.StandardKey.Cancel):
            self.go_to_search()
        elif _is_typed(event):
            # Text for which no widget has a use begins a search.
            self.pages.show_page(SEARCH)
            self.pages.search.search.type_text(event.text())
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        steps = {Qt.MouseButton.BackButton: -1, Qt.MouseButton.ForwardButton: 1}
        if event.button() in steps:
            self._go(steps[event.button()])
        else:
            super().mousePressEvent(event)

    def _go(self, step: int) -> None:
        """Go back to the previous search, or forward again."""
        self.pages.show_page(SEARCH)
        self.pages.search.search.go_through_history(step)

    def closeEvent(self, event: QCloseEvent) -> None:
        stays = self.has_tray and bool(self._context.settings["close_to_tray"])
        self._state.save_window(self)
        self._state.sync()
        if stays and not self._quitting:
            event.ignore()
            self.hide()
            return
        self._notices.dismiss()
        self._feed.close()
        self.pages.close_parts()
        self._state.sync()
        super().closeEvent(event)
        self.quit_requested.emit()

    def _show_engine(self, _page: str = "") -> None:
        state = self._supervisor.state
        self.status.show_engine(state, self._supervisor.problem)
        # The page of the library shows the engine's work itself.
        for part in self._around[2:]:
            part.setVisible(self.pages.name != LIBRARY or state is not EngineState.READY)

    def _greet_engine(self) -> None:
        """Send the current settings to a new engine, and check whether the library is empty."""
        self._setting_changed("speed")
        self._context.link.send_request(GetStatus(), done=self._handle_status)

    def _handle_status(self, status: Status) -> None:
        paths, self._to_open = self._to_open, ()
        if paths:
            self.pages.open_paths(paths, [root.path for root in status.roots])
        elif not status.roots and self.pages.name == SEARCH and not self.pages.query:
            self.pages.show_page(FIRST_RUN)

    def _setting_changed(self, name: str) -> None:
        if name == "speed" and self._context.link.is_connected:
            speed = Speed(self._context.settings["speed"])
            self._context.link.send_request(SetPace(speed), done=ignore)

    def _show_activity_now(self, activity: Activity | None) -> None:
        self.status.show_activity(activity)
        if activity is not None:
            self.alerts.show_set_aside(activity.set_aside)


def _is_typed(event: QKeyEvent) -> bool:
    """Return whether a key types text; "?" does not count, as it opens the list of keys."""
    text = event.text()
    held = event.modifiers() & ~(
        Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
    )
    return bool(text.strip()) and text.isprintable() and text != "?" and not held


SETTINGS, HELP = "settings", "help"
W = TypeVar("W", bound=QWidget)


class Dialogs(QObject):
    """The dialogs, each made once. Signals: ``ending_chosen`` with an ``Ending``."""

    ending_chosen = Signal(object)

    def __init__(self, context: Context, window: QWidget) -> None:
        super().__init__(window)
        self._context, self._window = context, window
        self._made: dict[str, Any] = {}

    def show_models(self) -> None:
        """Open the settings at the choice of the language model."""
        from ui.settings_dialog.dialog import MODELS

        self.show_settings().show_page(MODELS)

    def show_settings(self) -> SettingsDialog:
        from ui.settings_dialog.dialog import SettingsDialog

        def make() -> SettingsDialog:
            dialog = SettingsDialog(self._context, self._window)
            dialog.ending_chosen.connect(self.ending_chosen)
            return dialog

        return self._show(SETTINGS, make)

    def show_help(self, page: str = "") -> None:
        """Open a page of the help; without a name, that of the focused widget."""
        page = page or page_about(QApplication.focusWidget())
        self._show(HELP, lambda: HelpWindow(self._window)).show_page(page)

    def _show(self, name: str, make: Callable[[], W]) -> W:
        dialog: W | None = self._made.get(name)
        if dialog is None or not isValid(dialog):  # some are deleted when they are closed
            dialog = self._made[name] = make()
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        return dialog


class WindowAlerts(QObject):
    """Posts notices of faults; their buttons open the report or the list of files."""

    def __init__(self, notices: NoticeBar, state: WindowState, pages: Pages) -> None:
        super().__init__(pages)
        self._notices, self._state, self._pages = notices, state, pages

    def show_fault(self, report: str) -> None:
        """Post a notice of a fault, with a button that opens the report."""
        text = self.tr("Something went wrong inside Lectern. A report, which stays here: {file}")

        text, show = text.format(file=report), partial(open_path, report, self._notices)
        self._notices.post(Notice(text, action=self.tr("Show"), act=show, seconds=0))

    def show_set_aside(self, number: int) -> None:
        """Post a notice, once, that documents crashed the engine repeatedly and were set aside."""
        before = self._state.number("set_aside")
        if number == before:
            return
        self._state.keep_number("set_aside", number)
        if number > before:
            new = number - before
            text = self.tr(
                "%Ln document(s) stopped the engine more than once and were set aside.", "", new
            )
            show = self._pages.show_files
            self._notices.post(Notice(text, action=self.tr("Show"), act=show, seconds=0))


Reason = QSystemTrayIcon.ActivationReason


class Tray(QSystemTrayIcon):
    """The tray icon, whose menu has the actions ``search``, ``pause`` and ``quit``."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(icon("lectern"), parent)
        self.menu = QMenu(parent)
        self.search = self.menu.addAction(icon("search"), self.tr("Search…"))
        self.pause = self.menu.addAction(icon("pause"), self.tr("Pause reading"))
        self.pause.setCheckable(True)
        self.pause.setEnabled(False)
        self.menu.addSeparator()
        self.quit = self.menu.addAction(icon("quit"), self.tr("Quit Lectern"))
        self.setToolTip("Lectern")
        self.setContextMenu(self.menu)
        self.activated.connect(self._activated)

    def show_activity(self, activity: Activity | None) -> None:
        """Show in the menu whether reading is paused."""
        self.pause.setEnabled(activity is not None)
        self.pause.setChecked(activity is not None and activity.paused)

    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in {Reason.Trigger, Reason.DoubleClick}:
            self.search.trigger()


PATIENCE_S = 120.0
LOOK_MS = 50


class WindowCheck(QObject):
    """Polls a window until it shows the page with the passage, at most ``PATIENCE_S`` seconds.

    ``status`` is an exit status: 0 once the page was shown, else 1.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.status = 1
        self._window = window
        self._ends = time.monotonic() + PATIENCE_S
        self._timer = timer(self, LOOK_MS, self._look, single=False)
        self._timer.start()

    def _look(self) -> None:
        preview = self._window.pages.search.preview
        if preview.has_pages and not preview.pages.loading and preview.pages.marks.pages():
            self.status = 0
        elif time.monotonic() < self._ends:
            return
        self._timer.stop()
        self._window.quit()
