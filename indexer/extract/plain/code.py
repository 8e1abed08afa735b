"""Source code, with comments as paragraphs and definitions as headings.

Without knowing the language, it detects lines of comments, and definitions by keywords that many
languages share. The indentation of a definition is the level of its heading. The text stays the
file as decoded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.extract.base import RawBlock
from indexer.extract.plain.decode import open_text
from indexer.extract.plain.text import SourceLine, TextSource, lines_of

if TYPE_CHECKING:
    from indexer.config import Limits


_DEFINITION = re.compile(
    r"(?P<indent>[ \t]*)(?:(?:export|default|public|private|protected|internal|static|abstract|"
    r"final|sealed|async|virtual|override|inline|extern|unsafe|partial|data|open|pub(?:\([a-z]+\))?)\s+)*"
    r"(?:def|class|struct|enum|trait|impl|interface|func|function|fn|fun|module|namespace|package|"
    r"object|record|protocol|extension|sub|procedure|program|subroutine|macro_rules!|CREATE\s+\w+|"
    r"type)\s+[\w$\"'`.:<]",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"\s*(?:#(?!include|define|if|endif|pragma|!)|//|--\s|;;|/\*|\*(?!\w)|%|'|REM\s)"
)
_MAX_HEAD_CHARS = 160
_MAX_LEVEL = 9
_LONG_CODE = 4_000  # characters in a block


def open_source(path: Path, password: str | None, limits: Limits) -> TextSource:
    """Open a file of source code (``indexer.extract.base.Opener``)."""
    return TextSource(open_text(path, limits.source_bytes), code_blocks)


def code_blocks(text: str) -> Iterator[RawBlock]:
    """Yield the blocks of source code, in order."""
    run: list[SourceLine] = []
    kind = BlockKind.CODE
    for line in lines_of(text):
        level = _level(line.content)
        role = BlockKind.PARAGRAPH if _COMMENT.match(line.content) else BlockKind.CODE
        blank = not line.content.strip()
        long = bool(run) and line.end - run[0].start > _LONG_CODE
        # An empty line ends a comment, but not code.
        if run and (level or long or (role is not kind and not blank)):
            yield from _block(run, kind)
            run = []
        if level:
            start = line.start + len(line.content) - len(line.content.lstrip())
            yield RawBlock(start, line.end, BlockKind.HEADING, level)
        elif not (blank and not run):
            kind = kind if run else role
            run.append(line)
    yield from _block(run, kind)


def _block(lines: list[SourceLine], kind: BlockKind) -> Iterator[RawBlock]:
    while lines and not lines[-1].content.strip():
        lines.pop()
    if lines:
        yield RawBlock(lines[0].start, lines[-1].end, kind)


def _level(content: str) -> int:
    """Return the level of a definition, 0 for another line."""
    if len(content) > _MAX_HEAD_CHARS:
        return 0
    found = _DEFINITION.match(content)
    if found is None or content.rstrip().endswith((";", ",", ".")):
        return 0
    indent = len(found["indent"].expandtabs(4))
    return min(1 + indent // 2, _MAX_LEVEL)
