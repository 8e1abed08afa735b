"""Labels and links of the search page: muted texts, messages, passages, links to documents."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QLabel, QSizePolicy

from ui import theme
from ui.search.safe_text import is_right_to_left, line, plain
from ui.theme import S, current
from ui.widgets import Restyled
from ui.words import failures

if TYPE_CHECKING:
    from indexer.api.errors import LecternError
    from indexer.api.types import Hit


class MessageLine(Restyled, QLabel):
    """Shows one message: a failure, else a wait, else notes; hidden if there is none."""

    def __init__(self) -> None:
        super().__init__()
        self._failure = ""
        self._waits = False
        self._notes: tuple[str, ...] = ()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAccessibleName(self.tr("About this search"))
        self.hide()

    def show_failure(self, error: LecternError) -> None:
        """Show an error until the next answer."""
        self._failure = failures.failure(error)
        self.restyle()

    def show_waiting(self, waits: bool) -> None:
        """Show or hide that the query waits for the engine."""
        self._waits = waits
        self.restyle()

    def show_notes(self, notes: Sequence[str]) -> None:
        """Show the notes on the query; they replace an error."""
        self._failure, self._notes = "", tuple(notes)
        self.restyle()

    def restyle(self) -> None:
        colours = theme.current()
        colour = colours.muted
        if self._failure:
            text, colour = self._failure, colours.bad
        elif self._waits:
            text = self.tr("The engine is starting; your search runs as soon as it is ready.")
        else:
            text = "\n".join(self._notes)
        palette = self.palette()
        if palette.color(QPalette.ColorRole.WindowText) != colour:
            palette.setColor(QPalette.ColorRole.WindowText, colour)
            self.setPalette(palette)
        self.setText(text)
        self.setVisible(bool(text))


# The largest width of a link, and its least width if there is little room, in widths of a letter.
_MOST_CHARACTERS, _LEAST_CHARACTERS = 60, 16


class Link(QAbstractButton):
    """Emits ``followed`` with its target."""

    followed = Signal(str)

    def __init__(self, text: str, target: str) -> None:
        super().__init__()
        self.target = target
        self.setText(line(text))
        self.setAccessibleName(self.text())
        self.setToolTip(self.text())
        self.setProperty("elides", True)  # a value, not a flag
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda: self.followed.emit(self.target))

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        most = _MOST_CHARACTERS * metrics.averageCharWidth()
        # One more, since Qt rounds the width down but elides by the fraction.
        width = min(metrics.horizontalAdvance(self.text()) + 1, most) + 2
        return QSize(width, metrics.height() + 2 * S)

    def minimumSizeHint(self) -> QSize:
        least = _LEAST_CHARACTERS * self.fontMetrics().averageCharWidth()
        return self.sizeHint().boundedTo(QSize(least, self.maximumHeight()))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colour = theme.current().accent
        font = self.font()
        font.setUnderline(self.underMouse())
        painter.setFont(font)
        painter.setPen(colour)
        text = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, self.width() - 2
        )
        right = Qt.TextFlag.TextForceRightToLeft
        force = right if is_right_to_left(text) else Qt.TextFlag.TextForceLeftToRight
        alignment = Qt.AlignmentFlag
        side = alignment.AlignRight if self.isRightToLeft() else alignment.AlignLeft
        place = side | alignment.AlignAbsolute | alignment.AlignVCenter
        painter.drawText(self.rect().adjusted(1, 0, -1, 0), place | force, text)


class PassageLabel(Restyled, QLabel):
    """Shows the text of a hit with its best sentence marked in the colours of the theme.

    It shows ``most`` letters, or more if the best sentence ends later.
    """

    def __init__(self, most: int) -> None:
        self._hit: Hit | None = None  # before Qt's initialiser, which may call ``changeEvent``
        super().__init__()
        self._most = most
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)

    def show_hit(self, hit: Hit) -> None:
        """Show the text of a hit without its heading."""
        self._hit = hit
        self.restyle()

    def restyle(self) -> None:
        if self._hit is not None:
            self.setText(self._marked(self._hit))

    def _marked(self, hit: Hit) -> str:
        theme, safe = current(), plain(hit, [hit.best])
        text, (start, end) = safe.text, safe.spans[0] if safe.spans else (0, 0)
        cut = max(self._most, end)
        if len(text) > cut:
            text = text[:cut].rstrip() + "…"
        mark = f"background-color: {theme.mark.name()}; color: {theme.mark_text.name()}"
        side = "rtl" if is_right_to_left(text) else "ltr"
        return (
            f"<div dir='{side}'>{escape(text[:start])}"
            f"<span style='{mark}'>{escape(text[start:end])}</span>{escape(text[end:])}</div>"
        )
