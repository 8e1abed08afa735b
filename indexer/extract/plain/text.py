"""Plain text: paragraphs, lists, tables and headings without markup. The text stays as decoded."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.types import BlockKind
from indexer.extract.base import MAX_ITEM_CHARS, PageSource, RawBlock, RawPage
from indexer.extract.plain.decode import MARK, TextFile, open_text
from indexer.extract.structure.headings import Turns

if TYPE_CHECKING:
    from indexer.config import Limits

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_LIST_ITEM = re.compile(r"\s*(?:[-*+•◦▪‣·]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)])\s+\S")
_UNDERLINE = re.compile(r"\s*(=|-|~|\^|\*|#)\1{2,}\s*$")
# As in "= = Gameplay = =" and "== Gameplay ==". The number of signs is the level.
_WIKI_HEADING = re.compile(r"\s*((?:=\s?){1,6})\s*([^=\s].*?)\s*((?:=\s?){0,6})\s*$")
# AsciiDoc's "== Gameplay", and its title "= Games". One sign may also begin a line of a sum.
_UNCLOSED_HEADING = re.compile(r"(?:={2,6}|=(?= [^\W\d_][^=]*$)) [^\W_]")
_NUMBERED = re.compile(
    r"\s*(?:chapter|part|book|section|article|appendix|act|scene|letter|canto)\s+"
    r"(?:\d+|[ivxlcdm]+|[a-z]|the \w+|one|two|three|four|five|six|seven|eight|nine|ten)\b.{0,80}$",
    re.IGNORECASE,
)
# As in "ARTICLE IV. COVENANTS 57".
_PAGE_NUMBER = re.compile(r"\S(?:\s|\.)+(\d{1,3})\s*$")
_MAX_HEADING_CHARS = 120
_UNWRAPPED = 200  # characters; a longer line is an unwrapped paragraph
_MAX_PLAIN_CHARS, _MAX_PLAIN_WORDS = 80, 10
_PLAIN_LEVEL = 3  # below chapters and headings in capitals


class SourceLine(Struct, frozen=True):
    """One line of a text. ``end`` and ``content`` exclude the line end."""

    start: int
    end: int
    content: str


@dataclass
class TextSource(PageSource):
    """An open text file of one page, read in sections whose blocks ``blocks`` finds.

    If the first section differs, ``first`` finds its blocks.
    """

    file: TextFile
    blocks: Callable[[str], Iterable[RawBlock]]
    first: Callable[[str], Iterable[RawBlock]] | None = None

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        find = self.first or self.blocks
        for section in self.file.sections():
            blocks = find(section.removeprefix(MARK))
            if section.startswith(MARK):
                blocks = (replace(one, start=one.start + 1, end=one.end + 1) for one in blocks)
            yield RawPage(1, section, tuple(blocks))
            find = self.blocks


def open_source(path: Path, password: str | None, limits: Limits) -> TextSource:
    """Open a text file (``indexer.extract.base.Opener``)."""
    return TextSource(open_text(path, limits.text_bytes), plain_blocks)


def lines_of(text: str) -> list[SourceLine]:
    """Split a text at line ends of any kind."""
    found = []
    position = 0
    while position < len(text):
        match = _LINE.match(text, position)
        end = match.end() if match else len(text)
        content = text[position:end].rstrip("\r\n")
        found.append(SourceLine(position, position + len(content), content))
        position = end
    return found


def plain_blocks(text: str) -> Iterator[RawBlock]:
    """Yield the paragraphs, list items and headings of unmarked text, in order."""
    lines = lines_of(text)
    no_headings = _turns(lines) | _contents(lines)
    for filled, paragraph in groupby(lines, key=lambda line: bool(line.content.strip())):
        if filled:
            yield from paragraph_blocks(list(paragraph), no_headings)


def _turns(lines: list[SourceLine]) -> frozenset[int]:
    """Return the starts of the lines that begin a speaker's turn."""
    turns = Turns()
    for line in lines:
        turns.add_line(line.content)
    return frozenset(line.start for line in lines if turns.begins(line.content))


def _contents(lines: list[SourceLine]) -> frozenset[int]:
    """Return the starts of the lines with ascending page numbers, as in a table of contents."""
    filled = [line for line in lines if line.content.strip()]
    found: set[int] = set()
    for first, second in pairwise(filled):
        numbers = _PAGE_NUMBER.search(first.content), _PAGE_NUMBER.search(second.content)
        if numbers[0] and numbers[1] and int(numbers[0][1]) <= int(numbers[1][1]):
            found |= {first.start, second.start}
    return frozenset(found)


def paragraph_blocks(
    lines: list[SourceLine], no_headings: frozenset[int] = frozenset()
) -> Iterator[RawBlock]:
    """Yield the blocks of lines that no empty line separates.

    ``no_headings`` has the starts of lines that are never headings.
    """
    if len(lines) > 1 and _is_underlined(lines):
        level = 1 if lines[1].content.strip().startswith(("=", "#", "*")) else 2
        yield RawBlock(lines[0].start, lines[0].end, BlockKind.HEADING, level)
        if lines[2:]:
            yield from paragraph_blocks(lines[2:], no_headings)
        return
    roles = [_role(lines, i, no_heading=line.start in no_headings) for i, line in enumerate(lines)]
    first = 0
    for i in range(1, len(lines) + 1):
        if i == len(lines) or _begins_block(lines, roles, i):
            yield from _block(lines[first:i], *roles[first])
            first = i


def _block(lines: list[SourceLine], kind: BlockKind, level: int) -> Iterator[RawBlock]:
    start, end = lines[0].start, lines[-1].end
    marked = _WIKI_HEADING.match(lines[0].content) if kind is BlockKind.HEADING else None
    if marked is not None:  # the equals signs are furniture
        text, after = start + marked.start(2), start + marked.end(2)
        yield RawBlock(start, text, BlockKind.FURNITURE)
        yield RawBlock(text, after, kind, level)
        if after < end:
            yield RawBlock(after, end, BlockKind.FURNITURE)
    elif kind is BlockKind.LIST_ITEM and end - start > MAX_ITEM_CHARS:
        yield RawBlock(start, end, BlockKind.PARAGRAPH)
    else:
        yield RawBlock(start, end, kind, level)


def _role(lines: list[SourceLine], i: int, *, no_heading: bool) -> tuple[BlockKind, int]:
    """Return the kind of a line, and its level if it is a heading."""
    content = lines[i].content
    alone = len(lines) == 1 and not no_heading
    if level := typed_heading(content) if alone else wiki_level(content):
        return BlockKind.HEADING, level
    if _is_piped(lines, i):
        return BlockKind.TABLE, 0
    if _LIST_ITEM.match(content):
        return BlockKind.LIST_ITEM, 0
    follows = i + 1 < len(lines) and len(lines[i + 1].content) >= _UNWRAPPED
    if follows and not no_heading and _may_head(content):
        return BlockKind.HEADING, _PLAIN_LEVEL
    return BlockKind.PARAGRAPH, 0


def _begins_block(lines: list[SourceLine], roles: list[tuple[BlockKind, int]], i: int) -> bool:
    """Return whether a line begins a new block."""
    before, kind = roles[i - 1][0], roles[i][0]
    if BlockKind.HEADING in (before, kind) or kind is BlockKind.LIST_ITEM:
        return True
    if BlockKind.TABLE in (before, kind):
        return before is not kind
    # Each unwrapped line is a paragraph.
    return max(len(lines[i - 1].content), len(lines[i].content)) >= _UNWRAPPED


def _is_piped(lines: list[SourceLine], i: int) -> bool:
    """Return whether bars separate cells in a line and in one next to it."""
    near = range(max(i - 1, 0), min(i + 2, len(lines)))
    return " | " in lines[i].content and any(" | " in lines[k].content for k in near if k != i)


def _may_head(content: str) -> bool:
    """Return whether a short line may be the heading of the unwrapped paragraph after it."""
    line = content.strip()
    if not 0 < len(line) <= _MAX_PLAIN_CHARS or not line[0].isupper():
        return False
    return line[-1].isalnum() and len(line.split()) <= _MAX_PLAIN_WORDS


def typed_heading(line: str) -> int:
    """Return the level of a line between empty lines if it is a heading, else 0."""
    if level := wiki_level(line):
        return level
    content = line.strip()
    if len(content) > _MAX_HEADING_CHARS or not any(c.isalpha() for c in content):
        return 0
    if _NUMBERED.match(content) and not content.endswith((",", ";")):
        return 1
    words = content.split()
    letters = [c for c in content if c.isalpha()]
    shouted = (
        len(letters) > 3
        and content[0].isalnum()
        and all(c.isupper() for c in letters if c.lower() != c.upper())
    )
    cased = any(c.lower() != c.upper() for c in letters)
    return 2 if shouted and cased and len(words) <= 12 and content[-1] not in ",;:." else 0


def wiki_level(line: str) -> int:
    """Return the level of a heading between or after equals signs, 0 for other lines."""
    match = _WIKI_HEADING.match(line) if len(line) <= _MAX_HEADING_CHARS else None
    if match is None:
        return 0
    left, right = match[1].count("="), match[3].count("=")
    closed = left == right if right else _UNCLOSED_HEADING.match(line)
    return left if closed else 0


def _is_underlined(lines: list[SourceLine]) -> bool:
    title, rule = lines[0].content.strip(), lines[1].content.strip()
    alike = len(rule) >= 3 and abs(len(rule) - len(title)) <= max(3, len(title) // 3)
    return bool(_UNDERLINE.match(rule)) and alike and len(title) <= _MAX_HEADING_CHARS
