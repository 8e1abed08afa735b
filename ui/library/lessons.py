"""Three things to try in a library that is being read, each with words from its documents.

It must not know where the queries come from, nor what is done with them.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from ui.icons import icon
from ui.labels import wrapped_label
from ui.library.buttons import IconButton
from ui.theme import L, M, icon_size

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent

# The drawing of each, and its query: with a text and the suffix of a file.
_LESSONS = (("meaning", "{text}"), ("phrase", '"{text}"'), ("filter", "{text} ext:{suffix}"))


class Lessons(QWidget):
    """Signals: ``tried`` with a query."""

    tried = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: list[IconButton] = []
        self._icons: list[tuple[str, QLabel]] = []
        grid = QGridLayout(self)
        grid.setContentsMargins(0, L, 0, 0)
        grid.setHorizontalSpacing(M)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        texts = (
            (self.tr("Ask in your own words"), self.tr("What means the same is found, too.")),
            (
                self.tr("Put exact words into quotes"),
                self.tr("Passages with just these words come first."),
            ),
            (
                self.tr("Narrow it down"),
                self.tr("Kinds of files, folders, dates, languages: the box completes them."),
            ),
        )
        for row, ((drawing, _), (title, about)) in enumerate(zip(_LESSONS, texts, strict=True)):
            glyph, head, button = QLabel(), wrapped_label(title), IconButton(title)
            font = head.font()
            font.setBold(True)
            head.setFont(font)
            button.setAccessibleName(title)
            button.hide()
            button.clicked.connect(self._try)
            self.buttons.append(button)
            self._icons.append((drawing, glyph))
            grid.addWidget(glyph, 4 * row, 0)
            grid.addWidget(head, 4 * row, 1)
            grid.addWidget(wrapped_label(about), 4 * row + 1, 1)
            grid.addWidget(button, 4 * row + 2, 1, Qt.AlignmentFlag.AlignLeading)
            grid.setRowMinimumHeight(4 * row + 3, L)
        self._draw()

    def offer(self, text: str, path: str) -> None:
        """Give the next lesson its query: words of a document, and where that is."""
        for button, (_, query) in zip(self.buttons, _LESSONS, strict=True):
            if button.isHidden():
                suffix = PurePath(path).suffix.removeprefix(".") or "*"
                asked = query.format(text=text, suffix=suffix)
                button.setText(asked.replace("&", "&&"))
                button.setAccessibleName(asked)
                button.setProperty("query", asked)
                button.show()
                return

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (event.Type.FontChange, event.Type.PaletteChange):
            self._draw()

    def _try(self) -> None:
        self.tried.emit(str(self.sender().property("query")))

    def _draw(self) -> None:
        for drawing, label in getattr(self, "_icons", ()):
            label.setPixmap(icon(drawing).pixmap(icon_size(self), self.devicePixelRatioF()))
