"""The pages of a document below each other, with a passage marked.

Paper is white in either theme, so marks have the colours of the light one, unless dark pages are
switched on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeySequence, QPainter, QPen, QTransform
from PySide6.QtWidgets import QFrame, QScrollBar

from indexer.api.pages import find_quote
from ui.basket.basket import COLOURS, Kept
from ui.preview.document import ImageKey, PageDocument, cut
from ui.preview.marks import NO_MARKS, LinePieces, Marks, ink_of, inked, outline
from ui.preview.page_layout import MARGIN, turned
from ui.preview.page_scroller import PageScroller, Selection
from ui.theme import DARK, LIGHT, current
from ui.widgets import timer
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainterPath, QPaintEvent


PAPER = QColor("#ffffff")
# Only the best sentence has a strong mark.
TINT_BEST, TINT = QColor("#ffd45e"), QColor("#fff5d6")
DARK_FAINT = QColor("#33301f")
OUTLINE = LIGHT.outline
FOUND = QColor("#d0561b")
WORD = QColor("#a3178f")
OUTLINE_PX = 2.0
_NOTE_PX = 6.0
_SKELETON = QColor("#e8eaed")
_SELECTION_ALPHA = 90
# The lines of a skeleton, each with its beginning and end as shares of the page's width.
_LINES = ((0.12, 0.62), *([(0.12, 0.88)] * 6), (0.12, 0.5))


class PagePainter:
    """Paints a view. The paths of outlines are cached until the marks change."""

    def __init__(self, view: PageView) -> None:
        self._view = view
        self._marks: Marks | None = None
        self._outlines: dict[int, QPainterPath] = {}

    def paint_pages(self, painter: QPainter, clip: QRect, *, skeleton: bool) -> None:
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
            to_view = self._to_view(page, sheet)
            self._highlighted(painter, page, to_view)
            self._marked(painter, page, to_view)
            self._words(painter, page, to_view)
            self._found(painter, page, to_view)
            self._selected(painter, page, to_view)
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

    def _highlighted(self, painter: QPainter, page: int, to_view: QTransform) -> None:
        """Tint and underline the highlights; a square at the end stands for a note."""
        mode = QPainter.CompositionMode
        tint = mode.CompositionMode_Lighten if self._inverted else mode.CompositionMode_Darken
        for one, lines in self._view.placed_highlights(page):
            colour = QColor(COLOURS.get(one.colour, PAPER.name()))
            strong = colour.darker(150)
            for line in lines:
                box = to_view.mapRect(inked(line))
                painter.setCompositionMode(tint)
                painter.fillRect(box, colour.darker(300) if self._inverted else colour)
                painter.setCompositionMode(mode.CompositionMode_SourceOver)
                end = QPointF(box.right(), box.bottom())
                painter.fillRect(QRectF(box.bottomLeft(), end + QPointF(0, OUTLINE_PX)), strong)
            if one.note and lines:
                side = _NOTE_PX
                painter.fillRect(QRectF(end, end + QPointF(side, -side)).normalized(), strong)

    def _marked(self, painter: QPainter, page: int, to_view: QTransform) -> None:
        marks = self._view.marks
        if self._marks is not marks:
            self._marks = marks
            self._outlines.clear()
        if page not in marks.passage:
            return
        if page not in self._outlines:
            self._outlines[page] = outline(marks.passage[page])
        path = to_view.map(self._outlines[page])
        paint_marks(painter, to_view, marks.sentences, page, path, inverted=self._inverted)

    def _words(self, painter: QPainter, page: int, to_view: QTransform) -> None:
        """Underline the matching words."""
        for pieces, own in self._view.words:
            style = Qt.PenStyle.SolidLine if own else Qt.PenStyle.DotLine
            painter.setPen(QPen(DARK.accent if self._inverted else WORD, OUTLINE_PX, style))
            for line in ink_of(pieces.get(page, [])):
                painter.drawLine(to_view.map(QLineF(line.bottomLeft(), line.bottomRight())))

    def _found(self, painter: QPainter, page: int, to_view: QTransform) -> None:
        """Tint the places of found words, and frame the current one."""
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

    def _selected(self, painter: QPainter, page: int, to_view: QTransform) -> None:
        lines = self._view.selection.lines(page)
        if not lines:
            return
        colour = QColor(LIGHT.selection)
        colour.setAlpha(_SELECTION_ALPHA)
        for line in lines:
            painter.fillRect(to_view.mapRect(line), colour)


def paint_marks(
    painter: QPainter, to_view: QTransform, sentences: Iterable[LinePieces], page: int,
    path: QPainterPath, *, width: float = OUTLINE_PX, inverted: bool = False,
) -> None:  # fmt: skip
    """Tint the sentences of a passage on a page, best first, and draw its outline.

    Args:
        to_view: Maps points of the page to the painter's coordinates.
        sentences: The pieces of each sentence, by pages.
        path: The outline, in the painter's coordinates.
        width: The width of the outline's line.
        inverted: Whether the page is dark.
    """
    painter.save()
    # These modes keep the ink black, and do not add up where tints overlap.
    mode = QPainter.CompositionMode
    painter.setCompositionMode(
        mode.CompositionMode_Lighten if inverted else mode.CompositionMode_Darken
    )
    tints = (DARK.mark, DARK_FAINT) if inverted else (TINT_BEST, TINT)
    for number, pieces in reversed(list(enumerate(sentences))):
        for line in ink_of(pieces.get(page, [])):
            painter.fillRect(to_view.mapRect(line), tints[min(number, 1)])
    painter.setCompositionMode(mode.CompositionMode_SourceOver)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(DARK.accent if inverted else OUTLINE, width)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.strokePath(path, pen)
    painter.restore()


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


# How many pages before and after its own a highlight is looked for if its file has changed.
_NEAR_PAGES = 2
# Milliseconds after which a missing page is drawn as a skeleton; quicker pages do not flicker.
SKELETON_MS = 150
# Milliseconds before neighbouring pages are fetched, so that they do not delay quick steps.
_AHEAD_MS = 150


class PageView(PageScroller):
    """Shows a ``PageDocument``."""

    document_shown = Signal(object)  # a PageDocument or None

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Page"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.marks: Marks = NO_MARKS
        self.words: tuple[tuple[LinePieces, bool], ...] = ()  # words; whether the query has them
        self.found: tuple[LinePieces, ...] = ()  # the places of found words
        self.found_at = -1  # the number of the current place
        self.selection = Selection(self)
        self._highlights: tuple[Kept, ...] = ()
        self._placed: dict[int, list[tuple[Kept, list[QRectF]]]] = {}
        self.loading = False
        self.dark_pages = False  # whether pages are inverted in the dark theme
        self._painter = PagePainter(self)
        self._skeleton = timer(self, SKELETON_MS, self.viewport().update)
        self._ahead = timer(self, _AHEAD_MS, self._fetch_ahead)

    # What is shown

    def show_document(self, document: PageDocument | None, page: int = 1) -> None:
        """Show a document at a page; the caller remains its owner."""
        if self.document is not None:
            self.document.disconnect(self)
        self.document = document
        self.turn = 0
        self.loading = False
        self.marks = NO_MARKS
        self.words = ()
        self.found, self.found_at = (), -1
        self.selection.clear()
        self._placed.clear()
        self.target = None
        if document is not None:
            document.image_ready.connect(self._image_ready)
            document.letters_ready.connect(self._letters_ready)
            document.sizes_changed.connect(self.arrange)
        self.page = page
        self._skeleton.start()
        self._ahead.stop()
        self.lay_out(anchor=None)
        if document is not None:
            self.go_to(page)
            self.page_changed.emit(self.page)
        self.document_shown.emit(document)
        self.viewport().update()

    def show_loading(self) -> None:
        """Show a placeholder until there is a document."""
        self.loading = True
        self.viewport().update()

    def set_marks(self, marks: Marks, scroll: bool = True) -> None:  # a slot
        """Mark a passage and bring it into view."""
        self.marks = marks
        place = marks.first()
        if scroll and place is not None:
            self.go_to(*place)
        self.viewport().update()

    def show_words(self, words: tuple[tuple[LinePieces, bool], ...]) -> None:
        """Underline words: with a solid line if the query has them, else with dots."""
        self.words = words
        self.viewport().update()

    def show_found(self, found: tuple[LinePieces, ...], number: int) -> None:
        """Mark the places of found words, and bring one into view."""
        self.found, self.found_at = found, number
        if 0 <= number < len(found):
            place = Marks(found[number]).first()
            if place is not None:
                self.go_to(*place)
        self.viewport().update()

    def show_highlights(self, highlights: tuple[Kept, ...]) -> None:
        """Paint the highlights of the document."""
        if highlights != self._highlights:
            self._highlights = highlights
            self._placed.clear()
            self.viewport().update()

    def placed_highlights(self, page: int) -> list[tuple[Kept, list[QRectF]]]:
        """Return the highlights of a page with their lines in points; none until it has letters.

        A quote that its own page no longer has is looked for on the neighbouring pages.
        """
        document = self.document
        near = [one for one in self._highlights if abs(one.hit.page - page) <= _NEAR_PAGES]
        if not near or document is None:
            return []
        if page not in self._placed:
            placed = []
            for one in near:
                own = min(max(one.hit.page, 1), document.count)
                for number in dict.fromkeys((own, page)):
                    letters = document.letters(number)
                    if letters is None:
                        document.want_letters(number)
                        return []
                    span = find_quote(one.hit.text, letters.text, one.place)
                    if span is not None:
                        if number == page:
                            placed.append((one, letters.lines(*span)))
                        break
            self._placed[page] = placed
        return self._placed[page]

    def highlight_at(self, pos: QPoint) -> Kept | None:
        """Return the highlight at a point of the viewport."""
        if self.document is None or not len(self.layout_):
            return None
        point = QPointF(pos + self.offset())
        page = self.layout_.page_at(point.y())
        at = self.layout_.to_page(page, point)
        for one, lines in self.placed_highlights(page):
            if any(line.contains(at) for line in lines):
                return one
        return None

    # Qt's events

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        self._painter.paint_pages(painter, event.rect(), skeleton=not self._skeleton.isActive())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self.settling.start()
        super().changeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.selection.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selection.select_page(self.page)
        elif event.matches(QKeySequence.StandardKey.MoveToStartOfDocument):
            self.go_to(1)
        elif event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self.go_to(len(self.layout_))
        elif event.key() == Qt.Key.Key_Home:
            self.verticalScrollBar().triggerAction(QScrollBar.SliderAction.SliderToMinimum)
        elif event.key() == Qt.Key.Key_End:
            self.verticalScrollBar().triggerAction(QScrollBar.SliderAction.SliderToMaximum)
        else:
            super().keyPressEvent(event)  # scrolls by lines and pages
            return
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.selection.press(event.position() + QPointF(self.offset()))
        else:
            event.ignore()  # the window goes back and forward

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.selection.move(event.position() + QPointF(self.offset()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.selection.press_word(event.position() + QPointF(self.offset()))

    # Requests for bands and letters

    def fetch(self) -> None:
        """Fetch the visible bands now, and the neighbouring pages a little later."""
        self.settling.stop()
        if self.document is None or self.viewport().height() <= 1:
            return
        self.document.want_bands(self._seen(), ())
        self._ahead.start()

    def _fetch_ahead(self) -> None:
        """Fetch the pages before and after, and the letters of the current one."""
        if self.document is None:
            return
        pages = self.visible_pages()
        near = [page for page in (pages.stop, pages.start - 1) if 1 <= page <= len(self.layout_)]
        soon = [
            self.document.key(page, self.pixel_width(page))
            for page in near
            if cut(self.pixel_width(page), self.document.sizes[page - 1]).bands == 1
        ]
        self.document.want_bands(self._seen(), soon)
        self.document.want_letters(self.page)

    def _seen(self) -> list[ImageKey]:
        return [key for page in self.visible_pages() for key in self.visible_keys(page)]

    def visible_keys(self, page: int) -> list[ImageKey]:
        """Return the visible bands of a page."""
        if self.document is None:
            return []
        width = self.pixel_width(page)
        seen = QRectF(self.viewport().rect()).translated(self.offset())
        part = self.layout_.part_of(page, seen)
        bands = cut(width, self.document.sizes[page - 1]).between(*part)
        return [self.document.key(page, width, band) for band in bands]

    def _image_ready(self, _page: int) -> None:
        self.viewport().update()

    def _letters_ready(self, page: int) -> None:
        self.viewport().update()
        self.selection.letters_came(page)
