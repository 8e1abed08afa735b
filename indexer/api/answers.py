"""What an engine answers: one frozen dataclass for each kind of answer.

Owns their fields and units: sizes are bytes, times seconds, paths absolute text. Hits, files and
summaries are in ``indexer.api.types``, the larger answers in ``status`` and ``comparison``.
Standard library only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from indexer.api.types import FileRow, FileState


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
