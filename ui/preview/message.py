"""The message in place of a page, and the field for a password."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ui import theme
from ui.icons import pixmap
from ui.theme import XL, L, M
from ui.widgets import wrapped_label

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

_TITLE_SCALE = 1.15
_ICON_LINES = 2.4
# The drawing of a pane without a hit, whose sentence is muted.
NOTHING = "preview"


class MessagePane(QScrollArea):
    """A drawing, a sentence, a next step, and below them the passage's text from the index."""

    password_given = Signal(str)
    repeat_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.drawing = "document"
        self._icon = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.title, self.step, self.excerpt = _label(), _label(), _label()
        self.title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.step.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.excerpt.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._heading = _label()
        self.password = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.password.setPlaceholderText(self.tr("Password"))
        self.password.setAccessibleName(self.tr("Password of this document"))
        self.unlock = QPushButton(self.tr("Unlock"))
        self.again = QPushButton(self.tr("Try again"))
        self.password.returnPressed.connect(self._give)
        self.unlock.clicked.connect(self._give)
        self.again.clicked.connect(self.repeat_requested)
        self._lay_out()
        self._fonts()

    def explain(self, name: str, title: str, step: str = "", *, again: bool = False) -> None:
        """Show a message.

        Args:
            name: The drawing.
            title: The sentence.
            step: The next step.
            again: Whether there is a button to retry.
        """
        self.drawing = name
        self.title.setText(title)
        self.title.setVisible(bool(title))
        self.step.setText(step)
        self.step.setVisible(bool(step))
        self.again.setVisible(again)
        self._field.hide()
        self.show_excerpt("", "")
        self._fonts()

    def ask_password(self, *, wrong: bool) -> None:
        """Show the field; ``wrong``: the last password did not open the document."""
        if wrong:
            self.step.setText(self.tr("That password does not open it."))
            self.step.show()
        self._field.show()
        self.password.clear()
        if wrong:
            self.password.setFocus()

    def show_excerpt(self, heading: str, text: str) -> None:
        """Show a text below, "" for none."""
        self._heading.setText(heading)
        self.excerpt.setText(text)
        self._box.setVisible(bool(text))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (event.Type.FontChange, event.Type.PaletteChange):
            self._fonts()

    def _give(self) -> None:
        if self.password.text():
            self.password_given.emit(self.password.text())

    def _lay_out(self) -> None:
        self._field = QWidget()
        row = QHBoxLayout(self._field)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(M)
        row.addStretch()
        row.addWidget(self.password, 2)
        row.addWidget(self.unlock)
        row.addStretch()
        self._box = QFrame()
        self._box.setFrameShape(QFrame.Shape.StyledPanel)
        box = QVBoxLayout(self._box)
        box.setContentsMargins(L, L, L, L)
        box.setSpacing(M)
        box.addWidget(self._heading)
        box.addWidget(self.excerpt)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(XL, XL, XL, XL)
        column.setSpacing(L)
        column.addStretch(1)
        for part in (self._icon, self.title, self.step, self._field):
            column.addWidget(part)
        column.addWidget(self.again, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._box)
        column.addStretch(2)
        self.setWidget(inside)
        for part in (self._field, self.again, self._box):
            part.hide()

    def _fonts(self) -> None:
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * _TITLE_SCALE)
        says_something = self.drawing != NOTHING
        font.setBold(says_something)
        self.title.setFont(font)
        colours = theme.current()
        colour = colours.text if says_something else colours.muted
        shade = self.palette()
        shade.setColor(QPalette.ColorRole.WindowText, colour)
        self.title.setPalette(shade)
        small = self.font()
        small.setBold(True)
        self._heading.setFont(small)
        side = round(_ICON_LINES * self.fontMetrics().height())
        self._icon.setPixmap(pixmap(self.drawing, side, colour, self.devicePixelRatioF()))


def _label() -> QLabel:
    label = wrapped_label()
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    return label
