"""Feeds the model with passages and writes their vectors.

Owns when vectors are written, and marking documents whose vectors are complete. It must not know
how passages are made, nor which are next (``indexer.pipeline.backlog``).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer import faults
from indexer.pipeline.backlog import DOCS_AHEAD, Backlog
from indexer.pipeline.name_feed import NAME, NameFeed
from indexer.store.values import VectorRows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.pipeline.embedding import EmbeddingWorker, Unit
    from indexer.pipeline.events import Embedded
    from indexer.pipeline.parts import BatchSizes
    from indexer.store.store import Store

FLUSH_S = 10.0
# The same while the model is idle: more vectors may follow soon, and each commit has a cost.
FLUSH_IDLE_S = 1.0


@dataclass(slots=True)
class VectorWriter:
    """Moves passages from the store to the model and vectors from the model to the store."""

    catalog: Catalog
    store: Store
    space: Space
    worker: EmbeddingWorker
    batches: BatchSizes
    embedded: int = 0
    tokens: int = 0
    in_flight: int = 0
    backlog: Backlog = field(init=False)
    _names: NameFeed = field(init=False)
    _made: list[Embedded] = field(default_factory=list)
    _since: float = 0.0

    def __post_init__(self) -> None:
        self.backlog = Backlog(self.catalog, self.store, self.space)
        self._names = NameFeed(self.catalog, self.space)

    @property
    def reused(self) -> int:
        """How many passages reused the vectors of an earlier text of their file."""
        return self.backlog.reused

    @property
    def has_suspects(self) -> bool:
        """Whether a document is left that may have crashed an engine while it was embedded."""
        return self.backlog.has_suspects

    @property
    def idle(self) -> bool:
        """Whether nothing is being embedded or buffered."""
        return not self.in_flight and not self._made

    def feed(self) -> None:
        """Queue units until the model's queue is full."""
        count = self.batches.unit
        while not self.worker.full:
            unit = self._next(count)
            if not unit:
                break
            self.in_flight += unit.wanted
            self.worker.put(unit)

    def _next(self, count: int) -> Unit | None:
        if self.has_suspects:
            return self.backlog.next_unit(count)
        return (
            self._names.next_unit(count)
            or self.backlog.next_unit(count)
            or self._names.next_unit(count, last=True)
        )

    def handle(self, made: Embedded) -> None:
        """Buffer the vectors of a batch."""
        self.in_flight -= len(made.pending)
        if made.pending[0].doc == NAME:
            self._names.store(made)
            return
        if not self._made:
            self._since = time.monotonic()
        self._made.append(made)
        self.embedded += len(made.pending)
        self.tokens += made.tokens

    def due(self, *, last: bool) -> bool:
        """Whether to flush now; ``last``: nothing more is being read."""
        if not self._made:
            return self.backlog.finished >= DOCS_AHEAD  # whose vectors all existed before
        held = sum(len(made.pending) for made in self._made)
        waited = time.monotonic() - self._since
        if held >= self.batches.vectors or waited >= FLUSH_S:
            return True
        return not self.in_flight and (last or waited >= FLUSH_IDLE_S)

    def flush(self) -> bool:
        """Write the buffer, the store first; return whether this completes a document."""
        made, self._made = self._made, []
        if made:
            self.store.add_vectors(self.space.key, join(made))
            faults.reached("vectors-committed")
            self.backlog.count_stored(made)
        complete = self.backlog.pop_complete()
        if not complete:
            return False
        counts = self.store.passage_counts(complete)
        with self.catalog.write():
            for doc in complete:
                self.catalog.spaces.finish(doc, self.space.id, counts[doc])
        faults.reached("vectors-marked")
        return True

    def tidy(self) -> None:
        """Run the store's maintenance, unless a crash in it would be counted against a suspect."""
        if not self.has_suspects:
            self.store.maintain()


def join(made: Sequence[Embedded]) -> VectorRows:
    """Concatenate batches."""
    counts = np.concatenate([np.diff(batch.offsets) for batch in made])
    return VectorRows(
        docs=np.array([one.doc for batch in made for one in batch.pending], np.int32),
        ordinals=np.array([one.ordinal for batch in made for one in batch.pending], np.int32),
        vectors=np.concatenate([batch.vectors for batch in made]),
        sentences=np.concatenate([batch.sentences for batch in made]),
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )
