"""The parts of the library's pages: a scrolling column, and bars of progress in two tones."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPainterPath, QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from indexer.api.types import FileState
from ui import theme
from ui.search.labels import Link
from ui.theme import XL, L, M, S, blend
from ui.widgets import ElidedLabel, filled, plain_label
from ui.words import amounts, names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtGui import QColor, QMouseEvent, QPaintEvent, QResizeEvent
    from PySide6.QtWidgets import QLabel


_WIDEST = 90  # average letters; longer lines are hard to read
_TITLE_SCALE = 1.45


class ColumnPage(QScrollArea):
    """To be filled once, with ``hold``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._column: QWidget | None = None
        self._titles: list[QLabel] = []
        self._headings: list[QLabel] = []

    def add_title(self, label: QLabel) -> QLabel:
        """Give a label the font of a title."""
        self._titles.append(label)
        return label

    def add_heading(self, label: QLabel) -> QLabel:
        """Give a label the font of a heading."""
        self._headings.append(label)
        return label

    def hold(self, column: QWidget) -> QVBoxLayout:
        """Set the column; return the layout of the page."""
        self._column = column
        page = QWidget()
        outer = QVBoxLayout(page)
        outer.setContentsMargins(XL, XL, XL, XL)
        self.setWidget(page)
        self.style_fonts()
        self._size_column()
        return outer

    def style_fonts(self) -> None:
        """Set the fonts of titles and headings, from the page's font."""
        big = QFont(self.font())
        big.setPointSizeF(big.pointSizeF() * _TITLE_SCALE)
        big.setBold(True)
        for title in self._titles:
            title.setFont(big)
        strong = QFont(self.font())
        strong.setBold(True)
        for heading in self._headings:
            heading.setFont(strong)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and getattr(self, "_column", None) is not None:
            self.style_fonts()
            self._size_column()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._size_column()

    def _size_column(self) -> None:
        if self._column is not None:
            self._column.setFixedWidth(self.column_width(max(0, self.viewport().width() - 2 * XL)))

    def column_width(self, room: int) -> int:
        """Return the width of the column in a page that has ``room`` pixels for it."""
        return min(self.fontMetrics().averageCharWidth() * _WIDEST, room)


STEPS = 1000
_LIGHT = {False: 0.7, True: 0.55}  # the share of the accent in the lighter tone, by theme
_TROUBLED = frozenset(names.TROUBLED)
# Searchable states first, then those that will be, then the others.
_FIRST = (FileState.INDEXED, FileState.PARTIAL, FileState.TEXT_ONLY, FileState.QUEUED)
_ORDER = (*_FIRST, *(state for state in FileState if state not in _FIRST))


def light_tone() -> QColor:
    """Return the colour of files that are read but not embedded."""
    colours = theme.current()
    return blend(colours.accent, colours.base, _LIGHT[colours.dark])


class TonesBar(QProgressBar):
    """A bar with the read share in a light tone and the embedded share in a full one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextVisible(False)
        self.setRange(0, STEPS)
        self.read = 0.0

    def show_shares(self, read: float, embedded: float) -> None:
        """Show shares of the work, 0 to 1."""
        self.read = read
        self.setValue(round(STEPS * embedded))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        full = theme.current().accent
        _paint(self, [(self.value() / STEPS, full), (self.read, light_tone())])


class _Swatch(QWidget):
    """A square in one of the bar's colours, which is looked up again when it is painted."""

    def __init__(self, colour: Callable[[], QColor]) -> None:
        super().__init__()
        self._colour = colour
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        side = self.fontMetrics().xHeight() + S
        return QSize(side, side)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(theme.current().edge)
        painter.setBrush(self._colour())
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()


class StateBar(QWidget):
    """Files by state: a bar and, below it, a line for each state: number, name and meaning.

    Signals: ``chosen`` with a state that was clicked.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Files by state"))
        self.links: dict[str, Link] = {}
        self._lines: dict[str, QWidget] = {}
        self.bar = _Segments()
        self.bar.chosen.connect(self.chosen)
        self._column = filled(QVBoxLayout(self), self.bar, spacing=0)
        self._column.addSpacing(M)
        self._above = self._column.count()

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Show the number of files in each state."""
        shown = [(str(each), counts[each]) for each in _ORDER if counts.get(each)]
        self.bar.show_counts(shown)
        for name in [name for name in self.links if name not in dict(shown)]:
            del self.links[name]
            gone = self._lines.pop(name)
            self._column.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for at, (name, number) in enumerate(shown):
            if name not in self.links:
                self._lines[name] = self._line(name)
                self._column.insertWidget(self._above + at, self._lines[name])
            text = self.tr("{n} {state}").format(n=amounts.count(number), state=names.state(name))
            self.links[name].setText(text)
            self.links[name].setAccessibleName(text)
        self.updateGeometry()

    def _line(self, name: str) -> QWidget:
        held = QWidget()
        link = self.links[name] = Link("", name)
        link.followed.connect(self.chosen)
        link.add_to_menu(self.tr("Show these files"), link.click)
        meaning = ElidedLabel(role=QPalette.ColorRole.PlaceholderText)
        meaning.setText(names.state_help(name))
        for part in (link, meaning):
            part.setToolTip(names.state_help(name))
        swatch = _Swatch(partial(_colour, name))
        filled(QHBoxLayout(held), swatch, link, meaning, wide=meaning)
        return held


class _Segments(QWidget):
    """The bar: a segment for each state."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._counts: Sequence[tuple[str, int]] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_counts(self, counts: Sequence[tuple[str, int]]) -> None:
        self._counts = counts
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        _paint(self, [(end, _colour(name)) for end, name in self._ends()])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = event.position().x() / max(self.width(), 1)
        at = 1 - at if self.isRightToLeft() else at
        name = next((name for end, name in self._ends() if at <= end), "")
        if name:
            self.chosen.emit(name)

    def _ends(self) -> list[tuple[float, str]]:
        """Return the end of each segment, as a share of the width, and its state."""
        total, sum_ = sum(number for _, number in self._counts), 0
        ends = []
        for name, number in self._counts:
            sum_ += number
            ends.append((sum_ / total, name))
        return ends


def _colour(state: str) -> QColor:
    colours = theme.current()
    match state:
        case FileState.INDEXED | FileState.PARTIAL:
            return colours.accent
        case FileState.TEXT_ONLY:
            return light_tone()
        case FileState.QUEUED:
            return colours.base
    return colours.warning if state in _TROUBLED else colours.edge


def _paint(widget: QWidget, ends: Sequence[tuple[float, QColor]]) -> None:
    """Paint a rounded bar; each colour ends at its share of the width, where the next begins."""
    colours = theme.current()
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    area = QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
    shape = QPainterPath()
    shape.addRoundedRect(area, area.height() / 2, area.height() / 2)
    painter.fillPath(shape, colours.base)
    painter.setClipPath(shape)
    for share, colour in reversed(ends):
        part = QRectF(area.left(), area.top(), area.width() * min(share, 1.0), area.height())
        if widget.isRightToLeft():
            part.moveRight(area.right())
        painter.fillRect(part, colour)
    painter.setClipping(False)
    painter.setPen(colours.edge)
    painter.drawPath(shape)
    painter.end()


class Legend(QWidget):
    """What the two tones of a bar mean."""

    def __init__(self) -> None:
        super().__init__()
        row = filled(QHBoxLayout(self), spacing=S)
        for colour, text in (
            (partial(_colour, FileState.INDEXED), self.tr("understood")),
            (light_tone, self.tr("found by its words")),
        ):
            row.addWidget(_Swatch(colour))
            row.addWidget(plain_label(text))
            row.addSpacing(L)
        row.addStretch(1)
