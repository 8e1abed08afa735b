"""The requests to an engine: the fields of each, its checks, its answer and its queue.

The file is one table of declarations, which is why it is long.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from indexer.api.answers import (
    Check,
    Comparison,
    Document,
    DocumentList,
    DocumentText,
    Estimate,
    FileList,
    FolderCount,
    Parallel,
    RepairOutcome,
    Verification,
    WatchState,
)
from indexer.api.contract import LibraryPart, Queue, Request, between
from indexer.api.errors import WorldError
from indexer.api.status import Activity, Speed, Status
from indexer.api.types import Explanation, FileState, SearchResult, Summary

MOST_TEXTS = 256
MOST_LETTERS = 1000  # of a title or the authors
MOST_CHARACTERS = 20_000  # of a text to embed


class Order(StrEnum):
    """The order of files in a list: by a text of theirs; the largest, newest, last read first."""

    PATH = "path"
    NAME = "name"
    STATE = "state"
    SIZE = "size"
    MODIFIED = "modified"
    READ = "read"
    TITLE = "title"
    AUTHOR = "author"


# -- questions ------------------------------------------------------------------------------


class Search(Request[SearchResult], frozen=True):
    """Find the passages that answer a query.

    Attributes:
        text: In Lectern's grammar (``indexer.query``).
        limit: The most hits, 1 to 10,000.
        explain: Fill ``Hit.explain``.
        full_text: Return whole passages in hits, not only the part around the best sentence.
        within: Search this collection only, whatever the text says; "" for the whole library.

    Raises ``unknown_collection``.
    """

    queue: ClassVar[Queue] = Queue.SEARCH
    text: str
    limit: int = 10
    explain: bool = False
    full_text: bool = True
    within: str = ""


class SearchByWords(Request[SearchResult], frozen=True):
    """Find passages by the words of a query alone, while ``Search`` waits for the model.

    It has a queue of its own, for a second query in that of searches would end the first. The
    answer to a ``like:`` query has no hits.

    Attributes:
        text: See ``Search``.
        limit: The most hits, 1 to 10,000.
        within: See ``Search``.
    """

    text: str
    limit: int = 10
    within: str = ""


class Explain(Request[Explanation | None], frozen=True):
    """Decompose the similarity of a hit to a query by words.

    ``start`` is ``Hit.start``. The answer is None if the query has no words, or its model is not
    available. Raises ``not_a_root`` for an unknown file, ``not_indexed`` without such a passage.
    """

    text: str
    path: Path
    start: int


class Compare(Request[Comparison], frozen=True):
    """Find the statements of each of two documents that the other does not have.

    Attributes:
        first: A document, as after ``like:``: a path or its end, with ``#page=N`` for a page.
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


class FindElsewhere(Request[tuple[Parallel, ...]], frozen=True):
    """Find where else the library says what a piece of a document says.

    Attributes:
        path: The document.
        text: The piece, as it was selected.
        page: Its page; 0 if ``start`` and ``end`` are known, its offsets in the canonical text.
        limit: The most passages to return, 1 to 10,000.

    The answer has those that share most of its words first, then by similarity. Raises
    ``not_a_root`` for an unknown file, ``not_indexed`` for one without vectors.
    """

    path: Path
    text: str
    page: int = 0
    start: int = 0
    end: int = 0
    limit: int = 20


class GetStatus(Request[Status], frozen=True):
    """Return the status of the library."""


class GetActivity(Request[Activity], frozen=True):
    """Return the current activity; cheap enough to be polled twice a second."""

    queue: ClassVar[Queue] = Queue.FAST


class ListFiles(Request[FileList], frozen=True):
    """List the coverage: files, their states and reasons.

    Attributes:
        state: Only files in this state.
        root: Only files of this root, or of this folder below one.
        offset: How many to skip.
        limit: The most files to return, 1 to 10,000.
        text: Only files whose path contains these words.

    Raises ``not_a_root`` for an unknown root.
    """

    state: FileState | None = None
    root: Path | None = None
    offset: int = 0
    limit: int = 1000
    order: Order = Order.PATH
    text: str = ""


class ListFolders(Request[tuple[FolderCount, ...]], frozen=True):
    """List the folders directly below a root, or below a folder in one, by name.

    Raises ``not_a_root`` for a folder outside the library.
    """

    folder: Path


class GetDocument(Request[Document], frozen=True):
    """Return one file and its document. Raises ``not_a_root`` for an unknown file."""

    queue: ClassVar[Queue] = Queue.FAST
    path: Path


class EstimateIndex(Request[Estimate], frozen=True):
    """Estimate the cost of indexing some files or folders, by names and sizes only.

    ``patterns`` replace those of the paths. Raises ``path_missing``, or ``bad_setting`` for an
    invalid pattern.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    paths: tuple[Path, ...]
    patterns: tuple[str, ...] | None = None


class Verify(Request[Verification], frozen=True):
    """Compare catalog, store and disk, reading all of the store."""

    queue: ClassVar[Queue] = Queue.SLOW
    reports: ClassVar[bool] = True


class Diagnose(Request[tuple[Check, ...]], frozen=True):
    """Check the library and the machine."""

    queue: ClassVar[Queue] = Queue.SLOW


# -- settings that take effect at once ------------------------------------------------------


class SetPace(Request[Activity], frozen=True):
    """Set the speed of work; None leaves a value unchanged. Speed and pause are persistent.

    ``typing``: the person is typing, so work slows down for about two seconds.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.PACE,)
    speed: Speed | None = None
    paused: bool | None = None
    typing: bool | None = None


class Watch(Request[WatchState], frozen=True):
    """Start or stop watching the roots, or (None) only return the state; changes are indexed."""

    on: bool | None = None


class SetPatterns(Request[tuple[str, ...]], frozen=True):
    """Set, or with None only return, the exclude patterns of a root, which is then scanned.

    ``patterns`` are in gitignore syntax; one that begins with "!" includes again. Raises
    ``not_a_root``, or ``bad_setting`` for an invalid pattern.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    root: Path
    patterns: tuple[str, ...] | None = None


class SetCollection(Request[Mapping[str, str]], frozen=True):
    """Name a set of documents, which ``in:`` then takes for a folder; without filters, forget it.

    ``filters`` is a query whose filters select the documents; with ``adds`` they join those of the
    collection and with ``removes`` they leave it, whoever changed it meanwhile. ``was`` is the
    query of the collection that is replaced, "" for none. The answer is all collections: their
    queries by their names. Raises ``bad_query`` for a query without a filter, and ``busy`` if the
    collection is not what it ``was``.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.COLLECTIONS,)
    name: str
    filters: str = ""
    adds: bool = False
    removes: bool = False
    was: str | None = None

    def __post_init__(self) -> None:
        if not self.name.strip() or any(mark in self.name for mark in '"\n'):
            raise WorldError("bad_request", reason="a name is one line without quotation marks")


class Retry(Request[int], frozen=True):
    """Queue failed files again, given by path or folder; without paths, all that failed.

    The answer is the number of files queued. Raises ``not_a_root``.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    queues_files: ClassVar[bool] = True
    paths: tuple[Path, ...] = ()


class Unlock(Request[int], frozen=True):
    """Queue a protected file and its copies again, to be opened with a password.

    The password is kept in memory only, while the engine runs. The answer is the number of files
    queued. Raises ``not_a_root``.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    queues_files: ClassVar[bool] = True
    path: Path
    password: str


class Remove(Request[int], frozen=True):
    """Remove folders or files from the library; the files themselves are not touched.

    The answer is the number of files. It does not wait for an index run, which deletes orphaned
    documents at its end. Raises ``not_a_root``.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    paths: tuple[Path, ...]


# -- documents and vectors, as other programs ask for them ------------------------------------


class ListDocuments(Request[DocumentList], frozen=True):
    """List the documents that a query's filters select, in the order in which they were read.

    Attributes:
        filters: A query of filters alone; its words are ignored.
        within: Only documents of this collection; "" for the whole library.
        paths: Only the documents of these files, if there are any.
        offset: How many to skip.
        limit: The most documents to return, 1 to 10,000.

    Raises ``unknown_collection``.
    """

    filters: str = ""
    within: str = ""
    paths: tuple[Path, ...] = ()
    offset: int = 0
    limit: int = 100


class CorrectDocument(Request[Document], frozen=True):
    """Correct the title, author and year of a document; they stay when it is read again or renamed.

    The answer is the document as it is now. Raises ``not_a_root`` for an unknown file.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    path: Path
    title: str
    author: str = ""
    year: str = ""

    def __post_init__(self) -> None:
        short = all(len(text) <= MOST_LETTERS for text in (self.title, self.author))
        if not short or not re.fullmatch(r"(\d{4})?", self.year, re.ASCII):
            raise WorldError("bad_request", reason="a year has four digits, a title one line")


class ReadPassages(Request[DocumentText], frozen=True):
    """Read passages of a document from the library, as they were indexed.

    Attributes:
        path: The document.
        start: The first offset in the canonical text.
        end: The last one, exclusive; 0 for the end of the document.
        page: Only passages that are, in part, on this page; 0 for all.
        most: The most characters to return; the first passage is returned whole.

    Raises ``not_a_root`` for an unknown file.
    """

    path: Path
    start: int = 0
    end: int = 0
    page: int = 0
    most: int = 1 << 20

    def __post_init__(self) -> None:
        super().__post_init__()
        between("most", self.most, 1, 1 << 24)


class EmbedTexts(Request[tuple[tuple[float, ...], ...]], frozen=True):
    """Embed texts with the model that the library is searched by; searches go first.

    Attributes:
        texts: 1 to ``MOST_TEXTS`` of them.
        passages: Embed them as passages of documents, not as questions.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    texts: tuple[str, ...]
    passages: bool = False

    def __post_init__(self) -> None:
        between("texts", len(self.texts), 1, MOST_TEXTS)
        for text in self.texts:
            between("characters", len(text), 1, MOST_CHARACTERS)
            if not text.strip():
                raise WorldError("bad_request", reason="a text is empty")


# -- work -----------------------------------------------------------------------------------


class Index(Request[Summary], frozen=True):
    """Add the paths as roots and index new and changed files under them, by default all roots.

    Attributes:
        paths: Files or folders that exist.
        rescan: Also hash files whose size and time have not changed.
        scan: Whether to scan the folders; otherwise only queued files are read.
        patterns: The exclude patterns of these paths, see ``SetPatterns``.
        kept: The run continues if the client that sent the request disconnects.

    Raises ``path_missing``, ``path_denied``, ``bad_setting``.
    """

    queue: ClassVar[Queue] = Queue.INDEX
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    reports: ClassVar[bool] = True
    paths: tuple[Path, ...] = ()
    rescan: bool = False
    scan: bool = True
    patterns: tuple[str, ...] | None = None
    kept: bool = False


class Repair(Request[RepairOutcome], frozen=True):
    """Delete damaged rows, and queue the files of their documents for the next run."""

    queue: ClassVar[Queue] = Queue.INDEX
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    reports: ClassVar[bool] = True


class Shutdown(Request[None], frozen=True):
    """End the process of the engine. Raises ``busy`` for an engine that a command has opened.

    Its name and the hello are the same in all versions of the protocol, so that a newer window can
    end an older engine.
    """

    queue: ClassVar[Queue] = Queue.FAST
