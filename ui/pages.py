"""The pages of the window, each made when first shown, and the signals between them."""

from __future__ import annotations

import importlib
from collections import deque
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QTabWidget

from ui import passwords
from ui.basket.basket import Basket
from ui.file_worker import FileWorker
from ui.help import about
from ui.passwords import KeptPasswords
from ui.ports import Notice
from ui.preview.panel import Preview
from ui.search.describe import is_name_only
from ui.search.page import SearchPage
from ui.search_pane import SearchPane
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from indexer.api.status import Activity
    from indexer.api.types import Hit
    from ui.compare.page import ComparePage
    from ui.library.activity import ActivityPanel
    from ui.library.coverage import CoveragePage
    from ui.library.first_run import FirstRun
    from ui.library.folders import FoldersPage
    from ui.ports import Context
    from ui.state import WindowState

SEARCH, LIBRARY, ACTIVITY, BASKET = "search", "library", "activity", "basket"
FIRST_RUN, COMPARE = "first_run", "compare"
# The help page of each.
HELP = {
    SEARCH: "queries",
    LIBRARY: "library",
    ACTIVITY: "library#how-hard-it-works",
    BASKET: "basket",
    COMPARE: "compare",
    FIRST_RUN: "first-search",
}
# Modules to import ahead of need, one per step of the timer.
AHEAD = (
    "ui.library.folders",
    "ui.library.coverage",
    "ui.library.activity",
    "ui.export",
    "ui.basket.export",
    "ui.basket.page",
    "indexer.api.models",
    "ui.settings_dialog.models",
    "ui.settings_dialog.dialog",
)
AHEAD_MS = 40


class Pages(QStackedWidget):
    """The stack of pages. Signals: ``shown`` with the name of the page that is shown now."""

    shown = Signal(str)

    def __init__(self, context: Context, state: WindowState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._state = state
        self._made: dict[str, QWidget] = {}
        self._activity: Activity | None = None
        self._panel: ActivityPanel | None = None
        self._folders: FoldersPage | None = None
        self._files: CoveragePage | None = None
        self._first_run: FirstRun | None = None
        self._comparison: ComparePage | None = None
        # The parts of the search page, made in steps of their own before it.
        self._results: SearchPage | None = None
        self._preview: Preview | None = None
        self._worker = FileWorker(self)
        self.basket = Basket(context.folder, self._worker, self)
        self._kept_passwords = KeptPasswords(context, passwords.shared(), self)
        self._ahead = deque(AHEAD)
        self._timer = timer(self, AHEAD_MS, self._load_one, single=False)
        self._build = {
            SEARCH: self._make_search,
            LIBRARY: self._make_library,
            ACTIVITY: self._make_activity,
            BASKET: self._make_basket,
            FIRST_RUN: self._make_first_run,
            COMPARE: self._make_compare,
        }

    @property
    def name(self) -> str:
        """The name of the page that is shown."""
        return next((name for name, page in self._made.items() if page is self.currentWidget()), "")

    @property
    def search(self) -> SearchPane:
        pane = self.page(SEARCH)
        assert isinstance(pane, SearchPane)  # noqa: S101  # made below
        return pane

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
        for page in (self._panel, self._first_run):
            if page is not None:
                page.show_activity(activity)

    def load_ahead(self) -> None:
        """Import what other pages need and make the search page, in small steps."""
        self._timer.start()

    def page(self, name: str) -> QWidget:
        """Return a page, created if necessary."""
        if name not in self._made:
            self._made[name] = self._build[name]()
            about(self._made[name], HELP[name])
            self.addWidget(self._made[name])
        return self._made[name]

    def show_page(self, name: str) -> None:
        if self._comparison is not None and name != COMPARE:
            self._comparison.rest()
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
        self._show_tab(1)
        if self._files is not None:
            self._files.show_files(state, root)

    def _show_files_of(self, root: str) -> None:
        self.show_files(root=root)

    def search_for(self, text: str) -> None:
        """Show the search page, and search for a text unless it is empty."""
        self.show_page(SEARCH)
        if text:
            self.search.search.search(text)

    def open_paths(self, paths: Sequence[str], roots: Sequence[str]) -> None:
        """Search in what is in the library, and offer to add what is not.

        Args:
            paths: Files and folders.
            roots: The files and folders that the library consists of.
        """
        fresh = [
            path for path in paths if not any(PurePath(path).is_relative_to(root) for root in roots)
        ]
        if not fresh:
            self._search_inside(paths[0])
        elif roots:
            self._show_tab(0)
            if self._folders is not None:
                self._folders.add_paths(fresh)
        else:
            self.show_page(FIRST_RUN)
            if self._first_run is not None:
                self._first_run.folders.add_folders(fresh)

    def _search_inside(self, path: str) -> None:
        self.show_page(SEARCH)
        self.search.search.search_inside(path)

    def close_parts(self) -> None:
        """Save what is kept and end background work, before the window closes."""
        self._timer.stop()
        if SEARCH in self._made:
            self.search.close_parts()
        else:
            for part in (self._results, self._preview):
                if part is not None:
                    part.close()
        if BASKET in self._made:
            self._made[BASKET].close()
        if self._comparison is not None:
            self._comparison.rest()
        self.basket.flush()
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

    def _show_tab(self, index: int) -> None:
        """Show a tab of the library."""
        self.show_page(LIBRARY)
        tabs = self._made[LIBRARY]
        assert isinstance(tabs, QTabWidget)  # noqa: S101  # made below
        tabs.setCurrentIndex(index)

    def _load_one(self) -> None:
        if self._ahead:
            importlib.import_module(self._ahead.popleft())
        elif SEARCH in self._made:
            self._timer.stop()
            self.search.search.warm()
        elif self._results is None:
            self._results = SearchPage(self._context)
        elif self._preview is None:
            self._preview = Preview(self._context)
        else:
            self.page(SEARCH)

    def _make_search(self) -> QWidget:
        search = self._results or SearchPage(self._context)
        preview = self._preview or Preview(self._context)
        pane = SearchPane(self._context, self._state, search, preview)
        pane.search.folders_requested.connect(partial(self.show_page, FIRST_RUN))
        pane.search.files_requested.connect(self.show_files)
        pane.kept.connect(self.keep)
        actions = pane.search.actions_on_hits
        actions.compared.connect(self.compare)
        for signal in (actions.searched, actions.inside_requested, actions.steered):
            signal.connect(self._show_answer)
        return pane

    def _show_answer(self) -> None:
        """Show the results, if the search was begun from the menu of another list."""
        if not self.search.search.isVisible():
            self.show_page(SEARCH)

    def _make_library(self) -> QWidget:
        from ui.library.coverage import CoveragePage
        from ui.library.folders import FoldersPage

        tabs = QTabWidget()
        tabs.setDocumentMode(True)
        tabs.setAccessibleName(self.tr("Library"))
        self._folders, self._files = FoldersPage(self._context), CoveragePage(self._context)
        self._folders.files_requested.connect(self._show_files_of)
        self._files.file_actions.compare_requested.connect(self.compare)
        tabs.addTab(self._folders, self.tr("&Folders"))
        tabs.addTab(self._files, self.tr("F&iles"))
        return tabs

    def _make_activity(self) -> QWidget:
        from ui.library.activity import ActivityPanel

        self._panel = ActivityPanel(self._context)
        self._panel.files_requested.connect(self.show_files)
        self._panel.folder_requested.connect(self._show_files_of)
        self._panel.document_requested.connect(self._search_inside)
        self._panel.show_activity(self._activity)
        return self._panel

    def _make_basket(self) -> QWidget:
        from ui.basket.page import BasketPage

        page = BasketPage(self.basket, self._context, self._worker)
        page.searched.connect(self.search_for)
        return page

    def compare(self, first: str, second: str) -> None:
        """Show two documents side by side, by their paths."""
        self.page(COMPARE)
        if self._comparison is not None:
            self._comparison.compare(first, second)
        self.show_page(COMPARE)

    def _make_compare(self) -> QWidget:
        from ui.compare.page import ComparePage

        page = self._comparison = ComparePage(self._context)
        page.left.connect(partial(self.show_page, SEARCH))
        page.menu_requested.connect(self.search.search.actions_on_hits.open_menu)
        return page

    def _make_first_run(self) -> QWidget:
        from ui.library.first_run import FirstRun

        page = self._first_run = FirstRun(self._context)
        page.finished.connect(self.search_for)
        return page
