"""Paints the rows of the results: documents, hits with their snippets, headings.

Owns the painting and the tooltips. Snippets are cached, so that scrolling is quick. It must not
know the positions of rows; the view does.
"""

from __future__ import annotations

import html
from collections import OrderedDict
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QToolTip

from ui import icons, theme
from ui.search import describe
from ui.search.grouping import key_of
from ui.search.model import Role
from ui.search.plain import plain
from ui.search.results_style import BAR, ResultsStyle, background
from ui.search.rows import Kind, Row
from ui.search.safe_text import Shown, is_right_to_left, line
from ui.search.snippet import MOST_LINES, Line, Snippet, lines_needed, make_snippet, text_of
from ui.theme import L, M, S
from ui.words import states

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent
    from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem

    from indexer.api.types import Hit, Span
    from ui.search.grouping import Key
    from ui.search.model import Index
    from ui.search.reasons import Words

_KEPT = 400  # snippets
_STALE_OPACITY = 0.45
_FLAT = Qt.TextFlag.TextSingleLine
_LEADING = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_TRAILING = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of text to paint in a rectangle."""

    text: str
    font: QFont
    metrics: QFontMetricsF
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight
    is_path: bool = False  # a path runs from left to right in every language


class ResultsDelegate(QStyledItemDelegate):
    """Paints rows; greyed if ``stale``, when the query has changed since the answer."""

    def __init__(self, style: ResultsStyle, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stale = False
        self.phrases = ""  # the phrases of the query
        self.new: AbstractSet[Key] = frozenset()  # new hits of a saved search
        self.explained: tuple[Key, Words] | None = None  # the hit whose words are underlined
        self._measure_by(style)
        self._snippets: OrderedDict[tuple[Key, bool, bool, bool], Snippet] = OrderedDict()
        self._lines: dict[Key, int] = {}

    def use(self, style: ResultsStyle) -> None:
        """Use another font or width."""
        self._measure_by(style)
        self.forget()

    def _measure_by(self, style: ResultsStyle) -> None:
        self.style, self._pen = style, style.pen
        self._document_height = style.document_height
        self._hit_heights = {
            (lines, has_place): style.hit_height(lines, has_place=has_place)
            for lines in range(1, MOST_LINES + 1)
            for has_place in (False, True)
        }

    def forget(self) -> None:
        self._snippets.clear()
        self._lines.clear()

    def height(self, row: Row) -> int:
        if row.is_document:
            return self._document_height
        if not row.is_hit:
            return self.style.line_height
        return self._hit_heights[self._lines_of(row), _has_place(row)]

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.style.width, self.height(index.data(Role.ROW)))

    def snippet(self, row: Row) -> Snippet:
        """Return the snippet of a hit, from the cache if it is there."""
        colours = theme.current()
        words = self._words_of(row)
        key = (row.key, colours.dark, row.weak, words is not None)
        known = self._snippets.get(key)
        if known is not None and words is None:
            self._snippets.move_to_end(key)
            return known
        text = text_of(row.hit)
        if not text.text or row.weak:
            text = Shown(text.text or describe.body(row.hit))
        lines, drawn = self._lines_of(row), underlined(row.hit, words)
        made = make_snippet(text, self._pen, lines, colours.mark, colours.mark_text, drawn)
        self._snippets[key] = made
        if len(self._snippets) > _KEPT:
            self._snippets.popitem(last=False)
        return made

    def _words_of(self, row: Row) -> Words | None:
        explained = self.explained
        return explained[1] if explained is not None and explained[0] == row.key else None

    def is_on_icon(self, rect: QRect, x: int, direction: Qt.LayoutDirection) -> bool:
        """Whether an ``x`` is on the icon of a row, in pixels of the viewport."""
        icon = self._icon_in(rect, direction)
        return icon.left() - M <= x <= icon.right() + M

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(Role.ROW)
        if row is None:
            return
        painter.save()
        self._paint_background(painter, option, row)
        if self.stale:
            painter.setOpacity(_STALE_OPACITY)
        if row.is_document:
            self._paint_document(painter, option, row, _begins(index))
        elif row.is_hit:
            self._paint_hit(painter, option, row)
        else:
            self._paint_line(painter, option, row, index.row() == 0)
        painter.restore()

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        row = index.data(Role.ROW) if index.isValid() else None
        if row is None or event.type() is not QEvent.Type.ToolTip:
            return False
        text = self._tip(row, option, event.pos().x())
        if not text:
            QToolTip.hideText()
            return True
        # Escaped, so that Qt does not read markup in the text.
        QToolTip.showText(event.globalPos(), f"<span>{html.escape(text)}</span>", view)
        return True

    def _tip(self, row: Row, option: QStyleOptionViewItem, x: int) -> str:
        if row.is_document:
            places = (row.hit.path, *row.hit.other_paths)
            return "\n".join(map(line, places))
        if not row.is_hit:
            return ""
        if self.is_on_icon(option.rect, x, option.direction):
            return states.why(row.hit)
        parts = (describe.headings(row.hit), *describe.places_alike(row.hit))
        return "\n".join(filter(None, parts))

    def _lines_of(self, row: Row) -> int:
        key = row.key
        lines = self._lines.get(key)
        if lines is None:
            lines = self._lines[key] = lines_needed(row.hit, self._pen)
        return lines

    def _paint_background(self, painter: QPainter, option: QStyleOptionViewItem, row: Row) -> None:
        colours = theme.current()
        state = option.state
        rect: QRect = option.rect
        selected = bool(state & QStyle.StateFlag.State_Selected)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        painter.fillRect(rect, background(selected=selected, hovered=hovered))
        if selected:
            bar = QRect(rect.left(), rect.top(), BAR, rect.height())
            painter.fillRect(self._mirrored(bar, option), colours.accent)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(colours.accent, 1))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))

    def _paint_document(
        self, painter: QPainter, option: QStyleOptionViewItem, row: Row, first: bool
    ) -> None:
        colours, style = theme.current(), self.style
        rect: QRect = option.rect
        if not first:
            painter.setPen(QPen(colours.line, 1))
            painter.drawLine(rect.left() + L, rect.top(), rect.right() - L, rect.top())
        top = rect.top() + M + S // 2
        area = QRect(rect.left() + L, top, rect.width() - 2 * L, style.title_line)
        painter.setPen(colours.muted)
        count = _Line(describe.count(row.group), style.small, style.small_metrics)
        area = self._trailing(painter, option, area, count)
        if not self.new.isdisjoint(map(key_of, row.group.hits)):
            area = self._new(painter, option, area)
        area = self._badge(painter, option, area, row)
        painter.setPen(colours.muted if row.weak else colours.text)
        title = _Line(describe.title(row.hit), style.title, style.title_metrics)
        self._text(painter, option, area, title)
        below = QRect(
            rect.left() + L, top + style.title_line, rect.width() - 2 * L, style.small_line
        )
        painter.setPen(colours.muted)
        date = _Line(describe.day(row.hit), style.small, style.small_metrics)
        below = self._trailing(painter, option, below, date)
        middle = Qt.TextElideMode.ElideMiddle
        path = _Line(
            describe.folder(row.hit), style.small, style.small_metrics, middle, is_path=True
        )
        self._text(painter, option, below, path)

    def _paint_line(
        self, painter: QPainter, option: QStyleOptionViewItem, row: Row, first: bool
    ) -> None:
        """Paint a heading, or the line that unfolds more passages."""
        colours, style = theme.current(), self.style
        rect: QRect = option.rect
        text = describe.heading(row, self.phrases)
        if row.kind is Kind.MORE:
            icon = self._icon_rect(option)
            icon.moveTop(rect.center().y() - style.icon // 2)
            ratio = painter.device().devicePixelRatio()
            drawing = icons.pixmap("chevron-down", style.icon, colours.accent, ratio)
            painter.drawPixmap(icon, drawing)
            painter.setPen(colours.accent)
            area = rect.adjusted(style.indent, 0, -L, 0)
            self._text(painter, option, area, _Line(text, style.body, style.body_metrics))
            return
        painter.fillRect(rect, colours.raised)
        if not first:
            painter.setPen(QPen(colours.line, 1))
            painter.drawLine(rect.topLeft(), rect.topRight())
        painter.setPen(colours.muted)
        area = rect.adjusted(L, 0, -L, 0)
        self._text(painter, option, area, _Line(text, style.strong, style.strong_metrics))

    def _paint_hit(self, painter: QPainter, option: QStyleOptionViewItem, row: Row) -> None:
        colours, style = theme.current(), self.style
        rect: QRect = option.rect
        ratio = painter.device().devicePixelRatio()
        drawing = icons.pixmap(row.hit.why.value, style.icon, colours.muted, ratio)
        painter.drawPixmap(self._icon_rect(option), drawing)
        top = rect.top() + M
        if _has_place(row):
            width = rect.width() - style.indent - L
            area = QRect(rect.left() + style.indent, top, width, style.small_line)
            self._place(painter, option, area, row)
            top += style.small_line + S // 2
        painter.setPen(colours.muted if row.weak else colours.text)
        width = round(style.pen.width)
        column = QRect(rect.left() + style.indent, top, width, 1)
        left = self._mirrored(column, option).left()
        self.snippet(row).layout.draw(painter, QPointF(left, top))

    def _place(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, row: Row
    ) -> None:
        """Paint page and heading path on one line."""
        colours, style = theme.current(), self.style
        pages = _Line(describe.pages(row.hit), style.small, style.small_metrics)
        painter.setPen(colours.accent)
        self._text(painter, option, area, pages)
        used = round(style.small_metrics.horizontalAdvance(pages.text)) + (M if pages.text else 0)
        painter.setPen(colours.muted)
        middle = Qt.TextElideMode.ElideMiddle
        if row.key in self.new:
            area = self._new(painter, option, area)
        if also := describe.alike(row.hit):
            end = _Line(also, style.small, style.small_metrics)
            area = self._trailing(painter, option, area, end)
        words = self._words_of(row)
        beside = describe.pairs(words) if words is not None else ""
        beside = beside or describe.headings(row.hit)
        headings = _Line(beside, style.small, style.small_metrics, middle)
        rest = QRect(area.left() + used, area.top(), area.width() - used, area.height())
        self._text(painter, option, rest, headings)

    def _new(self, painter: QPainter, option: QStyleOptionViewItem, area: QRect) -> QRect:
        """Paint the mark of a new passage; return the rest of the line's rectangle."""
        style = self.style
        painter.setPen(theme.current().good)
        text = _Line(describe.new(), style.strong, style.strong_metrics)
        left = self._trailing(painter, option, area, text)
        painter.setPen(theme.current().muted)
        return left

    def _badge(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, row: Row
    ) -> QRect:
        """Paint the state of a document in a frame; return the rest of the line's rectangle."""
        text = describe.badge(row.hit)
        if not text:
            return area
        style = self.style
        width = ceil(style.small_metrics.horizontalAdvance(text)) + 2 * M + 2
        frame = QRect(area.right() - width + 1, area.top(), width, area.height())
        painter.setPen(theme.current().warning)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawRoundedRect(self._mirrored(frame, option).adjusted(0, 1, -1, -1), S, S)
        inner = frame.adjusted(M, 0, -M, 0)
        self._text(painter, option, inner, _Line(text, style.small, style.small_metrics))
        return area.adjusted(0, 0, -width - M, 0)

    def _trailing(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, text: _Line
    ) -> QRect:
        """Paint text at the end of a line; return the rest of the line's rectangle."""
        if not text.text:
            return area
        width = ceil(text.metrics.horizontalAdvance(text.text)) + 2
        end = QRect(area.right() - width + 1, area.top(), width, area.height())
        self._text(painter, option, end, text, _TRAILING)
        return area.adjusted(0, 0, -width - L, 0)

    def _text(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        area: QRect,
        text: _Line,
        side: Qt.AlignmentFlag = _LEADING,
    ) -> None:
        if area.width() <= 0 or not text.text:
            return
        painter.setFont(text.font)
        elided = text.metrics.elidedText(text.text, text.elide, area.width())
        direction = option.direction
        flags = QStyle.visualAlignment(direction, side) | Qt.AlignmentFlag.AlignAbsolute
        # By the direction of the text, not of the window.
        right = not text.is_path and is_right_to_left(text.text)
        force = Qt.TextFlag.TextForceRightToLeft if right else Qt.TextFlag.TextForceLeftToRight
        painter.drawText(self._mirrored(area, option), flags | _FLAT | force, elided)

    def _icon_rect(self, option: QStyleOptionViewItem) -> QRect:
        return self._icon_in(option.rect, option.direction)

    def _icon_in(self, rect: QRect, direction: Qt.LayoutDirection) -> QRect:
        side = self.style.icon
        icon = QRect(rect.left() + L, rect.top() + M, side, side)
        return self.style.mirrored(icon, rect, direction)

    def _mirrored(self, rect: QRect, option: QStyleOptionViewItem) -> QRect:
        within: QRect = option.rect
        return self.style.mirrored(rect, within, option.direction)


def _begins(index: Index) -> bool:
    """Whether a document is the first row or below a heading, so that it needs no line above."""
    above = index.sibling(index.row() - 1, 0).data(Role.ROW)
    return above is None or not (above.is_reachable or above.is_document)


def underlined(hit: Hit, words: Words | None) -> list[tuple[Span, Line]]:
    """Return the words to underline: with a line, or with dots if they are close in meaning."""
    if words is None:
        return []
    return [
        (span, line)
        for spans, line in ((words.same, Line.SingleUnderline), (words.meaning, Line.DotLine))
        for span in plain(hit, spans).spans
    ]


def _has_place(row: Row) -> bool:
    """Whether a hit has a line above its text; quick, since it is called for thousands of rows."""
    hit = row.hit
    return bool(hit.heading_path or hit.also) or describe.has_pages(hit)
