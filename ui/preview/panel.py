"""The preview next to the results: the page of a hit, with its passage outlined.

``frame`` has the widgets, ``controls`` the actions on the hit, and ``loader`` the requests.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import Signal

from indexer.api.errors import LecternError, WorldError
from indexer.api.formats import page_unit
from indexer.api.types import FileState, Hit
from ui import keys
from ui.preview.controls import Finder, PageOptions, PreviewActions
from ui.preview.frame import PreviewFrame
from ui.preview.marks import flowing
from ui.preview.printing import Printing
from ui.search.safe_text import line
from ui.widgets import WINDOW, add_shortcut, timer

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QContextMenuEvent, QShowEvent

    from indexer.api.pages import TextPart
    from ui.ports import Context
    from ui.preview.document import PageDocument
    from ui.search.live_search import Words

_WARM_UP_MS = 600
_LOADING_MS = 150
# Files in these states are not opened, as that would wait for a drive or download them.
_UNTOUCHED = frozenset({FileState.OFFLINE, FileState.PLACEHOLDER})


class Preview(PreviewFrame):
    """Shows the page of one hit."""

    like_requested = Signal(str)  # a query
    hit_requested = Signal(int)  # the number of a hit, from 0, in the given list
    apart_requested = Signal(object)  # a hit to show in a window of its own

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._hits: list[Hit] = []
        self._index = 0
        self._query = ""
        self._words: tuple[Hit, Words] | None = None
        self._late = False  # whether to load the hit once the panel is shown
        self.hit_actions = PreviewActions(context, self)
        self.finder = Finder(self, self.loader)
        self.printing = Printing(context, self)
        self._warm = timer(self, _WARM_UP_MS, self.loader.client.warm_up)
        self._slow = timer(self, _LOADING_MS, self._say_loading)
        self._connect()
        self.options = PageOptions(self, self.loader, context.settings)
        self.clear()

    def show_hit(self, hit: Hit, hits: list[Hit], index: int, query: str = "") -> None:
        """Show a hit, which replaces the last one even while that is loading.

        Args:
            hits: All hits of its document, in the order of the list.
            index: The index of the hit in ``hits``.
        """
        self._hits, self._index, self._query = list(hits), index, query
        self.bar.show_hits(index, len(hits))
        shown, self._hit = self._hit, hit
        self.hit_actions.hit = hit
        if shown is not None and shown.path != hit.path:
            self.finding.close_bar()
        alike = {"score": 0.0, "explain": None}  # these may differ if a query is repeated
        if shown is not None and replace(shown, **alike) == replace(hit, **alike):
            return
        title = line(hit.title) or line(hit.file)
        self.bar.title.setText(title)
        self.bar.title.setToolTip(title)
        self.bar.setVisible(True)
        self.banner.hide()
        self.pages.setAccessibleDescription(flowing(hit.text))
        if hit.state in _UNTOUCHED:
            self.loader.let_go()
            self._slow.stop()
            if hit.state is FileState.OFFLINE:
                self.say_offline(hit.text)
            else:
                self.say_failure(WorldError("placeholder"), hit.text)
            return
        self._load_again()

    def show_words(self, hit: Hit | None, words: Words | None) -> None:
        """Underline the matching words of the hit; None to remove them."""
        self._words = (hit, words) if hit is not None and words is not None else None
        self.pages.show_words(())
        self.text.show_words((), ())
        self._place_words()

    def _place_words(self, *_marked: object) -> None:
        """Underline the words on the page or in the text, unless another hit is shown."""
        if self._words is None or self._hit is None:
            return
        hit, words = self._words
        if (hit.path, hit.start) != (self._hit.path, self._hit.start):
            return
        if self.shown is self.text:
            self.text.show_words(words.same, words.meaning)
        elif self.has_pages:
            self.loader.want_words(words.same, words.meaning)

    def clear(self) -> None:
        """Show nothing."""
        self._hit, self._hits, self._index = None, [], 0
        self.hit_actions.hit = None
        self._slow.stop()
        self._late = False
        self.finding.close_bar()
        self.loader.let_go()
        self.pages.show_document(None)
        self.say_nothing_chosen()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.hit_actions.open_menu(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.clear()
        self._warm.stop()
        self.printing.close()
        self.loader.close()
        super().closeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._warm.start()
        if self._late:
            self._load_again()

    def print_shown(self) -> None:
        """Print the document, on a printer that the person chooses."""
        if self._hit is not None:
            self.printing.ask_printer(self._hit, self.loader.source)

    def _show_apart(self) -> None:
        if self._hit is not None:
            self.apart_requested.emit(self._hit)

    # Loading

    def _load(self, password: str | None) -> None:
        # A hidden preview loads nothing.
        self._late = self._hit is not None and not self.isVisible()
        if self._hit is not None and not self._late:
            self._slow.start()
            super()._load(password)

    def _say_loading(self) -> None:
        """While a hit loads slowly, show a placeholder instead of another hit's page."""
        document, hit = self.pages.document, self._hit
        same = document is not None and hit is not None and document.source.path == Path(hit.path)
        if not same or not self.has_pages:
            self.pages.show_document(None)
            self.pages.show_loading()
            self.bring(self.pages)

    def _opened(self, document: PageDocument) -> None:
        super()._opened(document)
        self._page_changed(self.pages.page)
        self.show_zoom()

    def _arrived(self) -> None:
        self._slow.stop()
        super()._arrived()

    def _text_came(self, text: str, part: TextPart) -> None:
        super()._text_came(text, part)
        self._show_unit()
        self.show_zoom()

    def _show_unit(self) -> None:
        """Show which slide, sheet or message is in view."""
        if (hit := self._hit) is not None:
            number = hit.page_first + self.text.parts_from(hit.start)
            self.bar.show_unit(page_unit(hit.format), number)

    def _failed(self, error: LecternError) -> None:
        self._slow.stop()
        super()._failed(error)

    # Steps between hits

    def _step(self, step: int) -> None:
        index = self._index + step
        if 0 <= index < len(self._hits):
            self.show_hit(self._hits[index], self._hits, index, self._query)
            self.hit_requested.emit(index)

    def _connect(self) -> None:
        self.loader.words_came.connect(self.pages.show_words)
        for signal in (self.loader.marked, self.loader.text_marked):
            signal.connect(self._place_words)
        self.bar.hit_step.connect(self._step)
        self.hit_actions.like_requested.connect(self.like_requested)
        self.find_words.triggered.connect(self.finder.open_find_bar)
        self.print.triggered.connect(self.print_shown)
        self.apart.triggered.connect(self._show_apart)
        self.text.verticalScrollBar().valueChanged.connect(self._show_unit)
        for key, call in (
            ("Alt+Up", partial(self._step, -1)),
            ("Alt+Down", partial(self._step, 1)),
            (keys.PRINT, self.print_shown),
            (keys.OWN_WINDOW, self._show_apart),
        ):
            add_shortcut(self, key, call, WINDOW)
