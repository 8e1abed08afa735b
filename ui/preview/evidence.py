"""Asks the engine what of a document answers a question: how close each page is.

Owns the question that is under way; the newest wins. It must not know widgets.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.requests import MapPages

if TYPE_CHECKING:
    from ui.ports import EnginePort


class Evidence(QObject):
    """Signals: ``mapped`` with the closeness of each page of the document asked for last."""

    mapped = Signal(object)

    def __init__(self, link: EnginePort, parent: QObject) -> None:
        super().__init__(parent)
        self._link = link
        self._asked: tuple[str, str] = ("", "")  # the question and the document
        self._request_id: int | None = None

    def ask(self, query: str, path: str) -> None:
        """Ask once for each question and document."""
        if (query, path) != self._asked:
            self.forget()
            self._asked = query, path
            self._request_id = self._link.ask(
                MapPages(query, Path(path)), done=self._done, failed=self._failed
            )

    def forget(self) -> None:
        """Forget what was asked; nothing is close any more."""
        if self._request_id is not None:
            self._link.cancel(self._request_id)
        self._request_id, self._asked = None, ("", "")
        self.mapped.emit(())

    def _done(self, closeness: tuple[float, ...]) -> None:
        self._request_id = None
        self.mapped.emit(closeness)

    def _failed(self, _error: object) -> None:
        self._request_id, self._asked = None, ("", "")  # asked again with the next hit
