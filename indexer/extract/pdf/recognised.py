"""Decides whether recognised text replaces the text of a PDF page, and converts it to a text page.

``indexer.ocr`` recognises it. Runs in child processes only; it imports no PDF library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.extract.pdf.legible import has_letters, illegible, should_replace, shows
from indexer.ocr.layer import page_dictionary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.ocr.hocr import RecognisedLine

# Kinds of MuPDF's bounding box log that are invisible.
_UNSEEN = frozenset({"ignore-text"})


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """A replacement of PyMuPDF's text page, with recognised text."""

    content: dict[str, Any]

    def extractRAWDICT(self) -> dict[str, Any]:  # noqa: N802  # PyMuPDF's name
        return self.content


def shows_something(page: Any) -> bool:
    """Whether a page has visible content: an image, a drawing or text."""
    return any(kind not in _UNSEEN for kind, *_ in page.get_bboxlog())


def replaces_text(own: str, lines: Sequence[RecognisedLine]) -> bool:
    """Whether recognised lines replace a page's own text."""
    return bool(lines) and (not has_letters(own) or should_replace(_words(lines), own))


def confirms_text(own: str, lines: Sequence[RecognisedLine]) -> bool:
    """Whether the recognised lines have the doubtful words of the page's text."""
    return shows(_words(lines), illegible(own))


def _words(lines: Sequence[RecognisedLine]) -> str:
    return " ".join(word.text for line in lines for word in line.words)


def recognised_text(page: Any, lines: Sequence[RecognisedLine]) -> RecognisedText:
    """Return recognised lines as the text page of an open page."""
    width, height = page.rect.width, page.rect.height
    if page.rotation in {90, 270}:
        width, height = height, width
    return RecognisedText(page_dictionary(lines, tuple(page.derotation_matrix), width, height))
