"""What an engine answers: one frozen dataclass for each kind of answer.

Owns their fields and units: sizes are bytes, times seconds, paths absolute text. Hits, files and
summaries are in ``indexer.api.types``, the larger answers in ``status`` and ``comparison``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from indexer.api.types import FileRow, FileState


@dataclass(frozen=True, slots=True)
class FileList:
    """A page of the coverage list, and the number of all matching rows."""

    files: tuple[FileRow, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Document:
    """One file and its document; ``created`` is an ISO date, ``language`` ISO 639-1, or ""."""

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
    """The files of one format to be read."""

    files: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """The cost of indexing some paths.

    Attributes:
        files: To be read; ``bytes`` of them, ``formats`` by format.
        left_out: Count by reason code.
        known: Files that were read before; they are in no other count.
        seconds_words: Until all are searchable by words.
        seconds_meaning: Until all have vectors.
        measured: Whether the rates were measured in this library.
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
        why: Why it is polled: ``network`` (the system does not report changes by other machines),
            ``exhausted`` (the system's limit of watches is reached), or "".
    """

    path: str
    how: str
    why: str


@dataclass(frozen=True, slots=True)
class WatchState:
    """Whether and how the roots are watched.

    Attributes:
        folders: Watches in use.
        quiet: No change is waiting to be scanned.
        problem: A sentence, or "".
    """

    on: bool
    roots: tuple[WatchedRoot, ...]
    folders: int
    quiet: bool
    problem: str


@dataclass(frozen=True, slots=True)
class ReindexCost:
    """The cost of making all vectors with a model.

    Attributes:
        measured: Whether ``seconds`` is computed from a rate of this machine.
        bytes: Additional disk space.
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
    """A damage or an inconsistency of a library.

    Attributes:
        kind: A stable name, such as ``unreadable_rows``.
        where: A table, an embedding space, or ``catalog``.
        count: How many.
        sentence: For the person.
    """

    kind: str
    where: str
    count: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of comparing catalog, store and disk."""

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
    """The numbers of files, documents and passages removed from the library."""

    files: int
    documents: int
    passages: int


@dataclass(frozen=True, slots=True)
class Check:
    """One result of ``doctor``; ``advice`` is "" if there is nothing to do."""

    name: str
    ok: bool
    value: str
    advice: str
