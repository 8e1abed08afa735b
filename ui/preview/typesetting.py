"""Sets a text for reading: from canonical text and its blocks to paragraphs with formats.

Hidden characters become zero-width spaces, so that offsets stay the same.
"""

from __future__ import annotations

import operator
import re
from enum import Enum, auto
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from msgspec import Struct
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextListFormat,
    QTextOption,
)

from indexer.api.types import NOTES_LEVEL, BlockKind
from ui.theme import XL, current

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QTextBlock, QTextDocument

    from indexer.api.pages import TextBlock
    from ui.search.safe_text import Utf16Map

HIDDEN = "\u200b"
# Lines count as hard-wrapped paragraphs if the longest has at least this many characters, and if
# either all lines but the last have this share of its length, or most breaks stand where the next
# word had no room. Where the word had room, a line that ends a sentence ends its paragraph.
_WRAPPED, _WRAPPED_SHARE = 40, 0.6
_ENDS = (".", "!", "?", ":", "\u3002")
# The bars between the cells of a Markdown table, and the rule below its head.
_BAR = re.compile(r"[ \t]*\|[ \t]*")
_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{3,}[-:| \t]*")
_FIELD = re.compile(r"[\w-]{2,20}( [\w-]{1,20})?:\s")
_BREAK = re.compile(r"((?<=[^\W\d_])-\r?\n(?=[^\W\d_A-Z]))|[ \t\r]*\n[ \t]*(?:>[ \t]?)*")
_QUOTED = re.compile(r"\s*(?:>[ \t]?)*")


class TypesetKind(Enum):
    """The typographic kind of a part."""

    PROSE = auto()
    HEADING = auto()
    ITEM = auto()
    TABLE = auto()
    CODE = auto()
    FIELDS = auto()  # lines of a name and a value, such as the head of a message
    NOTES = auto()  # of the speaker, below a slide


class TypesetPart(Struct, frozen=True):
    """A part ``text[start:end]`` of the loaded text."""

    start: int
    end: int
    kind: TypesetKind
    level: int = 0


_KINDS = {
    BlockKind.HEADING: TypesetKind.HEADING,
    BlockKind.LIST_ITEM: TypesetKind.ITEM,
    BlockKind.TABLE: TypesetKind.TABLE,
    BlockKind.CODE: TypesetKind.CODE,
}


def laid_out(
    text: str, offset: int, blocks: Iterable[TextBlock], *, code: bool = False
) -> tuple[str, list[TypesetPart]]:
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
        return text, [TypesetPart(0, len(text), TypesetKind.CODE)]
    shown: list[str] = []
    parts: list[TypesetPart] = []
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
            kind = _KINDS.get(block.kind, TypesetKind.PROSE)
            if kind is TypesetKind.PROSE and _is_fields(inner):
                kind = TypesetKind.FIELDS
            elif kind is TypesetKind.PROSE and block.level == NOTES_LEVEL:
                kind = TypesetKind.NOTES
            shown.append(_SET.get(kind, str)(inner))
            parts.append(TypesetPart(start, end, kind, block.level))
        at = end
    shown.append(text[at:])
    return "".join(shown), parts


def _hidden(text: str) -> str:
    return "".join(each if each == "\n" or each > "\uffff" else HIDDEN for each in text)


def _is_fields(text: str) -> bool:
    lines = text.splitlines()
    return len(lines) > 1 and all(map(_FIELD.match, lines))


def _joined(text: str) -> str:
    """Join the lines of hard-wrapped paragraphs."""
    whole = text.split("\n")
    lines = [_QUOTED.sub("", line, count=1).strip() for line in whole]
    depths = [line[: line.find(said)].count(">") for line, said in zip(whole, lines, strict=True)]
    longest = max((len(line) for line in lines if " " in line), default=0)
    verse = len(lines) > 3 and all(line[:1].isupper() for line in lines)
    if len(lines) < 2 or longest < _WRAPPED or verse:
        return text
    even = all(len(line) >= max(_WRAPPED, _WRAPPED_SHARE * longest) for line in lines[:-1])
    ends = [
        len(line) + len(below.split(" ", 1)[0]) >= longest or (even and not line.endswith(_ENDS))
        for line, below in pairwise(lines)
    ]
    if 2 * sum(ends) < len(ends):
        return text
    joins = map(operator.and_, ends, map(operator.eq, depths, depths[1:]))

    def joined(found: re.Match[str]) -> str:
        if not next(joins):
            return found[0]
        return ("" if found[1] else " ").ljust(len(found[0]), HIDDEN)

    return _BREAK.sub(joined, text)


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
    TypesetKind.PROSE: _joined,
    TypesetKind.ITEM: _joined,
    TypesetKind.NOTES: _joined,
    TypesetKind.HEADING: _joined,
    TypesetKind.TABLE: _celled,
}


# Line heights, in heights of the font; sizes of headings by level, in those of the text.
_PROSE_LINE, _HEADING_LINE = 1.5, 1.2
_HEADINGS = (1.6, 1.35, 1.2, 1.1, 1.0, 1.0)
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
_FIXED = QTextBlockFormat.LineHeightTypes.FixedHeight.value
_LEFT = QTextOption.TabType.LeftTab
# The last column of a table breaks its lines if it begins within this share of the width.
_HANGING = 0.7
_MARKER = re.compile(r"\s*([-*+\u2022\u2013\u25cf]|\(?[\w]{1,3}[.)])\s")
_UNSEEN = f" \t\r{HIDDEN}"


class Typesetter:
    """Formats a document that has its text and its default font.

    Args:
        units: Converts the offsets of parts to Qt's.
    """

    def __init__(self, document: QTextDocument, units: Utf16Map) -> None:
        self._document, self._units = document, units
        self._size = document.defaultFont().pixelSize()
        document.setIndentWidth(1.6 * self._size)
        self._before = TypesetKind.PROSE  # the kind of the part before
        frame = document.rootFrame().frameFormat()
        self._width = document.textWidth() - frame.leftMargin() - frame.rightMargin()

    def set_parts(self, parts: Iterable[TypesetPart]) -> None:
        """Format each part by its kind, and the rest as prose."""
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.setBlockFormat(_block_format(_PROSE_LINE, 0.35 * self._size))
        for part in parts:
            self._set_part(cursor, part)
            self._before = part.kind
        self._close_up(cursor)
        cursor.endEditBlock()

    def _set_part(self, cursor: QTextCursor, part: TypesetPart) -> None:
        cursor.setPosition(self._units.to_utf16(part.start))
        cursor.setPosition(self._units.to_utf16(part.end), QTextCursor.MoveMode.KeepAnchor)
        size = self._size
        match part.kind:
            case TypesetKind.HEADING:
                scale = _HEADINGS[min(max(part.level, 1), len(_HEADINGS)) - 1]
                form = QTextCharFormat()
                form.setFontWeight(QFont.Weight.DemiBold)
                form.setProperty(QTextCharFormat.Property.FontPixelSize, round(size * scale))
                cursor.mergeCharFormat(form)
                block = _block_format(_HEADING_LINE, 0.3 * size)
                block.setTopMargin(size)
                cursor.setBlockFormat(block)
            case TypesetKind.ITEM:
                block = _block_format(_PROSE_LINE, 0.15 * size)
                marked = _MARKER.match(cursor.selectedText())
                if marked:
                    block.setLeftMargin(1.5 * size * (1 + part.level))
                    block.setTextIndent(-size)
                cursor.setBlockFormat(block)
                if not marked:  # the document's bullets are no part of its text
                    cursor.createList(_bullets(part.level))
            case TypesetKind.TABLE:
                cursor.setBlockFormat(self._table_format(cursor.selectedText()))
            case TypesetKind.CODE | TypesetKind.FIELDS | TypesetKind.NOTES:
                self._set_ground(cursor, part)
            case TypesetKind.PROSE:  # its lines belong together
                cursor.setBlockFormat(_block_format(_PROSE_LINE, 0.0))
        if part.kind not in (TypesetKind.HEADING, TypesetKind.ITEM):
            cursor.setPosition(self._units.to_utf16(part.end))
            last = cursor.blockFormat()
            last.setBottomMargin(0.7 * size)
            cursor.setBlockFormat(last)

    def _set_ground(self, cursor: QTextCursor, part: TypesetPart) -> None:
        """Give code, fields or notes a background of their own."""
        notes = part.kind is TypesetKind.NOTES
        block = _block_format(_PROSE_LINE if notes else 1.0, 0.0)
        if notes and self._before is not TypesetKind.NOTES:
            block.setTopMargin(0.7 * self._size)
        block.setBackground(current().raised)
        cursor.setBlockFormat(block)
        if part.kind is TypesetKind.CODE:
            cursor.mergeCharFormat(_fixed_pitch(round(0.9 * self._size)))
        elif part.kind is TypesetKind.FIELDS:
            self._mute_names(part)
        else:
            muted = QTextCharFormat()
            muted.setForeground(current().muted)
            cursor.mergeCharFormat(muted)

    def _mute_names(self, part: TypesetPart) -> None:
        """Show the names of fields, such as From and Date, less strongly than their values."""
        block = self._document.findBlock(self._units.to_utf16(part.start))
        end = self._units.to_utf16(part.end)
        while block.isValid() and block.position() < end:
            self._mute(block, block.text().find(":") + 1)
            block = block.next()

    def _mute(self, block: QTextBlock, length: int) -> None:
        cursor, form = QTextCursor(block), QTextCharFormat()
        cursor.setPosition(block.position() + length, QTextCursor.MoveMode.KeepAnchor)
        form.setForeground(current().muted)
        cursor.mergeCharFormat(form)

    def _close_up(self, cursor: QTextCursor) -> None:
        """Give blank lines a quarter of the height, and mute what a mail quotes."""
        low = QTextBlockFormat()
        low.setLineHeight(self._size / 4, _FIXED)
        block = self._document.begin()
        while block.isValid():
            if not block.text().strip(_UNSEEN):
                cursor.setPosition(block.position())
                cursor.setBlockFormat(low)
            elif block.text().startswith(">"):
                self._mute(block, block.length() - 1)
            block = block.next()

    def _table_format(self, table: str) -> QTextBlockFormat:
        """Return the format of a table's rows, in which the last column may take several lines."""
        made, tabs = _block_format(_HEADING_LINE, 0.0), self._tabs(table)
        made.setTabPositions(tabs)
        last = tabs[-1].position if tabs else 0.0
        if last < _HANGING * self._width:
            made.setLeftMargin(last)
            made.setTextIndent(-last)
        return made

    def _tabs(self, table: str) -> list[QTextOption.Tab]:
        """Return tab stops that align the columns of a table."""
        metrics = QFontMetricsF(self._document.defaultFont())
        widths: list[float] = []
        for row in table.split("\u2029"):
            for at, cell in enumerate(row.split("\t")[:-1]):
                widths += [0.0] * (at + 1 - len(widths))
                widths[at] = max(widths[at], metrics.horizontalAdvance(cell))
        stops = accumulate(width + XL for width in widths)
        return [QTextOption.Tab(stop, _LEFT) for stop in stops]


def _bullets(level: int) -> QTextListFormat:
    """Return the format of bulleted items, indented by their level."""
    styles = QTextListFormat.Style
    made = QTextListFormat()
    made.setStyle((styles.ListDisc, styles.ListCircle, styles.ListSquare)[min(level, 2)])
    made.setIndent(1 + level)
    return made


def _fixed_pitch(size: int) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setFontFamilies(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families())
    form.setFontFixedPitch(True)
    form.setProperty(QTextCharFormat.Property.FontPixelSize, size)
    return form


def _block_format(line_height: float, below: float) -> QTextBlockFormat:
    made = QTextBlockFormat()
    made.setLineHeight(100 * line_height, _PROPORTIONAL)
    made.setBottomMargin(below)
    return made
