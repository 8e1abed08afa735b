"""Asks the engine how close each page of a document is to a query. It must not know widgets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.requests import MapPages
from ui.latest_request import LatestRequest

if TYPE_CHECKING:
    from ui.ports import EnginePort


class Evidence(QObject):
    """Signals: ``mapped`` with the closeness of each page, 0 to 1, for the last request."""

    mapped = Signal(object)

    def __init__(self, link: EnginePort, parent: QObject) -> None:
        super().__init__(parent)
        self._asked: tuple[str, str] = ("", "")  # the query and the document
        self._request = LatestRequest(link)

    def ask(self, query: str, path: str) -> None:
        """Ask, unless the last request was for the same query and document."""
        if (query, path) != self._asked:
            self.forget()
            self._asked = query, path
            self._request.ask(MapPages(query, Path(path)), self.mapped.emit, failed=self._failed)

    def forget(self) -> None:
        """Cancel the request, and emit ``mapped`` with nothing."""
        self._request.cancel()
        self._asked = "", ""
        self.mapped.emit(())

    def _failed(self, _error: object) -> None:
        self._asked = "", ""  # asked again with the next hit
