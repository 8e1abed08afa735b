"""PDFs whose every sentence has a colour of its own, so that pixels tell where it stands.

Independent of our geometry: where a colour is on the rendered page, that sentence is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pymupdf

if TYPE_CHECKING:
    from pathlib import Path

FONT = pymupdf.Font("helv")
SIZE, LEADING = 10.0, 14.5
# Far apart from each other, from black and from white.
RED, GREEN, BLUE, BLACK = (1, 0, 0), (0, 0.7, 0), (0, 0, 1), (0, 0, 0)

Colour = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Shape:
    """How a page is made and shown."""

    columns: int = 1
    rotation: int = 0
    upright: bool = False  # shown upright although it is rotated, as scanners and typesetters do
    crop: tuple[float, float, float, float] | None = None
    media: tuple[float, float] = (0.0, 0.0)  # where the page's own coordinates begin
    heads: bool = False
    size: tuple[float, float] = (595.0, 842.0)


@dataclass(slots=True)
class Setter:
    """Sets words into columns, line by line, hyphens where they help."""

    page: Any
    shape: Shape
    margin: float = 80.0
    gap: float = 24.0
    _column: int = 0
    _line: list[tuple[str, Colour]] = field(default_factory=list)
    _y: float = 0.0

    def __post_init__(self) -> None:
        self._y = self.margin + 30

    @property
    def width(self) -> float:
        columns = self.shape.columns
        return (self.shape.size[0] - 2 * self.margin - (columns - 1) * self.gap) / columns

    def sentence(self, text: str, colour: Colour) -> None:
        for word in text.split():
            self._word(word, colour)

    def finish(self) -> None:
        x = self.margin + self._column * (self.width + self.gap)
        for piece, colour in self._merged():
            writer = pymupdf.TextWriter(self.page.rect)
            writer.append((x, self._y), piece, font=FONT, fontsize=SIZE)
            writer.write_text(self.page, color=colour)
            x += self._long(piece)
        self._line.clear()
        self._y += LEADING
        if self._y > self.shape.size[1] - self.margin - 30:
            self._column += 1
            self._y = self.margin + 30

    def _word(self, word: str, colour: Colour) -> None:
        line = "".join(piece for piece, _ in self._line)
        if self._long(line + word) <= self.width:
            self._line.append((word + " ", colour))
            return
        for end in range(len(word) - 3, 2, -1):
            if word[:end].isalpha() and self._long(line + word[:end] + "-") <= self.width:
                self._line.append((word[:end] + "-", colour))
                word = word[end:]
                break
        self.finish()
        self._word(word, colour)

    def _merged(self) -> list[tuple[str, Colour]]:
        merged: list[tuple[str, Colour]] = []
        for piece, colour in self._line:
            if merged and merged[-1][1] == colour:
                merged[-1] = (merged[-1][0] + piece, colour)
            else:
                merged.append((piece, colour))
        return merged

    def _long(self, text: str) -> float:
        return float(FONT.text_length(text, fontsize=SIZE))


def make(path: Path, shape: Shape, sentences: list[tuple[str, Colour]], pages: int = 3) -> Path:
    """Save a document; every page holds the sentences, the number of the page in front."""
    document = pymupdf.open()
    for number in range(1, pages + 1):
        page = document.new_page(width=shape.size[0], height=shape.size[1])
        if shape.heads:
            page.insert_text((80, 90), "The Almanac of Lights", fontsize=8)
            page.insert_text((290, 760), str(number), fontsize=8)
        setter = Setter(page, shape)
        setter.sentence(f"Sheet {number * number} of the log begins here.", BLACK)
        for text, colour in sentences:
            setter.sentence(text, colour)
        setter.finish()
    shown = _shown(document, shape)
    shown.save(path)
    return path


def _shown(document: Any, shape: Shape) -> Any:
    """Apply rotation, cropping and the page's own origin."""
    if shape.upright and shape.rotation:
        turned = pymupdf.open()
        for page in document:
            across = shape.rotation % 180 != 0
            width, height = shape.size[::-1] if across else shape.size
            sheet = turned.new_page(width=width, height=height)
            sheet.show_pdf_page(sheet.rect, document, page.number, rotate=shape.rotation)
        document = turned
    for page in document:
        if any(shape.media):
            left, low = shape.media
            box = page.mediabox
            page.set_mediabox(pymupdf.Rect(box.x0 - left, box.y0 - low, box.x1, box.y1))
        if shape.crop is not None:
            page.set_cropbox(pymupdf.Rect(*shape.crop))
        page.set_rotation(shape.rotation)
    return document
