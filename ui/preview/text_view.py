"""The text of a document without pages, as a readable column with a passage marked.

Offsets count code points of the whole document, but Qt's count UTF-16 units of the loaded part.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontInfo,
    QFontMetricsF,
    QPainter,
    QPalette,
    QPen,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from indexer.api.formats import BY_NAME, page_unit
from ui.preview.marks import LinePiece, boxed, flowing, outline
from ui.preview.page_view import FOUND, OUTLINE_PX
from ui.preview.typesetting import Typesetter, laid_out
from ui.search.safe_text import Utf16Map, for_qt
from ui.theme import LIGHT, XL, L, M, S, current, mark_colours, paint_rounded
from ui.words import names

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QContextMenuEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QTextBlock,
        QTextLine,
        QWheelEvent,
    )

    from indexer.api.pages import TextBlock, TextPart
    from indexer.api.types import Span

# The size of the text as a multiple of the window's, and its least size in pixels.
_LARGER, _LEAST_PX = 1.15, 15
# The most slides, sheets or chapters that are drawn as cards.
_MOST_CARDS = 1_000
# A text of 68 characters that is as wide as a full line. A font's own average width covers all its
# glyphs, and in fonts of many scripts most of these are much wider than the letters of a text.
_FULL_LINE = "the lamp is lit each evening and the keeper stays awake until dawn, "


class TextColumn(QTextEdit):
    """Shows a part of a text; requests more when it is scrolled to an edge.

    Signals:
        more_requested: The larger range to load.
    """

    more_requested = Signal(int, int)

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
        self.setAcceptRichText(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.loaded_text = ""
        self._blocks: Sequence[TextBlock] = ()
        self._pages: Sequence[int] = ()
        self._form = ""
        self._offset = 0
        self._more = False
        self._map = Utf16Map("")
        self._is_loading = False
        self._zoom = 0
        self.verticalScrollBar().valueChanged.connect(self._at_edge)

    @property
    def loaded(self) -> Span:
        """The loaded range of the document."""
        return self._offset, self._offset + len(self.loaded_text)

    def zoom_by(self, step: int) -> None:
        """Make the text larger or smaller; 0 resets its size."""
        self._zoom = 0 if step == 0 else max(-8, min(12, self._zoom + step))
        self._set_again()

    def parts_from(self, place: int) -> int:
        """Return how many slides, sheets or chapters are between a place and the visible text.

        The answer is 0 while the place itself is visible.
        """
        start, end = self.loaded
        if start <= place <= end and not self._is_loading:
            at = self.cursorRect(self._cursor(place, place)).center()
            if self.viewport().rect().contains(at):
                return 0
        seen = QPoint(self.viewport().width() // 2, self.viewport().height() // 3)
        unit = self.cursorForPosition(seen).position()
        return self.parts_between(place, self._offset + self._map.to_code_points(unit))

    def parts_between(self, place: int, other: int) -> int:
        """Return how many slides, sheets or chapters are between a place and another after it."""
        return bisect_right(self._pages, other) - bisect_right(self._pages, place)

    def _mark(self) -> None:
        """Mark passages after the text was set; the subclass knows them."""

    def _set_again(self) -> None:
        bar = self.verticalScrollBar()
        place = bar.value() / max(1, bar.maximum())
        self._is_loading = True
        self._set_type()
        self._mark()
        bar.setValue(round(place * bar.maximum()))
        self._is_loading = False

    def _set_type(self) -> None:
        """Set the text with its fonts and formats."""
        parent = self.parentWidget()
        font = QFont(parent.font() if parent is not None else self.font())
        least = QFontInfo(font).pixelSize() * _LARGER
        font.setPixelSize(round(max(least, _LEAST_PX) * 1.1**self._zoom))
        self.document().setDefaultFont(font)
        code = self._form == "code"
        shown, parts = laid_out(self.loaded_text, self._offset, self._blocks, code=code)
        self.setCurrentCharFormat(QTextCharFormat())  # drops that of the last text
        self.setPlainText(for_qt(shown))
        self._fit_column()
        Typesetter(self.document(), self._map).set_parts(parts)
        self._part_cards()

    def _fit_column(self) -> None:
        """Centre the column, with lines of a readable length; a sheet takes all the room."""
        metrics = QFontMetricsF(self.document().defaultFont())
        column = metrics.horizontalAdvance(_FULL_LINE)
        is_sheet = (known := BY_NAME.get(self._form)) and known.group == "spreadsheet"
        side = L if is_sheet else max(L, (self.viewport().width() - column) / 2)
        root = self.document().rootFrame()
        form = root.frameFormat()
        top = L + self._number_px()
        if abs(form.leftMargin() - side) > 1 or form.topMargin() != top:
            form.setLeftMargin(side)
            form.setRightMargin(side)
            form.setTopMargin(top)
            form.setBottomMargin(XL)
            root.setFrameFormat(form)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        loading, self._is_loading = self._is_loading, True
        self._fit_column()
        self._is_loading = loading

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.BackButton, Qt.MouseButton.ForwardButton):
            event.ignore()  # the window goes back and forward
        else:
            super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()  # the preview has the menu

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self._draw_cards(painter)
        painter.end()  # Qt draws the text with a painter of its own
        super().paintEvent(event)

    @property
    def _has_cards(self) -> bool:
        return 1 < len(self._pages) <= _MOST_CARDS

    @property
    def _starts(self) -> list[int]:
        """Return the offsets of loaded slides, sheets or chapters, except for the first."""
        start, end = self.loaded
        return [page for page in self._pages[1:] if start < page < end]

    def _draw_cards(self, painter: QPainter) -> None:
        """Draw a card with its number behind each slide, sheet or chapter."""
        if not self._has_cards:
            return
        over, unit = M + self._number_px(), page_unit(self._form)
        margin = self.document().rootFrame().frameFormat().leftMargin() - M
        width = self.viewport().width() - 2 * margin
        scrolled = self.verticalScrollBar().value()
        tops = [self.cursorRect(self._cursor(page, page)).top() - over for page in self._starts]
        top, first = L - M - scrolled, bisect_right(self._pages, self._offset)
        end = round(self.document().size().height()) - XL + 2 * M - scrolled
        painter.setFont(self.font())
        for number, below in enumerate((*tops, end), first):
            if below > 0 and top < self.viewport().height():
                card = QRectF(margin, top, width, below - top - M)
                paint_rounded(painter, card, current().line, current().base)
                painter.setPen(current().muted)
                place = Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight
                named = names.place(unit, str(number))
                painter.drawText(card.adjusted(M, S, -M, 0), place, named)
            top = below

    def _part_cards(self) -> None:
        """Leave room between the cards."""
        role = QPalette.ColorRole.Window if self._has_cards else QPalette.ColorRole.Base
        self.viewport().setBackgroundRole(role)
        whole = QTextCursor(self.document())
        whole.beginEditBlock()  # otherwise each change would lay out the whole text
        for page in self._starts if self._has_cards else ():
            cursor = self._cursor(page, page)
            form = cursor.blockFormat()
            form.setTopMargin(max(form.topMargin(), 4 * M) + self._number_px())
            cursor.setBlockFormat(form)
        whole.endEditBlock()

    def _number_px(self) -> int:
        """Return the height of a card's number; 0 if the parts have no numbers."""
        numbered = self._has_cards and bool(page_unit(self._form))
        return self.fontMetrics().height() if numbered else 0

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if turned := event.angleDelta().y():
                self.zoom_by(1 if turned > 0 else -1)
            event.accept()
            return
        super().wheelEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        changes = (QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.FontChange)
        if event.type() in changes and hasattr(self, "loaded_text") and self.loaded_text:
            self._set_again()

    def _unit(self, place: int) -> int:
        """Return the position in Qt's document of an offset in the document."""
        local = max(0, min(place - self._offset, len(self.loaded_text)))
        return self._map.to_utf16(local)

    def _cursor(self, start: int, end: int) -> QTextCursor:
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._unit(start))
        cursor.setPosition(self._unit(end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _at_edge(self, value: int) -> None:
        bar = self.verticalScrollBar()
        if self._is_loading or not self.loaded_text or bar.maximum() == 0:
            return
        start, end = self.loaded
        if value >= bar.maximum() and self._more:
            self._is_loading = True
            self.more_requested.emit(start, end + len(self.loaded_text))
        elif value <= 0 and start > 0:
            self._is_loading = True
            self.more_requested.emit(max(0, start - len(self.loaded_text)), end)


_LINE = re.compile(r"[^\s](?:[^\r\n]*[^\s])?")
_PLACE = 0.2
_PADDING = 3.0
_Line = QTextCharFormat.UnderlineStyle


class TextView(TextColumn):
    """Shows a text and marks a passage, its best sentences, words of the query and found words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._passage: Span = (0, 0)
        self._sentences: tuple[Span, ...] = ()
        self._words: tuple[tuple[Span, _Line], ...] = ()  # offsets into the passage
        self._found: tuple[Span, ...] = ()
        self._found_at = -1
        self._highlights: tuple[tuple[Span, QColor], ...] = ()

    def show_text(self, text: str, part: TextPart, form: str = "") -> None:
        """Show a part of a document's text.

        Args:
            text: The part.
            part: Its offset, its blocks and pages, and whether more follows.
            form: The name of the document's format.
        """
        self._is_loading = True  # the layout moves the scroll bar, which must not load more
        self._passage, self._sentences = (0, 0), ()
        self._words = self._found = self._highlights = ()
        self.loaded_text, self._offset, self._more = text, part.offset, part.more
        self._blocks, self._pages, self._form = part.blocks, part.pages, form
        self._map = Utf16Map(text)
        self._set_type()
        self._mark()
        self._is_loading = False

    def extend(self, text: str, part: TextPart) -> None:
        """Show a larger part; the view and the marks stay."""
        first = self.cursorForPosition(QPoint(self.viewport().width() // 2, 1))
        seen = self._offset + self._map.to_code_points(first.position())
        passage, sentences = self._passage, self._sentences
        self.show_text(text, part, self._form)
        self.mark_passage(passage, sentences, scroll=False)
        self._is_loading = True
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(self._cursor(seen, seen)).top())
        self._is_loading = False

    def mark_passage(
        self, passage: Span, sentences: Sequence[Span], *, scroll: bool = True
    ) -> None:
        """Mark a passage and its best sentences, best first, and bring the best into view."""
        self._passage, self._sentences = passage, tuple(sentences)
        self._mark()
        if scroll:
            self._show(*(self._sentences or (passage,))[0])

    def show_words(self, same: Sequence[Span], meaning: Sequence[Span]) -> None:
        """Underline words of the passage: the query's own, and with dots those close in meaning."""
        self._words = (
            *((span, _Line.SingleUnderline) for span in same),
            *((span, _Line.DotLine) for span in meaning),
        )
        self._mark()

    def show_highlights(self, highlights: Sequence[tuple[Span, QColor]]) -> None:
        """Paint ranges of the document in their colours."""
        self._highlights = tuple(highlights)
        self._mark()

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
        return flowing(self.loaded_text[start - self._offset : end - self._offset])

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
        painter.strokePath(outline([LinePiece(boxed(line)) for line in lines], _PADDING), pen)

    def _mark(self) -> None:
        shown = []

        def add(start: int, end: int) -> QTextCharFormat:
            selection = QTextEdit.ExtraSelection()
            selection.cursor = self._cursor(start, end)
            shown.append(selection)
            return selection.format

        for span, tint in self._highlights:
            form = add(*span)
            form.setBackground(tint)
            form.setForeground(LIGHT.text)
        for number, sentence in reversed(list(enumerate(self._sentences))):
            ground, ink = mark_colours(strong=number == 0)
            for span in self._words_of(*sentence):
                form = add(*span)
                form.setBackground(ground)
                form.setForeground(ink)
        first = self._passage[0]
        for (start, end), line in self._words:
            add(first + start, first + end).setUnderlineStyle(line)
        for number, span in enumerate(self._found):
            colour = QColor(FOUND)
            colour.setAlpha(160 if number == self._found_at else 70)
            add(*span).setBackground(colour)
        self.setExtraSelections(shown)
        self.viewport().update()

    def _words_of(self, start: int, end: int) -> list[Span]:
        """Split a range into the texts of its lines, so that blank space is not tinted."""
        low = max(start - self._offset, 0)
        part = self.loaded_text[low : max(end - self._offset, 0)]
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
