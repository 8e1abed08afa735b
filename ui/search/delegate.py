"""Paints the rows of the results: documents, hits with their snippets, headings.

Sizes are in logical pixels. Snippets are cached, so that scrolling is quick.
"""

from __future__ import annotations

import html
from collections.abc import Set as AbstractSet
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from PySide6.QtCore import QEvent, QObject, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QToolTip

from indexer.api.lru_cache import LruCache
from ui import theme
from ui.lists import paint_bar
from ui.search import describe
from ui.search.model import ROW_ROLE, Index
from ui.search.rows import Key, ResultRow, RowKind, key_of
from ui.search.safe_text import Shown, is_right_to_left, line, plain
from ui.search.snippet import MOST_LINES, Line, Pen, Snippet, lines_needed, make_snippet, text_of
from ui.theme import L, M, S, icon_side
from ui.words import names

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QWidget

    from indexer.api.types import Hit, Span
    from ui.search.live_search import Words

_SMALL = 0.92


class Face(NamedTuple):
    """A font and its metrics."""

    font: QFont
    metrics: QFontMetricsF


class ResultsStyle(Struct, frozen=True):
    """The fonts and sizes of all rows; it is made anew when the font or the width changes."""

    body: Face
    small: Face
    strong: Face
    title: Face
    width: int

    @classmethod
    def from_widget(cls, widget: QWidget, width: int) -> ResultsStyle:
        body = QFont(widget.font())
        small, title = QFont(body), QFont(body)
        if body.pointSizeF() > 0:
            small.setPointSizeF(body.pointSizeF() * _SMALL)
        title.setWeight(QFont.Weight.DemiBold)
        strong = QFont(small)
        strong.setWeight(QFont.Weight.DemiBold)
        faces = [Face(font, QFontMetricsF(font, widget)) for font in (body, small, strong, title)]
        return cls(faces[0], faces[1], faces[2], faces[3], width)

    @property
    def icon(self) -> int:
        return icon_side(self.body.metrics.height(), 1.1)

    @property
    def indent(self) -> int:
        """The left edge of the text of hits, after their icon."""
        return L + self.icon + M

    @property
    def pen(self) -> Pen:
        return Pen(*self.body, max(self.width - self.indent - L, 1))

    @property
    def title_line(self) -> int:
        return ceil(self.title.metrics.height())

    @property
    def small_line(self) -> int:
        return ceil(self.small.metrics.height())

    @property
    def document_height(self) -> int:
        return M + self.title_line + self.small_line + S

    @property
    def line_height(self) -> int:
        """The height of a heading, and of a line that unfolds more passages."""
        return M + ceil(self.body.metrics.height()) + M

    def hit_height(self, lines: int, *, has_place: bool = True) -> int:
        place = self.small_line + S // 2 if has_place else 0
        return M + place + lines * ceil(self.body.metrics.lineSpacing()) + M


_FLAT = Qt.TextFlag.TextSingleLine
_LEADING = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_TRAILING = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class PaintedLine(Struct, frozen=True):
    """A line of text and how to paint it."""

    text: str
    face: Face
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight
    is_path: bool = False  # a path runs from left to right in every language


class LinePainter:
    """Paints within one row. It takes rectangles of a left-to-right layout."""

    def __init__(
        self, painter: QPainter, option: QStyleOptionViewItem, style: ResultsStyle
    ) -> None:
        self.painter, self.style = painter, style
        self.rect: QRect = option.rect
        self.state: QStyle.StateFlag = option.state
        self.direction: Qt.LayoutDirection = option.direction

    def mirrored(self, rect: QRect) -> QRect:
        return QStyle.visualRect(self.direction, self.rect, rect)

    def line(self, area: QRect, text: PaintedLine) -> None:
        """Paint a line from its beginning."""
        self._paint(area, text, _LEADING)

    def trailing(self, area: QRect, text: PaintedLine) -> QRect:
        """Paint text at the end of a line; return the rest of the line's rectangle."""
        if not text.text:
            return area
        width = ceil(text.face.metrics.horizontalAdvance(text.text)) + 2
        end = QRect(area.right() - width + 1, area.top(), width, area.height())
        self._paint(end, text, _TRAILING)
        return area.adjusted(0, 0, -width - L, 0)

    def framed(self, area: QRect, text: PaintedLine, colour: QColor) -> QRect:
        """Paint text in a frame at the end of a line; return the rest of the line's rectangle."""
        if not text.text:
            return area
        width = ceil(text.face.metrics.horizontalAdvance(text.text)) + 2 * M + 2
        frame = QRect(area.right() - width + 1, area.top(), width, area.height())
        self.painter.setPen(colour)
        self.painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.painter.drawRoundedRect(self.mirrored(frame).adjusted(0, 1, -1, -1), S, S)
        self.line(frame.adjusted(M, 0, -M, 0), text)
        return area.adjusted(0, 0, -width - M, 0)

    def _paint(self, area: QRect, text: PaintedLine, side: Qt.AlignmentFlag) -> None:
        if area.width() <= 0 or not text.text:
            return
        self.painter.setFont(text.face.font)
        elided = text.face.metrics.elidedText(text.text, text.elide, area.width())
        flags = QStyle.visualAlignment(self.direction, side) | Qt.AlignmentFlag.AlignAbsolute
        # The direction of the text counts, not that of the window.
        right = not text.is_path and is_right_to_left(text.text)
        force = Qt.TextFlag.TextForceRightToLeft if right else Qt.TextFlag.TextForceLeftToRight
        self.painter.drawText(self.mirrored(area), flags | _FLAT | force, elided)


_KEPT = 400  # snippets
_STALE_OPACITY = 0.45
_RIGHT, _MIDDLE = Qt.TextElideMode.ElideRight, Qt.TextElideMode.ElideMiddle


class ResultsDelegate(QStyledItemDelegate):
    """Paints rows; in grey while ``stale``, which says that the query has changed since."""

    def __init__(self, style: ResultsStyle, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stale = False
        self.phrases = ""  # the phrases of the query
        self.new: AbstractSet[Key] = frozenset()  # new hits of a saved search
        self.explained: tuple[Key, Words] | None = None  # the hit whose words are underlined
        self._snippets: LruCache[tuple[object, ...], Snippet] = LruCache(_KEPT)
        self._lines: dict[Key, int] = {}
        self.use_style(style)

    def use_style(self, style: ResultsStyle) -> None:
        """Use another font or width."""
        self.forget_snippets()
        self.style, self._pen = style, style.pen
        self._document_height = style.document_height
        self._hit_heights = {
            (lines, has_place): style.hit_height(lines, has_place=has_place)
            for lines in range(1, MOST_LINES + 1)
            for has_place in (False, True)
        }

    def forget_snippets(self) -> None:
        self._snippets.clear()
        self._lines.clear()

    def height(self, row: ResultRow) -> int:
        if row.is_document or row.kind is RowKind.TWIN:
            return self._document_height
        if not row.is_hit:
            return self.style.line_height
        return self._hit_heights[self._lines_of(row), _has_place(row)]

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self.style.width, self.height(index.data(ROW_ROLE)))

    def snippet(self, row: ResultRow, *, strong: bool = False) -> Snippet:
        """Return the snippet of a hit from the cache; the selected hit has the strongest mark."""
        colours = theme.current()
        words, hit = self._words_of(row), row.hit
        # A later answer to the same query may choose another sentence.
        said = (row.key, hit.text, hit.best, hit.marks)
        key = (said, colours.dark, row.weak, words is not None, strong)
        known = self._snippets.get(key)
        if known is not None and words is None:
            return known
        text = text_of(hit)
        if not text.text or row.weak:
            text = Shown(text.text or describe.body(hit))
        lines, drawn = self._lines_of(row), underlined(hit, words)
        ground, ink = theme.mark_colours(strong=strong)
        made = make_snippet(text, self._pen, lines, ground, ink, drawn)
        self._snippets.put(key, made)
        return made

    def _words_of(self, row: ResultRow) -> Words | None:
        explained = self.explained
        return explained[1] if explained is not None and explained[0] == row.key else None

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW_ROLE)
        if row is None:
            return
        painter.save()
        lines = LinePainter(painter, option, self.style)
        self._paint_background(lines)
        if self.stale:
            painter.setOpacity(_STALE_OPACITY)
        if row.is_document:
            self._paint_document(lines, row, _begins(index))
        elif row.kind is RowKind.TWIN:
            self._paint_twin(lines, row)
        elif row.is_hit:
            self._paint_hit(lines, row)
        else:
            self._paint_line(lines, row, index.row() == 0)
        painter.restore()

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: Index
    ) -> bool:
        row = index.data(ROW_ROLE) if index.isValid() else None
        if row is None or event.type() is not QEvent.Type.ToolTip:
            return False
        text = self._tip(row, option, event.pos().x())
        if not text:
            QToolTip.hideText()
            return True
        # Escaped, so that Qt does not read markup in the text.
        QToolTip.showText(event.globalPos(), f"<span>{html.escape(text)}</span>", view)
        return True

    def _tip(self, row: ResultRow, option: QStyleOptionViewItem, x: int) -> str:
        if row.is_document:
            places = (row.hit.path, *row.hit.other_paths)
            return "\n".join(map(line, places))
        if not row.is_hit:
            return ""
        icon = QStyle.visualRect(option.direction, option.rect, self._icon_in(option.rect))
        if icon.left() - M <= x <= icon.right() + M:
            return names.why(row.hit)
        return line(row.hit.path) if row.kind is RowKind.TWIN else describe.headings(row.hit)

    def _lines_of(self, row: ResultRow) -> int:
        key = row.key
        lines = self._lines.get(key)
        if lines is None:
            lines = self._lines[key] = lines_needed(row.hit, self._pen)
        return lines

    def _paint_background(self, lines: LinePainter) -> None:
        painter, rect = lines.painter, lines.rect
        selected = bool(lines.state & QStyle.StateFlag.State_Selected)
        hovered = bool(lines.state & QStyle.StateFlag.State_MouseOver)
        painter.fillRect(rect, theme.row_background(selected=selected, hovered=hovered))
        if selected:
            paint_bar(painter, rect, lines.direction)

    def _paint_document(self, lines: LinePainter, row: ResultRow, first: bool) -> None:
        colours, style = theme.current(), self.style
        painter, rect = lines.painter, lines.rect
        if not first:
            painter.setPen(QPen(colours.line, 1))
            painter.drawLine(rect.left() + L, rect.top(), rect.right() - L, rect.top())
        area = QRect(rect.left() + L, rect.top() + M, rect.width() - 2 * L, style.title_line)
        painter.setPen(colours.muted)
        area = lines.trailing(area, self._small(describe.count(row.group)))
        if not self.new.isdisjoint(map(key_of, row.group.hits)):
            area = self._paint_new(lines, area)
        area = lines.framed(area, self._small(describe.badge(row.hit)), colours.warning)
        painter.setPen(colours.muted if row.weak else colours.text)
        lines.line(area, PaintedLine(describe.title(row.hit), style.title))
        self._paint_where(lines, row, describe.day(row.hit), L)

    def _paint_twin(self, lines: LinePainter, row: ResultRow) -> None:
        """Paint the file and folder of a near-duplicate."""
        rect, style, colours = lines.rect, self.style, theme.current()
        area = rect.adjusted(style.indent, M, -L, 0)
        area.setHeight(style.title_line)
        lines.painter.setPen(colours.muted if row.weak else colours.text)
        lines.line(area, PaintedLine(describe.title(row.hit), style.body))
        self._paint_where(lines, row, describe.pages(row.hit), style.indent)

    def _paint_where(self, lines: LinePainter, row: ResultRow, beside: str, left: int) -> None:
        """Paint the file's name and folder below a title, with a date or page at the end."""
        rect, style = lines.rect, self.style
        top = rect.top() + M + style.title_line
        below = QRect(rect.left() + left, top, rect.width() - left - L, style.small_line)
        lines.painter.setPen(theme.current().muted)
        below = lines.trailing(below, self._small(beside))
        lines.line(below, self._small(describe.where(row.hit), _MIDDLE, is_path=True))

    def _paint_line(self, lines: LinePainter, row: ResultRow, first: bool) -> None:
        """Paint a heading, or the line that unfolds more passages."""
        colours, style = theme.current(), self.style
        painter, rect = lines.painter, lines.rect
        text = describe.heading(row, self.phrases)
        if row.is_reachable:
            icon = self._icon_rect(lines)
            icon.moveTop(rect.center().y() - style.icon // 2)
            ratio = painter.device().devicePixelRatio()
            drawing = theme.pixmap("chevron-down", style.icon, colours.accent, ratio)
            painter.drawPixmap(icon, drawing)
            painter.setPen(colours.accent)
            area = rect.adjusted(style.indent, 0, -L, 0)
            lines.line(area, PaintedLine(text, style.body))
            return
        painter.fillRect(rect, colours.raised)
        if not first:
            painter.setPen(QPen(colours.line, 1))
            painter.drawLine(rect.topLeft(), rect.topRight())
        painter.setPen(colours.muted)
        area = rect.adjusted(L, 0, -L, 0)
        lines.line(area, PaintedLine(text, style.strong))

    def _paint_hit(self, lines: LinePainter, row: ResultRow) -> None:
        colours, style = theme.current(), self.style
        painter, rect = lines.painter, lines.rect
        ratio = painter.device().devicePixelRatio()
        drawing = theme.pixmap(row.hit.why.value, style.icon, colours.muted, ratio)
        painter.drawPixmap(self._icon_rect(lines), drawing)
        top = rect.top() + M
        if _has_place(row):
            width = rect.width() - style.indent - L
            self._paint_place(
                lines, QRect(rect.left() + style.indent, top, width, style.small_line), row
            )
            top += style.small_line + S // 2
        painter.setPen(colours.muted if row.weak else colours.text)
        column = QRect(rect.left() + style.indent, top, round(style.pen.width), 1)
        left = lines.mirrored(column).left()
        strong = bool(lines.state & QStyle.StateFlag.State_Selected)
        self.snippet(row, strong=strong).layout.draw(painter, QPointF(left, top))

    def _paint_place(self, lines: LinePainter, area: QRect, row: ResultRow) -> None:
        """Paint page and heading path on one line."""
        colours, metrics = theme.current(), self.style.small.metrics
        pages = self._small(describe.pages(row.hit))
        lines.painter.setPen(colours.accent)
        lines.line(area, pages)
        used = round(metrics.horizontalAdvance(pages.text)) + (M if pages.text else 0)
        lines.painter.setPen(colours.muted)
        if row.key in self.new:
            area = self._paint_new(lines, area)
        words = self._words_of(row)
        beside = describe.pairs(words) if words is not None else ""
        rest = area.adjusted(used, 0, 0, 0)
        lines.line(rest, self._small(beside or describe.headings(row.hit), _MIDDLE))

    def _paint_new(self, lines: LinePainter, area: QRect) -> QRect:
        """Paint the mark of a new passage; return the rest of the line's rectangle."""
        style = self.style
        lines.painter.setPen(theme.current().good)
        left = lines.trailing(area, PaintedLine(describe.new(), style.strong))
        lines.painter.setPen(theme.current().muted)
        return left

    def _small(
        self, text: str, elide: Qt.TextElideMode = _RIGHT, *, is_path: bool = False
    ) -> PaintedLine:
        return PaintedLine(text, self.style.small, elide, is_path)

    def _icon_rect(self, lines: LinePainter) -> QRect:
        return lines.mirrored(self._icon_in(lines.rect))

    def _icon_in(self, rect: QRect) -> QRect:
        side = self.style.icon
        return QRect(rect.left() + L, rect.top() + M, side, side)


def _begins(index: Index) -> bool:
    """Return whether a document is the first row or follows a heading, and needs no line."""
    above = index.sibling(index.row() - 1, 0).data(ROW_ROLE)
    return above is None or not (above.is_reachable or above.is_document)


def underlined(hit: Hit, words: Words | None) -> list[tuple[Span, Line]]:
    """Return the words to underline: some with a line, those close in meaning with dots."""
    if words is None:
        return []
    return [
        (span, line)
        for spans, line in ((words.same, Line.SingleUnderline), (words.meaning, Line.DotLine))
        for span in plain(hit, spans).spans
    ]


def _has_place(row: ResultRow) -> bool:
    """Return whether a hit has a line above its text; quick, as thousands of rows need it."""
    hit = row.hit
    return bool(hit.heading_path or hit.also) or describe.has_pages(hit)
