"""Bars of progress: the read and the embedded share in two tones, and the files by state.

Owns their painting and their accessible texts. It must not know where the numbers come from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QVBoxLayout, QWidget

from indexer.api.types import FileState
from ui import theme
from ui.flow import FlowLayout
from ui.search.link import Link
from ui.theme import L, M, S, blend
from ui.words import amounts, states

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QColor, QMouseEvent, QPaintEvent

STEPS = 1000
_LIGHT = {False: 0.7, True: 0.55}  # the share of the accent in the lighter tone, by theme
_TROUBLED = frozenset(states.TROUBLED)
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


class StateBar(QWidget):
    """Files by state: a bar and, below it, each state with its number; both can be clicked.

    Signals: ``chosen`` with a state.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Files by state"))
        self.links: dict[str, Link] = {}
        self.bar = _Segments()
        self.bar.chosen.connect(self.chosen)
        self._below = QWidget()
        self._flow = FlowLayout(self._below, M)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addWidget(self.bar)
        column.addWidget(self._below)

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Show the number of files in each state."""
        shown = [(str(each), counts[each]) for each in _ORDER if counts.get(each)]
        self.bar.show_counts(shown)
        for name in [name for name in self.links if name not in dict(shown)]:
            link = self.links.pop(name)
            self._flow.removeWidget(link)
            link.hide()
            link.deleteLater()
        for at, (name, number) in enumerate(shown):
            if name not in self.links:
                link = self.links[name] = Link("", name)
                link.setToolTip(states.state_help(name))
                link.followed.connect(self.chosen)
                link.offer(self.tr("Show these files"), link.click)
                self._flow.insert_widget(at, link)
                link.show()
            text = self.tr("{n} {state}").format(n=amounts.count(number), state=states.state(name))
            self.links[name].setText(text)
            self.links[name].setAccessibleName(text)
        self.updateGeometry()


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
        self._read, self._embedded = QLabel(), QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(S)
        for square, text in (
            (self._embedded, self.tr("understood")),
            (self._read, self.tr("found by its words")),
        ):
            label = QLabel(text)
            row.addWidget(square)
            row.addWidget(label)
            row.addSpacing(L)
        row.addStretch(1)
        self._draw()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (event.Type.PaletteChange, event.Type.FontChange):
            self._draw()

    def _draw(self) -> None:
        side = self.fontMetrics().xHeight() + S
        tones = ((self._read, light_tone()), (self._embedded, theme.current().accent))
        for square, colour in tones:
            square.setFixedSize(side, side)
            square.setAutoFillBackground(True)
            square.setPalette(_filled(square.palette(), colour))


def _filled(palette: QPalette, colour: QColor) -> QPalette:
    palette.setColor(QPalette.ColorRole.Window, colour)
    return palette
