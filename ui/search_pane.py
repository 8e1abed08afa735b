"""The search page and the preview side by side, their widths and the signals between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget

from ui import keys
from ui.compare.statement_rows import ParallelsPane
from ui.desktop import open_external, show_in_folder
from ui.widgets import add_shortcut

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import QWidget

    from indexer.api.types import Hit
    from ui.ports import Context
    from ui.preview.panel import Preview
    from ui.search.page import SearchPage
    from ui.state import WindowState

# Shares of the width at first: the results, the preview.
SHARES = (11, 9)


class SearchPane(QSplitter):
    """The first page of the window; where both do not fit, the preview is hidden.

    Signals:
        kept: A passage to be put into the basket, and the query that it was found with.
    """

    kept = Signal(object, str)

    def __init__(
        self,
        context: Context,
        state: WindowState,
        search: SearchPage,
        preview: Preview,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._context = context
        self._state = state
        self.setChildrenCollapsible(False)
        self.search = search
        self.preview = preview
        self.elsewhere = ParallelsPane(context.link)
        self.left = QStackedWidget()
        self.left.addWidget(self.search)
        self.left.addWidget(self.elsewhere)
        for share, part in zip(SHARES, (self.left, self.preview), strict=True):
            self.addWidget(part)
            self.setStretchFactor(self.count() - 1, share)
        self.search.results.model.take_pictures(self.preview.picture)
        self.search.hit_selected.connect(self.preview.show_hit)
        self.search.reasons.shown.connect(self.preview.show_words)
        self.search.emptied.connect(self.preview.clear)
        self.search.opened.connect(self.open_hit)
        self.search.folder_requested.connect(self.show_folder)
        self.search.preview_toggled.connect(self.toggle_preview)
        self.preview.like_requested.connect(self.search.search)
        self.preview.hit_requested.connect(self.search.select_hit)
        self.preview.search_inside_requested.connect(self.search.search_inside)
        self.search.kept.connect(self.kept)
        self.preview.hit_actions.kept.connect(self._keep_shown)
        self.preview.hit_actions.elsewhere_requested.connect(self.ask_elsewhere)
        self.preview.like_requested.connect(self._show_results)
        self.preview.search_inside_requested.connect(self._show_results)
        self.search.hit_selected.connect(self._show_results)
        self.search.emptied.connect(self._show_results)
        self.elsewhere.hit_selected.connect(self._show_one)
        self.elsewhere.opened.connect(self.open_hit)
        self.elsewhere.left.connect(self.leave_elsewhere)
        self.elsewhere.menu_requested.connect(self.search.actions_on_hits.open_menu)
        add_shortcut(self, keys.COLLECT, self._keep)
        add_shortcut(self, keys.ELSEWHERE, self._ask_elsewhere)
        context.settings.watch(self._setting_changed)
        self._setting_changed("preview")
        if not state.restore_splitter("search", self):
            self.setSizes([100 * share for share in SHARES])

    def toggle_preview(self) -> None:
        """Show or hide the preview, and store that in the settings."""
        self._context.settings.set("preview", not self._context.settings["preview"])

    def close_parts(self) -> None:
        """Save the widths, and end background work."""
        self._state.save_splitter("search", self)
        self.elsewhere.stop()
        self.search.close()
        self.preview.close()

    def minimumSizeHint(self) -> QSize:
        return self.search.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._show_what_fits()
        super().resizeEvent(event)

    def event(self, event: QEvent) -> bool:
        # The texts above the page may have become wider.
        if event.type() == QEvent.Type.LayoutRequest:
            self._show_what_fits()
        return super().event(event)

    def _setting_changed(self, name: str) -> None:
        if name == "preview":
            self._show_what_fits()

    def _show_what_fits(self) -> None:
        parts = (self.left, self.preview)
        needed = sum(each.minimumSizeHint().width() for each in parts) + self.handleWidth()
        fits = self.width() >= needed or not self.isVisible()
        wanted = fits and bool(self._context.settings["preview"])
        if wanted is self.preview.isHidden():
            self.preview.setVisible(wanted)

    def ask_elsewhere(self, hit: Hit) -> None:
        """Show where else the library says what a passage says, in place of the results."""
        self.elsewhere.ask_parallels(hit)
        self.left.setCurrentWidget(self.elsewhere)
        self.elsewhere.list.choose_row(0)

    def leave_elsewhere(self) -> None:
        """Show the results again, with the hit that was selected there."""
        if self.left.currentWidget() is self.elsewhere:
            self._show_results()
            self.search.show_selected()
            self.search.focus_box()

    def _show_results(self, *_selected: object) -> None:
        self.elsewhere.stop()
        self.left.setCurrentWidget(self.search)

    def _show_one(self, hit: Hit) -> None:
        self.preview.show_hit(hit, [hit], 0)

    @property
    def _previewed(self) -> bool:
        """Whether a key is meant for what the preview shows."""
        focus = QApplication.focusWidget()
        inside = focus is not None and self.preview.isAncestorOf(focus)
        return inside or self.left.currentWidget() is self.elsewhere

    def _keep(self) -> None:
        """Put what is selected in the preview into the basket, else the current hit."""
        if self._previewed:
            self.preview.hit_actions.keep()
        else:
            self.search.keep()

    def _ask_elsewhere(self) -> None:
        """Ask for what is selected in the preview, else for the current hit."""
        if self._previewed:
            self.preview.hit_actions.ask_elsewhere()
        elif (hit := self.search.current_hit) is not None and hit.text:
            self.ask_elsewhere(hit)

    def _keep_shown(self, hit: Hit) -> None:
        self.kept.emit(hit, self.search.query)

    def open_hit(self, hit: Hit) -> None:
        open_external(hit, self._context, hit.page)

    def show_folder(self, hit: Hit) -> None:
        show_in_folder(hit.path)
