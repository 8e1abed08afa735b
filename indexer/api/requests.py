"""What can be asked of an engine: one frozen dataclass for each kind of request.

Owns their fields and the checks on them, the type of each answer, and the queue of each
(``indexer.api.contract``). It must not know how anything is answered (``indexer.engine``) or
travels. Standard library only. It is one table of declarations, however long.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from indexer.api.answers import (
    Check,
    Document,
    Estimate,
    FileList,
    ReindexCost,
    Removal,
    RepairOutcome,
    Verification,
    WatchState,
)
from indexer.api.comparison import Comparison
from indexer.api.contract import Queue, Request
from indexer.api.errors import WorldError
from indexer.api.status import Activity, ModelChoice, Speed, Status
from indexer.api.types import Explanation, FileState, SearchResult, Span, Summary

MAX_LIMIT = 10_000
# No file and no library is as large.
MAX_NUMBER = 2**53


class Order(StrEnum):
    """Of files in a list: by path, by state, the largest or the newest first."""

    PATH = "path"
    NAME = "name"
    STATE = "state"
    SIZE = "size"
    MODIFIED = "modified"


# -- questions ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Search(Request[SearchResult]):
    """Find the passages that answer a query.

    Attributes:
        text: In Lectern's grammar (``indexer.query``).
        limit: The most hits, 1 to 10,000.
        explain: Fill ``Hit.explain``.
        full_text: Put whole passages into hits, not only the part around the best sentence.
    """

    queue: ClassVar[Queue] = Queue.SEARCH
    text: str
    limit: int = 10
    explain: bool = False
    full_text: bool = True

    def __post_init__(self) -> None:
        between("limit", self.limit, 1, MAX_LIMIT)


@dataclass(frozen=True, slots=True)
class Explain(Request[Explanation | None]):
    """Say what the similarity of a hit to a query is made of, word by word.

    ``start`` is ``Hit.start``. The answer is None if the query has no words, or its model cannot be
    had. Raises ``not_a_root`` for an unknown file, ``not_indexed`` where no passage begins.
    """

    queue: ClassVar[Queue] = Queue.STATUS
    text: str
    path: Path
    start: int

    def __post_init__(self) -> None:
        between("start", self.start, 0)


@dataclass(frozen=True, slots=True)
class Compare(Request[Comparison]):
    """Say what each of two documents states that the other does not.

    Attributes:
        first: A document, as behind ``like:``: a path or its end, with ``#page=N`` for a page.
        second: Another one.
        limit: The most statements in each part, the most different ones; 0 for all.

    Raises ``not_a_root`` for an unknown file, ``not_indexed`` for one without vectors.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    first: str
    second: str
    limit: int = 0

    def __post_init__(self) -> None:
        between("limit", self.limit, 0)


@dataclass(frozen=True, slots=True)
class GetStatus(Request[Status]):
    """Describe the library."""

    queue: ClassVar[Queue] = Queue.STATUS


@dataclass(frozen=True, slots=True)
class GetActivity(Request[Activity]):
    """Say what goes on, quickly enough to be asked twice a second."""

    queue: ClassVar[Queue] = Queue.FAST


@dataclass(frozen=True, slots=True)
class ListFiles(Request[FileList]):
    """List the coverage: files, their states and reasons.

    Attributes:
        state: Only files in this state.
        root: Only files of this root.
        offset: How many to leave out at the beginning.
        limit: How many to give, 1 to 10,000.
        text: Only files whose path holds these words.

    Raises ``not_a_root`` for an unknown root.
    """

    queue: ClassVar[Queue] = Queue.STATUS
    state: FileState | None = None
    root: Path | None = None
    offset: int = 0
    limit: int = 1000
    order: Order = Order.PATH
    text: str = ""

    def __post_init__(self) -> None:
        between("offset", self.offset, 0)
        between("limit", self.limit, 1, MAX_LIMIT)


@dataclass(frozen=True, slots=True)
class GetDocument(Request[Document]):
    """Say what is known of one file; ``not_a_root`` for an unknown one."""

    queue: ClassVar[Queue] = Queue.FAST
    path: Path


@dataclass(frozen=True, slots=True)
class FindSentences(Request[tuple[Span, ...]]):
    """Find the sentences of the passages that overlap a stretch of a file's canonical text.

    The answer is ascending. Raises ``not_a_root`` for an unknown file.
    """

    queue: ClassVar[Queue] = Queue.FAST
    path: Path
    start: int
    end: int

    def __post_init__(self) -> None:
        between("start", self.start, 0)
        between("end", self.end, 0)


@dataclass(frozen=True, slots=True)
class EstimateIndex(Request[Estimate]):
    """Say what indexing some files or folders would take; looks at names and sizes only.

    With ``patterns``, as if these were those of the paths. Raises ``path_missing``, or
    ``bad_setting`` for a pattern that cannot be read.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    paths: tuple[Path, ...]
    patterns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        _single_lines(self.patterns)


@dataclass(frozen=True, slots=True)
class EstimateReindex(Request[ReindexCost]):
    """Say what it would take to have all vectors from a model; None is that of now.

    Raises ``unknown_model``.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    model: str | None = None
    precision: str | None = None


@dataclass(frozen=True, slots=True)
class Verify(Request[Verification]):
    """Compare catalog, store and disk with each other, and read all of it once."""

    queue: ClassVar[Queue] = Queue.SLOW
    reports: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Diagnose(Request[tuple[Check, ...]]):
    """Check the library and the machine."""

    queue: ClassVar[Queue] = Queue.SLOW


# -- settings that take effect at once ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetPace(Request[Activity]):
    """Set how hard to work; None leaves a thing as it is. Speed and pause outlive the engine.

    ``typing`` says that the person types just now: work slows down for about two seconds.
    """

    queue: ClassVar[Queue] = Queue.FAST
    speed: Speed | None = None
    paused: bool | None = None
    typing: bool | None = None


@dataclass(frozen=True, slots=True)
class Watch(Request[WatchState]):
    """Begin or end watching the roots, or (None) only ask; what is found is read."""

    queue: ClassVar[Queue] = Queue.STATUS
    on: bool | None = None


@dataclass(frozen=True, slots=True)
class SetPatterns(Request[tuple[str, ...]]):
    """Set, or with None only get, what is left out or let in under a root; it is then scanned.

    ``patterns`` are in gitignore syntax; one that begins with "!" lets in again. Raises
    ``not_a_root``, or ``bad_setting`` for a pattern that cannot be read.
    """

    queue: ClassVar[Queue] = Queue.FAST
    root: Path
    patterns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        _single_lines(self.patterns)


@dataclass(frozen=True, slots=True)
class Retry(Request[int]):
    """Queue files again that failed, files under folders too; without paths, all that failed.

    Answers how many are queued. Raises ``not_a_root``.
    """

    queue: ClassVar[Queue] = Queue.FAST
    queues_files: ClassVar[bool] = True
    paths: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Unlock(Request[int]):
    """Queue a protected file and its copies again, to be opened with a password.

    The password is kept in memory only, for as long as the engine runs. Answers how many files
    are queued. Raises ``not_a_root``.
    """

    queue: ClassVar[Queue] = Queue.FAST
    queues_files: ClassVar[bool] = True
    path: Path
    password: str


@dataclass(frozen=True, slots=True)
class Remove(Request[Removal]):
    """Take folders or files out of the library; the files themselves stay where they are.

    It does not wait for an index run, which drops at its end what nothing needs any more. Raises
    ``not_a_root``.
    """

    queue: ClassVar[Queue] = Queue.FAST
    paths: tuple[Path, ...]


# -- work -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Index(Request[Summary]):
    """Add the paths as roots and read what is new under them; without paths, under all roots.

    Attributes:
        paths: Files or folders that exist.
        rescan: Look again at files whose size and time have not changed.
        scan: Whether to look for what is new at all; without, what is queued is read.
        patterns: What to leave out or let in under these paths, see ``SetPatterns``.
        kept: The run goes on when the client that asked leaves.

    Raises ``path_missing``, ``path_denied``, ``bad_setting``.
    """

    queue: ClassVar[Queue] = Queue.INDEX
    reports: ClassVar[bool] = True
    paths: tuple[Path, ...] = ()
    rescan: bool = False
    scan: bool = True
    patterns: tuple[str, ...] | None = None
    kept: bool = False

    def __post_init__(self) -> None:
        _single_lines(self.patterns)


@dataclass(frozen=True, slots=True)
class Reindex(Request[Summary]):
    """Make what is missing for a model, and index with it from now on.

    Searches are answered by the old model until the new one is complete, and then the answer
    comes. What an older extractor read is read again. Raises ``unknown_model``.
    """

    queue: ClassVar[Queue] = Queue.INDEX
    reports: ClassVar[bool] = True
    model: str | None = None
    precision: str | None = None


@dataclass(frozen=True, slots=True)
class RollBack(Request[ModelChoice]):
    """Answer with the model before the last change again; ``nothing_to_roll_back``."""

    queue: ClassVar[Queue] = Queue.INDEX


@dataclass(frozen=True, slots=True)
class Discard(Request[int]):
    """Let go of the vectors kept for ``RollBack``; answers the bytes that are free."""

    queue: ClassVar[Queue] = Queue.INDEX


@dataclass(frozen=True, slots=True)
class Repair(Request[RepairOutcome]):
    """Take out what is damaged, and queue what was lost with it; a run then reads it again."""

    queue: ClassVar[Queue] = Queue.INDEX
    reports: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Shutdown(Request[None]):
    """End the process of the engine; ``busy`` if it is not there to serve.

    Versions of the protocol keep its name and its hello: a newer window ends an older engine by it.
    """

    queue: ClassVar[Queue] = Queue.FAST


def between(name: str, value: int, least: int, most: int = MAX_NUMBER) -> None:
    """Check a number of a message.

    Raises:
        WorldError: ``bad_request``.
    """
    if not least <= value <= most:
        raise WorldError("bad_request", reason=f"{name} must be between {least} and {most}")


def _single_lines(patterns: tuple[str, ...] | None) -> None:
    if any("\n" in pattern for pattern in patterns or ()):
        raise WorldError("bad_request", reason="patterns must be single lines")
