"""A list of statements, each beside what it is compared with, with what differs marked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from ui.search.safe_text import is_right_to_left, shown
from ui.theme import L, M, S, current, row_background
from ui.widgets import paint_bar, wrapped_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent

    from indexer.api.types import Span

# Rows that a key goes on; there are never so many as the last.
_STEPS = {
    Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -5, Qt.Key.Key_PageDown: 5,
    Qt.Key.Key_Home: -(10**6), Qt.Key.Key_End: 10**6,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class StatementCell:
    """A text of a row.

    Attributes:
        head: Where it stands.
        text: As it was read.
        marks: The spans that differ.
        pale: It is only the closest there is.
        foot: What is said below it.
    """

    head: str
    text: str
    marks: tuple[Span, ...] = ()
    pale: bool = False
    foot: str = ""

    def html(self) -> str:
        """The cell as rich text in the current colours."""
        theme = current()
        safe = shown(self.text, self.marks)
        colour = (theme.muted if self.pale else theme.text).name()
        look = f"background-color: {theme.mark.name()}; color: {theme.mark_text.name()}"
        parts, at = [], 0
        for start, end in sorted(safe.spans):
            if start >= at:
                parts.append(escape(safe.text[at:start]))
                parts.append(f"<b><u style='{look}'>{escape(safe.text[start:end])}</u></b>")
                at = end
        parts.append(escape(safe.text[at:]))
        side = "rtl" if is_right_to_left(safe.text) else "ltr"
        muted = theme.muted.name()
        made = [f"<div dir='{side}' style='color: {colour}'>{''.join(parts)}</div>"]
        if self.head:
            made.insert(0, f"<div style='color: {muted}'>{escape(shown(self.head).text)}</div>")
        if self.foot:
            made.append(f"<div style='color: {muted}'>{escape(shown(self.foot).text)}</div>")
        return "".join(made)

    @property
    def spoken(self) -> str:
        parts = (self.head, shown(self.text).text, self.foot)
        return ". ".join(part.rstrip(".") for part in parts if part)


@dataclass(frozen=True, slots=True)
class StatementRow:
    """One or two cells, of which one may be missing; ``of`` is whatever the row stands for."""

    cells: tuple[StatementCell | None, ...]
    of: Any = None
    kind: str = ""  # said by a screen reader first


class RowWidget(QFrame):
    """Shows a row.

    Signals:
        focused: It has got the focus.
        opened: It was double-clicked, or Enter was pressed.
        stepped: The focus is to go so many rows on.
        menu_requested: The number of the cell that a menu is requested for, and where.
    """

    focused = Signal()
    opened = Signal()
    stepped = Signal(int)
    menu_requested = Signal(int, QPoint)

    def __init__(self, row: StatementRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = row
        self.is_current = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        line = QHBoxLayout(self)
        line.setContentsMargins(L, M, L, M)
        line.setSpacing(2 * L)
        self.labels: list[QLabel] = []
        for cell in row.cells:
            label = QLabel()
            label.setTextFormat(Qt.TextFormat.RichText)
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
            self.labels.append(label)
            line.addWidget(label, 1)
            if cell is not None:
                label.setText(cell.html())
        spoken = [row.kind, *(cell.spoken for cell in row.cells if cell is not None)]
        self.setAccessibleName(". ".join(filter(None, spoken)))

    def set_current(self, *, on: bool) -> None:
        if on != self.is_current:
            self.is_current = on
            self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, held = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key in _STEPS and not held:
            self.stepped.emit(_STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not held:
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        cells = [number for number, cell in enumerate(self.row.cells) if cell is not None]
        if event.reason() is event.Reason.Mouse:
            x = event.x()
            cells.sort(key=lambda number: abs(self.labels[number].geometry().center().x() - x))
        self.menu_requested.emit(cells[0], event.globalPos())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "labels"):
            for label, cell in zip(self.labels, self.row.cells, strict=True):
                label.setText(cell.html() if cell is not None else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(row_background(selected=self.is_current))
        painter.setPen(theme.line)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), S, S)
        if self.is_current:
            paint_bar(painter, self.rect().adjusted(0, S, 0, -S), self.layoutDirection())
        painter.end()


class RowList(QScrollArea):
    """Rows below headings, of which one is current.

    Signals:
        chosen: The row that has become the current one.
        opened: The row that was double-clicked, or on which Enter was pressed.
        menu_requested: The row and the number of its cell that a menu is requested for, and where.
    """

    chosen = Signal(object)
    opened = Signal(object)
    menu_requested = Signal(object, int, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.rows: list[RowWidget] = []
        self.at = -1

    def show_rows(self, sections: Sequence[tuple[str, Sequence[StatementRow]]]) -> None:
        """Show sections: the heading of each, "" for none, and its rows."""
        self.rows, self.at = [], -1
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, L)
        column.setSpacing(S)
        for heading, rows in sections:
            if heading and rows:
                label = wrapped_label(heading)
                font = label.font()
                font.setBold(True)
                label.setFont(font)
                label.setContentsMargins(S, M, S, 0)
                column.addWidget(label)
            for row in rows:
                column.addWidget(self._make(row))
        column.addStretch(1)
        old = self.takeWidget()
        if old is not None:
            old.deleteLater()
        self.setWidget(inside)

    @property
    def current_row(self) -> StatementRow | None:
        return self.rows[self.at].row if 0 <= self.at < len(self.rows) else None

    def choose(self, number: int, *, focus: bool = True) -> None:
        """Make a row the current one, and bring it into view."""
        if not self.rows:
            return
        number = min(max(number, 0), len(self.rows) - 1)
        if focus:
            self.rows[number].setFocus(Qt.FocusReason.OtherFocusReason)
        self._make_current(number)
        self.ensureWidgetVisible(self.rows[number], 0, M)

    def step_rows(self, step: int) -> None:
        self.choose(self.at + step)

    def _make(self, row: StatementRow) -> RowWidget:
        widget, number = RowWidget(row), len(self.rows)
        widget.focused.connect(partial(self._make_current, number))
        widget.opened.connect(partial(self.opened.emit, row))
        widget.stepped.connect(self.step_rows)
        widget.menu_requested.connect(partial(self.menu_requested.emit, row))
        self.rows.append(widget)
        return widget

    def _make_current(self, number: int) -> None:
        if number == self.at:
            return
        self.at = number
        for place, widget in enumerate(self.rows):
            widget.set_current(on=place == number)
        self.chosen.emit(self.rows[number].row)
