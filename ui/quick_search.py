"""The quick search: a box and its results over whatever is on the screen, opened by the hotkey."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QCursor, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QVBoxLayout

from ui.desktop import open_external, show_in_folder
from ui.file_worker import FileWorker
from ui.help import about
from ui.hotkey import Hotkey
from ui.keys import IN_WINDOW, shown
from ui.pages import FIRST_RUN
from ui.ports import Notice
from ui.search.actions import HitActions, SelectedHit
from ui.search.box import SearchBox
from ui.search.filters import ChipBar
from ui.search.labels import MessageLine
from ui.search.live_search import WORDS_LIMIT, LiveSearch
from ui.search.results import ResultsPane
from ui.theme import L
from ui.widgets import IconButton, filled
from ui.words import failures

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent

    from indexer.api.types import Hit, SearchResult
    from ui.main_window import MainWindow
    from ui.ports import Context

# The size in widths of a letter and lines, and the distance from the top as a share of the screen.
_LETTERS, _LINES, _TOP = 120, 36, 0.15


class QuickSearch(QFrame):
    """The box and its results.

    Signals:
        window_requested: The query that the main window is to show.
        kept: A hit to be put into the basket, and its query.
        compared: The paths of two documents to be compared.
    """

    window_requested = Signal(str)
    kept = Signal(object, str)
    compared = Signal(str, str)

    def __init__(self, context: Context) -> None:
        super().__init__(None, Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint)
        self.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
        self.setWindowTitle(self.tr("Quick search"))
        self.setAccessibleName(self.windowTitle())
        self.setFrameShape(QFrame.Shape.StyledPanel)
        about(self, "queries")
        self._context = context
        self.box, self.message, self.results = SearchBox(), MessageLine(), ResultsPane()
        self.chips = ChipBar(offers=False)
        self.live_search = LiveSearch(context.link, self)
        self._worker = FileWorker(self)
        self.actions_on_hits = HitActions(context, self._worker, self, alone=True)
        self._selected = SelectedHit(self.results, self.live_search, self.actions_on_hits, self)
        self.to_window = IconButton(self.tr("Show in the window"))
        self.to_window.setToolTip(shown([IN_WINDOW]))
        self._keys = QLabel(
            self.tr("{open} opens, {folder} shows the folder").format(
                open=shown(["Return"]), folder=shown(["Ctrl+Return"])
            )
        )
        self._keys.setWordWrap(True)
        self._arrange()
        self._connect()

    def show_or_hide(self) -> None:
        """Show the box with its text selected; hide it, if it is shown already."""
        if self.isVisible():
            self.hide()
            return
        self._fit()
        self.show()
        self.raise_()
        self.activateWindow()
        self.box.focus_all()
        self.live_search.refresh()  # there may be more by now

    def event(self, event: QEvent) -> bool:
        left = event.type() == QEvent.Type.WindowDeactivate
        if left and QApplication.activePopupWidget() is None:
            self.hide()
        return super().event(event)

    def stop(self) -> None:
        """Hide, and cancel what is under way."""
        self.live_search.stop()
        self.actions_on_hits.close()
        self._worker.close()
        self.close()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._selected.open_menu(event)

    def _arrange(self) -> None:
        below = filled(QHBoxLayout(), self._keys, self.to_window, spacing=L, wide=self._keys)
        parts = (self.box, self.chips, self.message, self.results, below)
        column = filled(QVBoxLayout(self), *parts, wide=self.results, edges=(L, L, L, L))
        column.addStretch(0)
        self.results.hide()

    def _connect(self) -> None:
        box, search, view = self.box, self.live_search, self.results.view
        box.query_edited.connect(self._selected.query_changed)
        box.query_edited.connect(search.want_query)
        box.query_changed.connect(self.chips.show_query)
        box.all_selected.connect(self.chips.show_selected)
        self.chips.left.connect(box.setFocus)
        self.chips.edited.connect(self._search)
        box.stepped.connect(self._selected.step_hits)
        box.accepted.connect(self._selected.accept_query)
        box.escaped.connect(self.hide)
        view.left.connect(self._leave_list)
        view.near_end.connect(search.want_more)
        search.answered.connect(self._answered)
        search.answered_by_words.connect(self._answered_by_words)
        search.failed.connect(self.message.show_failure)
        search.stale.connect(view.set_stale)
        search.emptied.connect(self._emptied)
        search.waiting.connect(self.message.show_waiting)
        self.results.ordered.connect(lambda _order: search.search_again())
        self.results.nothing.searched.connect(self._search)
        self.to_window.clicked.connect(self._show_window)
        self._connect_actions()
        QShortcut(QKeySequence(IN_WINDOW), self).activated.connect(self._show_window)

    def _connect_actions(self) -> None:
        actions = self.actions_on_hits
        actions.opened.connect(self._open)
        actions.folder_requested.connect(self._show_folder)
        actions.previewed.connect(self._show_window)
        actions.searched.connect(self._show_in_window)
        actions.kept.connect(self._keep)
        actions.compared.connect(self.hide)
        actions.compared.connect(self.compared)

    def _search(self, query: str) -> None:
        self.box.set_query(query)
        self.live_search.want_query(query, at_once=True)

    def _answered(self, result: SearchResult, same_query: bool) -> None:
        search = self.live_search
        self.message.show_notes([failures.note(note) for note in result.notes])
        self._unhide_results()
        more = search.may_have_more
        self.results.show_answer(search.answered_text, result, same_query=same_query, more=more)
        self._selected.answered()

    def _answered_by_words(self, result: SearchResult) -> None:
        self._unhide_results()
        query = self.live_search.answered_text
        more = len(result.hits) == WORDS_LIMIT
        self.results.show_answer(query, result, same_query=False, more=more, by_words=True)

    def _unhide_results(self) -> None:
        if self.results.isHidden():
            self.results.show()
            self._fit()

    def _emptied(self) -> None:
        self.message.show_notes(())
        self.results.hide()
        self._fit()

    def _open(self, hit: Hit) -> None:
        self.hide()
        open_external(hit, self._context, hit.page)

    def _show_folder(self, hit: Hit) -> None:
        self.hide()
        show_in_folder(hit.path)

    def _leave_list(self, typed: str) -> None:
        self.box.focus_all()
        if typed:
            self.box.focus_end()
            self.box.type_text(typed)

    def _show_window(self) -> None:
        self._show_in_window(self.box.query)

    def _show_in_window(self, query: str) -> None:
        self.hide()
        self.window_requested.emit(query)

    def _keep(self, hit: Hit) -> None:
        self.kept.emit(hit, self.live_search.answered_text)

    def _fit(self) -> None:
        """Take the place at the top of the screen with the mouse, as high as there are results."""
        screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
        room, letter = screen.availableGeometry(), self.fontMetrics()
        width = min(_LETTERS * letter.averageCharWidth(), room.width() - 2 * L)
        most = round((1 - 2 * _TOP) * room.height())
        high = min(_LINES * letter.lineSpacing(), most)
        self.resize(
            width, high if self.results.isVisibleTo(self) else self.minimumSizeHint().height()
        )
        self.move(room.topLeft() + QPoint((room.width() - width) // 2, round(_TOP * room.height())))


class HotkeySearch(QObject):
    """Follows the setting ``hotkey`` when ``follow_setting`` is called."""

    def __init__(self, context: Context, window: MainWindow, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._window = window
        self.quick: QuickSearch | None = None  # from the first press of the hotkey on
        self.hotkey = Hotkey(self)
        self.hotkey.refused.connect(self._say_no_hotkey)
        self.hotkey.pressed.connect(self._show)

    def follow_setting(self) -> None:
        """Listen for the hotkey of the settings."""
        refusal = self.hotkey.listen_for(str(self._context.settings["hotkey"]))
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
        if self._window.pages.name == FIRST_RUN:
            self._window.present()
            return
        if self.quick is None:
            self.quick = QuickSearch(self._context)
            self.quick.window_requested.connect(self._window.present)
            self.quick.kept.connect(self._window.pages.keep)
            self.quick.compared.connect(self._compare)
        self.quick.show_or_hide()

    def _compare(self, first: str, second: str) -> None:
        self._window.present()
        self._window.pages.compare(first, second)

    def _say_no_hotkey(self, refusal: str) -> None:
        self._context.notices.post(Notice(refusal, seconds=0))
