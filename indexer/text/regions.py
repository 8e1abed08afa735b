"""Complete blocks: every visible character of a text in one block, in order.

Owns two rules that view and passages share: the roles of text between the extractor's blocks, and
whether a paragraph continues across a column or page border.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from indexer.api.types import Block, BlockKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Characters without a glyph: controls and white space, soft hyphens, zero-width characters,
# direction marks, variation selectors.
_INVISIBLE_RANGES = (
    (0x00, 0x1F), (0x7F, 0xA0), (0xAD, 0xAD), (0x034F, 0x034F), (0x061C, 0x061C),
    (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200B), (0x200E, 0x200F), (0x2028, 0x202F),
    (0x205F, 0x206F), (0x3000, 0x3000), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),
    (0xE0000, 0xE01EF),
)  # fmt: skip
INVISIBLE = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in _INVISIBLE_RANGES)
_EDGES = " \u200c\u200d" + "".join(
    map(chr, chain.from_iterable(range(low, high + 1) for low, high in _INVISIBLE_RANGES))
)
_LINE_END = r"(?:\r\n|\r(?!\n)|\n)"
_BLANK_LINE = re.compile(rf"{_LINE_END}[^\S\r\n]*{_LINE_END}\s*")
_CONTINUED = frozenset({BlockKind.PARAGRAPH, BlockKind.LIST_ITEM})
_HYPHENS = "-\u2010\u2011"
_LONG_ENOUGH = 30  # characters; a shorter line without a full stop is a label, not half a paragraph


def regions(text: str, blocks: Sequence[Block], offset: int = 0) -> list[Block]:
    """Cover every visible character of ``text`` with blocks, in order and without overlap.

    Args:
        text: The canonical text from ``offset`` on.
        blocks: Blocks with absolute offsets. They are clipped to the text and to each other,
            and stripped of invisible characters at their ends.
        offset: Canonical offset of ``text[0]``.

    Returns:
        The blocks, and paragraphs for uncovered text, split at blank lines, with page 0 (unknown).
    """
    covered: list[Block] = []
    at, size = 0, len(text)
    for block in sorted(blocks, key=lambda block: block.start):
        start, end = max(block.start - offset, at), min(block.end - offset, size)
        if end <= start:
            continue
        if start > at:
            covered.extend(_paragraphs(text, at, start, offset))
        trimmed = _trimmed(text, start, end, offset, block)
        if trimmed is not None:
            covered.append(trimmed)
        at = end
    covered.extend(_paragraphs(text, at, size, offset))
    return covered


def continues(before: Block, after: Block, last: str, first: str) -> bool:
    """Whether a paragraph that a column or page border splits continues in the next block.

    Args:
        before: The block above, furniture left out.
        after: The block that follows it.
        last: The last character of the first.
        first: The first character of the second.
    """
    if before.kind not in _CONTINUED or after.kind is not BlockKind.PARAGRAPH:
        return False
    if last in _HYPHENS:
        return first.islower()
    if before.end - before.start < _LONG_ENOUGH or not (last.isalnum() or last == ","):
        return False
    if first.islower():
        return True
    return before.page != after.page and _caseless(last) and _caseless(first)


def _caseless(char: str) -> bool:
    return char.isalpha() and char.lower() == char.upper()


def _trimmed(text: str, start: int, end: int, offset: int, block: Block) -> Block | None:
    left = text[start:end].lstrip(_EDGES)
    if not left:
        return None
    start = end - len(left)
    end = start + len(left.rstrip(_EDGES))
    if block.start == start + offset and block.end == end + offset:
        return block
    return Block(start + offset, end + offset, block.kind, block.page, block.level)


def _paragraphs(text: str, start: int, end: int, offset: int) -> Iterator[Block]:
    if end - start <= 1 and not text[start:end].strip():
        return
    whole = Block(start + offset, end + offset, BlockKind.PARAGRAPH, 0)
    for match in _BLANK_LINE.finditer(text, start, end):
        if (block := _trimmed(text, start, match.start(), offset, whole)) is not None:
            yield block
        start = match.end()
    if (block := _trimmed(text, start, end, offset, whole)) is not None:
        yield block
