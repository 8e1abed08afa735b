"""What the controls of the preview do: page, zoom, selection, page options, finding words."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut

from indexer.api.pages import pattern_of
from ui import keys
from ui.preview.marks import flowing, pieces_of
from ui.preview.page_layout import Fit, Zoom

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QToolButton

    from indexer.api.pages import FoundWords
    from ui.ports import SettingsPort
    from ui.preview.document import PageDocument
    from ui.preview.frame import PreviewFrame
    from ui.preview.loader import Loader


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


class Finder(QObject):
    """Connects the find bar of a frame with its pages and its text."""

    def __init__(self, frame: PreviewFrame, loader: Loader) -> None:
        super().__init__(frame)
        self._frame, self._loader = frame, loader
        self._text = ""
        self._step = 1
        self._asked = 0  # the page of the last request
        self._looked = 0  # the number of pages searched in vain
        self._at = (0, -1)  # the page and the number of the shown place on it
        self._places = 0  # the number of places on that page
        bar = frame.finding
        bar.wanted.connect(self._want)
        bar.closed.connect(self._closed)
        loader.found.connect(self._found)
        for key, step in (("F3", 1), ("Shift+F3", -1)):
            shortcut = QShortcut(QKeySequence(key), frame)
            shortcut.activated.connect(lambda step=step: bar.step_places(step))
        find = QShortcut(QKeySequence("Ctrl+F"), frame)
        find.setContext(Qt.ShortcutContext.WindowShortcut)
        find.activated.connect(self.open_find_bar)

    def open_find_bar(self) -> None:
        """Open the bar, with the selected text if there is some."""
        frame = self._frame
        if frame.has_pages or frame.shown is frame.text:
            selected = frame.pages.selection.text if frame.has_pages else frame.text.copy_flowing()
            frame.finding.open_bar(" ".join(selected.split()) if len(selected) < 100 else "")

    def close_find_bar(self) -> None:
        """Close the bar, since another document is shown."""
        self._frame.finding.close_bar()

    def _closed(self) -> None:
        frame = self._frame
        frame.pages.show_found((), -1)
        frame.text.show_found(())
        self._text, self._at, self._places = "", (0, -1), 0
        shown = frame.pages if frame.has_pages else frame.text
        shown.setFocus(Qt.FocusReason.OtherFocusReason)

    def _want(self, text: str, step: int) -> None:
        same, self._text = text == self._text, text
        self._step = step or 1
        if self._frame.shown is self._frame.text:
            self._find_in_text(step)
            return
        page, number = self._at
        if same and step and page and 0 <= number + step < self._places:
            self._show(page, number + step)
            return
        start = page + step if same and page and step else self._frame.pages.page
        self._looked = 0
        self._ask(start)

    def _ask(self, page: int) -> None:
        """Search a page and, if necessary, the following ones, each once."""
        document = self._frame.pages.document
        if document is None:
            return
        self._asked = (page - 1) % document.count + 1
        self._loader.find_words(self._text, self._asked, self._step)

    def _found(self, answer: FoundWords) -> None:
        document = self._frame.pages.document
        if document is None or not self._text:
            return
        if answer.spans:
            self._frame.pages.show_found(tuple(map(pieces_of, answer.spans)), -1)
            self._places = len(answer.spans)
            self._show(answer.page, 0 if self._step > 0 else self._places - 1)
            return
        self._looked += abs(answer.page - self._asked) + 1
        if self._looked >= document.count:
            self._nowhere()
        else:
            self._ask(answer.page + self._step)

    def _show(self, page: int, number: int) -> None:
        self._at = page, number
        self._frame.pages.show_found(self._frame.pages.found, number)
        document = self._frame.pages.document
        label = document.label(page) if document is not None else str(page)
        text = self.tr("Page {page}: {n} of {total}")
        self._frame.finding.say(text.format(page=label, n=number + 1, total=self._places))

    def _find_in_text(self, step: int) -> None:
        view = self._frame.text
        start, _ = view.loaded
        spans = [
            (start + found.start(), start + found.end())
            for found in re.finditer(pattern_of(self._text), view.loaded_text, re.IGNORECASE)
        ]
        if not spans:
            view.show_found(())
            self._nowhere()
            return
        here = view.place
        if step < 0:
            number = max((at for at, span in enumerate(spans) if span[0] < here), default=-1)
        else:
            behind = here + (step > 0)
            number = next((at for at, span in enumerate(spans) if span[0] >= behind), 0)
        view.show_found(spans, number % len(spans))
        text = self.tr("{n} of {total}")
        self._frame.finding.say(text.format(n=number % len(spans) + 1, total=len(spans)))

    def _nowhere(self) -> None:
        self._frame.pages.show_found((), -1)
        self._frame.finding.say(self.tr("Not found"))
