"""What an engine answers: one frozen dataclass for each kind of answer.

Owns their fields and units. Hits, files and summaries are in ``indexer.api.types``; what is asked
stands in ``indexer.api.requests``. Sizes are bytes, times seconds, shares 0 to 1, offsets code
points, paths absolute text. Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from indexer.api.phrases import Note
from indexer.api.progress import Progress
from indexer.api.types import FileRow, FileState


class Speed(StrEnum):
    """How hard the engine works; FAST does not slow down by itself."""

    SLOW = "slow"
    NORMAL = "normal"
    FAST = "fast"


@dataclass(frozen=True, slots=True)
class Running:
    """The indexing job in progress."""

    job: str
    progress: Progress


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model and how its numbers are stored."""

    model: str
    precision: str


@dataclass(frozen=True, slots=True)
class ModelChange(ModelChoice):
    """The model whose vectors are being made; ``embedded_share`` is how much is done."""

    embedded_share: float


@dataclass(frozen=True, slots=True)
class Activity:
    """What goes on; small, and asked twice a second.

    Attributes:
        reason: Why work waits or is slow: ``paused``, ``disk_full``, ``typing``, ``battery``,
            ``busy``, ``query``, ``library_read_only``, or "".
        pages_per_second: Of the last seconds, as ``passages_per_second``.
        embedded_share: Share of the passages that have vectors.
        pending: Files not yet read.
        set_aside: Files given up because reading them stopped a process.
        changes: Another number once files or documents are others.
        changing: The model that is to answer, once its vectors are complete.
        rebuilding: Whether what an earlier version kept is being made anew.
        device_notes: Why this device.
    """

    running: Running | None
    pages_per_second: float
    passages_per_second: float
    changes: int
    device: str
    device_notes: tuple[Note, ...]
    speed: Speed
    paused: bool
    reason: str
    embedded_share: float
    pending: int
    set_aside: int
    changing: ModelChange | None = None
    rebuilding: bool = False


@dataclass(frozen=True, slots=True)
class TableSize:
    """A table's rows and the bytes its directory takes, of which ``live`` are in use."""

    rows: int
    total: int
    live: int


@dataclass(frozen=True, slots=True)
class RootStatus:
    """A root and its files; ``watched`` and ``watched_why`` are as in ``WatchedRoot``, or ""."""

    path: str
    files: int
    states: Mapping[str, int]
    bytes: int
    patterns: tuple[str, ...]
    offline: bool
    watched: str = ""
    watched_why: str = ""


@dataclass(frozen=True, slots=True)
class LanguageStatus:
    """Documents of one language (ISO 639-1, or ""), with advice where the model is not for it."""

    language: str
    documents: int
    advice: Note | None = None


@dataclass(frozen=True, slots=True)
class ScanStatus:
    """Pages that show something and hold no text, and what recognises them.

    Attributes:
        read: Pages whose text was recognised.
        waiting: Pages still to be recognised.
        set_aside: Pages given up.
        engine: The program and its version, "" without one.
        languages: What it can read.
        code: Why there is none.
        install: What would install it.
    """

    read: int
    waiting: int
    set_aside: int
    engine: str
    languages: tuple[str, ...]
    code: str
    install: str


@dataclass(frozen=True, slots=True)
class ConnectionMade:
    """A connection to the network; ``time`` is ISO 8601, ``outcome`` a code or its words."""

    time: str
    what: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Status:
    """The library as a whole.

    Attributes:
        bytes: On the disk; of each table in ``tables``.
        files: Count by state.
        previous: The model that ``RollBack`` would bring back.
        connections: Every one ever made, newest first.
        free_bytes: On the library's disk.

    The others are as in ``Activity``.
    """

    library: str
    bytes: int
    tables: Mapping[str, TableSize]
    roots: tuple[RootStatus, ...]
    files: Mapping[str, int]
    documents: int
    pages: int
    passages: int
    model: str
    precision: str
    space: str
    changing: ModelChange | None
    previous: ModelChoice | None
    rebuilding: bool
    embedded_share: float
    device: str
    device_notes: tuple[Note, ...]
    languages: tuple[LanguageStatus, ...]
    running: Running | None
    scans: ScanStatus
    connections: tuple[ConnectionMade, ...]
    free_bytes: int
    speed: Speed
    paused: bool
    reason: str
    pending: int
    set_aside: int


@dataclass(frozen=True, slots=True)
class FileList:
    """Some rows of the coverage, and how many there are of the same choice."""

    files: tuple[FileRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Document:
    """What is known of one file; ``created`` is an ISO date, ``language`` ISO 639-1, or ""."""

    path: str
    root: str
    file: str
    title: str
    author: str
    created: str
    language: str
    pages: int
    format: str
    size: int
    mtime_ns: int
    state: FileState
    code: str
    bad_pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FormatEstimate:
    """What there is to read of one format."""

    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """What indexing would take.

    Attributes:
        files: To be read; ``bytes`` of them, ``formats`` by format.
        left_out: Count by reason code.
        known: Files that were read before; they are counted nowhere else.
        seconds_words: Until all can be found by words.
        seconds_meaning: Until all have vectors.
        measured: Whether the rates are this library's own.
    """

    files: int
    bytes: int
    formats: Mapping[str, FormatEstimate]
    left_out: Mapping[str, int]
    known: int
    pages: int
    seconds_words: float
    seconds_meaning: float
    measured: bool


@dataclass(frozen=True, slots=True)
class WatchedRoot:
    """How changes below a root are noticed.

    Attributes:
        how: ``events``; ``polling``, which takes minutes; or ``offline``.
        why: Why it is polled: ``network`` (the system does not tell what others change),
            ``exhausted`` (it watches no more folders), or "".
    """

    path: str
    how: str
    why: str


@dataclass(frozen=True, slots=True)
class WatchState:
    """Whether and how the roots are watched.

    Attributes:
        folders: Watches in use.
        quiet: Nothing is left to do.
        problem: A sentence, or "".
    """

    on: bool
    roots: tuple[WatchedRoot, ...]
    folders: int
    quiet: bool
    problem: str


@dataclass(frozen=True, slots=True)
class ReindexCost:
    """What it would take to have all vectors from a model.

    Attributes:
        measured: Whether a rate of this machine is behind ``seconds``.
        bytes: More on the disk.
        outdated: Files that an older extractor read.
    """

    model: str
    precision: str
    space: str
    documents: int
    passages: int
    tokens: int
    seconds: float
    measured: bool
    bytes: int
    outdated: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a library that is not as it should be.

    Attributes:
        kind: A stable name, such as ``unreadable_rows``.
        where: A table, an embedding space, or ``catalog``.
        count: How many of them.
        sentence: What a person is told.
    """

    kind: str
    where: str
    count: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What a comparison of catalog, store and disk found."""

    problems: tuple[Problem, ...]
    documents: int
    passages: int
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class RepairOutcome:
    """The problems before a repair, those that are ``left``, and how many files are queued."""

    problems: tuple[Problem, ...]
    left: tuple[Problem, ...]
    queued: int


@dataclass(frozen=True, slots=True)
class Removal:
    """How many of each are gone from the library."""

    files: int
    documents: int
    passages: int


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that ``doctor`` looked at; ``advice`` is "" where nothing is to be done."""

    name: str
    ok: bool
    value: str
    advice: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that states something, and where: ``start`` and ``end`` in the canonical text."""

    page: int
    page_last: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class LoneStatement(Statement):
    """A statement that the other document lacks; ``near`` is what comes closest there."""

    near: Statement | None
    cosine: float

    @classmethod
    def beside(cls, statement: Statement, near: Statement | None, cosine: float) -> Self:
        return cls(
            statement.page, statement.page_last, statement.start, statement.end,
            statement.heading_path, statement.text, near, cosine,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparisonSide:
    """One side of a comparison.

    Attributes:
        statements: How many were compared.
        alone: How many of them the other document lacks.
        only: Those, in order; the most different where there are too many.
    """

    path: str
    file: str
    title: str
    format: str
    pages: int
    statements: int
    alone: int
    only: tuple[LoneStatement, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Two statements that say the same but for a number or a negation."""

    first: Statement
    second: Statement


@dataclass(frozen=True, slots=True)
class Comparison:
    """What each of two documents states that the other does not.

    Attributes:
        changes: How many counterparts differ in a number or a negation; some in ``changed``.
        border: The cosine from which statements count as the same.
    """

    first: ComparisonSide
    second: ComparisonSide
    changes: int
    changed: tuple[Change, ...]
    border: float
    seconds: float
