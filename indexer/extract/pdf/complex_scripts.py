"""The order of letters in lines of Arabic, Hebrew, Indic and other complex scripts.

MuPDF returns text that runs to the left in the order of its pieces, splits a line at every number,
and reverses the letters of a ligature. It takes a cluster of letters for narrower than it is drawn,
and inserts a blank or begins a line after it. The places of letters show their order, so the lines
of a page dictionary with characters are made anew. Pure; imports no PDF library.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from indexer.extract.pdf.glyphs import (
    baseline_of,
    characters_of,
    has_complex_script,
    lines_of,
    runs_to_the_left,
    without_lines,
)
from indexer.ocr.layer import union

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Line = dict[str, Any]  # of a page dictionary
    # Left and right edge and baseline of a glyph, and its character.
    Glyph = tuple[float, float, float, str]

# Classes of characters in Unicode's rules of direction.
_LEFTWARDS, _RIGHTWARDS = frozenset({"R", "AL"}), frozenset({"L", "EN", "AN"})
_NUMERALS = frozenset({"EN", "AN"})
# Signs that belong to a number if they are inside it, and if they are beside it.
_IN_NUMBERS, _AT_NUMBERS = frozenset({"CS", "ES"}), frozenset({"ET"})
_BRACKETS = dict(zip("()[]{}«»", ")(][}{»«", strict=True))
_OPENING = frozenset("([{«")
_CLEAR = 3  # times the letters of the other direction
# In type sizes.
_TOUCHING = 0.5  # the widest gap inside a line
_CLUSTER = 2.5  # the same where a glyph fills it
_BLANK, _CELL = 0.1, 1.5  # the least gaps between words and between cells
_SAME_HEIGHT = 0.25  # the most between two baselines
_AT = 0.3  # points, the most between a mark and its letter
_POINT = 0.01  # points, the most that a letter without width has


def order_letters(content: dict[str, Any], drawn: Callable[[], Sequence[Glyph]]) -> None:
    """Make anew the lines of a page dictionary that have letters of such scripts.

    ``drawn`` returns the glyphs of the page as they are drawn.
    """
    lines = [
        line for line in lines_of(content) if line["dir"] == (1.0, 0.0) and characters_of(line)
    ]
    places = {id(line): place for place, line in enumerate(lines)}
    to_the_left = runs_to_the_left("".join(map(_text, lines)))
    seen = _Drawn(drawn)
    gone = set[int]()
    for row in _rows(lines, places):
        for pieces in _pieces(row, seen):
            first = min(pieces, key=lambda piece: places[id(piece)])
            letters = [letter for at, piece in enumerate(pieces) for letter in _letters(piece, at)]
            letters = [letter for letter in letters if not seen.fills(letter)]
            letters += _left_out(letters, seen)
            _set_letters(first, _ordered(letters, to_the_left=to_the_left))
            gone.update(id(piece) for piece in pieces if piece is not first)
    without_lines(content, gone)


class _Letter(Struct):
    """A character of a line, with the span that it is in."""

    drawn: dict[str, Any]
    span: dict[str, Any]
    piece: int = 0  # of its line

    @property
    def text(self) -> str:
        return str(self.drawn["c"])

    @property
    def start(self) -> float:
        return float(self.drawn["bbox"][0])

    @property
    def end(self) -> float:
        return float(self.drawn["bbox"][2])

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2

    @property
    def direction(self) -> str:
        """The class of the character in Unicode's rules of direction."""
        return unicodedata.bidirectional(self.text)

    @property
    def is_mark(self) -> bool:
        return unicodedata.category(self.text)[0] == "M"

    @property
    def is_point(self) -> bool:
        """Whether it is part of a cluster or a ligature, but not a mark."""
        return self.end - self.start < _POINT and unicodedata.category(self.text)[0] == "L"


def _letters(line: Line, piece: int = 0) -> list[_Letter]:
    return [_Letter(each, span, piece) for span in line["spans"] for each in span["chars"]]


def _text(line: Line) -> str:
    return "".join([each["c"] for each in characters_of(line)])


class _Drawn:
    """The glyphs of a page, which are read only if one may fill a gap."""

    def __init__(self, glyphs: Callable[[], Sequence[Glyph]]) -> None:
        self._get = glyphs
        self._glyphs: Sequence[Glyph] | None = None

    def between(self, start: float, end: float, top: float, bottom: float) -> Glyph | None:
        """Return the glyph that is drawn in the middle of a gap, if any."""
        if self._glyphs is None:
            self._glyphs = self._get()
        middle = (start + end) / 2
        at = (glyph for glyph in self._glyphs if glyph[0] < middle < glyph[1])
        return next((glyph for glyph in at if top < glyph[2] < bottom), None)

    def fills(self, blank: _Letter) -> bool:
        """Whether a glyph is drawn where MuPDF inserted a blank."""
        if not blank.drawn.get("synthetic"):
            return False
        _, top, _, bottom = blank.drawn["bbox"]
        return self.between(blank.start, blank.end, top, bottom) is not None


def _rows(lines: Sequence[Line], places: Mapping[int, int]) -> Iterator[list[Line]]:
    """Yield the lines at one height, from left to right, if any has letters of such scripts.

    ``places`` has the places of the lines by their ids.
    """
    taken = set[int]()
    by_height = sorted(lines, key=baseline_of)
    heights = [baseline_of(line) for line in by_height]
    for seed in lines:
        if id(seed) in taken or not has_complex_script([_text(seed)]):
            continue
        height, most = baseline_of(seed), _SAME_HEIGHT * _size(seed)
        near = by_height[bisect_left(heights, height - most) : bisect_right(heights, height + most)]
        row = [
            line
            for line in near
            if id(line) not in taken
            and abs(height - baseline_of(line)) < min(most, _SAME_HEIGHT * _size(line))
        ]
        taken.update(map(id, row))
        yield sorted(row, key=lambda line: (float(line["bbox"][0]), places[id(line)]))


def _size(line: Line) -> float:
    return max(float(span["size"]) for span in line["spans"])


def _pieces(row: Sequence[Line], drawn: _Drawn) -> Iterator[list[Line]]:
    """Yield the parts of a row that touch, from left to right."""
    together: list[Line] = []
    reach = 0.0
    for line in row:
        x0, top, x1, bottom = line["bbox"]
        size = _size(line)
        if together and x0 > reach + size * _TOUCHING:
            near = x0 < reach + size * _CLUSTER
            if not (near and drawn.between(reach, x0, top, bottom)):
                yield together
                together, reach = [], 0.0
        together.append(line)
        reach = max(reach, float(x1))
    if together:
        yield together


def _left_out(letters: Sequence[_Letter], drawn: _Drawn) -> list[_Letter]:
    """Return the letters that MuPDF dropped because it took them for part of a ligature."""
    found = []
    whole = [letter for letter in letters if letter.end - letter.start >= _POINT]
    for left, right in pairwise(sorted(whole, key=lambda letter: letter.start)):
        _, top, _, bottom = left.drawn["bbox"]
        if (
            left.direction in _LEFTWARDS
            and right.start - left.end > _BLANK * float(left.span["size"])
            and (glyph := drawn.between(left.end, right.start, top, bottom))
            and unicodedata.bidirectional(glyph[3]) in _LEFTWARDS
        ):
            box = (glyph[0], top, glyph[1], bottom)
            found.append(_Letter({**left.drawn, "c": glyph[3], "bbox": box}, left.span))
    return found


def _set_letters(line: Line, letters: Sequence[_Letter]) -> None:
    groups = groupby(letters, key=lambda letter: id(letter.span))
    runs = [list(group) for _, group in groups]
    line["spans"] = [{**run[0].span, "chars": [letter.drawn for letter in run]} for run in runs]
    if letters:
        line["bbox"] = union([letter.drawn["bbox"] for letter in letters])


def _ordered(letters: Sequence[_Letter], *, to_the_left: bool) -> list[_Letter]:
    """Return the letters of a line in the order in which they are read.

    Three quarters of its letters decide its direction, or else the page's (``to_the_left``).
    """
    kinds = [letter.direction for letter in letters]
    leftwards, rightwards = sum(kind in _LEFTWARDS for kind in kinds), kinds.count("L")
    if not leftwards:
        return list(letters)
    from_right = _from_right(letters)
    if leftwards > _CLEAR * rightwards or (to_the_left and rightwards <= _CLEAR * leftwards):
        return [letter for cell in _cells(from_right) for letter in _read(cell)]
    # Runs of words to the left, with the signs and figures between them.
    found: list[_Letter] = []
    run: list[_Letter] = []
    for letter in reversed(from_right):
        run.append(letter)
        if letter.direction == "L":
            found += _turned(run)
            run = []
    return found + _turned(run)


def _cells(from_right: Sequence[_Letter]) -> Iterator[list[_Letter]]:
    """Yield the parts of a line between wide gaps, each but the last with a blank at its end."""
    cell: list[_Letter] = []
    for letter in from_right:
        if cell and cell[-1].start - letter.end > _CELL * float(letter.span["size"]):
            yield [*cell, _blank(letter, cell[-1])]
            cell = []
        cell.append(letter)
    yield cell


def _turned(letters: Sequence[_Letter]) -> list[_Letter]:
    """Turn round the letters from the first to the last one that runs to the left."""
    own = [at for at, letter in enumerate(letters) if letter.direction in _LEFTWARDS]
    if not own:
        return list(letters)
    first, end = own[0], own[-1] + 1
    return [*letters[:first], *_read(letters[first:end][::-1]), *letters[end:]]


def _from_right(letters: Sequence[_Letter]) -> list[_Letter]:
    """Sort letters from right to left. Those of one glyph stay together, with marks last."""
    bases = _bases(letters)

    def place(at: int) -> tuple[float, int, int]:
        letter = letters[at]
        base = bases.get(id(letter), letter)
        if letter.is_mark:
            return -base.middle, 2, at
        return -base.middle, int(base is not letter), at if base is letter else -at

    return [letters[at] for at in sorted(range(len(letters)), key=place)]


def _bases(letters: Sequence[_Letter]) -> dict[int, _Letter]:
    """Return the letter of each mark, and the first letter for the others of a ligature, by id.

    The first letter of a ligature has the whole width, and the others are at its right edge.
    """
    wide = {
        at: letter
        for at, letter in enumerate(letters)
        if letter.direction in _LEFTWARDS and letter.end - letter.start >= _POINT
    }
    ends = {round(letter.end, 1): letter for letter in wide.values()}
    points = {round(letter.start, 2) for letter in letters if letter.is_point}
    marked = {round(letter.start, 2) for letter in letters if letter.is_mark}
    found = dict[int, _Letter]()
    for at, letter in enumerate(letters):
        place = round(letter.start, 2)
        if letter.is_mark and place not in points:
            near = [
                before
                for before, one in wide.items()
                if one.start - _AT <= letter.middle <= one.end + _AT
            ]
            if near:
                found[id(letter)] = wide[min(near, key=lambda before: (abs(at - before), before))]
        elif letter.is_point and place not in marked and round(place, 1) in ends:
            found[id(letter)] = ends[round(place, 1)]
    return found


def _read(from_right: Sequence[_Letter]) -> list[_Letter]:
    """Return letters as they are read, words of other scripts and numbers from left to right.

    This inverts the rules of Unicode's standard annex 9, which order written text for display.
    """
    found: list[_Letter] = []
    waiting: list[_Letter] = []  # letters of a run to the right, in reverse
    for letter, goes_on in zip(from_right, _to_the_right(from_right), strict=True):
        if goes_on:
            waiting.append(letter)
        else:
            _add_run(found, waiting, letter)
            waiting = []
    return _with_brackets(_with_blanks([*found, *reversed(waiting)]))


def _to_the_right(letters: Sequence[_Letter]) -> Iterator[bool]:
    """Yield for each letter, from right to left, whether it is in a run to be read to the right.

    Signs and blanks between two letters of a run belong to it, as do signs in and at numbers.
    """
    kinds = [letter.direction for letter in letters]
    strong = [kind if kind in _LEFTWARDS | _RIGHTWARDS else "" for kind in kinds]
    earlier, later = _before_each(strong), _before_each(strong[::-1])[::-1]
    beside = zip(["", *kinds[:-1]], [*kinds[1:], ""], strict=True)
    for kind, before, after, near in zip(kinds, earlier, later, beside, strict=True):
        numerals = sum(each in _NUMERALS for each in near)
        number = (kind in _IN_NUMBERS and numerals == 2) or (kind in _AT_NUMBERS and numerals > 0)
        between = kind not in _LEFTWARDS and before == after == "L"
        yield kind in _RIGHTWARDS or number or between


def _before_each(strong: Sequence[str]) -> list[str]:
    """Return the last direction before each place, "" for none."""
    found, last = [], ""
    for kind in strong:
        found.append(last)
        last = kind or last
    return found


def _add_run(found: list[_Letter], run: Sequence[_Letter], after: _Letter) -> None:
    """Add a run to the right and the letter that follows it.

    Word puts the blank after such a run to its right, where it appears before the run.
    """
    is_word = any(letter.direction == "L" for letter in run)
    moved = is_word and after.direction in _LEFTWARDS and bool(found) and found[-1].text == " "
    blank = [found.pop()] if moved else []
    found += [*reversed(run), *blank, after]


def _with_blanks(letters: Sequence[_Letter]) -> list[_Letter]:
    """Add blanks at gaps between pieces, or between words of both directions, which MuPDF joins."""
    found = list(letters[:1])
    for before, letter in pairwise(letters):
        kinds = {before.direction, letter.direction}
        changes = before.piece != letter.piece or bool(kinds & _LEFTWARDS and kinds & _RIGHTWARDS)
        left, right = sorted((before, letter), key=lambda one: one.start)
        gap = right.start - left.end
        blank = before.text.isspace() or letter.text.isspace()
        if changes and not blank and gap > _BLANK * float(letter.span["size"]):
            found.append(_blank(left, right))
        found.append(letter)
    return found


def _blank(left: _Letter, right: _Letter) -> _Letter:
    _, top, _, bottom = left.drawn["bbox"]
    box = (left.end, top, right.start, bottom)
    return _Letter({**left.drawn, "c": " ", "bbox": box}, left.span)


def _with_brackets(letters: list[_Letter]) -> list[_Letter]:
    """Turn the brackets of a line round if they are as displayed, not as written."""
    wrong = 0
    for at, letter in enumerate(letters):
        if letter.text in _BRACKETS:
            before = letters[at - 1].text.isalnum() if at else False
            after = letters[at + 1].text.isalnum() if at + 1 < len(letters) else False
            if before != after:
                wrong += 1 if after != (letter.text in _OPENING) else -1
    if wrong <= 0:
        return letters
    return [
        _Letter({**letter.drawn, "c": _BRACKETS.get(letter.text, letter.text)}, letter.span)
        for letter in letters
    ]
