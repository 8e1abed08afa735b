"""The text of a document without pages, with a passage marked as on a page.

Owns the text, its marks and the loading of more of it. Offsets from outside count code points of
the whole document; Qt's count UTF-16 units of what is loaded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit

from ui.preview.letters import flowing
from ui.preview.marks import Piece, outline
from ui.preview.page_painter import OUTLINE_PX
from ui.text_offsets import Utf16Map, for_qt
from ui.theme import L, current

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent, QTextBlock, QTextLine, QWheelEvent
    from PySide6.QtWidgets import QWidget

Span = tuple[int, int]

_LINE = re.compile(r"[^\s](?:[^\r\n]*[^\s])?")
_PLACE = 0.2
_PADDING = 3.0


class TextView(QPlainTextEdit):
    """Shows a window of a text; asks for more of it where the person reaches its edge."""

    more_requested = Signal(int, int)  # the range that should be loaded too
    zoom_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName(self.tr("Text"))
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(L)
        self._text = ""
        self._offset = 0
        self._more = False
        self._map = Utf16Map("")
        self._passage: Span = (0, 0)
        self._sentences: tuple[Span, ...] = ()
        self._is_loading = False
        self._zoom = 0
        self.verticalScrollBar().valueChanged.connect(self._at_edge)

    @property
    def loaded(self) -> Span:
        """The range of the document that is here."""
        return self._offset, self._offset + len(self._text)

    def show_text(self, text: str, offset: int, *, more: bool) -> None:
        """Show a part of a document's text.

        Args:
            text: The part.
            offset: Where it begins.
            more: Whether the document continues after it.
        """
        self._text, self._offset, self._more = text, offset, more
        self._is_loading = True  # layout moves the scroll bar
        self._map = Utf16Map(text)
        self._passage, self._sentences = (0, 0), ()
        self.setPlainText(for_qt(text))
        self._mark()
        self._is_loading = False

    def extend(self, text: str, offset: int, *, more: bool) -> None:
        """Show a larger part; what is in view and what is marked stays."""
        block = self.firstVisibleBlock()
        seen = self._offset + self._map.to_code_points(block.position())
        passage, sentences = self._passage, self._sentences
        self.show_text(text, offset, more=more)
        self.mark(passage, sentences, scroll=False)
        self._is_loading = True
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._unit(seen))
        self.verticalScrollBar().setValue(cursor.block().firstLineNumber())
        self._is_loading = False

    def mark(self, passage: Span, sentences: Sequence[Span], *, scroll: bool = True) -> None:
        """Mark a passage and its best sentences, best first, and bring them into view."""
        self._passage, self._sentences = passage, tuple(sentences)
        self._mark()
        if scroll:
            self._show(*(self._sentences or (passage,))[0])

    def copy_flowing(self) -> str:
        """Return the selected text as one."""
        return flowing(self.textCursor().selectedText().replace("\u2029", "\n"))

    def zoom_by(self, step: int) -> None:
        """Make the text larger or smaller; 0 for its usual size."""
        self._zoom = 0 if step == 0 else max(-8, min(12, self._zoom + step))
        parent = self.parentWidget()
        font = parent.font() if parent is not None else self.font()
        font.setPointSizeF(font.pointSizeF() * 1.1**self._zoom)
        self.setFont(font)
        self.zoom_changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        lines = self._lines(*self._passage)
        if not lines:
            return
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = current().accent
        pen = QPen(colour, OUTLINE_PX)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(outline([Piece(line) for line in lines], _PADDING), pen)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if turned := event.angleDelta().y():
                self.zoom_by(1 if turned > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._mark()

    def _unit(self, place: int) -> int:
        """Return the position in Qt's document of a code point of the whole text."""
        local = max(0, min(place - self._offset, len(self._text)))
        return self._map.to_utf16(local)

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._unit(start))
        cursor.setPosition(self._unit(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

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
        self.setExtraSelections(shown)
        self.viewport().update()

    def _words_of(self, start: int, end: int) -> list[Span]:
        """Part a range at its lines, so that nothing is tinted where there is no text."""
        low = max(start - self._offset, 0)
        part = self._text[low : max(end - self._offset, 0)]
        first = self._offset + low
        return [(first + found.start(), first + found.end()) for found in _LINE.finditer(part)]

    def _show(self, start: int, end: int) -> None:
        """Bring a range into view, a little below the top."""
        cursor = self._cursor(start, start)
        self.setTextCursor(cursor)
        line = cursor.block().firstLineNumber() + _line_in(cursor)
        seen = self.viewport().height() / max(1, self.fontMetrics().lineSpacing())
        self.verticalScrollBar().setValue(max(0, round(line - _PLACE * seen)))

    def _lines(self, start: int, end: int) -> list[QRectF]:
        """Return the rectangles of the lines of a range that can be seen."""
        if start >= end:
            return []
        first, last = self._unit(start), self._unit(end)
        found: list[QRectF] = []
        block = self.firstVisibleBlock()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > self.viewport().height() or block.position() > last:
                break
            found += _block_lines(block, place, first, last)
            block = block.next()
        return found

    def _at_edge(self, value: int) -> None:
        bar = self.verticalScrollBar()
        if self._is_loading or not self._text or bar.maximum() == 0:
            return
        start, end = self.loaded
        if value >= bar.maximum() and self._more:
            self._is_loading = True
            self.more_requested.emit(start, end + len(self._text))
        elif value <= 0 and start > 0:
            self._is_loading = True
            self.more_requested.emit(max(0, start - len(self._text)), end)


def _line_in(cursor: QTextCursor) -> int:
    """Return which line of its block a cursor is in."""
    line = cursor.block().layout().lineForTextPosition(cursor.positionInBlock())
    return line.lineNumber() if line.isValid() else 0


def _block_lines(block: QTextBlock, place: QRectF, first: int, last: int) -> list[QRectF]:
    found = []
    for i in range(block.layout().lineCount()):
        line = block.layout().lineAt(i)
        begin = block.position() + line.textStart()
        low, high = max(first, begin), min(last, begin + line.textLength())
        if low >= high:
            continue
        left, right = (_x(line, at - block.position()) for at in (low, high))
        box = QRectF(min(left, right), line.y(), abs(right - left), line.height())
        found.append(box.translated(place.topLeft()))
    return found


def _x(line: QTextLine, position: int) -> float:
    # Some versions return the position it belongs to as well.
    found: Any = line.cursorToX(position)
    return float(found[0] if isinstance(found, tuple) else found)
