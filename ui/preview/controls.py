"""The options of the preview, finding words in it, and actions on the hit."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QMenu, QToolButton

from indexer.api.pages import FoundWords, around, pattern_of
from ui import keys
from ui.citations import CitationCopier
from ui.desktop import open_external, show_in_folder
from ui.ports import Context, Notice, SettingsPort
from ui.preview.marks import LinePieces, flowing, pieces_of
from ui.search.query_text import similar_to
from ui.widgets import WINDOW, add_shortcut, timer
from ui.words import amounts

if TYPE_CHECKING:
    from indexer.api.types import Hit
    from ui.preview.document import PageDocument
    from ui.preview.frame import PreviewFrame
    from ui.preview.loader import Loader


DARK, SIDE = "dark_pages", "side_panel"


class PageOptions(QObject):
    """Keeps the options of a frame, its menu and the settings in step."""

    def __init__(self, frame: PreviewFrame, loader: Loader, settings: SettingsPort) -> None:
        super().__init__(frame)
        self._frame = frame
        self._loader = loader
        self._settings = settings
        self._controls: dict[str, QAction | QToolButton] = {
            DARK: frame.dark_pages, SIDE: frame.bar.side,
        }  # fmt: skip
        for name, control in self._controls.items():
            control.toggled.connect(partial(settings.set, name))
        add_shortcut(frame, keys.SIDE, frame.bar.side.toggle, WINDOW)
        frame.side.page_requested.connect(frame.pages.go_to)
        frame.pages.page_changed.connect(frame.side.show_page)
        frame.pages.document_shown.connect(self._show_document)
        loader.outline_came.connect(frame.side.show_outline)
        settings.watch(self._changed)
        for name in self._controls:
            self._changed(name)

    def _changed(self, name: str) -> None:
        if name not in self._controls:
            return
        frame, on = self._frame, bool(self._settings[name])
        self._controls[name].setChecked(on)
        if name == DARK:
            frame.pages.dark_pages = on
            frame.pages.viewport().update()
        else:
            self._show_document(frame.pages.document)

    def _show_document(self, document: PageDocument | None) -> None:
        """Show a document beside the pages, unless that is hidden."""
        side = self._frame.side
        shown = document if self._frame.bar.side.isChecked() else None
        new = shown is not side.document
        side.show_document(shown)
        self._frame.show_side()
        if shown is not None and new and shown.outlined:
            side.show_page(self._frame.pages.page)
            self._loader.want_outline()


class Place(NamedTuple):
    """A place of found words: its page (0 in a text), its offset or box, and the words around."""

    page: int
    pieces: LinePieces
    span: tuple[int, int]  # in a text
    words: str


_MOST_PLACES = 1000
_LIST_MS = 100  # between two changes of the list


class Finder(QObject):
    """Connects the find bar of a frame with its pages and its text.

    It searches page by page, from the current page to the last one, then from the first.
    """

    def __init__(self, frame: PreviewFrame, loader: Loader) -> None:
        super().__init__(frame)
        self._frame, self._loader = frame, loader
        self._text = ""
        self._places: list[Place] = []  # in the order of the document
        self._current: Place | None = None
        self._first = self._asked = 1  # the pages of the first and of the last request
        self._searched = 0  # pages
        self._listing = timer(self, _LIST_MS, self._list)
        bar = frame.finding
        bar.wanted.connect(self._want)
        bar.chosen.connect(self._show_number)
        bar.closed.connect(self._closed)
        loader.found.connect(self._found)
        for key, step in (("F3", 1), ("Shift+F3", -1)):
            add_shortcut(frame, key, partial(bar.step_places, step), WINDOW)
        add_shortcut(frame, "Ctrl+F", self.open_find_bar, WINDOW)

    def open_find_bar(self) -> None:
        """Open the bar, with the selected text if there is some."""
        frame = self._frame
        if frame.has_pages or frame.shown is frame.text:
            selected = frame.pages.selection.text if frame.has_pages else frame.text.copy_flowing()
            frame.finding.open_bar(" ".join(selected.split()) if len(selected) < 100 else "")

    def _closed(self) -> None:
        frame = self._frame
        self._forget()
        shown = frame.pages if frame.has_pages else frame.text
        shown.setFocus(Qt.FocusReason.OtherFocusReason)

    def _forget(self) -> None:
        self._loader.stop_finding()
        self._listing.stop()
        self._text, self._places, self._current, self._searched = "", [], None, 0
        self._frame.pages.show_found((), -1)
        self._frame.text.show_found(())

    def _want(self, text: str, step: int) -> None:
        if text == self._text and self._current in self._places:
            self._show_number((self._places.index(self._current) + step) % len(self._places))
            return
        self._forget()
        self._text = text
        if self._frame.shown is self._frame.text:
            self._find_in_text()
        elif self._frame.pages.document is not None:
            self._first = self._frame.pages.page
            self._ask(self._first)

    def _ask(self, page: int) -> None:
        self._asked = page
        self._loader.find_words(self._text, page)

    def _found(self, answer: FoundWords) -> None:
        document = self._frame.pages.document
        if document is None or not self._text:
            return
        again = self._asked < self._first <= answer.page  # past the page where it began
        self._searched += (self._first if again else answer.page + 1) - self._asked
        if not again:
            self._places += [
                Place(answer.page, pieces_of(span), (0, 0), words)
                for span, words in zip(answer.spans, answer.texts, strict=True)
            ]
            self._places.sort(key=lambda place: place.page)
        if not self._is_complete:
            self._ask(answer.page % document.count + 1)
        new = [place for place in self._places if place.page == answer.page]
        if self._current is None and new:
            self._current = new[0]
            self._show()
        elif self._is_complete:
            self._list()
        elif not self._listing.isActive():
            self._listing.start()

    @property
    def _is_complete(self) -> bool:
        document = self._frame.pages.document
        count = document.count if document is not None else 0
        return self._searched >= count or len(self._places) >= _MOST_PLACES

    def _find_in_text(self) -> None:
        view = self._frame.text
        (start, _), text = view.loaded, view.loaded_text
        for found in re.finditer(pattern_of(self._text), text, re.IGNORECASE):
            span = start + found.start(), start + found.end()
            self._places.append(Place(0, {}, span, around(text, found.span())))
        behind = [place for place in self._places if place.span[0] >= view.selected[0]]
        self._current = next(iter(behind or self._places), None)
        self._show()

    def _show_number(self, number: int) -> None:
        self._current = self._places[number]
        self._show()

    def _show(self) -> None:
        """Bring the current place into view."""
        number = self._places.index(self._current) if self._current is not None else -1
        if self._frame.shown is self._frame.text:
            self._frame.text.show_found([place.span for place in self._places], max(number, 0))
        else:
            self._frame.pages.show_found(tuple(place.pieces for place in self._places), number)
        self._list()

    def _list(self) -> None:
        """List the places, and show the number of the current one."""
        bar, document = self._frame.finding, self._frame.pages.document
        number = self._places.index(self._current) if self._current is not None else -1
        labels = [document.label(each.page) if document else "" for each in self._places]
        texts = [
            " \u00b7 ".join(filter(None, (label, each.words)))
            for label, each in zip(labels, self._places, strict=True)
        ]
        bar.show_places(texts, number)
        self._frame.pages.found = tuple(place.pieces for place in self._places)
        self._frame.pages.found_at = number
        whole = self._is_complete and len(self._places) < _MOST_PLACES
        more = "" if whole else "\u2026"
        text = self.tr("{n} of {total}").format(
            n=amounts.count(number + 1), total=amounts.count(len(self._places))
        )
        nothing = more or self.tr("Not found")
        bar.say_places(text + more if self._places else nothing)


def selected_passage(frame: PreviewFrame, hit: Hit) -> Hit | None:
    """Return the selected text of a hit's document as a passage; None without a selection.

    Its offsets are 0 if it is on a page, where passages are found by their text.
    """
    if frame.shown is frame.text:
        start, end = frame.text.selected
        first = frame.text.loaded[0]
        text = frame.text.loaded_text[start - first : end - first]
        page, label = hit.page_first + frame.text.parts_between(hit.start, start), ""
    else:
        selection, document = frame.pages.selection, frame.pages.document
        text, page, start, end = selection.text, selection.page, 0, 0
        label = document.label(page) if document is not None else ""
    if not text.strip():
        return None
    inside = hit.start <= start < end <= hit.end or text in hit.text
    whole = (0, len(text))
    return replace(
        hit, page=page, pages_before=0, page_last=page, start=start, end=end, text=text, best=whole,
        marks=(whole,), left_out=(), heading_path=hit.heading_path if inside else (),
        explain=None, also=(), page_label=label if label != str(page) else "",
    )  # fmt: skip


class PreviewActions(QObject):
    """Acts on ``hit``, which is None while nothing is shown.

    Signals:
        like_requested: A query for passages similar to the hit.
        reading_requested: Show only the page in the window, or all parts again.
        kept: A passage to put into the basket.
        elsewhere_requested: A passage; the library is asked where else it says the same.
    """

    like_requested = Signal(str)
    reading_requested = Signal()
    kept = Signal(object)
    elsewhere_requested = Signal(object)

    def __init__(self, context: Context, frame: PreviewFrame) -> None:
        super().__init__(frame)
        self.hit: Hit | None = None
        self._context, self._frame = context, frame
        self._citations = CitationCopier(context, self)
        bar = frame.bar
        bar.copy.clicked.connect(self._copy)
        bar.open.clicked.connect(self._open)
        frame.folder.triggered.connect(self._folder)
        frame.similar.triggered.connect(self._similar)
        frame.elsewhere.triggered.connect(self.ask_elsewhere)
        frame.keep.triggered.connect(self.keep)
        frame.reading.triggered.connect(self.reading_requested)
        frame.cite.triggered.connect(self.cite)

    def open_menu(self, event: QContextMenuEvent) -> None:
        """Open a menu of the toolbar's actions at the pointer."""
        if self.hit is None:
            return
        bar = self._frame.bar
        menu = QMenu(self._frame)
        menu.setAccessibleName(self.tr("What to do with this document"))
        selected = bool(self._frame.selected)
        copy = self.tr("Copy the selection") if selected else self.tr("Copy the passage")
        for button, text in ((bar.copy, copy), (bar.open, self.tr("Open in your viewer"))):
            action = menu.addAction(button.icon(), text)
            action.triggered.connect(button.click)
        menu.addSeparator()
        menu.addActions(bar.menu.actions())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())
        event.accept()

    def keep(self) -> None:
        """Put the selected text, else the passage, into the basket."""
        if self.hit is not None and self.hit.text:
            self.kept.emit(selected_passage(self._frame, self.hit) or self.hit)

    def cite(self) -> None:
        """Copy the selected text, else the passage, with its citation."""
        if self.hit is not None:
            self._citations.copy_cited(selected_passage(self._frame, self.hit) or self.hit)

    def ask_elsewhere(self) -> None:
        """Ask where else the library says the same as the selected text, else as the passage."""
        if self.hit is not None and self.hit.text:
            passage = selected_passage(self._frame, self.hit) or self.hit
            self.elsewhere_requested.emit(passage)

    def _copy(self) -> None:
        """Copy the selected text, else the passage."""
        if self.hit is None:
            return
        selected = self._frame.selected
        QGuiApplication.clipboard().setText(selected or flowing(self.hit.text))
        message = self.tr("The selection was copied.") if selected else self.tr("Passage copied.")
        self._context.notices.post(Notice(message, seconds=3.0))

    def _open(self) -> None:
        if self.hit is not None:
            page = self._frame.pages.page if self._frame.has_pages else 0
            open_external(self.hit, self._context, page)

    def _folder(self) -> None:
        if self.hit is not None:
            show_in_folder(self.hit.path, self._context.notices)

    def _similar(self) -> None:
        if self.hit is not None:
            self.like_requested.emit(similar_to(self.hit))
