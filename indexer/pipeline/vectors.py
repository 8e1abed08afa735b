"""Chooses which passages and names are embedded next, and writes their vectors.

Documents that may have crashed an engine come first, one at a time. Then come documents that the
person has just found or opened, and others by priority; of equal ones, those of earlier runs first.
An interrupted document continues with its missing passages, and passages that an edit did not
change are not embedded again. Names of files and folders are few and short. They are embedded at
intervals between documents, and when nothing else is left.

A model reads single passages or, for late chunking, runs of neighbours. The boundaries of runs
depend only on the text near them, so that an interrupted document continues with the same vectors,
and an edit changes only the runs around it. If the input of a run of an edited document is
unchanged, its vectors are copied from the file's earlier document.
"""

from __future__ import annotations

import hashlib
import time
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count as counter
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from indexer import faults
from indexer.embed.batches import EmbedInput, passage_prefix
from indexer.pipeline.embedding import EmbeddingWorker, Unit
from indexer.store.values import StoredPassage, VectorRows, docs_of

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import DocRow, Space
    from indexer.pipeline.events import Embedded
    from indexer.pipeline.parts import BatchSizes
    from indexer.store.store import Store


# The windows of a run: enough to give most passages neighbours on both sides, but so few that an
# edit re-embeds little.
_WINDOWS = 2
_CHARACTERS_A_TOKEN = 4
_CHARACTERS_A_PASSAGE = 900
# The characters of context from the passage before a run, about 32 tokens as between windows.
_CONTEXT_CHARACTERS = 160


class SectionReader(Struct, frozen=True):
    """How a model reads a document.

    Attributes:
        title: The prefix of every input.
        window: The tokens read together; 0 for a model that reads each passage alone.
    """

    title: str
    window: int

    def input(self, passage: StoredPassage) -> EmbedInput:
        """Return the model's input for a passage."""
        return EmbedInput(self.title, passage.heading_path, passage.view, passage.view_starts)

    def runs(self, passages: Iterable[StoredPassage]) -> Iterator[SectionRun]:
        """Split the passages of one document, in order, into runs."""
        if not self.window:
            yield from (SectionRun(None, (passage,)) for passage in passages)
            return
        before = None
        for section in _sections(passages, self.window):
            yield SectionRun(before and _end_of(before, section[0]), section)
            before = section[-1]

    def digest(self, run: SectionRun) -> bytes:
        """Hash everything that the vectors of a run depend on: equal digests, equal vectors."""
        read = run.passages if run.before is None else (run.before, *run.passages)
        fed = [
            (passage_prefix(self.title, one.heading_path), one.view, one.view_starts)
            for one in read
        ]
        return hashlib.blake2b(repr(fed).encode(), digest_size=16).digest()


class SectionRun(Struct, frozen=True):
    """Passages that are read together, and as context the end of the passage before them."""

    before: StoredPassage | None
    passages: Sequence[StoredPassage]


def _end_of(before: StoredPassage, following: StoredPassage) -> StoredPassage:
    """Return the end of a passage, with the headings of the next passage, as its context."""
    words = before.view[-_CONTEXT_CHARACTERS:]
    if len(words) < len(before.view):
        words = words[words.find(" ") + 1 :]
    starts = (0,) if words else ()
    path = following.heading_path
    return replace(before, view=words, view_starts=starts, heading_path=path)


def _sections(passages: Iterable[StoredPassage], window: int) -> Iterator[list[StoredPassage]]:
    wanted = window * _WINDOWS * _CHARACTERS_A_TOKEN
    # A run may begin at one passage in this many, so this is their mean length.
    one_in = max(1, wanted // 2 // _CHARACTERS_A_PASSAGE)
    section: list[StoredPassage] = []
    size = 0
    for passage in passages:
        border = 2 * size >= wanted and zlib.crc32(passage.view.encode()) % one_in == 0
        if section and (border or size >= 2 * wanted):
            yield section
            section, size = [], 0
        section.append(passage)
        size += len(passage.view)
    if section:
        yield section


# The number of vectors copied in a commit, some 10 MB.
_AT_ONCE = 4096

Pairs = list[tuple[int, int]]


def section_reader(row: DocRow, space: Space) -> SectionReader:
    """Return how the model of a space reads a document."""
    window = int(space.record["window"]) if space.record.get("late") else 0
    return SectionReader(row.title_used, window)


class VectorReuse(Struct):
    """Copies vectors between the documents of a space. ``reused`` counts passages."""

    catalog: Catalog
    store: Store
    space: Space
    reused: int = 0

    def copy_shared(self, rows: Iterable[DocRow], done: Mapping[int, frozenset[int]]) -> set[int]:
        """Copy vectors of passages that documents share with earlier texts of their files.

        Args:
            rows: The documents, marked as being written.
            done: The keys that have vectors, by document.

        Returns the documents that got vectors.
        """
        found = {row.doc: self._shared(row, done[row.doc]) for row in rows}
        pairs = [pair for common in found.values() for pair in common]
        for start in range(0, len(pairs), _AT_ONCE):
            both = np.array(pairs[start : start + _AT_ONCE], np.int64)
            self.store.copy_vectors(self.space.key, both[:, 0], both[:, 1])
            faults.reached("vectors-copied")
        self.reused += len(pairs)
        return {doc for doc, common in found.items() if common}

    def _shared(self, row: DocRow, done: frozenset[int]) -> Pairs:
        known = self._known(self.catalog.docs.earlier(row.doc))
        if not known:
            return []
        return [
            (source, key)
            for digest, keys in self._digests(row)
            for source, key in zip(known.get(digest, ()), keys, strict=False)
            if key not in done
        ]

    def _known(self, earlier: list[int]) -> dict[bytes, list[int]]:
        """The passages of earlier texts that have vectors, by the digest of their run."""
        known: dict[bytes, list[int]] = {}
        rows = self.catalog.docs.docs_by_id(earlier)
        for doc in reversed([doc for doc in earlier if doc in rows]):  # the latest text wins
            if there := set(self.store.keys_with_vectors(self.space.key, doc).tolist()):
                digests = self._digests(rows[doc])
                known |= {digest: keys for digest, keys in digests if there.issuperset(keys)}
        return known

    def _digests(self, row: DocRow) -> Iterator[tuple[bytes, list[int]]]:
        reading = section_reader(row, self.space)
        for run in reading.runs(self.store.texts.iter_passages([row.doc])):
            yield reading.digest(run), [passage.key for passage in run.passages]


# The number of documents opened together, with one transaction for their marks.
DOCS_AHEAD = 64
# The priority of documents that were found or opened, above that of every file.
FOUND = 1 << 40

# The key of each passage, None for context, and the model's input.
Run = list[tuple[int | None, EmbedInput]]


class _OpenDocument(Struct):
    """A document whose passages are being embedded."""

    row: DocRow
    done: frozenset[int]  # keys that had vectors when it was opened
    left: int


@dataclass(slots=True)
class Backlog:
    """Passages without vectors in order, and the documents that they complete.

    Construct it while no document is being written, as it reads unfinished documents once.
    """

    catalog: Catalog
    store: Store
    space: Space
    # A heap of (negative priority, order of arrival, document).
    _waiting: list[tuple[int, int, int]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=counter)
    _queued: set[int] = field(default_factory=set)  # the heap may have some of these twice
    _suspects: deque[int] = field(default_factory=deque)
    _alone: bool = False  # whether the open document is a suspect
    _open: dict[int, _OpenDocument] = field(default_factory=dict)
    # A stack of (negative priority, runs of documents that were opened together).
    _runs: list[tuple[int, Iterator[Run]]] = field(default_factory=list)
    reuse: VectorReuse = field(init=False)

    def __post_init__(self) -> None:
        self.reuse = VectorReuse(self.catalog, self.store, self.space)
        pending = self.catalog.spaces.pending(self.space.id, -1)
        self._suspects.extend(self.catalog.spaces.suspects(self.space.id))
        for doc, _ in pending:
            if doc not in self._suspects:
                self.queue_document(doc)

    @property
    def has_suspects(self) -> bool:
        """Whether documents are left that may have crashed an engine and are embedded alone."""
        return bool(self._suspects) or (self._alone and bool(self._open))

    @property
    def finished(self) -> int:
        """The number of documents that ``pop_complete`` would return."""
        return sum(document.left == 0 for document in self._open.values())

    def queue_document(self, doc: int, priority: int = 0) -> None:
        """Queue a document whose passages were just written."""
        self._queued.add(doc)
        heappush(self._waiting, (-priority, next(self._numbers), doc))

    def advance_document(self, doc: int) -> None:
        """Move a waiting document before others, as the person has found or opened it."""
        if doc in self._queued:
            self.queue_document(doc, FOUND)

    def next_unit(self, count: int) -> Unit | None:
        """Return about ``count`` next passages; None if there are none."""
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
        return Unit([one for _, one in every], [key for key, _ in every], [*map(len, runs)])

    def count_stored(self, batches: Sequence[Embedded]) -> None:
        for batch in batches:
            for doc in docs_of(batch.rows.keys).tolist():
                self._open[doc].left -= 1

    def pop_complete(self) -> list[int]:
        """Return the documents completed since the last call."""
        complete = [doc for doc, document in self._open.items() if document.left == 0]
        for doc in complete:
            del self._open[doc]
        return complete

    def _read(self, docs: Sequence[int]) -> Iterator[Run]:
        """Yield the passages without vectors, in runs that are embedded together."""
        for doc, passages in groupby(self.store.texts.iter_passages(docs), attrgetter("doc")):
            document = self._open[doc]
            reading = section_reader(document.row, self.space)
            for run in reading.runs(passages):
                read: Run = [
                    (None if one.key in document.done else one.key, reading.input(one))
                    for one in run.passages
                ]
                if any(key is not None for key, _ in read):
                    yield read if run.before is None else [(None, reading.input(run.before)), *read]

    @property
    def _is_overtaken(self) -> bool:
        """Whether a waiting document has a higher priority than those being embedded."""
        if not self._runs or self.has_suspects:
            return False
        self._drop_opened()
        return bool(self._waiting) and self._waiting[0][0] < self._runs[-1][0]

    def _open_more(self) -> bool:
        priority, docs = self._next()
        if not docs:
            return False
        known = self.catalog.docs.docs_by_id(docs)
        with self.catalog.db.write():
            for doc in known:
                self.catalog.spaces.begin(doc, self.space.id)
        done = {doc: self._embedded(doc) for doc in known}
        for doc in self.reuse.copy_shared(known.values(), done):
            done[doc] = self._embedded(doc)
        for doc, row in known.items():
            self._open[doc] = _OpenDocument(row, done[doc], row.passages - len(done[doc]))
        missing = [doc for doc in docs if doc in known and self._open[doc].left]
        self._runs.append((priority, self._read(missing)))
        return True

    def _next(self) -> tuple[int, list[int]]:
        """Return the documents to open together next, and before them their negative priority."""
        if self._open and self.has_suspects:
            return 0, []
        self._alone = bool(self._suspects)
        if self._alone:
            return 0, [self._suspects.popleft()]
        docs: list[int] = []
        self._drop_opened()
        priority = self._waiting[0][0] if self._waiting else 0
        while self._waiting and self._waiting[0][0] == priority and len(docs) < DOCS_AHEAD:
            docs.append(heappop(self._waiting)[2])
            self._queued.discard(docs[-1])
            self._drop_opened()
        return priority, docs

    def _drop_opened(self) -> None:
        """Remove entries of documents that were opened at an earlier entry."""
        while self._waiting and self._waiting[0][2] not in self._queued:
            heappop(self._waiting)

    def _embedded(self, doc: int) -> frozenset[int]:
        return frozenset(self.store.keys_with_vectors(self.space.key, doc).tolist())


EVERY_S = 5.0


class NameFeed(Struct):
    """Makes units of names without vectors, and stores the vectors.

    The key of a name is its negative id, as keys of passages are positive.
    """

    catalog: Catalog
    space: Space
    _after: int = 0
    _more: bool = True  # names of an earlier run may lack vectors
    _out: int = 0
    _fed: float = float("-inf")

    def next_unit(self, count: int, *, last: bool = False) -> Unit | None:
        """Return at most ``count`` names, or None; ``last`` says that no documents are left."""
        now = time.monotonic()
        if self._out or (not last and now - self._fed < EVERY_S):
            return None
        self._fed = now
        if self.catalog.names.bind() == 0 and not self._more:
            return None
        missing = self.catalog.names.missing(self.space.id, count, self._after)
        self._more = len(missing) == count
        self._out = len(missing)
        if not missing:
            return None
        self._after = missing[-1][0]
        return Unit(
            [EmbedInput("", (), text.replace("_", " "), (0,)) for _, text in missing],
            [-name for name, _ in missing],
            [1] * len(missing),
        )

    def store(self, batch: Embedded) -> None:
        """Store the vectors of names."""
        names = (-batch.rows.keys).tolist()
        self._out -= len(names)
        self.catalog.names.store(self.space.id, names, batch.rows.vectors)


FLUSH_S = 10.0
# The interval while the model is idle, as more vectors may follow and each commit has a cost.
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
    def idle(self) -> bool:
        """Whether nothing is being embedded or buffered."""
        return not self.in_flight and not self._made

    def feed_model(self) -> None:
        """Queue units until the model's queue is full."""
        count = self.batches.unit
        while not self.worker.full:
            unit = self._next(count)
            if not unit:
                break
            self.in_flight += unit.wanted
            self.worker.submit_unit(unit)

    def _next(self, count: int) -> Unit | None:
        if self.backlog.has_suspects:
            return self.backlog.next_unit(count)
        return (
            self._names.next_unit(count)
            or self.backlog.next_unit(count)
            or self._names.next_unit(count, last=True)
        )

    def buffer_vectors(self, made: Embedded) -> None:
        """Buffer the vectors of a batch."""
        self.in_flight -= len(made.rows.keys)
        if made.rows.keys[0] < 0:
            self._names.store(made)
            return
        if not self._made:
            self._since = time.monotonic()
        self._made.append(made)
        self.embedded += len(made.rows.keys)
        self.tokens += made.tokens

    def due(self, *, last: bool) -> bool:
        """Whether to flush now; ``last`` says that nothing more is being read."""
        if not self._made:
            return self.backlog.finished >= DOCS_AHEAD  # the vectors of these all existed before
        held = sum(len(made.rows.keys) for made in self._made)
        waited = time.monotonic() - self._since
        if held >= self.batches.vectors or waited >= FLUSH_S:
            return True
        return not self.in_flight and (last or waited >= FLUSH_IDLE_S)

    def flush_vectors(self) -> bool:
        """Write the buffer, first to the store; return whether this completes a document."""
        made, self._made = self._made, []
        if made:
            self.store.add_vectors(self.space.key, join([one.rows for one in made]))
            faults.reached("vectors-committed")
            self.backlog.count_stored(made)
        complete = self.backlog.pop_complete()
        if not complete:
            return False
        counts = self.store.texts.counts(complete)
        with self.catalog.db.write():
            for doc in complete:
                self.catalog.spaces.finish(doc, self.space.id, counts[doc])
        faults.reached("vectors-marked")
        return True


def join(parts: Sequence[VectorRows]) -> VectorRows:
    """Concatenate batches."""
    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    return VectorRows(
        keys=np.concatenate([part.keys for part in parts]),
        vectors=np.concatenate([part.vectors for part in parts]),
        sentences=np.concatenate([part.sentences for part in parts]),
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
    )
