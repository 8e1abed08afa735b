"""Writes passages to the store with their completion, then marks documents in the catalog.

Owns the buffer between reading and the store, and the order that makes a kill harmless: rows
first, mark second. A document may span several flushes and is marked after the last. It must not
know vectors.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer import faults
from indexer.store.values import PassageRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.types import DocumentInfo, Passage
    from indexer.catalog.catalog import Catalog
    from indexer.store.store import Store

FLUSH_S = 2.0


@dataclass(frozen=True, slots=True)
class FinishedDocument:
    """A completely read document, and its number of passages."""

    doc: int
    info: DocumentInfo
    passages: int
    priority: int = 0  # of its file


@dataclass(slots=True)
class PassageWriter:
    """Buffers the passages of documents and writes them in few commits."""

    catalog: Catalog
    store: Store
    flush_at: int  # passages
    written: int = 0
    _rows: list[PassageRow] = field(default_factory=list)
    _ended: list[FinishedDocument] = field(default_factory=list)
    _since: float = 0.0

    @property
    def holding(self) -> bool:
        """Whether a flush would write anything."""
        return bool(self._rows or self._ended)

    def add(self, doc: int, info: DocumentInfo, passages: Sequence[Passage]) -> None:
        """Buffer some passages of a document, in order."""
        if not self.holding:
            self._since = time.monotonic()
        self._rows.extend(
            PassageRow(doc, info.text_id, info.language, passage) for passage in passages
        )

    def end(self, document: FinishedDocument) -> None:
        """Mark a document as complete with the next flush."""
        if not self.holding:
            self._since = time.monotonic()
        self._ended.append(document)

    def drop(self, doc: int) -> None:
        """Delete a partly read document that failed, from the buffer and from the store."""
        self._rows = [row for row in self._rows if row.doc != doc]
        self.store.delete_docs([doc])
        self.catalog.docs.forget([doc])

    def due(self, *, starved: bool) -> bool:
        """Whether to flush now: at once if the model has nothing to embed."""
        if not self.holding:
            return False
        waited = time.monotonic() - self._since
        return len(self._rows) >= self.flush_at or waited >= FLUSH_S or (starved and waited >= 0.3)

    def flush(self) -> list[FinishedDocument]:
        """Write the buffer, the store first; return the documents that this completes."""
        rows, ended = self._rows, self._ended
        self._rows, self._ended = [], []
        if rows or ended:
            self.store.add_passages(rows, [one.doc for one in ended])
            self.written += len(rows)
            faults.reached("passages-committed")
        if ended:
            with self.catalog.write():
                for one in ended:
                    self.catalog.docs.finish_passages(one.doc, one.passages)
            faults.reached("passages-marked")
        return ended
