"""The documents that wait for vectors: which passages are embedded next, and which are done.

Owns the order (what an earlier run left first, then as documents are written) and the count of
what is missing of each. A document that was interrupted goes on with the passages that are
missing. It must not know the model, nor how vectors are written.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from indexer.embed.base import EmbedInput
from indexer.pipeline.events import Pending
from indexer.pipeline.profiles import Profiles
from indexer.store import key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.catalog import Catalog, DocRow, Space
    from indexer.pipeline.embedding import Unit
    from indexer.pipeline.events import Embedded
    from indexer.store import DocumentRow, Store, StoredPassage

# Documents opened together: their marks are one transaction, their passages few reads.
DOCS_AHEAD = 64


@dataclass(slots=True)
class _Open:
    """A document whose vectors are being made."""

    row: DocRow
    done: frozenset[int]  # ordinals that an earlier run embedded
    left: int


@dataclass(slots=True)
class Backlog:
    """Passages without vectors, in order, and the documents they complete.

    Make it when no document is being written: it asks once what earlier runs left.
    """

    catalog: Catalog
    store: Store
    space: Space
    _waiting: deque[int] = field(default_factory=deque)
    _open: dict[int, _Open] = field(default_factory=dict)
    _rows: Iterator[StoredPassage] = field(default_factory=lambda: iter(()))
    _profiles: Profiles = field(default_factory=Profiles)

    def __post_init__(self) -> None:
        everything = -1
        pending = self.catalog.spaces.pending(self.space.id, everything)
        self._waiting.extend(doc for doc, _ in pending)

    def add(self, doc: int) -> None:
        """Queue a document whose passages were just written."""
        self._waiting.append(doc)

    def take(self, count: int) -> Unit:
        """The next passages, at most so many."""
        unit: Unit = []
        while len(unit) < count:
            unit += islice(self._inputs(), count - len(unit))
            if len(unit) < count and not self._open_more():
                break
        return unit

    def made(self, batch: Embedded) -> None:
        """Say that the store holds these vectors."""
        self._profiles.add(batch)
        for pending in batch.pending:
            self._open[pending.doc].left -= 1

    def complete(self) -> list[DocumentRow]:
        """The documents of which nothing is missing any more, with their profiles; once."""
        complete = [doc for doc, document in self._open.items() if document.left == 0]
        return [self._profiles.take(self._open.pop(doc).row) for doc in complete]

    def _inputs(self) -> Iterator[tuple[Pending, EmbedInput]]:
        for stored in self._rows:
            document = self._open.get(stored.doc)  # none if an earlier run did it all
            if document is not None and stored.ordinal not in document.done:
                yield (
                    Pending(stored.doc, stored.ordinal),
                    EmbedInput(
                        document.row.title_used,
                        stored.heading_path,
                        stored.view,
                        stored.view_starts,
                    ),
                )

    def _open_more(self) -> bool:
        if not self._waiting:
            return False
        docs = [self._waiting.popleft() for _ in range(min(DOCS_AHEAD, len(self._waiting)))]
        known = self.catalog.docs.get(docs)
        with self.catalog.write():
            for doc, row in known.items():
                begun = self.catalog.spaces.begin(doc, self.space.id)
                done = self._embedded(doc) if begun else frozenset()
                self._open[doc] = _Open(row, done, row.passages - len(done))
        self._rows = self.store.iter_passages([doc for doc in docs if doc in known])
        return True

    def _embedded(self, doc: int) -> frozenset[int]:
        done = frozenset(self.store.ordinals_with_vectors(self.space.key, doc).tolist())
        if done:
            keys = np.array([key_of(doc, ordinal) for ordinal in sorted(done)], np.int64)
            self._profiles.start(doc, self.store.vectors_of(self.space.key, keys))
        return done
