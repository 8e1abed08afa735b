"""Asks the engine how close each page of a document is to a query, once the person rests on it.

It must not know widgets.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.requests import MapPages
from ui.latest_request import LatestRequest
from ui.widgets import timer

if TYPE_CHECKING:
    from ui.ports import EnginePort

# Milliseconds for which a hit stays before its document is mapped: a map costs the engine about as
# much as a search, and while somebody types the next search comes first.
REST_MS = 250


class Evidence(QObject):
    """Signals: ``mapped`` with the closeness of each page, 0 to 1, for the last request."""

    mapped = Signal(object)

    def __init__(self, link: EnginePort, parent: QObject) -> None:
        super().__init__(parent)
        self._asked: tuple[str, str] = ("", "")  # the query and the document
        self._request = LatestRequest(link)
        self._resting = timer(self, REST_MS, self._send)

    def ask(self, query: str, path: str) -> None:
        """Ask after ``REST_MS``, unless the last request was for the same query and document."""
        if (query, path) != self._asked:
            self.forget()
            self._asked = query, path
            self._resting.start()

    def _send(self) -> None:
        query, path = self._asked
        self._request.ask(MapPages(query, Path(path)), self.mapped.emit, failed=self._failed)

    def forget(self) -> None:
        """Cancel the request, and emit ``mapped`` with nothing."""
        self._resting.stop()
        self._request.cancel()
        self._asked = "", ""
        self.mapped.emit(())

    def _failed(self, _error: object) -> None:
        self._asked = "", ""  # asked again with the next hit
