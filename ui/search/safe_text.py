"""Makes text of documents safe to show, as one paragraph or in a QTextDocument.

Control characters, overrides of direction, stacks of accents, hyphens at the ends of lines, running
heads and the signs of Markdown are removed, and offsets are adapted. Our offsets are in code
points, Qt's in UTF-16 units.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from indexer.api.types import Hit


Span = tuple[int, int]

# Longer texts are first cut around their first span.
MOST_CHARACTERS = 4000
_ACCENTS_KEPT = 4

_INVISIBLE = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffc\ufffe\uffff\U000e0000-\U000e0fff"
)
# Characters for private use, mostly bullets of symbol fonts; other fonts show them as boxes.
_PRIVATE = "\ue000-\uf8ff\U000f0000-\U0010ffff"
_ACCENT = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
# The look-ahead rejects most characters at once; a single space between words is no match either.
_UNSAFE = re.compile(
    rf"(?=[-|\s{_INVISIBLE}{_PRIVATE}\ud800-\udfff]|{_ACCENT})(?:"
    r"(?P<hyphen>(?<=[^\W\d_]{2})-\r?\n(?=[^\W\d_]{2}))"
    r"|(?P<edge>(?m:^)\|(?:[ :]*-{3,}[-:| ]*(?:\n\||$))? *|[ \t]*\|[ \t]*(?=\n|\Z))"
    rf"|(?P<cell>(?<=\S) *(?:\t[ {_INVISIBLE}]*)+(?=[^\s{_INVISIBLE}])"
    r"|(?<=\S)[ \t]*\|[ \t]*(?=\S[^\n]*\|))"
    rf"|(?P<bullet>[{_PRIVATE}]+(?P<gap>[{_INVISIBLE}]*\s[\s{_INVISIBLE}]*)?)"
    rf"|(?P<space>(?!(?<=[^\s{_INVISIBLE}]) [^\s{_INVISIBLE}])[{_INVISIBLE}]*\s[\s{_INVISIBLE}]*)"
    rf"|(?P<invisible>[{_INVISIBLE}]+)"
    rf"|(?P<broken>[\ud800-\udfff])|(?<={_ACCENT}{{{_ACCENTS_KEPT}}})(?P<tower>{_ACCENT}+)"
    rf"|(?P<bar>\|(?: (?=[^\s{_INVISIBLE}]))?))"
)
# The separators between the cells of a table, and between its rows.
_CELL, _ROW = " \u00b7 ", "; "
_BLANKS = re.compile("  +")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Shown(Struct, frozen=True):
    """Text that is safe to paint, and spans in it."""

    text: str
    spans: tuple[Span, ...] = ()


def shown(text: str, spans: Sequence[Span] = ()) -> Shown:
    """Make text safe to paint; spans of which nothing is left are dropped.

    Args:
        text: Any text.
        spans: Offsets into the text, half-open; a long text is cut around the first.
    """
    low = 0
    if len(text) > MOST_CHARACTERS:
        low = max(0, (spans[0][0] if spans else 0) - MOST_CHARACTERS // 4)
        text = text[low : low + MOST_CHARACTERS]
    made, sources, targets = _cleaned(text)

    def place(offset: int) -> int:
        at = min(max(offset - low, 0), len(text))
        known = bisect_right(sources, at) - 1
        limit = targets[known + 1] if known + 1 < len(targets) else len(made)
        return min(targets[known] + at - sources[known], limit)

    placed = [(place(start), place(end)) for start, end in spans]
    return Shown(made, tuple(span for span in placed if span[0] < span[1]))


def line(text: str) -> str:
    """Make a title or a path safe to show on one line."""
    return shown(text).text


def is_right_to_left(text: str) -> bool:
    """Whether the first letter with a direction is of a right-to-left script."""
    if text.isascii():
        return False
    strong = (unicodedata.bidirectional(char) for char in text)
    return next((each != "L" for each in strong if each in {"L", "R", "AL"}), False)


def _cleaned(text: str) -> tuple[str, list[int], list[int]]:
    """Return the safe text, and pairs of offsets from which on both texts run in parallel."""
    pieces: list[str] = []
    sources, targets = [0], [0]
    length = at = 0
    blank = True  # whether another space would be superfluous
    in_row = False  # whether this is a row of a table, whose cells are separated by tabs
    for match in _UNSAFE.finditer(text):
        pieces.append(text[at : match.start()])
        length += match.start() - at
        blank = blank and match.start() == at
        piece = " " if match["space"] else "\ufffd" if match["broken"] else match["bar"] or ""
        if match["bullet"]:
            piece = "\u2022 " if match["gap"] else "\u2022"
        elif match["cell"]:
            begin = text.rfind("\n", 0, match.start()) + 1
            in_row = "\t" in match["cell"] or text.startswith("|", begin)
            piece = _CELL if in_row else _BLANKS.sub(" ", match["cell"])
        elif match["space"] and "\n" in match["space"]:
            piece, in_row = _ROW if in_row else piece, False
        if match["hyphen"] and not (text[match.start() - 1] + text[match.end()]).islower():
            piece = "-"  # kept between capitals, as in Anglo-Saxon
        if blank:
            piece = piece.lstrip(" " if length else " |")
        pieces.append(piece)
        # Offsets inside a removed part are moved to its end.
        sources += [match.start(), match.end()]
        targets += [length, length + len(piece)]
        length += len(piece)
        at = match.end()
        blank = piece.endswith(" ") if piece else blank
    pieces.append(text[at:])
    return "".join(pieces).rstrip(" |"), sources, targets


_MARKDOWN = re.compile(
    r"(?m:^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|(?:```|~~~).*$|[-*_]{3,}[ \t]*$))"
    r"|(?<![\w*])\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?![\w*])|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)"
    r"|`+|!?\[(?=[^\]\n]*\]\()|(?<=\S)\]\([^)\n]*\)"
)


def plain(hit: Hit, spans: Sequence[Span] = ()) -> Shown:
    """Return the safe text of a hit with the given spans of ``hit.text`` moved along."""
    text, placed = _cut_out(hit.text, hit.left_out, spans)
    if hit.format == "markdown":
        signs = [found.span() for found in _MARKDOWN.finditer(text)]
        text, placed = _cut_out(text, signs, placed)
    return _without_heading(text, placed, hit.heading_path)


def _without_heading(text: str, spans: Sequence[Span], path: Sequence[str]) -> Shown:
    """Remove headings from the beginning of the text, since they are shown above it."""
    end = 0
    for heading in filter(None, path[-2:]):
        words = r"\s+".join(map(re.escape, heading.split()))
        found = re.compile(rf"\W*{words}[ \t:.]*\n\s*", re.IGNORECASE).match(text, end)
        if found is not None and found.end() < len(text):
            end = found.end()
    return shown(*_cut_out(text, [(0, end)], spans))


def _cut_out(text: str, gone: Sequence[Span], spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """Remove ascending ranges from a text; spans are moved, or dropped if nothing is left."""
    kept, at = [], 0
    for low, high in gone:
        kept.append(text[at:low])
        at = high

    def place(offset: int) -> int:
        return offset - sum(max(min(offset, high) - low, 0) for low, high in gone)

    placed = [(place(low), place(high)) for low, high in spans]
    return "".join(kept) + text[at:], [span for span in placed if span[0] < span[1]]


# Characters that a QTextDocument drops, joins or reads as structure. Each is replaced by one
# character of one UTF-16 unit, so that offsets stay.
_CARRIAGE_RETURN = re.compile(r"\r(?=\n)")
_BREAKS = re.compile("[\r\f\v\u0085\u2029]")
_FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\ufdd0\ufdd1\ufffc]")


def for_qt(text: str) -> str:
    """Replace what a QTextDocument would change; the length stays the same."""
    text = _CARRIAGE_RETURN.sub(" ", text)
    return _FORBIDDEN.sub("\ufffd", _BREAKS.sub("\n", text))


class Utf16Map:
    """Converts offsets into one text, either way, in logarithmic time."""

    def __init__(self, text: str) -> None:
        self._astral = [found.start() for found in _ASTRAL.finditer(text)]
        # The end, in units, of each character of two units.
        self._ends = [place + i + 2 for i, place in enumerate(self._astral)]

    def to_utf16(self, place: int) -> int:
        """Return the offset in units of a code point."""
        return place + bisect_left(self._astral, place)

    def to_code_points(self, unit: int) -> int:
        """Return the code point at an offset in units, which may be inside a surrogate pair."""
        whole = bisect_right(self._ends, unit)
        inside = whole < len(self._ends) and unit == self._ends[whole] - 1
        return unit - whole - inside
