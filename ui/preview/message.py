"""What is said where no page can be shown, and the field for a password.

Owns the pane; it must not know why it is shown.
"""

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

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

_TITLE_SCALE = 1.15
_ICON_LINES = 2.4
# The drawing of an empty pane, whose sentence is only a hint.
NOTHING = "preview"


class MessagePane(QScrollArea):
    """A drawing, a sentence, a next step, and below them what the index knows of the passage."""

    password_given = Signal(str)
    repeat_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self._icon_name = "document"
        self._icon = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._title, self._step, self._excerpt = _label(), _label(), _label()
        self._title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._step.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._excerpt.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._heading = _label()
        self._password = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self._password.setPlaceholderText(self.tr("Password"))
        self._password.setAccessibleName(self.tr("Password of this document"))
        self._unlock = QPushButton(self.tr("Unlock"))
        self._again = QPushButton(self.tr("Try again"))
        self._password.returnPressed.connect(self._give)
        self._unlock.clicked.connect(self._give)
        self._again.clicked.connect(self.repeat_requested)
        self._lay_out()
        self._fonts()

    def tell(self, name: str, title: str, step: str = "", *, again: bool = False) -> None:
        """Say something.

        Args:
            name: Of the drawing.
            title: The sentence.
            step: What can be done.
            again: Whether a button tries it again.
        """
        self._icon_name = name
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._step.setText(step)
        self._step.setVisible(bool(step))
        self._again.setVisible(again)
        self._field.hide()
        self.show_excerpt("", "")
        self._fonts()

    def ask_password(self, *, wrong: bool) -> None:
        """Show the field, and say so if what was given did not open the document."""
        if wrong:
            self._step.setText(self.tr("That password does not open it."))
            self._step.show()
        self._field.show()
        self._password.clear()
        if wrong:
            self._password.setFocus()

    def show_excerpt(self, heading: str, text: str) -> None:
        """Show a text below, "" for none."""
        self._heading.setText(heading)
        self._excerpt.setText(text)
        self._box.setVisible(bool(text))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (event.Type.FontChange, event.Type.PaletteChange):
            self._fonts()

    def _give(self) -> None:
        if self._password.text():
            self.password_given.emit(self._password.text())

    def _lay_out(self) -> None:
        self._field = QWidget()
        row = QHBoxLayout(self._field)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(M)
        row.addStretch()
        row.addWidget(self._password, 2)
        row.addWidget(self._unlock)
        row.addStretch()
        self._box = QFrame()
        self._box.setFrameShape(QFrame.Shape.StyledPanel)
        box = QVBoxLayout(self._box)
        box.setContentsMargins(L, L, L, L)
        box.setSpacing(M)
        box.addWidget(self._heading)
        box.addWidget(self._excerpt)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(XL, XL, XL, XL)
        column.setSpacing(L)
        column.addStretch(1)
        for part in (self._icon, self._title, self._step, self._field):
            column.addWidget(part)
        column.addWidget(self._again, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self._box)
        column.addStretch(2)
        self.setWidget(inside)
        for part in (self._field, self._again, self._box):
            part.hide()

    def _fonts(self) -> None:
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * _TITLE_SCALE)
        says_something = self._icon_name != NOTHING
        font.setBold(says_something)
        self._title.setFont(font)
        colours = theme.current()
        colour = colours.text if says_something else colours.muted
        shade = self.palette()
        shade.setColor(QPalette.ColorRole.WindowText, colour)
        self._title.setPalette(shade)
        small = self.font()
        small.setBold(True)
        self._heading.setFont(small)
        side = round(_ICON_LINES * self.fontMetrics().height())
        self._icon.setPixmap(pixmap(self._icon_name, side, colour, self.devicePixelRatioF()))


def _label() -> QLabel:
    label = QLabel()
    # What is shown may come from a document, which must not be taken for markup.
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    return label
