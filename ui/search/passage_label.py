"""A label with the text of a passage, in which its best sentence is marked."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel

from ui.search.plain import plain
from ui.search.safe_text import is_right_to_left
from ui.theme import current

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from indexer.api.types import Hit


class PassageLabel(QLabel):
    """Follows the theme.

    Args:
        most: How many letters are shown; more if the best sentence ends later.
    """

    def __init__(self, most: int, parent: QWidget | None = None) -> None:
        self._hit: Hit | None = None  # before Qt's initialiser, which may call ``changeEvent``
        super().__init__(parent)
        self._most = most
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)

    def show_hit(self, hit: Hit) -> None:
        """Show the text of a hit without its heading."""
        self._hit = hit
        self.setText(self._marked(hit))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._hit is not None:
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
