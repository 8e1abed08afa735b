"""The line under the box: a failure, a wait for the engine, or notes on the query; muted labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel

from ui import theme
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QColor
    from PySide6.QtWidgets import QWidget

    from indexer.api.errors import LecternError


class Muted(QLabel):
    """A label in the muted colour."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        _paint(self, theme.current().muted)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            _paint(self, theme.current().muted)


class MessageLine(QLabel):
    """Shows one message, by precedence a failure, a wait or notes; hidden if there is none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._failure = ""
        self._waits = False
        self._notes: tuple[str, ...] = ()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAccessibleName(self.tr("About this search"))
        self.hide()

    def fail(self, error: LecternError) -> None:
        """Show an error until the next answer."""
        self._failure = failures.failure(error)
        self._show()

    def wait(self, waits: bool) -> None:
        """Show or hide that the query waits for the engine."""
        self._waits = waits
        self._show()

    def note(self, notes: Sequence[str]) -> None:
        """Show the notes on the query, in place of an error."""
        self._failure, self._notes = "", tuple(notes)
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._show()

    def _show(self) -> None:
        colours = theme.current()
        colour = colours.muted
        if self._failure:
            text, colour = self._failure, colours.bad
        elif self._waits:
            text = self.tr("The engine is starting; your search runs as soon as it is ready.")
        else:
            text = "\n".join(self._notes)
        _paint(self, colour)
        self.setText(text)
        self.setVisible(bool(text))


def _paint(label: QLabel, colour: QColor) -> None:
    palette = label.palette()
    if palette.color(QPalette.ColorRole.WindowText) != colour:
        palette.setColor(QPalette.ColorRole.WindowText, colour)
        label.setPalette(palette)
