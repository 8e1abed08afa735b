"""The heading paths of passages.

Owns reconciling the two sources of structure: the headings that the extractor detected and the
document's own bookmarks. Pure; it must not know how text is cut.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.api.types import Block, BlockKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.types import OutlineEntry

_MAX_TITLE = 120  # characters of a heading that are kept in a path
_MAX_DEPTH = 6
# Characters from a heading, or from the last one below it, to where its section counts as ended:
# the heading of the next section was not recognised.
_END_OF_SECTION = 100_000
_DEEPEST = 9  # level of a heading whose level is unknown
_BELOW_OUTLINE = 10  # added to levels of detected headings, if bookmarks give the real ones
_REACH = 400  # characters of a block that are compared with a bookmark's title
_LONGER = 1.5  # times the title that a paragraph may be to count as a heading
# "1 Definitions", and "2.1 Term" or "2.1 The seller shall …", which is not below it.
_CHAPTER = re.compile(r"(\d{1,2})[.)]?\s+[^\W\d_]")
_CLAUSE = re.compile(r"(\d{1,2})(?:\.\d{1,2})+[.)]?\s+(?=[^\W\d_])")
_NOT_A_TITLE = re.compile(r"(?:page|seite|slide|folie|p\.?)?\s*\d*$", re.IGNORECASE)


class Headings:
    """The current path of headings while a document is read from front to back.

    Args:
        outline: The bookmarks. A section begins at the block of its page that begins with the
            bookmark's title, else at the top of the page.
    """

    def __init__(self, outline: Sequence[OutlineEntry] = ()) -> None:
        self._by_page: dict[int, list[OutlineEntry]] = {}
        for entry in outline:
            if not _NOT_A_TITLE.match(entry.title.strip()):
                self._by_page.setdefault(entry.page, []).append(entry)
        self._guess = _BELOW_OUTLINE if self._by_page else 0
        self._entries: dict[int, list[OutlineEntry]] = {}
        self._stack: list[tuple[int, str]] = []
        self._last = 0  # where the last heading stands

    @property
    def path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._stack[-_MAX_DEPTH:])

    @property
    def level(self) -> int:
        """Level of the current section, 0 before the first."""
        return self._stack[-1][0] if self._stack else 0

    def turn_page(self, number: int, text: str, offset: int, blocks: Sequence[Block]) -> None:
        """Find the blocks at which the bookmarks of a page begin.

        Args:
            number: The page.
            text: Its canonical text.
            offset: Canonical offset of ``text[0]``.
            blocks: Its blocks, furniture too.
        """
        entries = self._by_page.pop(number, [])
        around = (BlockKind.FURNITURE, BlockKind.BOILERPLATE)
        visible = [block for block in blocks if block.kind not in around]
        if not entries or not visible:
            return
        starts = [block.start - offset for block in visible]
        ends = [min(block.end - offset, block.start - offset + _REACH) for block in visible]
        labels = [_key(text[start:end]) for start, end in zip(starts, ends, strict=True)]
        at = 0
        for entry in entries:
            title = _key(entry.title)
            found = next((i for i in range(at, len(visible)) if labels[i].startswith(title)), at)
            self._entries.setdefault(visible[found].start, []).append(entry)
            at = min(found + 1, len(visible) - 1)

    def enter(self, block: Block, title: str) -> int:
        """Enter the section that begins with a block, if one does; leave those that ended unseen.

        Args:
            block: The next block.
            title: Its view.

        Returns:
            Its level if the block is a heading, else 0.
        """
        level = 0
        self._leave(block, title)
        for entry in self._entries.pop(block.start, ()):
            depth = max(entry.level, 1)
            self._push(depth, entry.title)
            key, wanted = _key(title[:_REACH]), _key(entry.title)
            short = block.kind is BlockKind.HEADING or len(key) <= len(wanted) * _LONGER
            if key.startswith(wanted) and short:
                level = depth
        if level == 0 and block.kind is BlockKind.HEADING:
            level = self._guess + (block.level or _DEEPEST)
            self._push(level, title)
        if level:
            self._last = block.start
        return level

    def _leave(self, block: Block, title: str) -> None:
        """Leave the sections whose next heading was missed; bookmarks are complete."""
        first = sum(level < self._guess for level, _ in self._stack)
        clause = _CLAUSE.match(title)
        if clause is not None and title[clause.end()].isupper():
            for at, (_, heading) in enumerate(self._stack[first:], first):
                chapter = _CHAPTER.match(heading)
                if chapter is not None and int(chapter[1]) == int(clause[1]):
                    self._last = block.start
                elif chapter is not None:
                    del self._stack[at:]
                    return
        if block.start - self._last > _END_OF_SECTION:
            del self._stack[first:]

    def _push(self, level: int, title: str) -> None:
        while self._stack and self._stack[-1][0] >= level:
            self._stack.pop()
        self._stack.append((level, " ".join(title.split())[:_MAX_TITLE]))


def _key(text: str) -> str:
    """Letters and digits only, for comparing a bookmark with the text."""
    return "".join(c for c in text.casefold() if c.isalnum())
