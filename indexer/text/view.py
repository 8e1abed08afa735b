"""The search view: canonical text as search and embedding need it, with a map of offsets.

A view has no running heads, hyphens at line ends, control characters, or line breaks inside a
paragraph. It has single spaces, none between spaced letters ("C H A R T E R"), and letters in place
of ligatures. No other letter is changed. Views and passages share two rules: the roles of text
between the extractor's blocks, and whether a paragraph continues across a column or page border.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, zip_longest
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.types import Block, BlockKind
from indexer.text.sentences import lazy_pattern
from indexer.text.stop_words import AFTER_SUSPENDED, KEEP_HYPHENS

# Characters without a glyph: controls and white space, soft hyphens, zero-width characters,
# direction marks, variation selectors.
_INVISIBLE_RANGES = (
    (0x00, 0x1F), (0x7F, 0xA0), (0xAD, 0xAD), (0x034F, 0x034F), (0x061C, 0x061C),
    (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200B), (0x200E, 0x200F), (0x2028, 0x202F),
    (0x205F, 0x206F), (0x3000, 0x3000), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),
    (0xE0000, 0xE01EF),
)  # fmt: skip
INVISIBLE = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in _INVISIBLE_RANGES)
_EDGES = " \u200c\u200d" + "".join(
    map(chr, chain.from_iterable(range(low, high + 1) for low, high in _INVISIBLE_RANGES))
)
_LINE_END = r"(?:\r\n|\r(?!\n)|\n)"
_BLANK_LINE = re.compile(rf"{_LINE_END}[^\S\r\n]*{_LINE_END}\s*")
_CONTINUED = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
_HYPHENS = "-\u2010\u2011"
_LONG_ENOUGH = 30  # characters; a shorter line without a full stop is a label, not half a paragraph
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def regions(text: str, blocks: Sequence[Block], offset: int = 0) -> list[Block]:
    """Return blocks, in order and without overlap, that cover every visible character of a text.

    Args:
        text: The canonical text from ``offset`` on.
        blocks: Blocks with absolute offsets. They are clipped to the text and to each other,
            and stripped of invisible characters at their ends.
        offset: Canonical offset of ``text[0]``.

    Returns:
        The blocks, and paragraphs for uncovered text, split at blank lines, with page 0 (unknown).
    """
    covered: list[Block] = []
    at, size = 0, len(text)
    for block in sorted(blocks, key=lambda block: block.start):
        start, end = max(block.start - offset, at), min(block.end - offset, size)
        if end <= start:
            continue
        if start > at:
            covered.extend(_paragraphs(text, at, start, offset))
        covered.extend(_trimmed(text, start, end, offset, block))
        at = end
    covered.extend(_paragraphs(text, at, size, offset))
    return covered


def continues(before: Block, after: Block, last: str, first: str) -> bool:
    """Whether a paragraph that a column or page border splits continues in the next block.

    Furniture between the blocks is left out. ``last`` is the last character of the first block,
    ``first`` the first one of the second.
    """
    if before.kind not in _CONTINUED or after.kind is not BlockKind.PARAGRAPH:
        return False
    if last in _HYPHENS:
        return first.islower()
    if before.end - before.start < _LONG_ENOUGH or not (last.isalnum() or last == ","):
        return False
    if first.islower():
        return True
    return before.page != after.page and _caseless(last) and _caseless(first)


def _caseless(char: str) -> bool:
    return char.isalpha() and char.lower() == char.upper()


def _trimmed(text: str, start: int, end: int, offset: int, block: Block) -> Iterator[Block]:
    """Yield a block without invisible characters at its edges, or nothing if no others are left."""
    if left := text[start:end].lstrip(_EDGES):
        start = end - len(left)
        end = start + len(left.rstrip(_EDGES))
        yield replace(block, start=start + offset, end=end + offset)


def _paragraphs(text: str, start: int, end: int, offset: int) -> Iterator[Block]:
    if end - start <= 1 and not text[start:end].strip():
        return
    whole = Block(start + offset, end + offset, BlockKind.PARAGRAPH, 0)
    for match in _BLANK_LINE.finditer(text, start, end):
        yield from _trimmed(text, start, match.start(), offset, whole)
        start = match.end()
    yield from _trimmed(text, start, end, offset, whole)


_NEWLINE = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")

# The two zero-width joiners, which have a meaning only in Persian and Indic scripts.
_JOINERS = "(?<![\u0600-\u0dff\u0e80-\u1cff])[\u200c\u200d]"
# Characters that stand for a letter in some shape, which NFKC replaces by the letter: Kangxi
# radicals, Latin and Armenian ligatures, Hebrew and Arabic presentation forms.
_SHAPES = "\u2f00-\u2fd5\ufb00-\ufbb1\ufbd3-\ufd3d\ufd50-\ufdfb\ufe70-\ufefc"
_LEADERS = r"._\-\u2013\u2014=*~\xb7\u2026\u2022\ufffd"
_MARKS = "\u0300-\u036f"
# It begins with a set of all first characters, which Python finds faster than alternatives.
_EDIT = lazy_pattern(
    rf"[ {INVISIBLE}{_SHAPES}\u200c\u200d{_MARKS}{_LEADERS}](?:"
    rf"(?P<run>(?<= )(?: *[{INVISIBLE}][{INVISIBLE} ]*| +)|(?<=[{INVISIBLE}])[{INVISIBLE} ]*)"
    rf"|(?P<shape>(?<=[{_SHAPES}])|(?<={_JOINERS}))"
    rf"|(?P<marks>(?<=[{_MARKS}])[{_MARKS}]*)"
    rf"|(?P<leader>(?<=([{_LEADERS}]))(?: ?\5){{4,}}))"
)
# A no-break space outside such a run; some documents have it between all words.
_LONE_NO_BREAK = lazy_pattern(f"\xa0(?<![ {INVISIBLE}{_LEADERS}]\xa0)(?![ {INVISIBLE}])")
# Words with spaces between their letters, and wider gaps between such words.
_TYPED_APART = re.compile(
    r"(?<!\S)(?:[^\W\d_](?: [^\W_]){0,2} {2,}){0,3}[^\W\d_](?: [^\W_][.,:;!?]?){3,}"
    r"(?: {2,}[^\W_](?: [^\W_][.,:;!?]?)*)*(?!\S)"
)
_MAY_BE_APART = re.compile(r" [^\W_] [^\W_] [^\W_](?!\S)")
_ONE_BLANK = re.compile("(?<! ) (?! )")
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LEAST_KINDS = 3  # different letters; ticks and grades have fewer
_LEADER_KEPT = 3  # dots kept of "Chapter 1 ..... 7", as each is a token for a model

_DASHES = "/\u2013\u2014"
# Scripts without spaces between words; lines are joined without one too.
_UNSPACED = lazy_pattern(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff01-\uff60\U00020000-\U0003ffff]"
)
_WORD_BEFORE = re.compile(r"([^\W\d_]*)$")
_WORD_AFTER = re.compile(r"([^\W\d_]*)(-?)")
_WORD_REACH = 40


class View(Struct, frozen=True):
    """A text to search, and the canonical offset of each of its characters.

    The map is a list of runs of characters that are consecutive in both texts. Run ``k`` begins at
    ``view_starts[k]`` in the view and at ``canonical_starts[k]`` (absolute) in the document.
    """

    text: str
    view_starts: array[int]
    canonical_starts: array[int]

    def to_canonical(self, index: int) -> int:
        """The canonical offset of view character ``index``; ``len(text)`` gives the end."""
        k = bisect_right(self.view_starts, index) - 1
        return self.canonical_starts[k] + index - self.view_starts[k]


def make_view(text: str, blocks: Sequence[Block] = (), offset: int = 0) -> View:
    """Fold a slice of canonical text into its search view.

    Args:
        text: The canonical text from ``offset`` on.
        blocks: Blocks with absolute offsets; those outside the slice are ignored, and text that no
            block covers is split into paragraphs at blank lines. Boilerplate is left out unless
            there is nothing else.
        offset: Canonical offset of ``text[0]``.

    Returns:
        The view. Paragraphs, table rows and lines of code end in a single line feed; there is
        none at either end.
    """
    if not text.isascii():
        text = _LONE_NO_BREAK.sub(" ", text.replace("\u2010", "-").replace("\u2011", "-"))
    builder = _Builder(text)
    visible = [b for b in regions(text, blocks, offset) if b.kind is not BlockKind.FURNITURE]
    if any(b.kind is not BlockKind.BOILERPLATE for b in visible):
        visible = [b for b in visible if b.kind is not BlockKind.BOILERPLATE]
    for block, following in zip_longest(visible, visible[1:]):
        start, end = block.start - offset, block.end - offset
        if following is None:
            builder.fold(start, end, block.kind)
            break
        first = following.start - offset
        goes, joiner = False, "\n"
        if continues(block, following, text[end - 1], text[first]):
            goes, joiner = line_join(text, end - 1, first)
        builder.fold(start, end - goes, block.kind)
        builder.emit(joiner, min(end, first))
    return builder.finish(offset)


def line_join(text: str, last: int, first: int) -> tuple[bool, str]:
    """How to join two lines of a paragraph; ``last`` and ``first`` are the characters at the break.

    Returns whether the character at ``last`` is a hyphen to remove, and the text to put between.
    """
    above, below = text[last], text[first]
    if above == "-":
        return _hyphen_join(text, last, first)
    if above in _DASHES and below.isalnum() and text[last - 1 : last].isalnum():
        return False, ""
    if above >= "\u0e00" and _UNSPACED.match(above) and _UNSPACED.match(below):
        return False, ""
    return False, " "


def _hyphen_join(text: str, last: int, first: int) -> tuple[bool, str]:
    before, below = text[last - 1 : last], text[first]
    if not before.isalnum() or not below.isalnum():
        return False, " "
    if not (before.islower() and below.islower()):
        return False, ""  # Anglo-Saxon, 10-K, 2019-2020
    left = _WORD_BEFORE.search(text, max(last - _WORD_REACH, 0), last)
    right = _WORD_AFTER.match(text, first, first + _WORD_REACH)
    if left is None or right is None:
        return True, ""
    word, start = left[1], left.start()
    if right[1] in AFTER_SUSPENDED:
        return False, " "  # short- and long-term
    # After any other word in small letters a hyphen is taken for hyphenation.
    chained = right[2] != "" or text[max(start - 1, 0) : start] == "-"
    if chained or len(word) == 1 or word.lower() in KEEP_HYPHENS:
        return False, ""  # state-of-the-art, e-mail, self-employed
    return True, ""


class _Gap(NamedTuple):
    """A run of spaces and invisible characters: ``as_code`` is its text in a block of code."""

    newlines: int
    spaced: bool
    soft_hyphen: bool
    as_code: str


@lru_cache(maxsize=10_000)
def _gap(run: str) -> _Gap:
    lines = _NEWLINE.sub("\n", run)
    as_code = "".join(c if c in "\n\t" else " " for c in lines if c.isspace())
    newlines = lines.count("\n")
    soft = newlines == 1 and run.lstrip(" ")[0] in "\xad\x02\x1f"
    return _Gap(newlines, bool(as_code), soft, as_code)


def _blanks_apart(text: str, start: int, end: int) -> list[int]:
    """The offsets of the blanks in words with spaces between their letters, ascending."""
    found: list[int] = []
    for match in _TYPED_APART.finditer(text, start, end):
        letters = "".join(match[0].split())
        listed = letters.upper() in _ALPHABET or len(set(letters)) < _LEAST_KINDS
        if not listed and letters[0].isupper() >= letters[1].isupper():
            inside = text[match.start() : match.end()]
            found += [match.start() + gap.start() for gap in _ONE_BLANK.finditer(inside)]
    return found


class _Builder:
    """Collects pieces of the view and the runs of the map while a text is folded."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces: list[str] = []
        self._size = 0
        self._shift = 0  # canonical offset minus view offset, in the current run
        self._blanks: list[int] = []  # offsets of blanks between spaced letters
        self._view_starts = [0]
        self._canonical_starts = [0]

    def finish(self, offset: int) -> View:
        return View(
            "".join(self._pieces),
            array("q", self._view_starts),
            array("q", [start + offset for start in self._canonical_starts]),
        )

    def emit(self, piece: str, canonical: int) -> None:
        """Add characters that are consecutive in the canonical text from ``canonical`` on."""
        for blank in self._blanks:
            if canonical <= blank < canonical + len(piece):
                self._add(piece[: blank - canonical], canonical)
                piece, canonical = piece[blank - canonical + 1 :], blank + 1
        self._add(piece, canonical)

    def _add(self, piece: str, canonical: int) -> None:
        if not piece:
            return
        size = self._size
        if canonical - size != self._shift:
            if self._view_starts[-1] == size:
                self._canonical_starts[-1] = canonical
            else:
                self._view_starts.append(size)
                self._canonical_starts.append(canonical)
            self._shift = canonical - size
        self._pieces.append(piece)
        self._size = size + len(piece)

    def fold(self, start: int, end: int, kind: BlockKind) -> None:
        """Fold ``text[start:end]`` as a block of this kind, and add it."""
        text, at = self._text, start
        may_be_apart = kind is not BlockKind.CODE and _MAY_BE_APART.search(text, start, end)
        self._blanks = _blanks_apart(text, start, end) if may_be_apart else []
        for match in _EDIT.finditer(text, start, end):
            begin, stop = match.span()
            if match.lastgroup == "run":
                goes, piece = self._run(match[0], begin, stop, kind)
                if begin == start or stop == end:
                    goes, piece = False, ""
                if goes:
                    self.emit(text[at : begin - 1], at)
                    self.emit(piece, begin)
                else:  # consecutive in both: one run of the map
                    self.emit(text[at:begin] + piece, at)
            elif match.lastgroup == "leader":
                if kind is BlockKind.CODE:
                    continue
                self.emit(text[at:begin], at)
                self.emit(text[begin] * _LEADER_KEPT, begin)
            elif match.lastgroup == "marks":
                if begin == at:
                    continue  # they have no character to be composed with
                self.emit(text[at : begin - 1], at)
                self.emit(unicodedata.normalize("NFC", text[begin - 1 : stop]), begin - 1)
            else:
                self.emit(text[at:begin], at)
                self._shape(text[begin], begin)
            at = stop
        self.emit(text[at:end], at)

    def _run(self, run: str, begin: int, stop: int, kind: BlockKind) -> tuple[bool, str]:
        """Whether the hyphen before a run is removed, and what replaces the run."""
        gap = _gap(run)
        if kind is BlockKind.CODE:
            return False, gap.as_code
        if not gap.spaced:
            return False, ""
        if gap.newlines == 0:
            return False, " "
        if gap.newlines > 1 or kind is BlockKind.TABLE:
            return False, "\n"
        if gap.soft_hyphen:
            return False, ""
        if begin == 0 or stop >= len(self._text):
            return False, " "
        return line_join(self._text, begin - 1, stop)

    def _shape(self, shape: str, canonical: int) -> None:
        if shape in "\u200c\u200d":
            return
        for letter in unicodedata.normalize("NFKC", shape):
            self.emit(letter, canonical)


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by U+FFFD."""
    return _LONE_SURROGATES.sub("\ufffd", text)
