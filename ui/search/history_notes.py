"""What enters the history: queries whose results were shown for a while, documents gone to.

Owns when something is noted, and the message about a history that cannot be written. It must not
know how the history is kept (``ui.search.memory``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from ui.ports import Notice
from ui.widgets import timer

if TYPE_CHECKING:
    from ui.ports import Context
    from ui.search.live_search import LiveSearch
    from ui.search.memory import Memory
    from ui.search.results import ResultsPane

# Milliseconds after which the query of shown results is noted.
_SHOWN_MS = 4000


class HistoryNotes(QObject):
    """Notes into a memory, while the setting ``history`` is on."""

    def __init__(
        self, context: Context, memory: Memory, search: LiveSearch, results: ResultsPane
    ) -> None:
        super().__init__(results)
        self._context = context
        self._memory, self._search, self._results = memory, search, results
        self.timer = timer(self, _SHOWN_MS, self._note_shown)
        memory.trouble.connect(self._tell_trouble)
        context.settings.watch(self._setting_changed)

    def note(self) -> None:
        """Note the answered query, and the document of the current hit."""
        self._memory.note(self._search.answered_text)
        current = self._results.current
        if current is not None:
            self._memory.note_document(current.hit.path)

    def _note_shown(self) -> None:
        """Note the query, but its document only if the person went to it."""
        if self._results.view.hasFocus():
            self.note()
        else:
            self._memory.note(self._search.text)

    def _tell_trouble(self, error: OSError) -> None:
        text = self.tr("The list of searches could not be written: {reason}.")
        self._context.notices.post(Notice(text.format(reason=error.strerror or str(error))))

    def _setting_changed(self, name: str) -> None:
        if name == "history":
            self._memory.remember(on=bool(self._context.settings["history"]))
