"""Text in TeX's bitmap fonts, which have neither a size nor a map of characters.

A glyph of such a font is a picture, and its name a number. A PDF gives only its place in one of
TeX's encodings, and the size of the font may be 1. So MuPDF takes each word for a line, and parts
words where letters are kerned. The size is found from the widths of letters. Pure; imports no PDF
library.
"""

from __future__ import annotations

import re
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING, Any

from indexer.extract.pdf.glyphs import baseline_of, characters_of, lines_of, spans_of, without_lines
from indexer.ocr.layer import union

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Content = dict[str, Any]  # a page dictionary of MuPDF
    Line = dict[str, Any]

# The widths of the most frequent letters of Computer Modern, in type sizes.
_WIDTHS = {
    "a": 0.5, "e": 0.444, "i": 0.278, "n": 0.556, "o": 0.5, "r": 0.392, "s": 0.394, "t": 0.389,
    "1": 0.5, "2": 0.5, "0": 0.5,
}  # fmt: skip
_ASCENT, _DESCENT = 0.75, 0.25
# The least gaps between two words and between two cells, in type sizes.
_BLANK, _CELL = 0.15, 1.5
_LIGATURES = "ﬀﬁﬂﬃﬄ"
# The encodings OT1, of which only ligatures and letters differ from others, and T1 (Cork).
_OT1 = dict(zip((*range(11, 16), *range(25, 32)), _LIGATURES + "ßæœøÆŒØ", strict=True))
_CORK = dict(
    zip(
        (*range(16, 23), 25, *range(27, 32), *range(0x80, 0xC0), 0xD7, 0xDF, 0xF7, 0xFF),
        "“”„«»–—ı" + _LIGATURES
        + "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£Œẞœß",
        strict=True,
    )
)  # fmt: skip
_LETTERS = 3  # at least, for each of these codes
_OF_OT1, _OF_CORK = re.compile("[\x0b-\x0f]"), re.compile("[\x10-\x16\x1b-\x1f]")


def decode(content: Content) -> None:
    """Replace codes of TeX's encodings by their characters, font by font."""
    spans: dict[str, list[dict[str, Any]]] = {}
    for span in spans_of(content):
        spans.setdefault(span["font"], []).append(span)
    for own in spans.values():
        if all(span["text"].isprintable() for span in own):
            continue
        text = "".join([span["text"] for span in own])
        old, later = len(_OF_OT1.findall(text)), len(_OF_CORK.findall(text))
        # Signs of other fonts, such as bullets, have few letters beside them.
        if not old + later or _LETTERS * (old + later) > sum(map(str.isalpha, text)):
            continue
        table = _OT1 if old else _CORK
        for span in own:
            span["text"] = span["text"].translate(table)


def set_sizes(content: Content) -> None:
    """Join the words of a page dictionary with characters into lines, and set their type sizes."""
    level = [
        line for line in lines_of(content) if line["dir"] == (1.0, 0.0) and characters_of(line)
    ]
    places = {id(line): place for place, line in enumerate(level)}
    gone = set[int]()
    by_height = sorted(level, key=lambda line: (_baseline(line), line["bbox"][0]))
    for _, row in groupby(by_height, key=_baseline):
        for size, words in _joined(list(row)):
            first = min(words, key=lambda word: places[id(word)])
            _set_line(first, words, size)
            gone.update(id(word) for word in words if word is not first)
    without_lines(content, gone)


def _baseline(line: Line) -> float:
    return round(baseline_of(line), 1)


def _joined(row: Sequence[Line]) -> Iterator[tuple[float, list[Line]]]:
    """Yield groups of a row's words without wide gaps between them, and their type size."""
    size = _size([each for line in row for each in characters_of(line)])
    words: list[Line] = []
    for line in row:
        if words and line["bbox"][0] - words[-1]["bbox"][2] > _CELL * size:
            yield size, words
            words = []
        words.append(line)
    yield size, words


def _size(characters: Sequence[dict[str, Any]]) -> float:
    """Return the size of a font by the widths of its letters."""
    known = [
        (each["bbox"][2] - each["bbox"][0]) / _WIDTHS[each["c"]]
        for each in characters
        if each["c"] in _WIDTHS
    ]
    widths = [each["bbox"][2] - each["bbox"][0] for each in characters]
    return float(max(median(known) if known else 2 * median(widths), 1.0))


def _set_line(line: Line, words: Sequence[Line], size: float) -> None:
    """Make one line of words, with blanks at gaps that are wide enough."""
    base = _baseline(line)
    top, bottom = base - _ASCENT * size, base + _DESCENT * size
    characters: list[dict[str, Any]] = []
    for word in words:
        own = characters_of(word)
        gap = own[0]["bbox"][0] - characters[-1]["bbox"][2] if characters else 0.0
        if gap > _BLANK * size and not (characters[-1]["c"].isspace() or own[0]["c"].isspace()):
            end = characters[-1]["bbox"][2]
            box = (end, top, end + gap, bottom)
            characters.append({**own[0], "c": " ", "bbox": box, "origin": (end, base)})
        characters += own
    for each in characters:
        each["bbox"] = (each["bbox"][0], top, each["bbox"][2], bottom)
    box = union([each["bbox"] for each in characters])
    span = {**words[0]["spans"][0], "chars": characters, "size": size, "bbox": box}
    line["spans"], line["bbox"] = [span], box
