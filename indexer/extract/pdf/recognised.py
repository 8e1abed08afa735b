"""Pages of a PDF without legible text of their own: what was recognised on them.

Owns whether and how recognised words replace a page's text; who recognised them is
``indexer.ocr``'s. Runs in children only; it imports no PDF library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer.extract.pdf.legible import has_letters, illegible, should_replace, shows
from indexer.ocr.layer import page_dictionary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.ocr.hocr import RecognisedLine

# Operators that draw nothing visible.
_UNSEEN = frozenset({"ignore-text"})


@dataclass(frozen=True, slots=True)
class RecognisedText:
    """Stands in for the text page of a page whose text was recognised."""

    content: dict[str, Any]

    def extractRAWDICT(self) -> dict[str, Any]:  # noqa: N802  # as the library calls it
        return self.content


def shows_something(page: Any) -> bool:
    """Whether a page has content to recognise: an image, a drawing or illegible letters."""
    return any(kind not in _UNSEEN for kind, *_ in page.get_bboxlog())


def replaces_text(own: str, lines: Sequence[RecognisedLine]) -> bool:
    """Whether recognised lines replace a page's own text."""
    return bool(lines) and (not has_letters(own) or should_replace(_words(lines), own))


def confirms_text(own: str, lines: Sequence[RecognisedLine]) -> bool:
    """Whether the page shows the words of its own text that seemed to be none."""
    return shows(_words(lines), illegible(own))


def _words(lines: Sequence[RecognisedLine]) -> str:
    return " ".join(word.text for line in lines for word in line.words)


def recognised_text(page: Any, lines: Sequence[RecognisedLine]) -> RecognisedText:
    """Return what was recognised on an open page in place of its text page."""
    width, height = page.rect.width, page.rect.height
    if page.rotation in {90, 270}:
        width, height = height, width
    return RecognisedText(page_dictionary(lines, tuple(page.derotation_matrix), width, height))
