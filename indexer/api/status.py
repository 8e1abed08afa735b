"""What an engine says of itself and its library: the small ``Activity``, the whole ``Status``.

Owns their fields and units: sizes are bytes, shares 0 to 1, paths absolute text. Standard library
only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from indexer.api.phrases import Note
from indexer.api.progress import Progress


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
