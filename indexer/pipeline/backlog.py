"""Documents without vectors: which passages are embedded next, and which documents are complete.

Owns the order (by priority, then unfinished documents of earlier runs, then as documents are
written) and the count of missing vectors of each. An interrupted document continues with its
missing passages; passages that an edit did not change are not embedded again. Documents that may
have crashed an engine come first, one at a time. It must not know the model, nor how vectors are
written.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count as counter
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from indexer.pipeline.embedding import Unit
from indexer.pipeline.events import PendingPassage
from indexer.pipeline.reuse import VectorReuse, section_reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow, Space
    from indexer.embed.base import EmbedInput
    from indexer.pipeline.events import Embedded
    from indexer.store.store import Store

# Documents opened together: one transaction for their marks, few reads for their passages.
DOCS_AHEAD = 64

Run = list[tuple[PendingPassage | None, "EmbedInput"]]


@dataclass(slots=True)
class _OpenDocument:
    """A document whose passages are being embedded."""

    row: DocRow
    done: frozenset[int]  # ordinals that had vectors when it was opened
    left: int


@dataclass(slots=True)
class Backlog:
    """Passages without vectors, in order, and the documents they complete.

    Construct it when no document is being written: it reads unfinished documents once.
    """

    catalog: Catalog
    store: Store
    space: Space
    # A heap of (negative priority, order of arrival, document).
    _waiting: list[tuple[int, int, int]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=counter)
    _suspects: deque[int] = field(default_factory=deque)
    _alone: bool = False  # the open document is a suspect
    _open: dict[int, _OpenDocument] = field(default_factory=dict)
    # A stack of (negative priority, runs of the documents opened together).
    _runs: list[tuple[int, Iterator[Run]]] = field(default_factory=list)
    _reuse: VectorReuse = field(init=False)

    def __post_init__(self) -> None:
        everything = -1
        self._reuse = VectorReuse(self.catalog, self.store, self.space)
        pending = self.catalog.spaces.pending(self.space.id, everything)
        self._suspects.extend(self.catalog.spaces.suspects(self.space.id))
        for doc, _ in pending:
            if doc not in self._suspects:
                self.add(doc)

    @property
    def reused(self) -> int:
        """How many passages reused the vectors of an earlier text."""
        return self._reuse.reused

    @property
    def has_suspects(self) -> bool:
        """Whether documents are left that may have crashed an engine, to be embedded alone."""
        return bool(self._suspects) or (self._alone and bool(self._open))

    @property
    def finished(self) -> int:
        """How many documents ``pop_complete`` would return."""
        return sum(document.left == 0 for document in self._open.values())

    def add(self, doc: int, priority: int = 0) -> None:
        """Queue a document whose passages were just written."""
        heappush(self._waiting, (-priority, next(self._numbers), doc))

    def next_unit(self, count: int) -> Unit | None:
        """The next passages, about ``count`` at most; None if there are none."""
        runs: list[Run] = []
        held = 0
        while held < count:
            if self._is_overtaken and self._open_more():
                continue
            run = next(self._runs[-1][1], None) if self._runs else None
            if run is not None:
                runs.append(run)
                held += len(run)
            elif self._runs:
                self._runs.pop()
            elif self.finished >= DOCS_AHEAD or not self._open_more():
                break
        if not runs:
            return None
        every = [pair for run in runs for pair in run]
        return Unit([one for _, one in every], [pending for pending, _ in every], [*map(len, runs)])

    def count_stored(self, batches: Sequence[Embedded]) -> None:
        """Count the vectors of batches as stored."""
        for batch in batches:
            for pending in batch.pending:
                self._open[pending.doc].left -= 1

    def pop_complete(self) -> list[int]:
        """Return the documents completed since the last call."""
        complete = [doc for doc, document in self._open.items() if document.left == 0]
        for doc in complete:
            del self._open[doc]
        return complete

    def _read(self, docs: Sequence[int]) -> Iterator[Run]:
        """Yield the passages without vectors, in runs that are embedded together."""
        for doc, passages in groupby(self.store.iter_passages(docs), attrgetter("doc")):
            document = self._open[doc]
            reading = section_reader(document.row, self.space)
            for run in reading.runs(passages):
                read: Run = [
                    (
                        None
                        if passage.ordinal in document.done
                        else PendingPassage(doc, passage.ordinal),
                        reading.input(passage),
                    )
                    for passage in run.passages
                ]
                if any(pending is not None for pending, _ in read):
                    yield read if run.before is None else [(None, reading.input(run.before)), *read]

    @property
    def _is_overtaken(self) -> bool:
        """Whether a waiting document has a higher priority than those being embedded."""
        if not self._runs or not self._waiting or self.has_suspects:
            return False
        return self._waiting[0][0] < self._runs[-1][0]

    def _open_more(self) -> bool:
        priority, docs = self._next()
        if not docs:
            return False
        known = self.catalog.docs.get(docs)
        with self.catalog.write():
            for doc in known:
                self.catalog.spaces.begin(doc, self.space.id)
        done = {doc: self._embedded(doc) for doc in known}
        for doc in self._reuse.copy_shared(known.values(), done):
            done[doc] = self._embedded(doc)
        for doc, row in known.items():
            self._open[doc] = _OpenDocument(row, done[doc], row.passages - len(done[doc]))
        missing = [doc for doc in docs if doc in known and self._open[doc].left]
        self._runs.append((priority, self._read(missing)))
        return True

    def _next(self) -> tuple[int, list[int]]:
        """Return the documents to be opened together next, after their negative priority."""
        if self._open and self.has_suspects:
            return 0, []
        self._alone = bool(self._suspects)
        if self._alone:
            return 0, [self._suspects.popleft()]
        docs: list[int] = []
        priority = self._waiting[0][0] if self._waiting else 0
        while self._waiting and self._waiting[0][0] == priority and len(docs) < DOCS_AHEAD:
            docs.append(heappop(self._waiting)[2])
        return priority, docs

    def _embedded(self, doc: int) -> frozenset[int]:
        return frozenset(self.store.ordinals_with_vectors(self.space.key, doc).tolist())
