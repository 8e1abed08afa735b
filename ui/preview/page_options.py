"""How the preview shows pages: dark, facing, with small pages and headings beside them.

Owns these settings and what changes them. It must not know hits.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QKeySequence, QShortcut

from ui import keys

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QToolButton

    from ui.ports import SettingsPort
    from ui.preview.document import PageDocument
    from ui.preview.frame import PreviewFrame
    from ui.preview.loader import Loader

DARK, FACING, SIDE = "dark_pages", "facing_pages", "side_panel"


class PageOptions(QObject):
    """Keeps a frame, its menu and the settings the same."""

    def __init__(self, frame: PreviewFrame, loader: Loader, settings: SettingsPort) -> None:
        super().__init__(frame)
        self._frame = frame
        self._loader = loader
        self._settings = settings
        self._controls: dict[str, QAction | QToolButton] = {
            DARK: frame.dark_pages, FACING: frame.facing_pages, SIDE: frame.bar.side,
        }  # fmt: skip
        for name, control in self._controls.items():
            control.toggled.connect(partial(settings.set, name))
        for key, name in ((keys.SIDE, SIDE), (keys.FACING, FACING)):
            QShortcut(QKeySequence(key), frame).activated.connect(partial(self._toggle, name))
        frame.side.page_requested.connect(frame.pages.go_to)
        frame.pages.page_changed.connect(frame.side.show_page)
        frame.pages.document_shown.connect(self._show_document)
        loader.outline_came.connect(frame.side.show_outline)
        settings.watch(self._changed)
        for name in self._controls:
            self._changed(name)

    def _toggle(self, name: str) -> None:
        self._settings.set(name, not self._settings[name])

    def _changed(self, name: str) -> None:
        if name not in self._controls:
            return
        frame, on = self._frame, bool(self._settings[name])
        self._controls[name].setChecked(on)
        match name:
            case "dark_pages":
                frame.pages.dark_pages = frame.side.thumbnails.dark_pages = on
                frame.pages.viewport().update()
                frame.side.thumbnails.viewport().update()
            case "facing_pages":
                frame.pages.set_facing(on)
            case _:
                frame.show_side()
                self._show_document(frame.pages.document)

    def _show_document(self, document: PageDocument | None) -> None:
        """Show a document beside the pages, unless that is hidden."""
        side = self._frame.side
        shown = document if self._frame.bar.side.isChecked() else None
        new = shown is not side.document
        side.show_document(shown)
        if shown is not None and new:
            side.show_page(self._frame.pages.page)
            if shown.outlined:
                self._loader.want_outline()
