"""The text of a document without pages, with a passage marked as on a page.

Owns the marks and how they come into view; ``text_column`` has the text.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QMimeData, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextEdit

from ui.preview.letters import flowing
from ui.preview.marks import Piece, boxed, outline
from ui.preview.page_painter import FOUND, OUTLINE_PX
from ui.preview.text_column import TextColumn
from ui.theme import current

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent, QTextBlock, QTextLine
    from PySide6.QtWidgets import QWidget

    from indexer.api.pages import TextPart
    from indexer.api.types import Span

_LINE = re.compile(r"[^\s](?:[^\r\n]*[^\s])?")
_PLACE = 0.2
_PADDING = 3.0
_Line = QTextCharFormat.UnderlineStyle


class TextView(TextColumn):
    """A text with a passage, its best sentences, words of the query and what was found."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._passage: Span = (0, 0)
        self._sentences: tuple[Span, ...] = ()
        self._words: tuple[tuple[Span, _Line], ...] = ()  # offsets into the passage
        self._found: tuple[Span, ...] = ()
        self._found_at = -1

    def show_text(self, text: str, part: TextPart, *, code: bool = False) -> None:
        """Show a part of a document's text.

        Args:
            text: The part.
            part: Its offset, its blocks and pages, and whether more follows.
            code: The document is source code.
        """
        self._is_loading = True  # the layout moves the scroll bar, which must not load more
        self._passage, self._sentences = (0, 0), ()
        self._words = self._found = ()
        self._place_text(text, part, code=code)
        self._mark()
        self._is_loading = False

    def extend(self, text: str, part: TextPart) -> None:
        """Show a larger part; the view and the marks stay."""
        first = self.cursorForPosition(QPoint(self.viewport().width() // 2, 1))
        seen = self._offset + self._map.to_code_points(first.position())
        passage, sentences = self._passage, self._sentences
        self.show_text(text, part, code=self._code)
        self.mark(passage, sentences, scroll=False)
        self._is_loading = True
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._unit(seen))
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(cursor).top())
        self._is_loading = False

    def mark(self, passage: Span, sentences: Sequence[Span], *, scroll: bool = True) -> None:
        """Mark a passage and its best sentences, best first, and bring the best into view."""
        self._passage, self._sentences = passage, tuple(sentences)
        self._mark()
        if scroll:
            self._show(*(self._sentences or (passage,))[0])

    def show_words(self, same: Sequence[Span], meaning: Sequence[Span]) -> None:
        """Underline words of the passage: the query's own, and with dots those close to it."""
        self._words = (
            *((span, _Line.SingleUnderline) for span in same),
            *((span, _Line.DotLine) for span in meaning),
        )
        self._mark()

    @property
    def place(self) -> int:
        """The offset of the text cursor in the document."""
        return self._offset + self._map.to_code_points(self.textCursor().selectionStart())

    def show_found(self, found: Sequence[Span], number: int = -1) -> None:
        """Mark found ranges of the document, and bring one into view."""
        self._found, self._found_at = tuple(found), number
        self._mark()
        if 0 <= number < len(self._found):
            self._show(*self._found[number])

    @property
    def selected(self) -> Span:
        """The selected range of the document."""
        cursor = self.textCursor()
        start, end = map(self._map.to_code_points, (cursor.selectionStart(), cursor.selectionEnd()))
        return self._offset + start, self._offset + end

    def copy_flowing(self) -> str:
        """Return the selected text of the document, with its lines joined."""
        start, end = self.selected
        return flowing(self._text[start - self._offset : end - self._offset])

    def createMimeDataFromSelection(self) -> QMimeData:
        data = QMimeData()
        data.setText(self.copy_flowing())
        return data

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        lines = self._lines(*self._passage)
        if not lines:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(current().accent, OUTLINE_PX)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(outline([Piece(boxed(line)) for line in lines], _PADDING), pen)
        painter.end()

    def _mark(self) -> None:
        shown = []
        look = QTextCharFormat()
        look.setBackground(QColor(current().mark))
        look.setForeground(QColor(current().mark_text))
        for sentence in reversed(self._sentences):
            for start, end in self._words_of(*sentence):
                selection = QTextEdit.ExtraSelection()
                selection.cursor = self._cursor(start, end)
                selection.format = look
                shown.append(selection)
        first = self._passage[0]
        for (start, end), line in self._words:
            selection = QTextEdit.ExtraSelection()
            selection.cursor = self._cursor(first + start, first + end)
            selection.format.setUnderlineStyle(line)
            shown.append(selection)
        for number, (start, end) in enumerate(self._found):
            selection = QTextEdit.ExtraSelection()
            selection.cursor = self._cursor(start, end)
            colour = QColor(FOUND)
            colour.setAlpha(160 if number == self._found_at else 70)
            selection.format.setBackground(colour)
            shown.append(selection)
        self.setExtraSelections(shown)
        self.viewport().update()

    def _words_of(self, start: int, end: int) -> list[Span]:
        """Split a range into the texts of its lines, so that blank space is not tinted."""
        low = max(start - self._offset, 0)
        part = self._text[low : max(end - self._offset, 0)]
        first = self._offset + low
        return [(first + found.start(), first + found.end()) for found in _LINE.finditer(part)]

    def _show(self, start: int, end: int) -> None:
        """Bring a range into view, a little below the top."""
        cursor = self._cursor(start, start)
        self.setTextCursor(cursor)
        bar = self.verticalScrollBar()
        place = round(_PLACE * self.viewport().height())
        bar.setValue(bar.value() + self.cursorRect(cursor).top() - place)

    def _lines(self, start: int, end: int) -> list[QRectF]:
        """Return the rectangles of the visible lines of a range."""
        if start >= end:
            return []
        first, last = self._unit(start), self._unit(end)
        found: list[QRectF] = []
        scrolled = self.verticalScrollBar().value()
        block = self.cursorForPosition(QPoint(self.viewport().width() // 2, 0)).block()
        while block.isValid():
            layout = self.document().documentLayout()
            top = layout.blockBoundingRect(block).top() - scrolled
            if top > self.viewport().height() or block.position() > last:
                break
            place = block.layout().position() - QPointF(0, scrolled)
            found += _block_lines(block, place, first, last)
            block = block.next()
        for line, below in pairwise(found):  # close the gaps between lines
            line.setBottom(max(line.bottom(), below.top()))
        return found


def _block_lines(block: QTextBlock, place: QPointF, first: int, last: int) -> list[QRectF]:
    found = []
    for i in range(block.layout().lineCount()):
        line = block.layout().lineAt(i)
        begin = block.position() + line.textStart()
        low, high = max(first, begin), min(last, begin + line.textLength())
        if low >= high:
            continue
        left, right = (_x(line, at - block.position()) for at in (low, high))
        box = QRectF(min(left, right), line.y(), abs(right - left), line.height())
        found.append(box.translated(place))
    return found


def _x(line: QTextLine, position: int) -> float:
    # Some versions of PySide return a tuple with the position as well.
    found: Any = line.cursorToX(position)
    return float(found[0] if isinstance(found, tuple) else found)
