"""Hand-made pages for the detectors that work on whole documents."""

from __future__ import annotations

from indexer.api.types import BlockKind
from indexer.extract.base import BlockStyle, RawBlock, RawPage


def row(text: str, *, size: float = 10.0, bold: bool = False, kind: str = "paragraph") -> RawBlock:
    """A block without position; ``page_of`` sets it."""
    return RawBlock(0, len(text), BlockKind(kind), style=BlockStyle(size, bold, 0.0, 0.0))


def page_of(number: int, *rows: str | tuple[str, RawBlock]) -> RawPage:
    """A page of rows, spread evenly from top to bottom."""
    text, blocks = "", []
    for i, item in enumerate(rows):
        content, block = item if isinstance(item, tuple) else (item, row(item))
        if text:
            text += "\n"
        style = block.style or BlockStyle(10.0, bold=False, top=0.0, bottom=0.0)
        top = i / len(rows)
        placed = BlockStyle(style.size, style.bold, top, top + 0.5 / len(rows))
        start = len(text)
        blocks.append(RawBlock(start, start + len(content), block.kind, 0, placed, block.split_off))
        text += content
    return RawPage(number, text, tuple(blocks))


def styled(
    text: str, *, size: float = 10.0, bold: bool = False, kind: str = "paragraph"
) -> tuple[str, RawBlock]:
    return text, row(text, size=size, bold=bold, kind=kind)
