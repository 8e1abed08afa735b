"""Finds words in the shown document: on its pages, or in its text.

Owns the position of the search. It must not know hits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QKeySequence, QShortcut

from indexer.api.pages import pattern_of
from ui.preview.marks import pieces_of

if TYPE_CHECKING:
    from indexer.api.pages import FoundWords
    from ui.preview.frame import PreviewFrame
    from ui.preview.loader import Loader


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
        for keys, step in (("F3", 1), ("Shift+F3", -1)):
            shortcut = QShortcut(QKeySequence(keys), frame)
            shortcut.activated.connect(lambda step=step: bar.step(step))
        find = QShortcut(QKeySequence("Ctrl+F"), frame)
        find.setContext(Qt.ShortcutContext.WindowShortcut)
        find.activated.connect(self.open)

    def open(self) -> None:
        """Open the bar, with the selected text if there is some."""
        frame = self._frame
        if frame.has_pages or frame.shown is frame.text:
            selected = frame.pages.selection.text if frame.has_pages else frame.text.copy_flowing()
            frame.finding.open_bar(" ".join(selected.split()) if len(selected) < 100 else "")

    def forget(self) -> None:
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
        self._loader.find(self._text, self._asked, self._step)

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
