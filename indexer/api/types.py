"""The values that cross borders: documents, blocks, passages, filters and hits.

Owns the vocabulary shared by every part of Lectern. Standard library only; it must not know how
anything is read, stored, embedded or shown. All offsets are code points into the canonical text
of one document (see ``indexer.text.view``), all page numbers are 1-based.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.api.phrases import Note

HEADING_SEPARATOR = " \u203a "


class FileState(StrEnum):
    """What became of a file; every file ever seen under a root has exactly one."""

    QUEUED = "queued"
    TEXT_ONLY = "text_only"  # searchable by words, vectors pending
    INDEXED = "indexed"  # at least one letter or digit was read, and embedded
    PARTIAL = "partial"  # indexed, but some pages could not be read
    NO_TEXT = "no_text"
    NEEDS_PASSWORD = "needs_password"  # noqa: S105  # a state, not a secret
    UNREADABLE = "unreadable"
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    UNSUPPORTED = "unsupported"
    EXCLUDED = "excluded"
    PLACEHOLDER = "placeholder"
    OFFLINE = "offline"
    FAILED = "failed"


SEARCHABLE_STATES = frozenset({FileState.TEXT_ONLY, FileState.INDEXED, FileState.PARTIAL})


class BlockKind(StrEnum):
    """The role of a run of canonical text, as the extractor understood it."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CODE = "code"
    CAPTION = "caption"
    FURNITURE = "furniture"  # running heads and page numbers: in the text, not in the view


@dataclass(frozen=True, slots=True)
class Block:
    """A run of canonical text with one role. Blocks are in reading order and do not overlap."""

    start: int
    end: int
    kind: BlockKind
    page: int
    level: int = 0  # of a heading, 1 is the highest; 0 otherwise


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A bookmark of the document: its depth (1 is the highest), its title and its page."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """What extraction learnt about a document as a whole."""

    text_id: str  # hash of the canonical text and of the extractor's version
    format: str  # "pdf", "text", "markdown", "html", …
    extractor_version: int
    title: str  # plausible title from the content, or ""
    author: str
    created: str  # ISO date, or ""
    language: str  # ISO 639-1, or "" when unknown
    pages: int
    characters: int
    bad_pages: tuple[int, ...] = ()  # pages that could not be read, or not whole
    lost: str = ""  # why some of them are missing; "" if all were read on through a damage


@dataclass(frozen=True, slots=True)
class Passage:
    """A few sentences that stand together: the unit of search.

    ``text`` is the canonical slice ``document_text[char_start:char_end]``; ``view`` is what is
    searched and embedded. Sentence ``i`` is ``text[text_starts[i]:text_starts[i + 1]]`` and, in
    the view, ``view[view_starts[i]:view_starts[i + 1]]``; both lists start with 0.
    """

    ordinal: int
    page_first: int
    page_last: int
    char_start: int
    char_end: int
    heading_path: tuple[str, ...]
    text: str
    view: str
    text_starts: tuple[int, ...]
    view_starts: tuple[int, ...]
    stems: str = ""  # stems of the view, in order, separated by spaces


class Why(StrEnum):
    """Which evidence put a hit where it is."""

    WORDS = "words"
    MEANING = "meaning"
    BOTH = "both"
    PHRASE = "phrase"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Also:
    """Another place with nearly the same text as a hit, of another passage."""

    path: str
    file: str  # path relative to the root, with forward slashes
    title: str
    page: int
    page_last: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage that answers a query, or a file found by its name alone (``start == end``)."""

    path: str
    root: str
    file: str  # path relative to the root, with forward slashes
    title: str
    page: int
    page_last: int
    start: int
    end: int
    score: float
    text: str
    heading_path: tuple[str, ...]
    why: Why
    best: tuple[int, int] = (0, 0)  # the best sentence, as offsets into ``text``
    state: FileState = FileState.INDEXED
    other_paths: tuple[str, ...] = ()  # further places of the same content
    explain: Mapping[str, Any] = field(default_factory=dict)
    marks: tuple[tuple[int, int], ...] = ()  # the best sentences, best first, as ``best``
    author: str = ""
    format: str = ""  # what the file's name promises, "pdf", "text", …
    modified_ns: int = 0  # of the file, since 1970; 0 when unknown
    also: tuple[Also, ...] = ()  # near-identical passages folded under this one, best first


@dataclass(frozen=True, slots=True)
class FileRow:
    """One line of the coverage list."""

    path: str
    root: str
    file: str
    size: int
    mtime_ns: int
    state: FileState
    code: str = ""  # stable reason code, "" when the state says it all
    detail: str = ""
    attempts: int = 0
    pages: int = 0
    bad_pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """The outcome of an indexing run: how many files ended in each state, and what it took.

    ``seconds`` are from the call to its end, with all that was waited for.
    """

    states: Mapping[str, int]
    files_seen: int
    documents_added: int
    pages: int
    passages: int
    tokens: int
    seconds: float
    cancelled: bool = False
    reused: int = 0  # passages that took their vectors from an earlier text of their file


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a query: the hits, best first, and what the person should know about them."""

    hits: tuple[Hit, ...]
    notes: tuple[Note, ...] = ()  # for the person
    seconds: float = 0.0
    understood: float = 1.0  # share of the library's passages that have vectors
    query: Mapping[str, Any] = field(default_factory=dict)  # the query as it was understood
    good: bool = True  # False: nothing answers, these are only the closest passages
