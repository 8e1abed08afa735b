"""The text of documents that are not rendered as pages, in windows around a passage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.pages import TextBlock, TextPart
from indexer.extract.document import PAGE_JOINT, pages_of
from indexer.extract.registry import opener

if TYPE_CHECKING:
    from indexer.api.formats import Format
    from indexer.config import Limits
    from indexer.extract.base import RawPage

# Texts up to this length are cached; longer ones are read again for each window.
MAX_KEPT_CHARS = 8_000_000
MAX_ROOM_CHARS = 1_000_000
# A window begins at the start of a line, unless that is farther away than this.
_LINE_CHARS = 4_000


class TextDocument:
    """The text of one file, which is opened for reading only."""

    def __init__(self, path: Path, known: Format, password: str | None, limits: Limits) -> None:
        self.form = known.name
        self._path = path
        self._open = opener(known)
        self._password = password
        self._limits = limits
        self._whole: list[RawPage] | None = None

    def close(self) -> None:
        self._whole = None

    def window(self, start: int, end: int, room: int) -> tuple[TextPart, str]:
        """Return the text around a range and ``room`` on both sides, from the start of a line.

        The range is in code points; beyond the text it stands for its end.
        """
        room = min(room, MAX_ROOM_CHARS)
        low, high = max(0, start - room), max(start, end) + room
        high = min(high, low + 3 * MAX_ROOM_CHARS)
        parts: list[str] = []
        blocks: list[TextBlock] = []
        pages: list[int] = []
        offset = first = number = 0
        more = False
        for page in self._pages():
            text = page.text
            if offset > high:
                more = True
                break
            if offset + len(text) >= low:
                if not parts:
                    first = offset + _line_start(text, max(low - offset, 0))
                parts.append(text[max(first - offset, 0) : high - offset])
                more = offset + len(text) > high
                blocks += [
                    TextBlock(offset + each.start, offset + each.end, each.kind, each.level)
                    for each in page.blocks
                    if offset + each.end > first and offset + each.start < high
                ]
                pages += [offset] if page.number != number else []
            number = page.number
            offset += len(text) + len(PAGE_JOINT)
        part = TextPart(first, more, tuple(blocks), tuple(pages))
        return part, PAGE_JOINT.join(parts)

    def _pages(self) -> Iterator[RawPage]:
        """Yield the pages of the canonical text; cache them when they were read to the end."""
        if self._whole is not None:
            yield from self._whole
            return
        source = self._open(self._path, self._password, self._limits)
        kept: list[RawPage] | None = []
        size = 0
        try:
            for page in pages_of(source):
                size += len(page.text)
                if kept is not None and size <= MAX_KEPT_CHARS:
                    kept.append(page)
                else:
                    kept = None
                yield page
            self._whole = kept
        finally:
            source.close()


def _line_start(text: str, at: int) -> int:
    """Return the start of the line of an offset, or the offset if that is too far."""
    start = text.rfind("\n", max(0, at - _LINE_CHARS), at) + 1
    return start if start or at <= _LINE_CHARS else at
