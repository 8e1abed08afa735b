"""The recognised words of a page: parses Tesseract's output, packs it, makes a page dictionary.

Packed words are in points of the page as shown. The page dictionary has the form of
``indexer.extract.pdf.lines``, so that a scanned page is laid out, split, outlined and shown like
any other. All functions are pure; no PDF library is imported.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

# Words of lower confidence are usually specks and strokes of pictures.
MIN_CONFIDENCE = 30
_BOX = re.compile(r"\bbbox (-?\d+) (-?\d+) (-?\d+) (-?\d+)")
_SIZE = re.compile(r"\bx_size ([\d.]+)")
_ANGLE = re.compile(r"\btextangle (-?[\d.]+)")
_SURE = re.compile(r"\bx_wconf (\d+)")
_LETTER = re.compile(r"[^\W_]")

Box = tuple[float, float, float, float]  # left, top, right, bottom
# A transformation with PDF's order of numbers: x' = a x + c y + e, y' = b x + d y + f.
Matrix = tuple[float, ...]


class RecognisedWord(Struct, frozen=True):
    """A word and its box: left, top, right, bottom."""

    text: str
    box: Box


class RecognisedLine(Struct, frozen=True):
    """Words on one baseline, in reading order.

    ``size`` is the height of its type, ``turn`` the rotation of the text in quarters clockwise.
    """

    words: tuple[RecognisedWord, ...]
    size: float
    turn: int = 0

    def moved(self, place: Callable[[Box], Box], size: float, turn: int) -> RecognisedLine:
        """Return the line with the boxes of its words moved by ``place``."""
        words = tuple(RecognisedWord(word.text, place(word.box)) for word in self.words)
        return RecognisedLine(words, size, turn)


def read_hocr(text: str) -> list[RecognisedLine]:
    """Return the lines of an image in reading order, in pixels; none if it has no text."""
    from selectolax.lexbor import LexborHTMLParser

    lines: list[tuple[float, int, list[RecognisedWord]]] = []
    for span in LexborHTMLParser(text).css("span"):
        title = span.attributes.get("title") or ""
        if span.attributes.get("class") == "ocrx_word":
            sure, box = _SURE.search(title), _box(title)
            certain = sure is None or int(sure[1]) >= MIN_CONFIDENCE
            word = "".join(span.text().split())
            if word and box is not None and certain and lines:
                lines[-1][2].append(RecognisedWord(word, box))
        elif size := _SIZE.search(title):
            angle = _ANGLE.search(title)
            # hOCR's angles are anticlockwise.
            lines.append((float(size[1]), round(-float(angle[1]) / 90) % 4 if angle else 0, []))
    found = [RecognisedLine(tuple(words), size, turn) for size, turn, words in lines if words]
    read = any(_LETTER.search(word.text) for line in found for word in line.words)
    return found if read else []


def _box(title: str) -> Box | None:
    found = _BOX.search(title)
    if found is None:
        return None
    left, top, right, bottom = (float(each) for each in found.groups())
    return (left, top, right, bottom) if left < right and top < bottom else None


# A wider gap, in type sizes, splits a line, as Tesseract joins columns and cells of tables.
_GAP = 1.6
# Measured type sizes in this range around the page's median are replaced by the median.
_USUAL = (0.78, 1.28)
_SAME = 1.15
DIRECTIONS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))


def scaled(lines: Iterable[RecognisedLine], scale: float) -> list[RecognisedLine]:
    """Convert lines from pixels of an image to points of its page."""

    def box(of: Box) -> Box:
        left, top, right, bottom = (round(side * scale, 1) for side in of)
        return left, top, right, bottom

    return [line.moved(box, round(line.size * scale, 1), line.turn) for line in lines]


def pack(lines: Iterable[RecognisedLine]) -> bytes:
    """Encode lines as compressed bytes."""
    rows = [
        [line.size, line.turn, [[word.text, *word.box] for word in line.words]] for line in lines
    ]
    return zlib.compress(json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode())


def unpack(data: bytes) -> list[RecognisedLine]:
    """Decode the result of ``pack``."""
    return [
        RecognisedLine(
            tuple(RecognisedWord(word[0], tuple(word[1:5])) for word in words), size, turn
        )
        for size, turn, words in json.loads(zlib.decompress(data))
    ]


def page_dictionary(
    lines: Sequence[RecognisedLine], matrix: Matrix, width: float, height: float
) -> dict[str, Any]:
    """Make a page dictionary with characters from lines in points of the page as shown.

    ``matrix`` transforms points of the page as shown to points of the unrotated page, which has
    this width and height.
    """
    sizes = _normalised_sizes(lines)
    rows = [
        _row(RecognisedLine(words, size, line.turn), matrix)
        for line, size in zip(lines, sizes, strict=True)
        for words in _split_at_gaps(line, size)
    ]
    return {"width": width, "height": height, "blocks": [{"lines": rows}] if rows else []}


def _normalised_sizes(lines: Sequence[RecognisedLine]) -> list[float]:
    """Return the type size of each line, without measuring noise."""
    counts = sorted((line.size, sum(len(word.text) for word in line.words)) for line in lines)
    half = sum(count for _, count in counts) / 2
    usual, before = 0.0, 0
    for size, count in counts:
        usual, before = size, before + count
        if before >= half:
            break
    low, high = usual * _USUAL[0], usual * _USUAL[1]
    steps: dict[float, float] = {}
    first = 0.0
    for size, _ in counts:
        if low <= size <= high:
            steps[size] = usual
            continue
        if not first or size > first * _SAME:
            first = size
        steps[size] = first
    return [round(steps[line.size] * 2) / 2 for line in lines]


def _split_at_gaps(line: RecognisedLine, size: float) -> Iterator[tuple[RecognisedWord, ...]]:
    """Yield the words of a line, split at gaps that are wider than those between words."""
    start = 0
    for place, (word, after) in enumerate(pairwise(line.words), 1):
        gap = along(after.box, line.turn)[0] - along(word.box, line.turn)[1]
        if gap > _GAP * max(size, 1.0):
            yield line.words[start:place]
            start = place
    yield line.words[start:]


def along(box: Box, turn: int) -> tuple[float, float]:
    """Return the start and end of a box in the direction of its text."""
    return (box[0], box[2]) if turn == 0 else along((box[1], -box[2], box[3], -box[0]), turn - 1)


def _row(line: RecognisedLine, matrix: Matrix) -> dict[str, Any]:
    """Return a line in the form of PyMuPDF's page dictionary, with a blank between words."""
    characters: list[dict[str, Any]] = []
    for place, word in enumerate(line.words):
        if place:
            between = _between(line.words[place - 1].box, word.box, line.turn)
            characters.append({"c": " ", "bbox": transformed(between, matrix)})
        characters += [
            {"c": character, "bbox": transformed(box, matrix)}
            for character, box in zip(word.text, _letter_boxes(word, line.turn), strict=True)
        ]
    x, y = DIRECTIONS[line.turn]
    a, b, c, d, _, _ = matrix
    return {
        "bbox": union([character["bbox"] for character in characters]),
        "dir": (a * x + c * y, b * x + d * y),
        "spans": [
            {
                "text": "".join([character["c"] for character in characters]),
                "size": line.size,
                "flags": 0,
                "font": "",
                "chars": characters,
            }
        ],
    }


def _letter_boxes(word: RecognisedWord, turn: int) -> Iterator[Box]:
    """Yield equal parts of a word's box, one per character, in reading order."""
    left, top, right, bottom = word.box
    number = len(word.text)
    for place in range(number):
        first, last = place / number, (place + 1) / number
        if turn in {2, 3}:
            first, last = 1 - last, 1 - first
        if turn in {0, 2}:
            width = right - left
            yield left + first * width, top, left + last * width, bottom
        else:
            height = bottom - top
            yield left, top + first * height, right, top + last * height


def _between(box: Box, after: Box, turn: int) -> Box:
    """Return the box of the blank between two words."""
    if turn in {0, 2}:
        edges = sorted((box[2], after[0]) if turn == 0 else (after[2], box[0]))
        return edges[0], min(box[1], after[1]), edges[1], max(box[3], after[3])
    edges = sorted((box[3], after[1]) if turn == 1 else (after[3], box[1]))
    return min(box[0], after[0]), edges[0], max(box[2], after[2]), edges[1]


def union(boxes: Sequence[Box]) -> Box:
    """Return the box around some boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def transformed(box: Box, matrix: Matrix) -> Box:
    """Apply a matrix of quarter turns to a box."""
    a, b, c, d, e, f = matrix
    xs = sorted((a * box[0] + c * box[1] + e, a * box[2] + c * box[3] + e))
    ys = sorted((b * box[0] + d * box[1] + f, b * box[2] + d * box[3] + f))
    return xs[0], ys[0], xs[1], ys[1]
