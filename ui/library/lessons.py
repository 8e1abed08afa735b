"""Three things to try in a library, each with words from its documents once some are read.

It must not know where the queries come from, nor what is done with them.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from ui.icons import icon
from ui.theme import L, M, icon_size
from ui.widgets import CardFrame, IconButton, wrapped_label

if TYPE_CHECKING:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QResizeEvent

# The drawing of each, and its query: with a text and the suffix of a file.
_LESSONS = (("meaning", "{text}"), ("phrase", '"{text}"'), ("filter", "{text} ext:{suffix}"))
# Average letters; narrower lessons are below each other.
_NARROW = 28


class Lessons(QWidget):
    """Signals: ``tried`` with a query."""

    tried = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(L)
        self._lessons = [
            _Lesson(drawing, *text) for (drawing, _), text in zip(_LESSONS, texts, strict=True)
        ]
        for lesson in self._lessons:
            lesson.button.clicked.connect(self._try)
            self._row.addWidget(lesson, 1)

    @property
    def buttons(self) -> list[IconButton]:
        return [lesson.button for lesson in self._lessons]

    def offer(self, text: str, path: str) -> None:
        """Give the next lesson its query: words of a document, and where that is."""
        for lesson, (_, query) in zip(self._lessons, _LESSONS, strict=True):
            if not lesson.query:
                suffix = PurePath(path).suffix.removeprefix(".") or "*"
                lesson.offer(query.format(text=text, suffix=suffix))
                return

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < len(_LESSONS) * _NARROW * self.fontMetrics().averageCharWidth()
        direction = QBoxLayout.Direction
        self._row.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)

    def _try(self) -> None:
        self.tried.emit(next(one.query for one in self._lessons if one.button is self.sender()))


class _Lesson(CardFrame):
    """A card: what can be done, and a button to do it."""

    def __init__(self, drawing: str, title: str, about: str) -> None:
        super().__init__()
        self.query = ""
        self._drawing, self._glyph = drawing, QLabel()
        head = wrapped_label(title)
        font = head.font()
        font.setBold(True)
        head.setFont(font)
        self.button = IconButton(title, "search")
        policy = self.button.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing moves when the query comes
        self.button.setSizePolicy(policy)
        self.button.hide()
        top = QHBoxLayout()
        top.setSpacing(M)
        top.addWidget(self._glyph, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(head, 1, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, L)
        column.setSpacing(M)
        column.addLayout(top)
        column.addWidget(wrapped_label(about))
        column.addStretch(1)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeading)
        self._fit()

    def offer(self, query: str) -> None:
        self.query = query
        self.button.setAccessibleName(query)
        self.button.setToolTip(query)
        self.button.show()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (event.Type.FontChange, event.Type.PaletteChange):
            self._fit()

    def _fit(self) -> None:
        """Draw the icon in the current size and colour, and shorten the query to the width."""
        self._glyph.setPixmap(icon(self._drawing).pixmap(icon_size(self), self.devicePixelRatioF()))
        room = self.width() - 2 * L - icon_size(self).width() - 2 * L
        shown = self.fontMetrics().elidedText(self.query, Qt.TextElideMode.ElideRight, room)
        self.button.setText(shown.replace("&", "&&"))
