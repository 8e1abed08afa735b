"""The requests to an engine: the fields of each, its checks, its answer and its queue.

The file is long because it is one table of declarations.
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
MOST_LETTERS = 1000  # in a title or the authors
MOST_CHARACTERS = 20_000  # in a text to embed


class Order(StrEnum):
    """The order of files in a list: texts ascending, numbers with the largest or newest first."""

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
        text: The query in Lectern's grammar (``indexer.query``).
        limit: The most hits, 1 to 10,000.
        explain: Fill ``Hit.explain``.
        full_text: Return whole passages in hits, not only the part around the best sentence.
        within: Search only this collection, whatever the text says; "" for the whole library.

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

    It has another queue than ``Search``, where a second query would end the first. The answer to a
    ``like:`` query has no hits.

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

    ``start`` is ``Hit.start``. The answer is None if the query has no words, or the model is not
    available. Raises ``not_a_root`` for an unknown file, ``not_indexed`` if it has no such passage.
    """

    text: str
    path: Path
    start: int


class Compare(Request[Comparison], frozen=True):
    """Find the statements of each of two documents that the other does not have.

    Attributes:
        first: A document as after ``like:``: a path or its end, and ``#page=N`` for a page.
        second: The other document.
        limit: The most statements of each document to return, the least similar first; 0 for all.

    Raises ``not_a_root`` for an unknown file, ``not_indexed`` for one without vectors.
    """

    queue: ClassVar[Queue] = Queue.SLOW
    first: str
    second: str
    limit: int = 0

    def __post_init__(self) -> None:
        between("limit", self.limit, 0)


class FindElsewhere(Request[tuple[Parallel, ...]], frozen=True):
    """Find passages of the library that say the same as a piece of a document.

    Attributes:
        path: The document.
        text: The selected text.
        page: Its page; 0 if its offsets in the canonical text are given as ``start`` and ``end``.
        limit: The most passages to return, 1 to 10,000.

    Passages that share most of the words come first, then the others by similarity. Raises
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
    """Set the speed of work; None leaves a value unchanged. Speed and pause outlast the engine.

    With ``typing`` work slows down for about two seconds, as the person is typing.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.PACE,)
    speed: Speed | None = None
    paused: bool | None = None
    typing: bool | None = None


class Watch(Request[WatchState], frozen=True):
    """Start or stop indexing changes below the roots; None only returns the state."""

    on: bool | None = None


class SetPatterns(Request[tuple[str, ...]], frozen=True):
    """Set the exclude patterns of a root and scan it; None only returns the patterns.

    ``patterns`` are in gitignore syntax; a pattern that begins with "!" includes files again.
    Raises ``not_a_root``, or ``bad_setting`` for an invalid pattern.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    root: Path
    patterns: tuple[str, ...] | None = None


class SetCollection(Request[Mapping[str, str]], frozen=True):
    """Name a set of documents, so that ``in:`` accepts the name; without filters, delete the name.

    ``filters`` is a query whose filters select the documents. With ``adds`` these documents are
    added to the collection as it is now, and with ``removes`` they are removed from it. ``was`` is
    the query that the caller expects the collection to have, "" for none. The answer maps the names
    of all collections to their queries. Raises ``bad_query`` for a query without a filter, and
    ``busy`` if the collection has another query than ``was``.
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
    """Queue failed files again: those at or below the paths, or all of them without paths.

    The answer is the number of files queued. Raises ``not_a_root``.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    queues_files: ClassVar[bool] = True
    paths: tuple[Path, ...] = ()


class Unlock(Request[int], frozen=True):
    """Queue a protected file and its copies again, to be opened with a password.

    The password is kept only in memory, until the engine ends. The answer is the number of files
    queued. Raises ``not_a_root``.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    queues_files: ClassVar[bool] = True
    path: Path
    password: str


class Remove(Request[int], frozen=True):
    """Remove folders or files from the library; the files themselves are not touched.

    The answer is the number of files. It does not wait for a running index run; that deletes
    orphaned documents at its end. Raises ``not_a_root``.
    """

    queue: ClassVar[Queue] = Queue.FAST
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    paths: tuple[Path, ...]


# -- documents and vectors, for other programs --------------------------------------------------


class ListDocuments(Request[DocumentList], frozen=True):
    """List the documents that a query's filters select, in the order in which they were read.

    Attributes:
        filters: A query of filters; words in it are ignored.
        within: Only documents of this collection; "" for the whole library.
        paths: Only the documents of these files, if any are given.
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
    """Correct the title, author and year of a document.

    Corrections stay when it is read again or renamed. The answer is the document as it is now.
    Raises ``not_a_root`` for an unknown file.
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
        page: Only passages that touch this page; 0 for all pages.
        most: The most characters to return. The first passage is always returned whole.

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
    """Embed texts with the model that searches use; searches have priority.

    Attributes:
        texts: 1 to ``MOST_TEXTS`` texts.
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
    """Add the paths as roots and index new and changed files below them, by default all roots.

    Attributes:
        paths: Files or folders that exist.
        rescan: Also hash files whose size and time have not changed.
        scan: Whether to scan the folders; otherwise only queued files are read.
        patterns: The exclude patterns of these paths, see ``SetPatterns``.
        kept: Whether the run continues if the client that sent the request disconnects.

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


class Calibrate(Request[None], frozen=True):
    """Measure how close passages come to questions, after documents have changed.

    An engine that stays does so by itself while nothing waits, and answers at once.
    """


class Repair(Request[RepairOutcome], frozen=True):
    """Delete damaged rows, and queue the files of their documents for the next run."""

    queue: ClassVar[Queue] = Queue.INDEX
    changes: ClassVar[tuple[LibraryPart, ...]] = (LibraryPart.FILES,)
    reports: ClassVar[bool] = True


class Shutdown(Request[None], frozen=True):
    """End the process of the engine. Raises ``busy`` for an engine that a command has opened.

    This request and the hello are the same in all versions of the protocol, so that a newer window
    can end an older engine.
    """

    queue: ClassVar[Queue] = Queue.FAST
