"""Recognises a page of a PDF or image file. Runs in the extraction child only.

PP-OCRv6 reads every page first: of 30 pages, clean and photographed, it found as many words as
Tesseract or more on 29 (docs/benchmarks/recognition.md). Lines it cannot read are in another
script, or of bad quality. Tesseract detects the script, and reads it if it has a language for it.
For bad quality the better of both texts counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
from PIL import Image

from indexer.api.errors import WorldError
from indexer.extract.base import damage_as_unreadable
from indexer.extract.pdf.glyphs import illegible
from indexer.extract.pdf.image import resolution_of
from indexer.extract.pdf.opening import open_checked
from indexer.extract.pdf.reader import text_of
from indexer.ocr import ppocr
from indexer.ocr.layer import RecognisedLine, read_hocr, scaled
from indexer.ocr.page_image import Grey, UprightImage, evenly_lit
from indexer.ocr.tesseract import Tesseract, TesseractPage, languages_of, reason_of_script

if TYPE_CHECKING:
    from indexer.config import Limits

# The dots per inch that Tesseract is made for. Finer images take longer and read no better.
RESOLUTION = 300
POINTS = 72  # per inch
# An A3 page at full resolution. Larger ones are rendered coarser. Tesseract's limit is 32,767.
_MAX_PIXELS = 20_000_000
_MAX_SIDE = 30_000
# A share of the engine's time limit, which includes rendering.
_SHARE_OF_SILENCE = 0.8
# If less than this share is unread, it may be drawings and stamps, and needs no other reader.
_UNREAD = 0.25
# At least this many unread lines, and this share, are a text rather than a photograph's pattern.
_LINES_OF_A_TEXT, _OTHER_SCRIPT = 4, 0.5
# Letters that only Vietnamese has, and their least share. PP-OCRv6 drops its other letters.
_VIETNAMESE, _VIETNAMESE_SHARE = frozenset("ươƯƠđĐ"), 0.015
_OTHER_IS_BETTER = 1.1


def recognise_page(
    path: Path,
    password: str | None,
    limits: Limits,
    number: int,
    program: Tesseract | None,
    languages: Sequence[str] = (),
    beat: Callable[[], None] = lambda: None,
) -> tuple[list[RecognisedLine], bool]:
    """Return the lines on a page (from 1), in points of the page as shown, and whether they last.

    They last if no other language of Tesseract would change them. ``program``, if it is installed,
    reads other scripts. The most likely language comes first. ``beat`` is called at intervals.

    Raises ``WorldError`` if the document cannot be opened, the page cannot be rendered, a program
    fails (``indexer.ocr.tesseract``), or its script needs a language of Tesseract (``unreadable``
    with the reason ``script_…``). Raises ``OSError`` if the file cannot be read.
    """
    grey, scale = _grey(path, password, limits, number)
    page = UprightImage(evenly_lit(grey))
    del grey
    seconds = _SHARE_OF_SILENCE * limits.silence_s
    page, boxes = _upright(page, beat)
    reading = ppocr.read_lines(page.grey, boxes, seconds=seconds * ppocr.PATIENCE, beat=beat)
    tesseract = None
    if program is not None:
        resolution = round(scale * POINTS)
        tesseract = TesseractPage(program, languages, page.grey, resolution, seconds, beat)
    lines, lasting = _better(reading, tesseract)
    return scaled(page.on_page(lines), 1 / scale), lasting


def _upright(
    page: UprightImage, beat: Callable[[], None]
) -> tuple[UprightImage, list[ppocr.LineBox]]:
    """Turn and straighten a page, and return it with the boxes of its lines."""
    for _ in range(3):
        straight = page.straightened()
        beat()
        boxes = ppocr.find_lines(straight.grey)
        beat()
        if not (turns := ppocr.quarter_turns(straight.grey, boxes)):
            return straight, boxes
        page = page.turned(turns)
    return straight, boxes


def _better(
    reading: ppocr.Reading, tesseract: TesseractPage | None
) -> tuple[list[RecognisedLine], bool]:
    """Return the text of a page by the better reader, and whether it lasts."""
    own = reading.lines
    text = text_of(own)
    letters = max(sum(map(str.isalpha, text)), 1)
    vietnamese = sum(map(text.count, _VIETNAMESE)) > _VIETNAMESE_SHARE * letters
    if reading.unread < _UNREAD and not vietnamese:
        return own, True
    script = "Vietnamese" if vietnamese else tesseract.script() if tesseract else ""
    other = _of_script(script, tesseract)
    if other:
        return other, False
    is_text = reading.unread_lines >= _LINES_OF_A_TEXT and reading.unread >= _OTHER_SCRIPT
    if vietnamese or (is_text and (script or tesseract is None)):
        raise WorldError("unreadable", reason=reason_of_script(script))
    if tesseract and tesseract.languages and not script:
        try:
            other = read_hocr(tesseract.hocr(tesseract.languages))
        except WorldError:
            if not own:
                raise
            return own, False
        if _worth(other) > _OTHER_IS_BETTER * _worth(own):
            return other, False
    return own, False


def _of_script(script: str, tesseract: TesseractPage | None) -> list[RecognisedLine]:
    """Return the lines of a page in a script, if Tesseract has a language for it."""
    if not script or tesseract is None:
        return []
    own = languages_of(script, tesseract.program.languages, tesseract.languages)
    return read_hocr(tesseract.hocr(own)) if own else []


def _worth(lines: Sequence[RecognisedLine]) -> int:
    """Return how many letters of a text are in legible words."""
    text = text_of(lines)
    return sum(map(str.isalnum, text)) - sum(map(str.isalnum, illegible(text)))


def _grey(path: Path, password: str | None, limits: Limits, number: int) -> tuple[Grey, float]:
    """Return a page as a grey image, and its scale in pixels per point."""
    document = open_checked(path, password, limits)
    try:
        with damage_as_unreadable("pdf_damaged", path):
            if not 1 <= number <= document.page_count:
                raise WorldError("unreadable", reason="page_missing", page=number)
            page = document.load_page(number - 1)
            width, height = max(page.rect.width, 1.0), max(page.rect.height, 1.0)
            scale = min(
                RESOLUTION / POINTS if document.is_pdf else resolution_of(page),
                math.sqrt(_MAX_PIXELS / (width * height)),
                _MAX_SIDE / max(width, height),
            )
            matrix = pymupdf.Matrix(scale, scale)
            drawn = page.get_pixmap(matrix=matrix, colorspace=pymupdf.csGRAY, alpha=False)
            size = (drawn.width, drawn.height)
            return Image.frombytes("L", size, drawn.samples, "raw", "L", drawn.stride), scale
    finally:
        document.close()
        pymupdf.TOOLS.store_shrink(100)
