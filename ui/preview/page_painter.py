"""Paints pages and their marks: paper, image, tint, outline, found words, selection.

Paper is white in either theme, so marks have the colours of the light one, unless dark pages are
switched on. It must not know scrolling.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTransform

from ui.preview.marks import ink_of, outline
from ui.preview.page_layout import MARGIN, turned
from ui.theme import DARK, LIGHT, current
from ui.words import failures

if TYPE_CHECKING:
    from PySide6.QtGui import QPainterPath

    from ui.preview.marks import Marks
    from ui.preview.page_view import PageView

PAPER = QColor("#ffffff")
TINT = QColor("#ffe9a3")
TINT_BEST = QColor("#ffd45e")
OUTLINE = LIGHT.outline
FOUND = QColor("#d0561b")
WORD = QColor("#a3178f")
OUTLINE_PX = 2.0
_SKELETON = QColor("#e8eaed")
_SELECTION_ALPHA = 90
# The lines of a skeleton: beginning and end, as shares of the width.
_LINES = ((0.12, 0.62), *([(0.12, 0.88)] * 6), (0.12, 0.5))


class PagePainter:
    """Paints a view. The paths of outlines are cached until the marks change."""

    def __init__(self, view: PageView) -> None:
        self._view = view
        self._marks: Marks | None = None
        self._outlines: dict[int, QPainterPath] = {}

    def paint(self, painter: QPainter, clip: QRect, *, skeleton: bool) -> None:
        view = self._view
        painter.fillRect(clip, current().raised)
        if view.document is None:
            if view.loading:
                self._blank(painter)
            return
        for page in view.visible_pages():
            sheet = self._sheet(page)
            painter.fillRect(sheet, PAPER)
            if not self._image(painter, page, sheet):
                self._without_image(painter, page, sheet, skeleton=skeleton)
            if self._inverted:
                _invert(painter, sheet)
            self._marked(painter, page, sheet)
            self._words(painter, page, sheet)
            self._found(painter, page, sheet)
            self._selected(painter, page, sheet)
            painter.setPen(QPen(current().line, 0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(sheet)

    @property
    def _inverted(self) -> bool:
        return self._view.dark_pages and current().dark

    def _blank(self, painter: QPainter) -> None:
        """Draw a placeholder for a page that is not open yet."""
        room = self._view.viewport().rect()
        width = max(40.0, room.width() - 2 * MARGIN)
        sheet = QRectF(MARGIN, MARGIN, width, 1.3 * width)
        painter.fillRect(sheet, PAPER)
        _draw_skeleton(painter, sheet)

    def _sheet(self, page: int) -> QRectF:
        """Return the rectangle of a page in the viewport, aligned to device pixels."""
        view = self._view
        ratio = view.devicePixelRatioF()
        rect = view.layout_.rect(page).translated(-view.offset())
        x, y = round(rect.x() * ratio) / ratio, round(rect.y() * ratio) / ratio
        return QRectF(x, y, rect.width(), rect.height())

    def _to_view(self, page: int, sheet: QRectF) -> QTransform:
        """Return the transformation from points of a page to the viewport."""
        layout = self._view.layout_
        away = sheet.topLeft() - layout.rect(page).topLeft()
        return layout.transform(page) * QTransform.fromTranslate(away.x(), away.y())

    def _image(self, painter: QPainter, page: int, sheet: QRectF) -> bool:
        """Draw the available bands of a page; return whether there were any."""
        document = self._view.document
        if document is None:
            return False
        ratio = self._view.devicePixelRatioF()
        keys, layout = self._view.visible_keys(page), self._view.layout_
        wide, high = layout.pixel_size(page)
        turning = turned(layout.turn, (wide, high))
        painter.save()
        painter.setTransform(turning * QTransform.fromTranslate(sheet.x(), sheet.y()), True)
        bands = [document.band(key.page, key.width, key.band) for key in keys]
        if any(band is None for band in bands):
            stand_in = document.stand_in(page)
            if stand_in is None and not any(bands):
                painter.restore()
                return False
            if stand_in is not None:
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=True)
                whole = QRectF(0, 0, wide, high)
                painter.drawPixmap(whole, stand_in.pixmap, QRectF(stand_in.pixmap.rect()))
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, on=False)
        for band in bands:
            if band is not None:
                pixmap = band.pixmap
                target = QRectF(
                    0, band.top / ratio, pixmap.width() / ratio, pixmap.height() / ratio
                )
                painter.drawPixmap(target, pixmap, QRectF(pixmap.rect()))
        painter.restore()
        return True

    def _without_image(
        self, painter: QPainter, page: int, sheet: QRectF, *, skeleton: bool
    ) -> None:
        document = self._view.document
        error = document.failures.get(page) if document is not None else None
        if error is not None:
            painter.setPen(LIGHT.muted)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            room = sheet.adjusted(24, 24, -24, -24)
            painter.drawText(room, int(flags), failures.failure(error))
        elif skeleton:
            _draw_skeleton(painter, sheet)

    def _marked(self, painter: QPainter, page: int, sheet: QRectF) -> None:
        marks = self._view.marks
        if self._marks is not marks:
            self._marks = marks
            self._outlines.clear()
        if page not in marks.passage:
            return
        to_view = self._to_view(page, sheet)
        painter.save()
        # These modes keep the ink black, and do not add up where tints overlap.
        inverted, mode = self._inverted, QPainter.CompositionMode
        painter.setCompositionMode(
            mode.CompositionMode_Lighten if inverted else mode.CompositionMode_Darken
        )
        tints = (DARK.mark, DARK.mark) if inverted else (TINT_BEST, TINT)
        for number, pieces in reversed(list(enumerate(marks.sentences))):
            for line in ink_of(pieces.get(page, [])):
                painter.fillRect(to_view.mapRect(line), tints[min(number, 1)])
        painter.setCompositionMode(mode.CompositionMode_SourceOver)
        if page not in self._outlines:
            self._outlines[page] = outline(marks.passage[page])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(DARK.accent if inverted else OUTLINE, OUTLINE_PX)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(to_view.map(self._outlines[page]), pen)
        painter.restore()

    def _words(self, painter: QPainter, page: int, sheet: QRectF) -> None:
        """Underline the matching words."""
        to_view = self._to_view(page, sheet)
        for pieces, own in self._view.words:
            style = Qt.PenStyle.SolidLine if own else Qt.PenStyle.DotLine
            painter.setPen(QPen(DARK.accent if self._inverted else WORD, OUTLINE_PX, style))
            for line in ink_of(pieces.get(page, [])):
                painter.drawLine(to_view.map(QLineF(line.bottomLeft(), line.bottomRight())))

    def _found(self, painter: QPainter, page: int, sheet: QRectF) -> None:
        """Tint the places of found words, and frame the current one."""
        to_view = self._to_view(page, sheet)
        for number, pieces in enumerate(self._view.found):
            for line in ink_of(pieces.get(page, [])):
                box = to_view.mapRect(line)
                colour = QColor(FOUND)
                colour.setAlpha(_SELECTION_ALPHA)
                painter.fillRect(box, colour)
                if number == self._view.found_at:
                    painter.setPen(QPen(FOUND, OUTLINE_PX))
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.drawRect(box.adjusted(-1, -1, 1, 1))

    def _selected(self, painter: QPainter, page: int, sheet: QRectF) -> None:
        lines = self._view.selection.lines(page)
        if not lines:
            return
        colour = QColor(LIGHT.selection)
        colour.setAlpha(_SELECTION_ALPHA)
        to_view = self._to_view(page, sheet)
        for line in lines:
            painter.fillRect(to_view.mapRect(line), colour)


def _invert(painter: QPainter, sheet: QRectF) -> None:
    """Invert a page, then lighten black to the theme's background."""
    mode = QPainter.CompositionMode
    painter.setCompositionMode(mode.CompositionMode_Difference)
    painter.fillRect(sheet, PAPER)
    painter.setCompositionMode(mode.CompositionMode_Lighten)
    painter.fillRect(sheet, current().base)
    painter.setCompositionMode(mode.CompositionMode_SourceOver)


def _draw_skeleton(painter: QPainter, sheet: QRectF) -> None:
    step = sheet.width() / 22
    for i, (left, right) in enumerate(_LINES):
        top = sheet.y() + step * (3 + 1.7 * i)
        wide = (right - left) * sheet.width()
        line = QRectF(sheet.x() + left * sheet.width(), top, wide, step / 2)
        painter.fillRect(line.intersected(sheet), _SKELETON)
