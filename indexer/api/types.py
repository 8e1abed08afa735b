"""The values that cross borders: documents, blocks, passages, filters and hits.

Owns the vocabulary shared by every part of Lectern. Standard library only; it must not know how
anything is read, stored, embedded or shown. All offsets are code points into the canonical text
of one document (see ``indexer.text.view``), all page numbers are 1-based.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from indexer.api.phrases import Note

# Where something stands in a text: start and end, in code points.
Span = tuple[int, int]

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
class Explanation:
    """What the similarity of a passage to a query is made of.

    Attributes:
        cosine: Of the passage and the question in the query.
        recall: How well the passage covers the query, token by token.
        words: Start, end and share of each word of the passage (``Hit.text`` in full); with
            ``rest`` they add up to the cosine.
        rest: The share of the title, the headings and what is no word.
        query: Each word of the query and its share.
        marks: The words of the passage that carry the similarity.
        same: Those that are the query's own.
        pairs: Discriminative words of the query, each with the closest of the passage and their
            cosine, closest first.
    """

    cosine: float
    recall: float
    words: tuple[tuple[int, int, float], ...]
    rest: float
    query: tuple[tuple[str, float], ...]
    marks: tuple[Span, ...]
    same: tuple[Span, ...]
    pairs: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True, slots=True)
class SourceSentence:
    """A sentence that something was to resemble; ``start`` and ``end`` in the canonical text."""

    page: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class AlignedSentence:
    """A sentence of a hit (offsets into ``Hit.text``), and the one it resembles most."""

    start: int
    end: int
    cosine: float
    source: SourceSentence


@dataclass(frozen=True, slots=True)
class HitExplanation:
    """Why a hit stands where it does.

    ``score``, ``passage``, ``document`` and ``weights`` are numbers of the ranking by name
    (``indexer.search.fusion``); ``aligned`` is of hits that resemble something, most alike first;
    ``match`` is what ``Explain`` answers, where it was asked.
    """

    score: Mapping[str, float] = field(default_factory=dict)
    passage: Mapping[str, float] = field(default_factory=dict)
    document: Mapping[str, float] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    aligned: tuple[AlignedSentence, ...] = ()
    match: Explanation | None = None


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
    best: Span = (0, 0)  # the best sentence, as offsets into ``text``
    state: FileState = FileState.INDEXED
    other_paths: tuple[str, ...] = ()  # further places of the same content
    explain: HitExplanation | None = None
    marks: tuple[Span, ...] = ()  # the exact phrases, or the best sentences, as ``best``
    author: str = ""
    format: str = ""  # what the file's name promises, "pdf", "text", …
    modified_ns: int = 0  # of the file, since 1970; 0 when unknown
    also: tuple[Also, ...] = ()  # near-identical passages folded under this one, best first
    language: str = ""  # of one found by meaning, where the query is clearly in another language


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
    embedded_share: float = 1.0  # share of the library's passages that have vectors
    good: bool = True  # False: nothing answers, these are only the closest passages
