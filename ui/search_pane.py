"""The results and the preview side by side, their widths and the signals between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from ui import keys
from ui.compare.statement_rows import ParallelsPane
from ui.desktop import open_external, show_in_folder
from ui.widgets import add_shortcut, filled

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from indexer.api.types import Hit
    from ui.ports import Context
    from ui.preview.panel import Preview
    from ui.search.page import SearchPage
    from ui.state import WindowState

# The first shares of the width: the results, the preview.
SHARES = (36, 64)


class SearchPane(QWidget):
    """The first page of the window; if both parts do not fit, the preview is hidden.

    Signals:
        kept: A passage to put into the basket, and the query that found it.
        reading: Whether the page of a document has the window for itself.
    """

    kept = Signal(object, str)
    reading = Signal(bool)

    def __init__(
        self, context: Context, state: WindowState, search: SearchPage, preview: Preview
    ) -> None:
        super().__init__()
        self._context = context
        self._reads = False
        self.search = search
        self.preview = preview
        self.elsewhere = ParallelsPane(context.link)
        self.left, self.panes = search.left, search.panes
        self.left.addWidget(self.elsewhere)
        self.panes.addWidget(preview)
        self.panes.setChildrenCollapsible(False)
        self.panes.setHandleWidth(1)
        for at, share in enumerate(SHARES):
            self.panes.setStretchFactor(at, share)
        filled(QVBoxLayout(self), search)
        self._connect()
        add_shortcut(self, keys.COLLECT, self._keep)
        add_shortcut(self, keys.CITE, self._cite)
        add_shortcut(self, keys.ELSEWHERE, self._ask_elsewhere)
        add_shortcut(self, keys.READ, self.toggle_reading)
        self.panes.splitterMoved.connect(lambda: state.save_splitter("search", self.panes))
        context.settings.watch(lambda _name: self._show_what_fits())
        self._show_what_fits()
        if not state.restore_splitter("search", self.panes):
            self.panes.setSizes([100 * share for share in SHARES])

    def _connect(self) -> None:
        search, preview, elsewhere = self.search, self.preview, self.elsewhere
        actions = search.actions_on_hits
        search.results.start.take_client(preview.loader.client, self._context.notices)
        search.results.stack.currentChanged.connect(self._show_what_fits)
        search.hit_selected.connect(preview.show_hit)
        search.reasons.shown.connect(preview.show_words)
        search.emptied.connect(preview.clear)
        actions.opened.connect(self.open_hit)
        actions.folder_requested.connect(self.show_folder)
        actions.previewed.connect(self.toggle_preview)
        actions.find_requested.connect(self._find)
        for each in (actions, preview.hit_actions):
            each.kept.connect(self._emit_kept)
            each.elsewhere_requested.connect(self.ask_elsewhere)
        preview.like_requested.connect(self.end_reading)
        preview.like_requested.connect(search.search)
        preview.hit_requested.connect(search.results.select_hit)
        preview.hit_actions.reading_requested.connect(self.toggle_reading)
        for signal in (preview.like_requested, search.hit_selected, search.emptied):
            signal.connect(self._show_results)
        elsewhere.hit_selected.connect(lambda hit: preview.show_hit(hit, [hit], 0))
        elsewhere.opened.connect(self.open_hit)
        elsewhere.left.connect(self.leave_elsewhere)
        elsewhere.menu_requested.connect(actions.open_menu)

    def toggle_preview(self) -> None:
        """Show or hide the preview, and store that in the settings."""
        self._context.settings.set("preview", not self._context.settings["preview"])

    def close_parts(self) -> None:
        """End background work."""
        self.end_reading()
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

    def _show_what_fits(self, _page: int = 0) -> None:
        """Show the preview if it is wanted and there is room, but not beside the start page."""
        parts = (self.left, self.preview)
        needed = sum(each.minimumSizeHint().width() for each in parts) + self.panes.handleWidth()
        fits = self.width() >= needed or not self.isVisible()
        begins = self.search.results.shown is self.search.results.start
        alone = begins and self.left.currentWidget() is self.search.listing
        wanted = self._reads or (fits and not alone and bool(self._context.settings["preview"]))
        if wanted is self.preview.isHidden():
            self.preview.setVisible(wanted)

    def toggle_reading(self) -> None:
        """Show only the page of the current hit in the window, or all parts again."""
        if self._reads or self.preview.shown in (self.preview.pages, self.preview.text):
            self._read(on=not self._reads)

    def end_reading(self) -> None:
        """Show the box and the results again."""
        if self._reads:
            self._read(on=False)

    def _read(self, *, on: bool) -> None:
        self._reads = on
        self.search.head.setHidden(on)
        self.left.setHidden(on)
        self.preview.bar.show_steps(shown=on)
        self.preview.bar.updateGeometry()  # at once, as the buttons need other room now
        self._show_what_fits()
        if on and (shown := self.preview.shown) is not None:
            shown.setFocus(Qt.FocusReason.OtherFocusReason)
        self.reading.emit(on)

    def ask_elsewhere(self, hit: Hit) -> None:
        """Replace the results by the places where the library says the same as a passage."""
        self.end_reading()
        self.elsewhere.ask_parallels(hit)
        self.left.setCurrentWidget(self.elsewhere)
        self.elsewhere.list.choose_row(0)

    def leave_elsewhere(self) -> None:
        """Show the results again, with the hit that was selected there."""
        self.end_reading()
        if self.left.currentWidget() is self.elsewhere:
            self._show_results()
            self.search.show_selected()
            self.search.focus_box()

    def _show_results(self, *_selected: object) -> None:
        self.elsewhere.stop()
        self.left.setCurrentWidget(self.search.listing)

    @property
    def _previewed(self) -> bool:
        """Whether a key applies to the preview instead of the current hit."""
        focus = QApplication.focusWidget()
        inside = focus is not None and self.preview.isAncestorOf(focus)
        return inside or self.left.currentWidget() is self.elsewhere

    def _keep(self) -> None:
        """Put the preview's selected text into the basket, else the current hit."""
        if self._previewed:
            self.preview.hit_actions.keep()
        else:
            self.search.keep()

    def _cite(self) -> None:
        """Copy the preview's selected text with its citation, else the current hit."""
        cite = self.preview.hit_actions.cite if self._previewed else self.search.cite_hit
        cite()

    def _ask_elsewhere(self) -> None:
        """Ask for the preview's selected text, else for the current hit."""
        if self._previewed:
            self.preview.hit_actions.ask_elsewhere()
        elif (hit := self.search.current_hit) is not None and hit.text:
            self.ask_elsewhere(hit)

    def _find(self) -> None:
        """Look for words in the document of the current hit."""
        if not self.preview.isVisible():
            self.toggle_preview()
        self.preview.finder.open_find_bar()

    def _emit_kept(self, hit: Hit) -> None:
        self.kept.emit(hit, self.search.live_search.answered_text)

    def open_hit(self, hit: Hit) -> None:
        open_external(hit, self._context, hit.page)

    def show_folder(self, hit: Hit) -> None:
        show_in_folder(hit.path, self._context.notices)
