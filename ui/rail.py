"""The rail at the window's side: a button for each page, the settings at its foot."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLocale, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QPainter, QPen
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QToolButton,
    QVBoxLayout,
)

from ui.icons import icon
from ui.theme import M, S, current, icon_size

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QDragEnterEvent,
        QDragLeaveEvent,
        QDropEvent,
        QKeySequence,
        QPaintEvent,
    )
    from PySide6.QtWidgets import QWidget

    from ui.theme import Theme


ICON_LINES = 1.5
_NOTHING = QBrush(Qt.BrushStyle.NoBrush)


class RailButton(QToolButton):
    """A flat button in the theme's colours, which a style sheet would lose.

    Signals:
        dropped: The data of a drag that ended here; only of the format ``mime``, "" for none.
    """

    dropped = Signal(object)
    mime = ""
    over = False  # something is dragged over it
    count = 0

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.mime and event.mimeData().hasFormat(self.mime):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self._show_over(over=True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._show_over(over=False)

    def dropEvent(self, event: QDropEvent) -> None:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self._show_over(over=False)
        self.dropped.emit(event.mimeData())

    def _show_over(self, *, over: bool) -> None:
        self.over = over
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current()
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._border(theme))
        painter.setBrush(theme.base if self.isChecked() or self.underMouse() else _NOTHING)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), S, S)
        option.rect = self.rect().adjusted(0, S, 0, 0)
        self.style().drawControl(QStyle.ControlElement.CE_ToolButtonLabel, option, painter, self)
        if self.count:
            self._draw_count(painter, theme)
        painter.end()

    def _draw_count(self, painter: QPainter, theme: Theme) -> None:
        """Draw the number at the corner of the icon."""
        text = QLocale().toString(self.count)
        metrics = self.fontMetrics()
        high = metrics.height()
        wide = max(high, metrics.horizontalAdvance(text) + 2 * S)
        middle = self.rect().center().x() + self.iconSize().width() / 2
        badge = QRectF(min(middle - high / 3, self.width() - wide - 1), 1, wide, high)
        if self.isRightToLeft():
            badge.moveRight(self.width() - badge.left())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.selection)
        painter.drawRoundedRect(badge, high / 2, high / 2)
        painter.setPen(theme.selection_text)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)

    def sizeHint(self) -> QSize:
        return super().sizeHint() + QSize(M, M)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setIconSize(icon_size(self, ICON_LINES))

    def _border(self, theme: Theme) -> QPen:
        if self.over:
            return QPen(theme.accent, 2)
        return QPen(theme.line) if self.isChecked() else QPen(Qt.PenStyle.NoPen)


class Rail(QFrame):
    """Signals: ``chosen`` with the name of a page, or of another button; ``dropped`` with data."""

    chosen = Signal(str)
    dropped = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Pages"))
        self._buttons: dict[str, RailButton] = {}
        self._pages = QButtonGroup(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(S, M, S, M)
        self._column.setSpacing(S)

    def add_page(self, name: str, text: str, drawing: str, keys: QKeySequence) -> None:
        """Add the button of a page; the first one is pressed."""
        button = self._add(name, text, drawing, keys)
        button.setCheckable(True)
        button.setChecked(len(self._buttons) == 1)
        self._pages.addButton(button)

    def add_gap(self) -> None:
        self._column.addStretch(1)

    def add_button(self, name: str, text: str, drawing: str, keys: QKeySequence) -> None:
        """Add a button that opens something else than a page."""
        self._add(name, text, drawing, keys)

    def button(self, name: str) -> RailButton:
        return self._buttons[name]

    def show_chosen(self, name: str) -> None:
        """Press the button of a page, without emitting ``chosen``."""
        if name in self._buttons:
            self._buttons[name].setChecked(True)

    def _add(self, name: str, text: str, drawing: str, keys: QKeySequence) -> RailButton:
        button = RailButton(self)
        button.setObjectName(name)
        button.setText(text)
        button.setIcon(icon(drawing))
        button.setIconSize(icon_size(button, ICON_LINES))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setAutoRaise(True)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(text)
        shown = keys.toString(keys.SequenceFormat.NativeText)
        button.setToolTip(
            self.tr("{name} ({keys})").format(name=text, keys=shown) if shown else text
        )
        button.clicked.connect(self._clicked)
        self._buttons[name] = button
        self._column.addWidget(button)
        return button

    def accept_drops(self, name: str, mime: str) -> None:
        """Emit ``dropped`` with the name of a page for data of a format."""
        button = self._buttons[name]
        button.mime = mime
        button.setAcceptDrops(True)
        button.dropped.connect(partial(self.dropped.emit, name))

    def show_count(self, name: str, number: int, spoken: str) -> None:
        """Show a number at the button of a page, none for 0; ``spoken`` says what it counts."""
        button = self._buttons[name]
        button.count = number
        button.setAccessibleDescription(spoken)
        button.update()

    def _clicked(self) -> None:
        self.chosen.emit(self.sender().objectName())
