"""The filters of a query: one line of chips, a button that offers more, and one that clears all."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QWidget

from indexer.query.grammar import Clause, clauses, without
from ui import theme
from ui.search.query_text import without_filters
from ui.search.safe_text import line
from ui.theme import M, S, blend, icon_side, row_background
from ui.widgets import filled

if TYPE_CHECKING:
    from ui.search.facets import Facet

_MOST_CHARACTERS = 32
_FILL, _HOVER_FILL, _SELECTED_FILL = 0.14, 0.24, 0.45


class Pill(QAbstractButton):
    """A flat round button; the icon ``drawing`` is after the text, or before it with ``leads``.

    A ``filled`` one is a chip; a checked chip is selected together with the text of the box.

    Signals:
        moved: An arrow key was pressed: 1 goes forward, -1 back.
    """

    moved = Signal(int)

    def __init__(
        self, text: str, drawing: str = "", *, leads: bool = False, filled: bool = False
    ) -> None:
        super().__init__()
        self._drawing, self._leads, self._filled = drawing, leads, filled
        self.most_width = 0  # in pixels; 0 means as wide as the text, up to a limit
        self.setText(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self._shown()) + self._side() + 2 * M
        return QSize(width, metrics.height() + 2 * S)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(colours.accent if self.hasFocus() else colours.line)
        if self._filled or self.isChecked() or self.isDown():
            share = _SELECTED_FILL if self.isChecked() else _HOVER_FILL if self._lit else _FILL
            painter.setBrush(blend(colours.selection, colours.raised, share))
        else:
            painter.setBrush(row_background(hovered=self._lit))
        inner = self.rect().adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(inner, inner.height() / 2, inner.height() / 2)
        self._paint_parts(painter)

    @property
    def _lit(self) -> bool:
        return self.underMouse() or self.isDown()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match Qt.Key(event.key()):
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.click()
            case Qt.Key.Key_Left | Qt.Key.Key_Right as key:
                forth = (key is Qt.Key.Key_Right) is not self.isRightToLeft()
                self.moved.emit(1 if forth else -1)
            case _:
                super().keyPressEvent(event)

    def _paint_parts(self, painter: QPainter) -> None:
        colours, side = theme.current(), self._side()
        area = self.rect().adjusted(M, 0, -M, 0)
        high = max(side - S, 0)
        drawing = QRect(area.left(), area.top() + (area.height() - high) // 2, high, high)
        text = area.adjusted(side, 0, 0, 0)
        if self._leads == self.isRightToLeft():
            drawing.moveRight(area.right())
            text = area.adjusted(0, 0, -side, 0)
        if self._drawing:
            ratio = self.devicePixelRatioF()
            pixmap = theme.pixmap(self._drawing, high, colours.muted, ratio)
            painter.drawPixmap(drawing, pixmap)
        painter.setPen(colours.text)
        painter.drawText(text, Qt.AlignmentFlag.AlignCenter, self._shown())

    def _side(self) -> int:
        """The width of the icon and the gap beside it."""
        return icon_side(self.fontMetrics().height(), 0.75) + S if self._drawing else 0

    def _shown(self) -> str:
        metrics = self.fontMetrics()
        room = metrics.averageCharWidth() * _MOST_CHARACTERS
        if self.most_width:
            room = min(room, self.most_width - self._side() - 2 * M)
        return metrics.elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)


# Offsets after the path of a document; see ``ui.search.query_text.place_of``.
_SPAN = re.compile(r"#\d+-\d+$")
# Filters whose values are paths.
_PLACES = frozenset({"in", "like"})
# A pasted text may hold thousands of filters.
_MOST_CHIPS = 40


class Chip(Pill):
    """A filter of the query; a click, or Delete, removes it."""

    removed = Signal()

    def __init__(self, clause: Clause, pages: str = "") -> None:
        label = label_of(clause, pages)
        super().__init__(label, "close", filled=True)
        self.clause = clause
        self.setCheckable(True)
        self.setAccessibleName(self.tr("Filter {name}").format(name=label))
        self.setAccessibleDescription(self.tr("Press Delete to remove it"))
        self.setToolTip(self.tr("Remove “{name}” (Del)").format(name=label))
        self.clicked.connect(self.removed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(self.tr("Remove this filter")).triggered.connect(self.removed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit()
        else:
            super().keyPressEvent(event)


class ChipBar(QWidget):
    """One line with the chips of a query, the longest shortened, and filters on offer.

    The Tab key does not stop at the filters on offer: arrow keys reach them from the button.

    Signals:
        edited: The query without a filter, or without all.
        narrowed: The operator and the value of a filter that was offered.
        offers_requested: The button was pressed.
        left: The focus goes back to the box.
    """

    edited = Signal(str)
    narrowed = Signal(str, str)
    offers_requested = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, str] = {}  # the pages of passages, by their values in a query
        self.chips: list[Chip] = []
        self.offers: list[Pill] = []
        self._offered: Sequence[Facet] = []
        self._text = ""
        self.setAccessibleName(self.tr("Filters"))
        self.button = Pill(self.tr("Filter"), "filter", leads=True)
        self.button.setToolTip(self.tr("Narrow by folder, type, year or language"))
        self.button.setAccessibleDescription(self.button.toolTip())
        self.button.clicked.connect(self.offers_requested)
        self.button.moved.connect(lambda step: self.focus_chip(min(step, 0)))
        self.clear = Pill(self.tr("Clear all"))
        self.clear.clicked.connect(self._clear)
        self._row = filled(QHBoxLayout(self), self.button, self.clear, spacing=S)
        self._row.addStretch(1)
        self.clear.hide()

    def show_query(self, text: str) -> None:
        """Show a chip for each filter of a query."""
        self._text = text
        wanted = [each for each in clauses(text) if each.operator][:_MOST_CHIPS]
        if [_identity(chip.clause) for chip in self.chips] == [_identity(each) for each in wanted]:
            for chip, clause in zip(self.chips, wanted, strict=True):
                chip.clause = clause
            return
        focused = next((at for at, chip in enumerate(self.chips) if chip.hasFocus()), None)
        for chip in self.chips:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        self.chips = [self._made(clause, at) for at, clause in enumerate(wanted)]
        self.clear.setVisible(bool(wanted))
        self._share_room()
        before: QWidget = self.button
        for each in (*self.chips, self.clear):  # new widgets would come last
            QWidget.setTabOrder(before, each)
            before = each
        if focused is not None:
            self.focus_chip(min(focused, len(self.chips) - 1))

    def show_offers(self, offers: Sequence[Facet]) -> None:
        """Offer filters, as far as there is room for them."""
        if offers == self._offered:
            return
        self._offered = offers
        while self.offers:
            pill = self.offers.pop()
            pill.hide()
            pill.deleteLater()
        for each in offers:
            pill = Pill(line(each.name), "folder" if each.operator == "in" else "", leads=True)
            pill.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            pill.setToolTip(line(each.value))
            name = QCoreApplication.translate("Chip", "Filter {name}")
            pill.setAccessibleName(name.format(name=pill.text()))
            pill.clicked.connect(partial(self.narrowed.emit, each.operator, each.value))
            pill.moved.connect(self._move)
            self._row.insertWidget(self._row.count() - 1, pill)
            self.offers.append(pill)
        self._share_room()

    def show_selected(self, selected: bool) -> None:  # a slot
        """Show whether the next letter in the box replaces the filters, too."""
        for chip in self.chips:
            chip.setChecked(selected)

    def focus_chip(self, at: int) -> None:
        """Focus a chip or an offer by its number; the box beyond the first and the last."""
        if 0 <= at < len(self._stops):
            self._stops[at].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self.left.emit()

    @property
    def _stops(self) -> list[Pill]:
        """The chips and offers through which the arrow keys go."""
        return [*self.chips, *(each for each in self.offers if not each.isHidden())]

    def minimumSizeHint(self) -> QSize:
        return self.button.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _made(self, clause: Clause, at: int) -> Chip:
        chip = Chip(clause, self.places.get(clause.value, ""))
        chip.removed.connect(self._remove)
        chip.moved.connect(self._move)
        self._row.insertWidget(at + 1, chip)
        chip.show()
        return chip

    def _share_room(self) -> None:
        """Shorten the longest chips until all fit, and show the offers that still fit."""
        room = self.width() - self.button.sizeHint().width() - self.clear.sizeHint().width() - 2 * S
        for chip in self.chips:
            chip.most_width = 0
        wide = sorted(self.chips, key=lambda chip: chip.sizeHint().width())
        for left, chip in zip(range(len(wide), 0, -1), wide, strict=True):
            width = max(room // left - S, 3 * chip.sizeHint().height())
            if chip.sizeHint().width() > width:
                chip.most_width = width
            room -= chip.sizeHint().width() + S
            chip.updateGeometry()
        for offer in self.offers:
            room -= offer.sizeHint().width() + S
            offer.setVisible(room >= 0)

    def _remove(self) -> None:
        chip = self.sender()
        if isinstance(chip, Chip):
            self.edited.emit(without(self._text, chip.clause))

    def _move(self, step: int) -> None:
        pill = self.sender()
        if isinstance(pill, Pill) and pill in self._stops:
            self.focus_chip(self._stops.index(pill) + step)

    def _clear(self) -> None:
        self.left.emit()
        self.edited.emit(without_filters(self._text))


def label_of(clause: Clause, pages: str = "") -> str:
    """Return the text of a chip; ``pages`` names the pages if the clause is a passage."""
    value = line(clause.value)
    translate = QCoreApplication.translate
    if not clause.operator:
        text = QLocale().quoteString(value) if clause.quoted else value
        return translate("Chip", "not {value}").format(value=text) if clause.excluded else text
    named = {
        "in": translate("Chip", "In: {value}"),
        "ext": translate("Chip", "Type: {value}"),
        "type": translate("Chip", "Type: {value}"),
        "date": translate("Chip", "Date: {value}"),
        "after": translate("Chip", "From: {value}"),
        "before": translate("Chip", "Before: {value}"),
        "size": translate("Chip", "Size: {value}"),
        "title": translate("Chip", "Title: {value}"),
        "author": translate("Chip", "Author: {value}"),
        "lang": translate("Chip", "Language: {value}"),
        "page": translate("Chip", "Page: {value}"),
        "like": translate("Chip", "Like: {value}"),
    }
    short = _short(clause.operator, value)
    if pages:
        short = translate("Chip", "{pages} of {value}").format(pages=pages, value=short)
    elif clause.operator == "like" and _SPAN.search(value):
        named["like"] = translate("Chip", "Like a passage of {value}")
    label = named.get(clause.operator, "{value}").format(value=short)
    return translate("Chip", "not {value}").format(value=label) if clause.excluded else label


def readable(query: str) -> str:
    """Return a query for display, with names of documents and folders instead of paths."""
    named: list[str] = []
    for clause in reversed(clauses(query)):
        if clause.operator in _PLACES:
            query = without(query, clause)
            named.insert(0, label_of(clause))
    return " · ".join(filter(None, (query.strip(), *named)))


def _short(operator: str, value: str) -> str:
    """Return the last part of a path; other values unchanged."""
    if operator not in _PLACES:
        return value
    value = _SPAN.sub("", value)
    parts = [part for part in value.replace(os.sep, "/").split("/") if part]
    return parts[-1] if parts else value


def _identity(clause: Clause) -> tuple[str, str, bool]:
    return clause.operator, clause.value, clause.excluded
