"""Markdown: finds blocks by the block syntax, in the file as decoded.

The text stays the source, and markers (``#``, fences, rules) are furniture, which is not searched.
The front matter with its title, tags and aliases is found apart from the text. Long files are
parsed section by section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from indexer.api.types import BlockKind
from indexer.extract.base import MAX_ITEM_CHARS, Metadata, RawBlock
from indexer.extract.plain.decode import TextFile, open_text
from indexer.extract.plain.text import SourceLine, TextSource, lines_of, paragraph_blocks

if TYPE_CHECKING:
    from markdown_it.token import Token

    from indexer.config import Limits

_ATX = re.compile(r"(\s{0,3}(?:>\s*)*#{1,6}(?:\s+|$))(.*?)(\s+#+\s*)?$")
# YAML between dashes (Jekyll, Pandoc, Obsidian), or TOML between plus signs (Hugo).
_FRONT_MATTER = re.compile(
    r"(?P<rule>---|\+\+\+)[ \t]*\r?\n(?P<fields>.*?)(?:^|\r?\n)"
    r"(?:(?P=rule)|\.\.\.)[ \t]*(?:\r?\n|$)",
    re.DOTALL,
)
_FIELD = re.compile(
    r"^(title|author|date)[ \t]*[:=][ \t]*(.+?)[ \t\r]*$", re.MULTILINE | re.IGNORECASE
)
_COMMENT = re.compile(r"\s*<!--.*?-->\s*$", re.DOTALL)


class MarkdownSource(TextSource):
    """An open Markdown file."""

    def __init__(self, file: TextFile) -> None:
        super().__init__(file, markdown_blocks, self._first_blocks)

    def _first_blocks(self, text: str) -> Iterator[RawBlock]:
        front = _FRONT_MATTER.match(text)
        if front:
            self.metadata = _front_matter(front["fields"])
            start, end = front.span("fields")
            yield RawBlock(0, start, BlockKind.FURNITURE)
            if start < end:
                yield RawBlock(start, end, BlockKind.BOILERPLATE)
            yield RawBlock(end, front.end(), BlockKind.FURNITURE)
        yield from markdown_blocks(text, front.end() if front else 0)


def open_source(path: Path, password: str | None, limits: Limits) -> MarkdownSource:
    """Open a Markdown file (``indexer.extract.base.Opener``)."""
    return MarkdownSource(open_text(path, limits.text_bytes))


def markdown_blocks(text: str, skip: int = 0) -> Iterator[RawBlock]:
    """Yield the blocks of a text after offset ``skip``, in order."""
    lines = [
        SourceLine(line.start + skip, line.end + skip, line.content)
        for line in lines_of(text[skip:])
    ]
    lists = 0
    table_end = 0
    for token in _parser().parse(text[skip:]):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists -= 1
        if token.map is None or token.map[0] < table_end:
            continue
        covered = [line for line in lines[token.map[0] : token.map[1]] if line.content.strip()]
        if not covered:
            continue
        if token.type == "table_open":
            table_end = token.map[1]
        yield from _blocks(token, covered, in_list=lists > 0)


def _blocks(token: Token, lines: list[SourceLine], *, in_list: bool) -> Iterator[RawBlock]:
    """Yield the blocks of one token. Containers have none."""
    start, end = lines[0].start, lines[-1].end
    if token.type == "heading_open":
        yield from _heading(token, lines)
    elif token.type == "paragraph_open" and in_list:
        yield RawBlock(start, end, _item_kind(lines))
    elif token.type == "paragraph_open":
        yield from paragraph_blocks(lines)
    elif token.type == "table_open":
        yield RawBlock(start, end, BlockKind.TABLE)
    elif token.type == "code_block":
        yield RawBlock(start, end, BlockKind.CODE)
    elif token.type == "fence":
        yield from _fence(token, lines)
    elif token.type == "hr":
        yield RawBlock(start, end, BlockKind.FURNITURE)
    elif token.type == "html_block":
        comment = _COMMENT.match("\n".join(line.content for line in lines))
        yield RawBlock(start, end, BlockKind.FURNITURE if comment else BlockKind.PARAGRAPH)


def _item_kind(lines: list[SourceLine]) -> BlockKind:
    if len(lines) > 1 and all(" | " in line.content for line in lines):
        return BlockKind.TABLE
    long = lines[-1].end - lines[0].start > MAX_ITEM_CHARS
    return BlockKind.PARAGRAPH if long else BlockKind.LIST_ITEM


def _heading(token: Token, lines: list[SourceLine]) -> Iterator[RawBlock]:
    level = int(token.tag[1:])
    first = lines[0]
    marked = _ATX.match(first.content) if token.markup.startswith("#") else None
    if marked is None:  # the last line of an underlined heading is the rule
        body, rule = lines[:-1], lines[-1]
        if body:
            yield RawBlock(body[0].start, body[-1].end, BlockKind.HEADING, level)
        yield RawBlock(rule.start, rule.end, BlockKind.FURNITURE)
        return
    start = first.start + marked.end(1)
    yield RawBlock(first.start, start, BlockKind.FURNITURE)
    if marked[2]:
        yield RawBlock(start, start + len(marked[2]), BlockKind.HEADING, level)
    if marked[3]:
        yield RawBlock(first.start + marked.start(3), first.end, BlockKind.FURNITURE)


def _fence(token: Token, lines: list[SourceLine]) -> Iterator[RawBlock]:
    yield RawBlock(lines[0].start, lines[0].end, BlockKind.FURNITURE)
    body = lines[1:]
    closing = body[-1] if body and token.markup in body[-1].content else None
    if closing is not None:
        body = body[:-1]
    if body:
        yield RawBlock(body[0].start, body[-1].end, BlockKind.CODE)
    if closing is not None:
        yield RawBlock(closing.start, closing.end, BlockKind.FURNITURE)


def _front_matter(text: str) -> Metadata:
    found = {name.lower(): value.strip("\"' ") for name, value in _FIELD.findall(text)}
    date = re.match(r"\d{4}(?:-\d{2}){0,2}", found.get("date", ""))
    return Metadata(found.get("title", ""), found.get("author", ""), date[0] if date else "")


@cache
def _parser() -> MarkdownIt:
    """Return a parser of block syntax, without inline syntax."""
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
