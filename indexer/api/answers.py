"""The answers of an engine, with one frozen struct for each kind.

Sizes are bytes, times seconds, paths absolute text, offsets code points of the canonical text.
Hits, files and summaries are in ``indexer.api.types``, the state of the engine in ``status``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from msgspec import Struct, field
from msgspec.structs import asdict

from indexer.api.phrases import Note
from indexer.api.types import FileRow, FileState, Hit, Span


class FileList(Struct, frozen=True):
    """A page of the coverage list, and the number of all matching rows."""

    files: tuple[FileRow, ...]
    total: int


class FolderCount(Struct, frozen=True):
    """A folder, the number of files in it and below it, and whether it has folders with files."""

    path: str
    files: int
    has_folders: bool


class Document(Struct, frozen=True):
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


class DocumentList(Struct, frozen=True):
    """A page of a list of documents, and the number of documents in the whole list."""

    documents: tuple[Document, ...]
    total: int


class TextPassage(Struct, frozen=True):
    """A passage with its place; ``text`` is that range of the canonical text."""

    start: int
    end: int
    page: int
    page_last: int
    heading_path: tuple[str, ...]
    text: str


class DocumentText(Struct, frozen=True):
    """Passages of a document in order; ``following`` is where the next one begins, 0 for none.

    ``characters`` is the length of the document's canonical text.
    """

    document: Document
    characters: int
    passages: tuple[TextPassage, ...]
    following: int


class FormatEstimate(Struct, frozen=True):
    """The files of one format to be read."""

    files: int
    bytes: int


class Estimate(Struct, frozen=True):
    """The cost of indexing some paths.

    Attributes:
        files: The number of files to read; ``bytes`` is their size, ``formats`` both by format.
        left_out: The number of files that are not read, by reason code.
        known: Files that were read before; they are in no other count.
        leaving: The number of files that leave the library by the given patterns, by excluded
            folder or file; "" counts the rest once there are ``estimate.MOST_NAMED`` names.
        seconds_words: The time until all files are searchable by words.
        seconds_meaning: The time until all files have vectors.
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
    leaving: Mapping[str, int] = field(default_factory=dict)


class WatchedRoot(Struct, frozen=True):
    """How changes below a root are noticed.

    Attributes:
        how: ``events``; ``polling``, which notices a change after minutes; or ``offline``.
        why: Why the root is polled: ``network`` (the system does not report changes by other
            machines), ``exhausted`` (the system's limit of watches is reached), or "".
    """

    path: str
    how: str
    why: str


class WatchState(Struct, frozen=True):
    """Whether and how the roots are watched.

    Attributes:
        folders: The number of folders that are watched.
        quiet: Whether no change is waiting to be scanned.
        problem: Why folders could not be scanned or files not read; this is tried again later.
    """

    on: bool
    roots: tuple[WatchedRoot, ...]
    folders: int
    quiet: bool
    problem: Note | None


class ReindexCost(Struct, frozen=True):
    """The cost of making all vectors with a model.

    Attributes:
        measured: Whether ``seconds`` is computed from a rate of this machine.
        bytes: The additional disk space.
        outdated: The number of files that an older extractor read.
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


class Problem(Struct, frozen=True):
    """Damage or an inconsistency in a library.

    Attributes:
        kind: A stable name, such as ``unreadable_rows``.
        where: A table, an embedding space, or ``catalog``.
        count: The number of rows, files or other items that have the problem.
        sentence: The text that the person reads.
    """

    kind: str
    where: str
    count: int
    sentence: str


class Verification(Struct, frozen=True):
    """The result of comparing catalog, store and disk."""

    problems: tuple[Problem, ...]
    documents: int
    passages: int
    bytes: int
    seconds: float


class RepairOutcome(Struct, frozen=True):
    """The problems before a repair and after it (``left``), and the number of files queued."""

    problems: tuple[Problem, ...]
    left: tuple[Problem, ...]
    queued: int


class Check(Struct, frozen=True):
    """One result of ``doctor``; ``advice`` is "" if there is nothing to do."""

    name: str
    ok: bool
    value: str
    advice: str


# -- comparisons of two documents, and of a text with the library ----------------------------


class Statement(Struct, frozen=True):
    """A sentence and its place: ``start`` and ``end`` are offsets into the canonical text.

    ``original`` is that range. ``text`` has no headings, and no hyphens from the ends of lines.
    """

    page: int
    page_last: int
    start: int
    end: int
    heading_path: tuple[str, ...]
    text: str
    original: str = ""


class LoneStatement(Statement, frozen=True, kw_only=True):
    """A statement that only one document has; ``near`` is the most similar one of the other."""

    near: Statement | None
    cosine: float

    @classmethod
    def beside(cls, statement: Statement, near: Statement | None, cosine: float) -> Self:
        return cls(**asdict(statement), near=near, cosine=cosine)


class ComparisonSide(Struct, frozen=True):
    """One side of a comparison.

    Attributes:
        statements: How many were compared.
        alone: How many of them the other document does not have.
        only: These statements in the order of the text, or only the least similar ones.
    """

    path: str
    file: str
    title: str
    format: str
    pages: int
    statements: int
    alone: int
    only: tuple[LoneStatement, ...]


class Change(Struct, frozen=True):
    """Two similar statements, one of each document, that differ in a number, a name or a negation.

    Attributes:
        first_marks: The values and negations that only the first has, as offsets into its text.
        second_marks: The same of the second, as offsets into its text.
    """

    first: Statement
    second: Statement
    first_marks: tuple[Span, ...] = ()
    second_marks: tuple[Span, ...] = ()


class Parallel(Struct, frozen=True):
    """A sentence that says nearly what another one says.

    Attributes:
        hit: Its passage; ``hit.best`` is the sentence.
        source: The sentence that it is like.
        cosine: The cosine between the two sentences.
        same: Whether they also share most of their words.
        marks: The numbers, dates and names that only the sentence has, as offsets into
            ``hit.text``.
        pairs: The values that differ: first the one in the source, then the one in the sentence.

    Values are compared only if ``same`` is true.
    """

    hit: Hit
    source: str
    cosine: float
    same: bool
    marks: tuple[Span, ...]
    pairs: tuple[tuple[str, str], ...]


class Comparison(Struct, frozen=True):
    """The statements that only one of two documents has.

    Attributes:
        changes: How many similar statements differ in a number or a negation; ``changed`` has some.
        border: The cosine from which statements count as the same.
        by_words: Whether words were compared, because one of the documents has no vectors yet.
    """

    first: ComparisonSide
    second: ComparisonSide
    changes: int
    changed: tuple[Change, ...]
    border: float
    seconds: float
    by_words: bool = False
