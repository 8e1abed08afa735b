"""The types shared by all rooms: documents, blocks, passages and hits.

All offsets are code points into the canonical text of one document (see ``indexer.text.view``), all
page numbers are 1-based.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct
from msgspec import field as struct_field

from indexer.api.phrases import Note

# A range of a text: start and end, in code points.
Span = tuple[int, int]

# The first character of the text of a comment that a reader left in a document.
ANNOTATION_SIGN = "\u270e"

HEADING_SEPARATOR = " \u203a "


class FileState(StrEnum):
    """The state of a file; every file found under a root has exactly one."""

    QUEUED = "queued"
    TEXT_ONLY = "text_only"  # searchable by words, vectors pending
    INDEXED = "indexed"  # has text (at least one letter or digit) and vectors
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
    """The role of a run of canonical text, as classified by the extractor."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE = "table"
    CODE = "code"
    CAPTION = "caption"
    ASIDE = "aside"  # a comment or properties: a passage of its own, without a heading path
    # The first occurrence of text around the content: running heads, navigation, front matter. It
    # becomes passages of its own.
    BOILERPLATE = "boilerplate"
    FURNITURE = "furniture"  # repeated boilerplate, page numbers, marks: not in a view


NOTES_LEVEL = 1  # the level of paragraphs that are speaker's notes


class Block(Struct, frozen=True):
    """A run of canonical text with one role. Blocks are in reading order and do not overlap."""

    start: int
    end: int
    kind: BlockKind
    page: int
    level: int = 0  # 1 is the highest heading; 0 for no heading


class OutlineEntry(Struct, frozen=True):
    """A bookmark of the document: its depth (1 is the highest), its title and its page."""

    level: int
    title: str
    page: int


class DocumentInfo(Struct, frozen=True):
    """The metadata of a document, as extracted."""

    text_id: str  # hash of text and extractor's version; in the catalog also of the file's bytes
    format: str  # "pdf", "text", "markdown", "html", …
    extractor_version: int
    title: str  # plausible title from the content, or ""
    author: str
    created: str  # ISO date, or ""
    language: str  # ISO 639-1, or "" when unknown
    pages: int
    characters: int
    bad_pages: tuple[int, ...] = ()  # pages that could not be read, or not whole
    lost: str = ""  # why pages are missing; "" if all were read in spite of damage
    sent: tuple[str, str] = ("", "")  # for mails: ISO dates of the first and the last one
    labels: tuple[str, ...] = ()  # of the first pages, if they differ from the sheets' numbers


class Passage(Struct, frozen=True):
    """A few consecutive sentences: the unit of search.

    ``text`` is the canonical slice ``document_text[char_start:char_end]``; ``view`` is what is
    searched and embedded. Sentence ``i`` is ``text[text_starts[i]:text_starts[i + 1]]`` and, in the
    view, ``view[view_starts[i]:view_starts[i + 1]]``; both lists start with 0. It begins on page
    ``text_pages[i]``; this list is empty if the passage is on one page. ``sections`` has the number
    of the first sentence and the heading path of each section that begins inside the passage.
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
    text_pages: tuple[int, ...] = ()
    sections: tuple[tuple[int, tuple[str, ...]], ...] = ()


class Match(StrEnum):
    """How likely the best hits answer the question."""

    GOOD = "good"
    CLOSEST = "closest"  # equally good hits occur in this library without an answer
    PERHAPS = "perhaps"
    NONE = "none"  # the hits are only the closest passages


class Why(StrEnum):
    """The main evidence for a hit."""

    WORDS = "words"
    MEANING = "meaning"
    BOTH = "both"
    PHRASE = "phrase"
    NAME = "name"


class Also(Struct, frozen=True):
    """A near-duplicate of a hit in another document."""

    path: str
    file: str  # path relative to the root, with forward slashes
    title: str
    page: int
    page_last: int
    start: int
    end: int
    pages_before: int = 0
    page_label: str = ""  # as in ``Hit``


class Explanation(Struct, frozen=True):
    """The similarity of a passage to a query, by words.

    Attributes:
        cosine: The cosine between the passage and the question in the query.
        recall: How well the passage covers the query, token by token.
        words: Start, end and share of each word of the passage (``Hit.text`` in full); with
            ``rest`` they add up to the cosine.
        rest: The share of the title, the headings and tokens that are not words.
        query: Each word of the query and its share.
        marks: The words of the passage with the largest shares.
        same: The words of the passage that match words of the query.
        pairs: Discriminative words of the query, each with the closest word of the passage and the
            cosine of the two, closest first.
    """

    cosine: float
    recall: float
    words: tuple[tuple[int, int, float], ...]
    rest: float
    query: tuple[tuple[str, float], ...]
    marks: tuple[Span, ...]
    same: tuple[Span, ...]
    pairs: tuple[tuple[str, str, float], ...]


class SourceSentence(Struct, frozen=True):
    """A sentence of the source of ``like:``; ``start`` and ``end`` are canonical offsets."""

    page: int
    start: int
    end: int
    text: str


class AlignedSentence(Struct, frozen=True):
    """A sentence of a hit (offsets into ``Hit.text``), and the most similar one of the source."""

    start: int
    end: int
    cosine: float
    source: SourceSentence


class HitExplanation(Struct, frozen=True):
    """The components of a hit's score.

    ``score``, ``passage``, ``document`` and ``weights`` are named numbers of the ranking
    (``indexer.search.fusion``). ``aligned`` is for hits of ``like:``, most similar first. ``match``
    is the answer of ``Explain``, if requested.
    """

    score: Mapping[str, float] = struct_field(default_factory=dict)
    passage: Mapping[str, float] = struct_field(default_factory=dict)
    document: Mapping[str, float] = struct_field(default_factory=dict)
    weights: Mapping[str, float] = struct_field(default_factory=dict)
    aligned: tuple[AlignedSentence, ...] = ()
    match: Explanation | None = None


class Hit(Struct, frozen=True):
    """One passage that answers a query, or a file found by its name alone (``start == end``)."""

    path: str
    root: str
    file: str  # path relative to the root, with forward slashes
    title: str
    page: int  # page of the best sentence
    page_last: int  # of the passage
    start: int
    end: int
    score: float
    text: str
    heading_path: tuple[str, ...]
    why: Why
    best: Span = (0, 0)  # the best sentence, as offsets into ``text``
    state: FileState = FileState.INDEXED
    other_paths: tuple[str, ...] = ()  # other files with the same content
    explain: HitExplanation | None = None
    marks: tuple[Span, ...] = ()  # the exact phrases, or the best sentences, as ``best``
    author: str = ""
    format: str = ""  # from the file's name: "pdf", "text", …
    modified_ns: int = 0  # when the file was changed, since 1970; 0 if unknown
    sent_ns: int = 0  # when a mail was sent, also one in a mailbox; 0 for other documents
    also: tuple[Also, ...] = ()  # near-duplicates grouped under this one, best first
    language: str = ""  # if clearly another than the query's, of a hit found by meaning
    left_out: tuple[Span, ...] = ()  # running heads and page numbers inside ``text``
    pages_before: int = 0  # pages of the passage before ``page``
    page_label: str = ""  # the number printed on ``page``, if it differs

    @property
    def page_first(self) -> int:
        """The page on which the passage begins."""
        return self.page - self.pages_before

    @property
    def dated_ns(self) -> int:
        """The date of the document: when the mail was sent, else when the file was changed."""
        return self.sent_ns or self.modified_ns


class FileRow(Struct, frozen=True):
    """One line of the coverage list."""

    path: str
    root: str
    file: str
    size: int
    mtime_ns: int
    state: FileState
    code: str = ""  # stable reason code, "" if the state has no reason
    detail: str = ""
    attempts: int = 0
    pages: int = 0
    bad_pages: tuple[int, ...] = ()
    title: str = ""  # of the document; the subject of a mail
    author: str = ""
    language: str = ""  # of the document
    by_words: bool = False  # whether the library's model does not read the language


class Summary(Struct, frozen=True):
    """The outcome of an indexing run: the number of files in each state, and the work done.

    ``seconds`` is the time from the call to its end, pauses included.
    """

    states: Mapping[str, int]
    files_seen: int
    documents_added: int
    pages: int
    passages: int
    tokens: int
    seconds: float
    cancelled: bool = False
    reused: int = 0  # passages that took their vectors from an earlier text of the file


class SearchResult(Struct, frozen=True):
    """The answer to a query: the hits, best first, and notes for the person."""

    hits: tuple[Hit, ...]
    notes: tuple[Note, ...] = ()  # for the person
    seconds: float = 0.0
    embedded_share: float = 1.0  # share of the library's passages that have vectors
    match: Match = Match.GOOD
