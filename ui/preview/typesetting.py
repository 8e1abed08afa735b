"""Formats the parts of a text: headings, lists, tables, source code.

Owns sizes, line heights and gaps. It must not know where a text comes from, nor change it.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

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

from ui.preview.reading import HIDDEN, PartKind
from ui.theme import XL, current

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QTextDocument

    from ui.preview.reading import Part
    from ui.text_offsets import Utf16Map

# Line heights, in heights of the font; sizes of headings by level, in those of the text.
_PROSE_LINE, _HEADING_LINE = 1.5, 1.2
_HEADINGS = (1.6, 1.35, 1.2, 1.1, 1.0, 1.0)
_PROPORTIONAL = QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
_FIXED = QTextBlockFormat.LineHeightTypes.FixedHeight.value
_LEFT = QTextOption.TabType.LeftTab
# The most of the width that may be left of a table's last column if that is to break its lines.
_HANGING = 0.7
_MARKER = re.compile(r"\s*([-*+\u2022\u2013\u25cf]|\(?[\w]{1,3}[.)])\s")
_UNSEEN = f" \t\r{HIDDEN}"


class Typesetter:
    """Formats a document that has its text and its default font.

    Args:
        document: The text.
        units: Converts the offsets of parts to Qt's.
    """

    def __init__(self, document: QTextDocument, units: Utf16Map) -> None:
        self._document, self._units = document, units
        self._size = document.defaultFont().pixelSize()
        frame = document.rootFrame().frameFormat()
        self._width = document.textWidth() - frame.leftMargin() - frame.rightMargin()
        self._bullets = QTextListFormat()
        self._bullets.setStyle(QTextListFormat.Style.ListDisc)

    def set_parts(self, parts: Iterable[Part]) -> None:
        """Format each part by its kind, and the rest as prose."""
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.setBlockFormat(_block_format(_PROSE_LINE, 0.35 * self._size))
        for part in parts:
            self._set_part(cursor, part)
        self._close_up(cursor)
        cursor.endEditBlock()

    def _set_part(self, cursor: QTextCursor, part: Part) -> None:
        cursor.setPosition(self._units.to_utf16(part.start))
        cursor.setPosition(self._units.to_utf16(part.end), QTextCursor.MoveMode.KeepAnchor)
        size = self._size
        match part.kind:
            case PartKind.HEADING:
                scale = _HEADINGS[min(max(part.level, 1), len(_HEADINGS)) - 1]
                form = QTextCharFormat()
                form.setFontWeight(QFont.Weight.DemiBold)
                form.setProperty(QTextCharFormat.Property.FontPixelSize, round(size * scale))
                cursor.mergeCharFormat(form)
                block = _block_format(_HEADING_LINE, 0.3 * size)
                block.setTopMargin(size)
                cursor.setBlockFormat(block)
            case PartKind.ITEM:
                block = _block_format(_PROSE_LINE, 0.15 * size)
                marked = _MARKER.match(cursor.selectedText())
                if marked:
                    block.setLeftMargin(1.5 * size)
                    block.setTextIndent(-size)
                cursor.setBlockFormat(block)
                if not marked:  # the document's bullets are no part of its text
                    cursor.createList(self._bullets)
            case PartKind.TABLE:
                cursor.setBlockFormat(self._table_format(cursor.selectedText()))
            case PartKind.CODE | PartKind.FIELDS:
                if part.kind is PartKind.CODE:
                    cursor.mergeCharFormat(_fixed_pitch(round(0.9 * size)))
                block = _block_format(1.0, 0.0)
                block.setBackground(current().raised)
                cursor.setBlockFormat(block)
        if part.kind not in (PartKind.HEADING, PartKind.ITEM):
            cursor.setPosition(self._units.to_utf16(part.end))
            last = cursor.blockFormat()
            last.setBottomMargin(0.7 * size)
            cursor.setBlockFormat(last)

    def _close_up(self, cursor: QTextCursor) -> None:
        """Give blank lines half the height."""
        low = QTextBlockFormat()
        low.setLineHeight(self._size / 2, _FIXED)
        block = self._document.begin()
        while block.isValid():
            if not block.text().strip(_UNSEEN):
                cursor.setPosition(block.position())
                cursor.setBlockFormat(low)
            block = block.next()

    def _table_format(self, table: str) -> QTextBlockFormat:
        """Return the format of a table's rows, whose last column goes on below itself."""
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
