"""The pages of the window, each made when first shown, and the signals between them."""

from __future__ import annotations

import importlib
from collections import deque
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget
from shiboken6 import isValid

from ui import keys, passwords
from ui.basket.basket import HIGHLIGHTS as HIGHLIGHTS_FILE
from ui.basket.basket import Basket
from ui.file_worker import FileWorker
from ui.help import about
from ui.passwords import KeptPasswords
from ui.ports import Context, Notice
from ui.preview.highlights import Highlighter
from ui.preview.panel import Preview
from ui.search.describe import is_name_only
from ui.search.page import SearchPage
from ui.search.safe_text import line
from ui.search_pane import SearchPane
from ui.widgets import add_shortcut, resize_on_screen, timer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.api.status import Activity
    from indexer.api.types import Hit
    from ui.basket.page import BasketPage
    from ui.compare.page import ComparePage
    from ui.library.first_run import FirstRun
    from ui.library.page import LibraryPage
    from ui.state import WindowState

SEARCH, LIBRARY, BASKET, HIGHLIGHTS = "search", "library", "basket", "highlights"
FIRST_RUN, COMPARE = "first_run", "compare"
# The help page of each.
HELP = {
    SEARCH: "queries",
    LIBRARY: "library",
    BASKET: "basket",
    HIGHLIGHTS: "highlights",
    COMPARE: "compare",
    FIRST_RUN: "first-search",
}
# Modules to import ahead of need, one per step of the timer.
AHEAD = (
    "ui.library.page",
    "ui.export",
    "ui.basket.export",
    "ui.basket.page",
    "indexer.api.models",
    "ui.settings_dialog.models",
    "ui.settings_dialog.dialog",
)
AHEAD_MS = 40
_APART_SIZE = 820, 1000  # pixels of a document's own window


class Pages(QStackedWidget):
    """The stack of pages.

    Signals:
        shown: The name of the page that is shown now.
        reading: Whether the page of a document has the window for itself.
        help_requested: The name of the help page to show.
        models_requested: Show the choice of the language model.
    """

    shown = Signal(str)
    reading = Signal(bool)
    help_requested = Signal(str)
    models_requested = Signal()

    def __init__(self, context: Context, state: WindowState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._state = state
        self._made: dict[str, QWidget] = {}
        self._activity: Activity | None = None
        self._compared_from = SEARCH  # the page to go back to
        self.apart: list[Preview] = []  # documents in windows of their own
        self._worker = FileWorker(self)
        self.basket = Basket(context.folder, self._worker, self)
        self.highlights = Basket(context.folder, self._worker, self, HIGHLIGHTS_FILE)
        self._kept_passwords = KeptPasswords(context, passwords.shared(), self)
        self._ahead = deque(AHEAD)
        self._timer = timer(self, AHEAD_MS, self._load_one, single=False)
        self._build: dict[str, Callable[[], QWidget]] = {
            SEARCH: self._make_search,
            LIBRARY: self._make_library,
            BASKET: partial(self._make_list, self.basket),
            HIGHLIGHTS: self._make_highlights,
            FIRST_RUN: self._make_first_run,
            COMPARE: self._make_compare,
        }

    @property
    def name(self) -> str:
        """The name of the page that is shown."""
        return next((name for name, page in self._made.items() if page is self.currentWidget()), "")

    @property
    def search(self) -> SearchPane:
        return cast("SearchPane", self.page(SEARCH))

    @property
    def library(self) -> LibraryPage:
        return cast("LibraryPage", self.page(LIBRARY))

    @property
    def first_run(self) -> FirstRun:
        return cast("FirstRun", self.page(FIRST_RUN))

    @property
    def comparison(self) -> ComparePage:
        return cast("ComparePage", self.page(COMPARE))

    @property
    def query(self) -> str:
        """The text of the search box; "" before the search page is made."""
        return self.search.search.query if SEARCH in self._made else ""

    def show_activity(self, activity: Activity | None) -> None:
        """Pass the engine's activity to the pages that use it."""
        self._activity = activity
        if SEARCH in self._made:
            self.search.search.freshness.show_activity(activity)
            self.search.search.alerts.show_activity(activity)
        if LIBRARY in self._made:
            self.library.show_activity(activity)
        if FIRST_RUN in self._made:
            self.first_run.show_activity(activity)

    def load_ahead(self) -> None:
        """Import the other pages' modules and make the search page, in small steps."""
        self._timer.start()

    def page(self, name: str) -> QWidget:
        """Return a page, created if necessary."""
        if name not in self._made:
            self._made[name] = self._build[name]()
            about(self._made[name], HELP[name])
            self.addWidget(self._made[name])
        return self._made[name]

    def show_page(self, name: str) -> None:
        if COMPARE in self._made and name != COMPARE:
            self.comparison.rest()
        page = self.page(name)
        self.setCurrentWidget(page)
        if name == SEARCH:
            self.search.leave_elsewhere()
            self.search.search.focus_box()
        else:
            page.setFocus()
        self.shown.emit(name)

    def show_files(self, state: str = "", root: str = "") -> None:
        """Show the list of all files, or of those in a state or under a root."""
        self.library.show_files(state, root)
        self.show_page(LIBRARY)

    def search_for(self, text: str) -> None:
        """Show the search page, and search for a text unless it is empty."""
        self.show_page(SEARCH)
        if text:
            self.search.search.search(text)

    def open_paths(self, paths: Sequence[str], roots: Sequence[str]) -> None:
        """Search inside a path of the library, or offer to add paths that are outside it.

        ``roots`` are the files and folders that the person has added.
        """
        fresh = [
            path for path in paths if not any(PurePath(path).is_relative_to(root) for root in roots)
        ]
        if not fresh:
            self.show_page(SEARCH)
            self.search.search.search_inside(paths[0])
        elif roots:
            self.show_page(LIBRARY)
            self.library.add_paths(fresh)
        else:
            self.show_page(FIRST_RUN)
            self.first_run.folders.add_folders(fresh)

    def close_parts(self) -> None:
        """Save baskets and highlights and end background work, before the window closes."""
        self._timer.stop()
        for each in filter(isValid, self.apart):
            each.close()
        if SEARCH in self._made:
            self.search.close_parts()
        for name in {BASKET, HIGHLIGHTS} & set(self._made):
            self._made[name].close()
        if COMPARE in self._made:
            self.comparison.rest()
        self.basket.flush()
        self.highlights.flush()
        self._worker.close()

    def keep(self, hit: Hit, query: str = "") -> None:
        """Put a passage into the basket."""
        if is_name_only(hit):
            return
        kept = self.basket.add_passage(hit, query)
        if kept is None:
            text, undo = self.tr("It is in the basket already"), None
        else:
            text = self.tr("Added to the basket")
            undo = partial(self.basket.remove_passage, kept.key)
        self._context.notices.post(Notice(text, undo=undo))

    def _load_one(self) -> None:
        if self._ahead:
            importlib.import_module(self._ahead.popleft())
        elif SEARCH in self._made:
            self._timer.stop()
            self.search.search.warm()
        else:
            self.page(SEARCH)

    def _make_search(self) -> QWidget:
        preview = Preview(self._context)
        pane = SearchPane(self._context, self._state, SearchPage(self._context), preview)
        self.highlighter = Highlighter(preview, self.highlights, self._context.notices, pane)
        pane.search.folders_requested.connect(partial(self.show_page, FIRST_RUN))
        pane.search.files_requested.connect(self.show_files)
        pane.search.help_requested.connect(partial(self.help_requested.emit, HELP[SEARCH]))
        pane.reading.connect(self.reading)
        preview.apart_requested.connect(self.show_apart)
        pane.kept.connect(self.keep)
        actions = pane.search.actions_on_hits
        actions.compared.connect(self.compare)
        for signal in (actions.searched, actions.elsewhere_requested):
            signal.connect(self._show_answer)
        return pane

    def show_apart(self, hit: Hit) -> None:
        """Show the document of a hit in a window of its own, which closes with this one."""
        preview = Preview(self._context)
        preview.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        preview.setWindowTitle(line(hit.file))
        preview.reading.setVisible(False)
        Highlighter(preview, self.highlights, self._context.notices, preview)
        actions = preview.hit_actions
        actions.kept.connect(self.keep)
        preview.like_requested.connect(self.search_for)
        actions.elsewhere_requested.connect(self._ask_elsewhere)
        for signal in (preview.like_requested, actions.elsewhere_requested):
            signal.connect(self.window().activateWindow)
        preview.apart_requested.connect(self.show_apart)
        for key, call in (
            (keys.COLLECT, actions.keep),
            (keys.CITE, actions.cite),
            (keys.ELSEWHERE, actions.ask_elsewhere),
            (keys.CLOSE, preview.close),
        ):
            add_shortcut(preview, key, call)
        self.apart = [each for each in self.apart if isValid(each)] + [preview]
        resize_on_screen(preview, *_APART_SIZE)
        preview.show()
        preview.setFocus()
        preview.show_hit(hit, [hit], 0)

    def _ask_elsewhere(self, hit: Hit) -> None:
        self.show_page(SEARCH)
        self.search.ask_elsewhere(hit)

    def _show_answer(self) -> None:
        """Show the search page if the search was begun from the menu of another page."""
        if not self.search.search.isVisible():
            self.show_page(SEARCH)

    def _make_library(self) -> QWidget:
        from ui.library.page import LibraryPage

        page = LibraryPage(self._context)
        page.file_actions.compare_requested.connect(self.compare)
        page.models_requested.connect(self.models_requested)
        page.show_activity(self._activity)
        return page

    def _make_highlights(self) -> QWidget:
        page = self._make_list(self.highlights)
        hint = self.tr(
            "Select text of a document and press Ctrl+H to highlight it, or Ctrl+Shift+H to write "
            "a note on it. Highlights are kept beside the documents, which stay as they are."
        )
        page.describe(self.tr("Highlights"), hint)
        return page

    def _make_list(self, kept: Basket) -> BasketPage:
        from ui.basket.page import BasketPage

        page = BasketPage(kept, self._context, self._worker)
        page.searched.connect(self.search_for)
        return page

    def compare(self, first: str, second: str) -> None:
        """Show two documents side by side, by their paths."""
        if self.name != COMPARE:
            self._compared_from = self.name
        self.comparison.compare(first, second)
        self.show_page(COMPARE)

    def _make_compare(self) -> QWidget:
        from ui.compare.page import ComparePage

        page = ComparePage(self._context)
        page.left.connect(lambda: self.show_page(self._compared_from))
        page.menu_requested.connect(self.search.search.actions_on_hits.open_menu)
        return page

    def _make_first_run(self) -> QWidget:
        from ui.library.first_run import FirstRun

        page = FirstRun(self._context)
        page.finished.connect(self.search_for)
        return page
