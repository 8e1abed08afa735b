"""Recognises a page of a PDF or image file by Tesseract. Runs in the extraction child only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pymupdf

from indexer.api.errors import WorldError
from indexer.extract.pdf.image import resolution_of
from indexer.extract.pdf.opening import failures_of, open_checked
from indexer.ocr.layer import read_hocr, scaled
from indexer.ocr.tesseract import Tesseract, recognise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from indexer.config import Limits
    from indexer.ocr.layer import RecognisedLine

# Dots per inch that Tesseract is made for; finer images take longer and are recognised no better.
RESOLUTION = 300
POINTS = 72  # per inch
# An A2 page at full resolution; larger ones are rendered coarser. Tesseract's limit is 32,767.
_MAX_PIXELS = 35_000_000
_MAX_SIDE = 30_000
# Of the engine's time limit, which includes rendering.
_SHARE_OF_SILENCE = 0.8


def recognise_page(
    path: Path,
    password: str | None,
    limits: Limits,
    number: int,
    program: Tesseract,
    languages: Sequence[str],
    beat: Callable[[], None] = lambda: None,
) -> list[RecognisedLine]:
    """Return the lines recognised on a page (from 1), in points of the displayed page.

    The most likely language comes first; ``beat`` is called at intervals while the program runs.

    Raises:
        WorldError: If the document cannot be opened, the page cannot be rendered, or the program
            fails (``indexer.ocr.tesseract.recognise``).
        OSError: If the file cannot be read.
    """
    document = open_checked(path, password, limits)
    try:
        with failures_of(path):
            if not 1 <= number <= document.page_count:
                raise WorldError("unreadable", reason="page_missing", page=number)
            image, scale = _drawn(document.load_page(number - 1))
    finally:
        document.close()
        pymupdf.TOOLS.store_shrink(100)
    seconds = _SHARE_OF_SILENCE * limits.silence_s
    resolution = round(scale * POINTS)
    read = recognise(program, languages, image, resolution=resolution, seconds=seconds, beat=beat)
    return scaled(read_hocr(read), 1 / scale)


def _drawn(page: Any) -> tuple[bytes, float]:
    """Return a page as a grey image (PGM), and its scale in pixels per point."""
    width, height = max(page.rect.width, 1.0), max(page.rect.height, 1.0)
    scale = min(
        RESOLUTION / POINTS if page.parent.is_pdf else resolution_of(page),
        math.sqrt(_MAX_PIXELS / (width * height)),
        _MAX_SIDE / max(width, height),
    )
    drawn = page.get_pixmap(
        matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csGRAY, alpha=False
    )
    return bytes(drawn.tobytes("pgm")), scale
