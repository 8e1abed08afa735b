"""The selected text of a page, by the mouse or all of it by a key; it stays within the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from ui.preview.marks import Letters, flowing

if TYPE_CHECKING:
    from PySide6.QtCore import QPointF, QRectF

    from ui.preview.page_scroller import PageScroller


class Selection:
    """The selected text of a ``PageScroller``. Points are those of its layout."""

    def __init__(self, view: PageScroller) -> None:
        self._view = view
        self.page = 0
        self._anchor = 0
        self._head = 0
        self._all_of = 0  # the page to be selected when its letters have come

    @property
    def text(self) -> str:
        letters = self._letters()
        start, end = sorted((self._anchor, self._head))
        return letters.text[start:end] if letters is not None else ""

    @property
    def start(self) -> int:
        """The offset of the selection in the text of its page."""
        return min(self._anchor, self._head)

    def clear(self) -> None:
        self._all_of = 0
        self._set(0, 0, 0)

    def press(self, point: QPointF) -> None:
        page, place = self._place(point)
        self._set(page, place, place)

    def move(self, point: QPointF) -> None:
        letters = self._letters()
        if letters is not None:
            place = letters.place(self._view.layout_.to_page(self.page, point))
            self._set(self.page, self._anchor, place)

    def press_word(self, point: QPointF) -> None:
        page, place = self._place(point)
        document = self._view.document
        letters = document.letters(page) if document is not None else None
        if letters is not None:
            self._set(page, *letters.word(place))

    def select_page(self, page: int) -> None:
        """Select all text of a page, once its letters have come."""
        document = self._view.document
        if document is None:
            return
        letters = document.letters(page)
        if letters is None:
            self._all_of = page
            document.want_letters(page)
        else:
            self._set(page, 0, len(letters.text))

    def letters_came(self, page: int) -> None:
        if page == self._all_of:
            self._all_of = 0
            self.select_page(page)

    def copy(self) -> None:
        if text := flowing(self.text):
            QGuiApplication.clipboard().setText(text)

    def lines(self, page: int) -> list[QRectF]:
        """Return the selected rectangles of a page, in points."""
        letters = self._letters()
        if page != self.page or letters is None:
            return []
        start, end = sorted((self._anchor, self._head))
        return letters.lines(start, end)

    def _letters(self) -> Letters | None:
        document = self._view.document
        return document.letters(self.page) if document is not None and self.page else None

    def _place(self, point: QPointF) -> tuple[int, int]:
        layout, document = self._view.layout_, self._view.document
        if document is None or not len(layout):
            return 0, 0
        page = layout.page_at(point.y())
        letters = document.letters(page)
        if letters is None:
            document.want_letters(page)
            return page, 0
        return page, letters.place(layout.to_page(page, point))

    def _set(self, page: int, anchor: int, head: int) -> None:
        self.page, self._anchor, self._head = page, anchor, head
        self._view.viewport().update()
