"""Hits of real documents for tests of the preview: read and cut as the engine does."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from indexer.api.types import Hit, Why
from indexer.extract.process.sandbox import ExtractionChild
from tests.unit.extract.pdfs import PROSE, box, save, text_at, together

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.types import Passage


@cache
def passages_of(path: Path) -> tuple[Passage, ...]:
    """The passages of a document, by the real extractor; once for each path."""
    with ExtractionChild() as child:
        groups = list(child.extract(path, "", None, lambda _info: True))
    return tuple(passage for group in groups for passage in group)


def hit_of(path: Path, passage: Passage, sentences: tuple[int, ...] = (0,), **more: Any) -> Hit:
    """A hit on a passage; ``sentences`` are its best, best first."""
    spans = tuple(span for number in sentences if (span := span_of(passage, number)))
    values: dict[str, Any] = {
        "path": str(path),
        "root": str(path.parent),
        "file": path.name,
        "title": path.stem,
        "page": passage.page_first,
        "page_last": passage.page_last,
        "start": passage.char_start,
        "end": passage.char_end,
        "score": 1.0,
        "text": passage.text,
        "heading_path": passage.heading_path,
        "why": Why.BOTH,
        "best": spans[0] if spans else (0, 0),
        "marks": spans,
    }
    return Hit(**(values | more))


def span_of(passage: Passage, number: int) -> tuple[int, int] | None:
    starts = [*passage.text_starts, len(passage.text)]
    if number >= len(starts) - 1:
        return None
    text = passage.text[starts[number] : starts[number + 1]]
    first = starts[number] + len(text) - len(text.lstrip())
    return first, first + len(text.strip())


def tale(path: Path, pages: int = 8) -> Path:
    """Save a document of some pages, each with prose of its own."""

    def draw(number: int) -> Any:
        furniture = text_at((72, 40, "A Keeper's Tale"), (300, 800, str(number)))
        return together(
            furniture, box(72, 90, 540, 700, f"Night {number * number}. " + 3 * f"{PROSE} ")
        )

    return save(path, *(draw(number) for number in range(1, pages + 1)))
