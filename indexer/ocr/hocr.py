"""Parses Tesseract's output (hOCR) to lines of words with their boxes.

Owns parsing, and which words are noise. Pure; it must not know how the program is run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

# Words of lower confidence are usually specks and strokes of pictures.
MIN_CONFIDENCE = 30
_BOX = re.compile(r"\bbbox (-?\d+) (-?\d+) (-?\d+) (-?\d+)")
_SIZE = re.compile(r"\bx_size ([\d.]+)")
_ANGLE = re.compile(r"\btextangle (-?[\d.]+)")
_SURE = re.compile(r"\bx_wconf (\d+)")
_LETTER = re.compile(r"[^\W_]")

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class RecognisedWord:
    """A word and its box: left, top, right, bottom."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class RecognisedLine:
    """Words on one baseline, in the order in which they are read.

    ``size`` is the height of its type; ``turn`` is how many quarter turns clockwise the text is
    turned.
    """

    words: tuple[RecognisedWord, ...]
    size: float
    turn: int = 0


def read_hocr(text: str) -> list[RecognisedLine]:
    """Return the lines of an image in reading order, in its pixels; none if it holds no text."""
    parser = _Parser()
    parser.feed(text)
    parser.close()
    lines = [
        RecognisedLine(tuple(line.words), line.size, line.turn)
        for line in parser.lines
        if line.words
    ]
    read = any(_LETTER.search(word.text) for line in lines for word in line.words)
    return lines if read else []


@dataclass(slots=True)
class _Open:
    """A line that is being parsed."""

    size: float
    turn: int
    words: list[RecognisedWord] = field(default_factory=list)


class _Parser(HTMLParser):
    """Collects lines; other elements are ignored."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[_Open] = []
        self._box: Box | None = None
        self._text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "span":
            return
        values = dict(attrs)
        title = values.get("title") or ""
        if values.get("class") == "ocrx_word":
            sure = _SURE.search(title)
            box = _BOX.search(title)
            certain = box is not None and (sure is None or int(sure[1]) >= MIN_CONFIDENCE)
            self._text = []
            self._box = _numbers(box) if certain else None
        elif size := _SIZE.search(title):
            angle = _ANGLE.search(title)
            # hOCR's angles are anticlockwise.
            turn = round(-float(angle[1]) / 90) % 4 if angle else 0
            self.lines.append(_Open(float(size[1]), turn))

    def handle_data(self, data: str) -> None:
        if self._box is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag != "span" or self._box is None:
            return
        word = "".join("".join(self._text).split())
        if word and self.lines:
            self.lines[-1].words.append(RecognisedWord(word, self._box))
        self._box = None


def _numbers(found: re.Match[str] | None) -> Box | None:
    if found is None:
        return None
    left, top, right, bottom = (float(each) for each in found.groups())
    return (left, top, right, bottom) if left < right and top < bottom else None
