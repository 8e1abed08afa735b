"""The selected hit, and the keys and the mouse that act on it.

Owns the action that waits for an answer: Enter before the answer opens its first hit. It must not
know what an action does (``actions``).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut

from ui.search.actions import HitAction
from ui.search.hit_export import FoundHits

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent

    from indexer.api.types import Hit
    from ui.search.actions import HitActions
    from ui.search.live_search import LiveSearch
    from ui.search.results import ResultsPane


class SelectedHit(QObject):
    """Acts on the hit that is selected in the results."""

    def __init__(
        self, results: ResultsPane, search: LiveSearch, actions: HitActions, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._results, self._search, self._actions = results, search, actions
        self._next: HitAction | None = None
        results.view.accepted.connect(self.accept)
        results.view.previewed.connect(partial(self._do, HitAction.PREVIEW))
        copy = QKeySequence(QKeySequence.StandardKey.Copy)
        for keys, action in (
            (copy, HitAction.COPY),
            (QKeySequence("Ctrl+Shift+C"), HitAction.COPY_QUOTED),
            (QKeySequence("Ctrl+M"), HitAction.MORE),
            (QKeySequence("Ctrl+Shift+M"), HitAction.LESS),
        ):
            shortcut = QShortcut(keys, results.view, context=Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(partial(self._do, action))

    @property
    def hit(self) -> Hit | None:
        row = self._results.current
        return row.hit if row is not None else None

    def accept(self, in_folder: bool) -> None:
        """Open the hit, or the first hit of the next answer if the query is unanswered.

        A hit by its words that the person has chosen is opened at once.
        """
        action = HitAction.SHOW_IN_FOLDER if in_folder else HitAction.OPEN
        chosen = self.hit is not None and self._search.shows_current
        if self._search.is_answered or chosen:
            self._next = None
            self._do(action)
        else:
            self._next = action
            self._search.hurry()

    def answered(self) -> None:
        """Carry out the action that waited for this answer."""
        action, self._next = self._next, None
        if action is not None:
            self._do(action)

    def forget(self) -> None:
        """Forget the waiting action; the query has changed."""
        self._next = None

    def open_menu(self, event: QContextMenuEvent) -> None:
        """Open the menu of the hit, by the mouse or the menu key."""
        view, hit = self._results.view, self.hit
        by_mouse = event.reason() is event.Reason.Mouse
        at = view.viewport().mapFromGlobal(event.globalPos())
        if hit is None or (by_mouse and not view.viewport().rect().contains(at)):
            return
        if not by_mouse:
            at = view.visualRect(view.currentIndex()).center()
        found = FoundHits(
            self._results.hits,
            self._search.answered_text,
            self._results.summary.order,
            complete=self._search.has_all,
        )
        self._actions.open_menu(view.viewport().mapToGlobal(at), hit, found)

    def _do(self, action: HitAction) -> None:
        if self.hit is not None:
            self._actions.do(action, self.hit)
