"""Prepares a text for display: the kind of each part, and the characters shown for its own.

From canonical text and its blocks to paragraphs. Hidden characters become zero-width spaces, so
that offsets stay the same. Pure; it must not know fonts or widgets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.api.pages import TextBlock

HIDDEN = "\u200b"
# A paragraph counts as hard-wrapped if all lines but the last have at least this many characters,
# and this share of the longest line.
_WRAPPED, _WRAPPED_SHARE = 40, 0.6
# The bars between the cells of a Markdown table, and the rule below its head.
_BAR = re.compile(r"[ \t]*\|[ \t]*")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{3,}[-:| \t]*")
_FIELD = re.compile(r"[\w-]{2,20}( [\w-]{1,20})?:\s")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])-(?:\r?\n)(?=[^\W\d_A-Z])")
_BROKEN = re.compile(r"\s*\n\s*")


class PartKind(Enum):
    """The typographic kind of a part."""

    PROSE = auto()
    HEADING = auto()
    ITEM = auto()
    TABLE = auto()
    CODE = auto()
    FIELDS = auto()  # lines of a name and a value, such as the head of a message


@dataclass(frozen=True, slots=True)
class Part:
    """A part ``text[start:end]`` of the loaded text."""

    start: int
    end: int
    kind: PartKind
    level: int = 0


_KINDS = {
    BlockKind.HEADING: PartKind.HEADING,
    BlockKind.LIST_ITEM: PartKind.ITEM,
    BlockKind.TABLE: PartKind.TABLE,
    BlockKind.CODE: PartKind.CODE,
}


def laid_out(
    text: str, offset: int, blocks: Iterable[TextBlock], *, code: bool = False
) -> tuple[str, list[Part]]:
    """Prepare a text.

    Args:
        text: The loaded part of a document.
        offset: The offset of that part in the document.
        blocks: The blocks of the document, with its offsets.
        code: The whole text is source code.

    Returns:
        A text of the same length to show in its place, and its parts.
    """
    if code:
        return text, [Part(0, len(text), PartKind.CODE)]
    shown: list[str] = []
    parts: list[Part] = []
    at = 0
    for block in blocks:
        start, end = max(block.start - offset, at), min(block.end - offset, len(text))
        if start >= end:
            continue
        shown.append(text[at:start])
        inner = text[start:end]
        if block.kind is BlockKind.FURNITURE:
            shown.append(_hidden(inner))
        else:
            kind = _KINDS.get(block.kind, PartKind.PROSE)
            if kind is PartKind.PROSE and _is_fields(inner):
                kind = PartKind.FIELDS
            shown.append(_SET.get(kind, str)(inner))
            parts.append(Part(start, end, kind, block.level))
        at = end
    shown.append(text[at:])
    return "".join(shown), parts


def _hidden(text: str) -> str:
    return "".join(each if each == "\n" or each > "\uffff" else HIDDEN for each in text)


def _is_fields(text: str) -> bool:
    lines = text.splitlines()
    return len(lines) > 1 and all(map(_FIELD.match, lines))


def _joined(text: str) -> str:
    """Join the lines of a hard-wrapped paragraph."""
    lines = [line.strip() for line in text.split("\n")]
    longest = max(map(len, lines))
    least = max(_WRAPPED, _WRAPPED_SHARE * longest)
    if len(lines) < 2 or any(len(line) < least for line in lines[:-1]):
        return text
    text = _HYPHENATED.sub(lambda found: HIDDEN * len(found[0]), text)
    return _BROKEN.sub(lambda found: " " + HIDDEN * (len(found[0]) - 1), text)


def _celled(text: str) -> str:
    """Separate the cells of a table by tabs."""
    return "\n".join(map(_row, text.split("\n"))) if text.lstrip().startswith("|") else text


def _row(line: str) -> str:
    if _RULE.fullmatch(line):
        return _hidden(line)
    bars = list(_BAR.finditer(line))
    last = len(line.rstrip())
    made, at = [], 0
    for bar in bars:
        inner = bar.start() > 0 and bar.end() < last
        made += [line[at : bar.start()], "\t" if inner else HIDDEN, HIDDEN * (len(bar[0]) - 1)]
        at = bar.end()
    return "".join(made) + line[at:]


_SET = {
    PartKind.PROSE: _joined,
    PartKind.ITEM: _joined,
    PartKind.HEADING: _joined,
    PartKind.TABLE: _celled,
}
