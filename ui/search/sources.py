"""Asks the engine for author and date of the documents of some hits."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from indexer.api.requests import GetDocument
from ui.search.citation import CitedSource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from indexer.api.answers import Document
    from indexer.api.errors import LecternError
    from indexer.api.types import Hit
    from ui.ports import EnginePort

    Found = Callable[[Sequence[Hit], Mapping[str, CitedSource]], None]

# The most documents that the engine is asked about; for others the data of their hits is used.
_MOST_ASKED = 500
_AT_ONCE = 4


class Sources(QObject):
    """Finds the sources of a list of hits; a new list replaces the one before."""

    def __init__(self, link: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link = link
        self._hits: Sequence[Hit] = ()
        self._found: Found | None = None
        self._sources: dict[str, CitedSource] = {}
        self._left: list[Hit] = []
        self._pending: dict[str, int] = {}

    def find(self, hits: Sequence[Hit], found: Found) -> None:
        """Call ``found(hits, sources by path)``, now or when the engine has answered."""
        self.close()
        self._hits, self._found = hits, found
        heads: dict[str, Hit] = {}
        for hit in hits:
            heads.setdefault(hit.path, hit)
        self._sources = {path: CitedSource.from_hit(hit) for path, hit in heads.items()}
        self._left = list(heads.values())[:_MOST_ASKED][::-1]
        self._go_on()

    def close(self) -> None:
        """Cancel the requests."""
        for number in self._pending.values():
            self._link.cancel(number)
        self._pending.clear()
        self._found = None

    def _go_on(self) -> None:
        while self._left and len(self._pending) < _AT_ONCE:
            hit = self._left.pop()
            self._pending[hit.path] = self._link.ask(
                GetDocument(Path(hit.path)),
                done=partial(self._handle_document, hit),
                failed=partial(self._handle_failure, hit),
            )
        if not self._pending and self._found is not None:
            found, self._found = self._found, None
            found(self._hits, self._sources)

    def _handle_document(self, hit: Hit, document: Document) -> None:
        self._sources[hit.path] = CitedSource.from_hit(hit, document)
        self._handle_failure(hit, None)

    def _handle_failure(self, hit: Hit, _error: LecternError | None) -> None:
        self._pending.pop(hit.path, None)
        self._go_on()
