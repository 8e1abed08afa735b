"""The preview's controls of the shown pages or text: page, zoom, selection.

It must not know hits, nor how documents are loaded.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence, QShortcut

from ui.preview.letters import flowing
from ui.preview.page_layout import Fit, Zoom

if TYPE_CHECKING:
    from collections.abc import Callable

    from ui.preview.frame import PreviewFrame


class Controls(QObject):
    """Connects the toolbar of a frame with its pages and its text."""

    def __init__(self, frame: PreviewFrame) -> None:
        super().__init__(frame)
        self._frame = frame
        self._connect()
        self._keys()

    def show_place(self) -> None:
        """Show the current page and zoom in the toolbar."""
        self._page_changed(self._frame.pages.page)
        self.show_zoom()

    def show_zoom(self) -> None:
        pages = self._frame.pages
        self._frame.bar.show_zoom(pages.zoom, pages.scale)

    @property
    def selected(self) -> str:
        """The selected text, "" for none."""
        frame = self._frame
        text = frame.text.copy_flowing() if frame.shown is frame.text else ""
        return text or flowing(frame.pages.selection.text)

    def _page_changed(self, page: int) -> None:
        document = self._frame.pages.document
        if document is not None:
            self._frame.bar.show_page(document.label(page), page, document.count)

    def _page_entered(self, text: str) -> None:
        pages = self._frame.pages
        page = pages.document.find_page(text) if pages.document is not None else None
        if page is not None:
            pages.go_to(page)
            pages.setFocus()
        self._page_changed(pages.page)

    def _zoom_chosen(self, zoom: Zoom) -> None:
        self._frame.pages.set_zoom(zoom)

    def _zoom_step(self, step: int) -> None:
        frame = self._frame
        if frame.shown is frame.text:
            frame.text.zoom_by(step)
        elif step == 0:
            frame.pages.set_zoom(Zoom(Fit.WIDTH))
        elif step > 0:
            frame.pages.zoom_in()
        else:
            frame.pages.zoom_out()

    def _turn(self, step: int, _checked: bool = False) -> None:
        self._frame.pages.turn_by(step)

    def _select_page(self) -> None:
        frame = self._frame
        if frame.shown is frame.pages:
            frame.pages.selection.select_page(frame.pages.page)
            frame.pages.setFocus()

    def _connect(self) -> None:
        frame, bar = self._frame, self._frame.bar
        bar.page_entered.connect(self._page_entered)
        bar.zoom_chosen.connect(self._zoom_chosen)
        bar.zoom_step.connect(self._zoom_step)
        frame.select_page.triggered.connect(self._select_page)
        frame.turn_right.triggered.connect(partial(self._turn, 1))
        frame.turn_left.triggered.connect(partial(self._turn, -1))
        frame.pages.page_changed.connect(self._page_changed)
        frame.pages.zoom_changed.connect(self.show_zoom)

    def _keys(self) -> None:
        keys: dict[str, Callable[[], object]] = {
            "Ctrl++": partial(self._zoom_step, 1),
            "Ctrl+=": partial(self._zoom_step, 1),
            "Ctrl+-": partial(self._zoom_step, -1),
            "Ctrl+0": partial(self._zoom_step, 0),
            "Ctrl+R": partial(self._turn, 1),
            "Ctrl+Shift+R": partial(self._turn, -1),
        }
        for key, call in keys.items():
            QShortcut(QKeySequence(key), self._frame).activated.connect(call)
