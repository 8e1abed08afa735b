"""The actions on the hit in the preview: copy, open, search similar ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu

from ui import keys
from ui.desktop import show_in_folder
from ui.icons import icon
from ui.ports import Notice
from ui.preview.marks import flowing
from ui.preview.viewers import open_external
from ui.search.query_text import similar

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent

    from indexer.api.types import Hit
    from ui.ports import Context
    from ui.preview.controls import Controls
    from ui.preview.frame import PreviewFrame


def selected_passage(frame: PreviewFrame, hit: Hit) -> Hit | None:
    """Return what is selected in the document of a hit; None without a selection.

    The offsets are 0 for a selection on a page, which is found by its text.
    """
    if frame.shown is frame.text:
        start, end = frame.text.selected
        first = frame.text.loaded[0]
        text = frame.text.loaded_text[start - first : end - first]
        page = hit.page + frame.text.parts_between(hit.start, start)
    else:
        selection = frame.pages.selection
        text, page, start, end = selection.text, selection.page, 0, 0
    if not text.strip():
        return None
    inside = hit.start <= start < end <= hit.end or text in hit.text
    whole = (0, len(text))
    return replace(
        hit, page=page, page_last=page, start=start, end=end, text=text, best=whole,
        marks=(whole,), left_out=(), heading_path=hit.heading_path if inside else (),
        explain=None, also=(),
    )  # fmt: skip


class PreviewActions(QObject):
    """Acts on ``hit``, which is None while nothing is shown.

    Signals:
        like_requested: A query for passages or documents similar to the hit.
        search_inside_requested: The path of the document to search in.
        kept: A passage to be put into the basket.
        elsewhere_requested: A passage of which the library is asked where else it says so.
    """

    like_requested = Signal(str)
    search_inside_requested = Signal(str)
    kept = Signal(object)
    elsewhere_requested = Signal(object)

    def __init__(self, context: Context, frame: PreviewFrame, controls: Controls) -> None:
        super().__init__(frame)
        self.hit: Hit | None = None
        self._context, self._frame, self._controls = context, frame, controls
        bar = frame.bar
        bar.copy.clicked.connect(self._copy)
        bar.open.clicked.connect(self._open)
        bar.folder.clicked.connect(self._folder)
        frame.similar_passages.triggered.connect(self._similar_passages)
        frame.similar_documents.triggered.connect(self._similar_documents)
        frame.inside.triggered.connect(self._inside)
        # With the focus in the results the same keys copy the hit.
        copy = QShortcut(QKeySequence("Ctrl+Shift+C"), frame)
        copy.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        copy.activated.connect(self._copy)

    def open_menu(self, event: QContextMenuEvent) -> None:
        """Open a menu of the toolbar's actions at the pointer, after those of the part there."""
        if self.hit is None:
            return
        bar = self._frame.bar
        menu = QMenu(self._frame)
        menu.setAccessibleName(self.tr("What to do with this document"))
        here = self._frame.childAt(event.pos())
        for part in (self._frame.side.tree, self._frame.side.thumbnails, self._frame.pages.map):
            if here is not None and (here is part or part.isAncestorOf(here)):
                menu.addActions(part.actions())
                menu.addSeparator()
        selected = bool(self._controls.selected)
        copy = self.tr("Copy the selection") if selected else self.tr("Copy the passage")
        for button, text in (
            (bar.copy, copy),
            (bar.open, self.tr("Open in your viewer")),
            (bar.folder, self.tr("Show in folder")),
        ):
            action = menu.addAction(button.icon(), text)
            action.triggered.connect(button.click)
        keep = f"{self.tr('Add to the basket')}\t{keys.shown([keys.COLLECT])}"
        menu.addAction(icon("basket"), keep).triggered.connect(self.keep)
        ask = self.tr("Where else is this said?")
        ask_action = menu.addAction(icon("similar"), f"{ask}\t{keys.shown([keys.ELSEWHERE])}")
        ask_action.triggered.connect(self.ask_elsewhere)
        menu.addSeparator()
        menu.addActions(bar.menu.actions())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())
        event.accept()

    def keep(self) -> None:
        """Put the selected text, else the passage, into the basket."""
        if self.hit is not None and self.hit.text:
            self.kept.emit(selected_passage(self._frame, self.hit) or self.hit)

    def ask_elsewhere(self) -> None:
        """Ask where else the library says the selected text, else the passage."""
        if self.hit is not None and self.hit.text:
            passage = selected_passage(self._frame, self.hit) or self.hit
            self.elsewhere_requested.emit(passage)

    def _copy(self) -> None:
        """Copy the selected text, else the passage."""
        if self.hit is None:
            return
        selected = self._controls.selected
        QGuiApplication.clipboard().setText(selected or flowing(self.hit.text))
        message = self.tr("The selection was copied.") if selected else self.tr("Passage copied.")
        self._context.notices.post(Notice(message, seconds=3.0))

    def _open(self) -> None:
        if self.hit is not None:
            page = self._frame.pages.page if self._frame.has_pages else 0
            open_external(self.hit, self._context, page)

    def _folder(self) -> None:
        if self.hit is not None:
            show_in_folder(self.hit.path)

    def _inside(self) -> None:
        if self.hit is not None:
            self.search_inside_requested.emit(self.hit.path)

    def _similar_passages(self) -> None:
        if (hit := self.hit) is not None:
            span = (hit.start, hit.end) if hit.start < hit.end else None
            self.like_requested.emit(similar(hit.path, span))

    def _similar_documents(self) -> None:
        if self.hit is not None:
            self.like_requested.emit(similar(self.hit.path))
