"""Feeds the model with passages that have no vectors yet, and writes what it makes.

Owns which passages are embedded next and the marks of documents whose vectors are complete. A
document that was interrupted goes on with the passages that are missing. It must not know how
passages came to be.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer import faults
from indexer.embed.base import EmbedInput
from indexer.pipeline.events import Embedded, Pending
from indexer.pipeline.profiles import Profiles
from indexer.store import VectorRows, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.catalog import Catalog, DocRow, Space
    from indexer.pipeline.embedding import EmbeddingWorker, Unit
    from indexer.pipeline.pace import Pace
    from indexer.store import Store

FLUSH_S = 10.0
DOCS_AHEAD = 64
# Stands for the document of a name on its way through the model; its ordinal is the name's id.
NAME = -1
# How often new names are embedded while documents are; they are few and short.
NAMES_EVERY_S = 5.0


@dataclass(slots=True)
class VectorWriter:
    """Keeps the model fed from the store, and the store filled from the model."""

    catalog: Catalog
    store: Store
    space: Space
    worker: EmbeddingWorker
    pace: Pace
    embedded: int = 0
    tokens: int = 0
    in_flight: int = 0
    _rows: Iterator[tuple[Pending, EmbedInput]] | None = None
    _after: int = 0
    _left: dict[int, int] = field(default_factory=dict)
    _profiles: Profiles = field(default_factory=Profiles)
    _names_out: int = 0
    _names_fed: float = 0.0
    _docs: dict[int, DocRow] = field(default_factory=dict)
    _made: list[Embedded] = field(default_factory=list)
    _since: float = 0.0

    @property
    def idle(self) -> bool:
        """Whether nothing is being embedded or waits to be written."""
        return not self.in_flight and not self._made

    def feed(self) -> bool:
        """Hand units over until the model has enough; tell whether there was anything to hand."""
        fed = False
        while not self.worker.full:
            unit = self._next_names() or self._next_unit() or self._next_names(last=True)
            if not unit:
                break
            self.in_flight += len(unit)
            self.worker.put(unit)
            fed = True
        return fed

    def take(self, made: Embedded) -> None:
        """Take the vectors of a batch."""
        self.in_flight -= len(made.pending)
        if made.pending[0].doc == NAME:
            self._names_out -= len(made.pending)
            names = [pending.ordinal for pending in made.pending]
            self.catalog.names.store(self.space.id, names, made.vectors)
            return
        if not self._made:
            self._since = time.monotonic()
        self._made.append(made)
        self.embedded += len(made.pending)
        self.tokens += made.tokens

    def due(self) -> bool:
        if not self._made:
            return False
        held = sum(len(made.pending) for made in self._made)
        return held >= self.pace.vectors or time.monotonic() - self._since >= FLUSH_S

    def flush(self) -> bool:
        """Write what is held, the store first; tell whether a document is complete with it."""
        made, self._made = self._made, []
        if made:
            self.store.add_vectors(self.space.key, join(made))
            faults.reached("vectors-committed")
        for batch in made:
            self._profiles.add(batch)
            for pending in batch.pending:
                self._left[pending.doc] -= 1
        complete = [doc for doc, left in self._left.items() if left == 0]
        if not complete:
            return False
        self.store.put_documents([self._profiles.take(self._docs[doc]) for doc in complete])
        faults.reached("profiles-committed")
        with self.catalog.write():
            for doc in complete:
                del self._left[doc]
                self.catalog.spaces.finish(doc, self.space.id, self._docs.pop(doc).passages)
        faults.reached("vectors-marked")
        return True

    def _next_names(self, *, last: bool = False) -> Unit:
        """New names of files and folders, now and then and when there is nothing else."""
        now = time.monotonic()
        if self._names_out or (not last and now - self._names_fed < NAMES_EVERY_S):
            return []
        self._names_fed = now
        self.catalog.names.bind()
        missing = self.catalog.names.missing(self.space.id, self.pace.unit)
        self._names_out = len(missing)
        return [
            (Pending(NAME, name), EmbedInput("", (), text.replace("_", " "), (0,)))
            for name, text in missing
        ]

    def _next_unit(self) -> Unit:
        unit: Unit = []
        while len(unit) < self.pace.unit:
            if self._rows is None:
                self._rows = self._open_rows()
                if self._rows is None:
                    break
            one = next(self._rows, None)
            if one is None:
                self._rows = None
            else:
                unit.append(one)
        return unit

    def _open_rows(self) -> Iterator[tuple[Pending, EmbedInput]] | None:
        pending = self.catalog.spaces.pending(self.space.id, DOCS_AHEAD, self._after)
        if not pending and self._after and self.idle and not self._left:
            # A document may have been written later than one with a higher number.
            pending = self.catalog.spaces.pending(self.space.id, DOCS_AHEAD, 0)
        if not pending:
            return None
        self._after = pending[-1][0]
        done: dict[int, frozenset[int]] = {}
        with self.catalog.write():
            for doc, passages in pending:
                begun = self.catalog.spaces.begin(doc, self.space.id)
                there = self.store.ordinals_with_vectors(self.space.key, doc) if begun else ()
                done[doc] = frozenset(map(int, there))
                if done[doc]:
                    keys = [key_of(doc, ordinal) for ordinal in done[doc]]
                    known = self.store.vectors_of(self.space.key, np.array(keys, np.int64))
                    self._profiles.start(doc, known)
                self._left[doc] = passages - len(done[doc])
        self._docs.update(self.catalog.docs.get(done))
        return self._read(list(done), done)

    def _read(
        self, docs: list[int], done: dict[int, frozenset[int]]
    ) -> Iterator[tuple[Pending, EmbedInput]]:
        for stored in self.store.iter_passages(docs):
            if stored.ordinal not in done[stored.doc]:
                title = self._docs[stored.doc].title_used
                yield (
                    Pending(stored.doc, stored.ordinal),
                    EmbedInput(title, stored.heading_path, stored.view, stored.view_starts),
                )


def join(made: Sequence[Embedded]) -> VectorRows:
    """Put batches one after the other."""
    counts = np.concatenate([np.diff(batch.offsets) for batch in made])
    return VectorRows(
        docs=np.array([one.doc for batch in made for one in batch.pending], np.int32),
        ordinals=np.array([one.ordinal for batch in made for one in batch.pending], np.int32),
        vectors=np.concatenate([batch.vectors for batch in made]),
        sentences=np.concatenate([batch.sentences for batch in made]),
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )
