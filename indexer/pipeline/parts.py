"""The dependencies of a run, its batch sizes and its counters."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from operator import add
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import astuple

from indexer.store.vector_index import ANN_FROM

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.config import Limits
    from indexer.embed.batches import Embedder
    from indexer.pipeline.recogniser import ScannedPages
    from indexer.store.store import Store
    from indexer.throttle.throttle import QueryGate, Throttle


class BatchSizes(Struct, frozen=True):
    """The sizes of buffers before they are written. The defaults were measured.

    Attributes:
        passages: Passages in a commit. A commit costs about as much as ten passages.
        vectors: Vectors in a commit.
        unit: Passages that the model gets together, enough to sort by length into full batches.
        ann_from: The number of vectors from which a space has an index.
        disk_retry_s: Seconds after which a full disk is checked again.
        pause_grace_s: Seconds in which work in progress may finish before a pause.
    """

    passages: int = 2048
    vectors: int = 1024
    unit: int = 256
    ann_from: int = ANN_FROM
    disk_retry_s: float = 5.0
    pause_grace_s: float = 5.0


class Parts(Struct, frozen=True):
    """The dependencies of a run.

    ``suits`` returns whether the model of ``space`` is right for the languages read so far, or None
    while undecided: one document is enough to keep this model, the number in the argument is needed
    to change it. ``found`` has paths of documents that the person has just found or opened, which
    are embedded before others.
    """

    catalog: Catalog
    store: Store
    space: Space
    suits: Callable[[int], bool | None]
    open_embedder: Callable[[], Embedder]
    gate: QueryGate
    limits: Limits
    children: int
    check_space: Callable[[], None]
    batches: BatchSizes
    password_of: Callable[[bytes], str | None]
    throttle: Throttle
    scanned_pages: ScannedPages
    found: deque[str] = field(default_factory=deque)


class RunCounts(Struct):
    """The counters of a run. Passages are counted as they are written, embedded, or reused.

    ``bytes`` is the size of the files, and ``cut`` the passages of complete files, written or not.
    ``with_gaps`` has the contents among the documents that have pages to recognise: when these are
    read again, the number of documents stays.
    """

    files: int = 0
    bytes: int = 0
    documents: int = 0
    pages: int = 0
    cut: int = 0
    written: int = 0
    embedded: int = 0
    reused: int = 0
    tokens: int = 0
    seconds: float = 0.0
    with_gaps: tuple[str, ...] = ()

    def __add__(self, other: RunCounts) -> RunCounts:
        return RunCounts(*(map(add, astuple(self), astuple(other))))


class Effort(Struct, frozen=True):
    """The busy seconds of readers and of the model."""

    reading_s: float
    embedding_s: float
