"""The state of an engine and its library: the small ``Activity``, the whole ``Status``.

Sizes are bytes, shares 0 to 1, paths absolute text.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from indexer.api.phrases import Note
from indexer.api.progress import Progress


class Speed(StrEnum):
    """The speed of indexing; FAST does not slow down for the person."""

    SLOW = "slow"
    NORMAL = "normal"
    FAST = "fast"


class Running(Struct, frozen=True):
    """The indexing job in progress."""

    job: str
    progress: Progress


class ModelChoice(Struct, frozen=True):
    """A model and how its numbers are stored."""

    model: str
    precision: str


class ModelChange(ModelChoice, frozen=True):
    """The model whose vectors are being made, and the share that is done."""

    embedded_share: float


class Activity(Struct, frozen=True):
    """The current activity. It is small, because it is polled twice a second.

    Attributes:
        reason: Why work waits or is slow: ``paused``, ``disk_full``, ``typing``, ``battery``,
            ``busy``, ``query``, ``library_read_only``, or "".
        pages_per_second: The rate of the last seconds.
        embedded_share: The share of passages that have vectors.
        pending: Files not yet read.
        set_aside: Files that are not retried because they crashed a process.
        changes: A version number, which grows when files or documents change.
        changing: The model that searches will use once its vectors are complete.
        rebuilding: Whether tables of an earlier version are being rebuilt.
        empty: Whether no document was read yet.
        device_notes: Why this device is used.
    """

    running: Running | None
    pages_per_second: float
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
    empty: bool = False


class TableSize(Struct, frozen=True):
    """A table's rows and the bytes of its directory, of which ``live`` are in use."""

    rows: int
    total: int
    live: int


class RootStatus(Struct, frozen=True):
    """A root and its files; for ``watched`` and ``watched_why`` see ``WatchedRoot``."""

    path: str
    files: int
    states: Mapping[str, int]
    bytes: int
    patterns: tuple[str, ...]
    offline: bool
    watched: str = ""
    watched_why: str = ""


class LanguageStatus(Struct, frozen=True):
    """Documents of one language (ISO 639-1, or ""), with advice if the model does not cover it."""

    language: str
    documents: int
    advice: Note | None = None

    @property
    def offered(self) -> str:
        """The name of the model in the advice; "" if it names none."""
        note = self.advice
        return str(note.detail["model"]) if note and note.code == "language_offered" else ""


class ScannedPagesStatus(Struct, frozen=True):
    """Pages that have content but no text, and what recognises them.

    Attributes:
        read: Pages whose text was recognised.
        waiting: Pages still to be recognised.
        set_aside: Pages that are not retried.
        engine: The names of the networks and of Tesseract, if installed; "" if recognition is off.
        languages: The languages of Tesseract, the likeliest first.
        code: Why nothing is recognised.
    """

    read: int
    waiting: int
    set_aside: int
    engine: str
    languages: tuple[str, ...]
    code: str


class ConnectionMade(Struct, frozen=True):
    """A connection to the network; ``time`` is ISO 8601, ``outcome`` a code or a message."""

    time: str
    what: str
    outcome: str


class Status(Activity, frozen=True, kw_only=True):
    """The status of a whole library and the current activity.

    Attributes:
        bytes: The size on the disk; ``tables`` has the size of each table.
        files: The number of files in each state.
        previous: The model that ``RollBack`` would activate.
        connections: All connections that were ever made, newest first.
        free_bytes: The free space on the library's disk.
        collections: The queries of named sets of documents, by name.
        watch_problem: As in ``WatchState``.
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
    previous: ModelChoice | None
    languages: tuple[LanguageStatus, ...]
    scanned_pages: ScannedPagesStatus
    connections: tuple[ConnectionMade, ...]
    free_bytes: int
    collections: Mapping[str, str] = field(default_factory=dict)
    watch_problem: Note | None = None
