"""The page of the basket: its passages as cards with notes, in an order that one can change."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QMenu, QVBoxLayout, QWidget

from ui import keys
from ui.basket.cards import Card, Cards
from ui.basket.export import BasketExport
from ui.basket.pictures import Extent
from ui.citations import CitationCopier
from ui.export import ExportFormat
from ui.ports import Context, Notice
from ui.search.query_text import inside, link_of, query_of
from ui.search.rows import natural
from ui.theme import XL, L, M
from ui.widgets import (
    IconButton,
    ScrollPage,
    add_shortcut,
    filled,
    plain_label,
    stacked,
    wrapped_label,
)
from ui.words import amounts

if TYPE_CHECKING:
    from ui.basket.basket import Basket, Kept
    from ui.file_worker import FileWorker


class BasketPage(QWidget):
    """The page of the basket. Signals: ``searched`` with the query that finds a passage."""

    searched = Signal(str)

    def __init__(self, basket: Basket, context: Context, worker: FileWorker) -> None:
        super().__init__()
        self._basket = basket
        self._notices = context.notices
        self.export = BasketExport(basket, context, worker, self)
        self._citations = CitationCopier(context, self)
        self.cards = Cards()
        self.count = plain_label()
        self.sort = IconButton(self.tr("By document"), "sort", self._sort)
        self.sort.setToolTip(self.tr("Order the passages by document and page"))
        self.clear = IconButton(self.tr("Empty"), "trash", self._clear)
        self.export_button = IconButton(self.tr("Export"), "export")
        self.menu = self._make_menu()
        self.export_button.setMenu(self.menu)
        self._build()
        add_shortcut(self, keys.CITE, self._cite_focused)
        basket.changed.connect(self._show)
        self._show()

    def _build(self) -> None:
        self._title = plain_label(self.tr("Basket"), bold=True)
        buttons = (self.sort, self.clear, self.export_button)
        bar = filled(QHBoxLayout(), self._title, self.count, None, *buttons)
        self.area = ScrollPage(self.cards)
        self.area.setAccessibleName(self.tr("Passages"))
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.empty = wrapped_label(
            self.tr(
                "Collect passages here over several searches: press Ctrl+B on a hit, or choose "
                "“Add to the basket” in its menu. Order them, write notes, and export them with "
                "their pages and sources."
            )
        )
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = stacked(self.area, self.empty)
        filled(QVBoxLayout(self), bar, self.stack, spacing=L, edges=(L, L, L, 0), wide=self.stack)
        self.empty.setContentsMargins(XL, XL, XL, XL)

    def describe(self, title: str, hint: str) -> None:
        """Set the title, and what is said while there are no passages."""
        self._title.setText(title)
        self.empty.setText(hint)

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        for form, text in (
            (ExportFormat.MARKDOWN, "Markdown…"),
            (ExportFormat.ODT, "OpenDocument…"),
            (ExportFormat.PDF, "PDF…"),
            (ExportFormat.PAGES, self.tr("Their pages as one PDF…")),
        ):
            menu.addAction(text, partial(self.export.ask_where, form))
        menu.addSection(self.tr("Pages"))
        group = QActionGroup(menu)
        for extent, text in (
            (Extent.PASSAGE, self.tr("The part with the passage")),
            (Extent.PAGE, self.tr("Whole pages")),
            (Extent.NOTHING, self.tr("No pictures")),
        ):
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(extent is self.export.extent)
            action.triggered.connect(partial(setattr, self.export, "extent", extent))
            group.addAction(action)
        menu.addSection(self.tr("Sources only"))
        for form, text in ((ExportFormat.BIBTEX, "BibTeX…"), (ExportFormat.CSL, "CSL-JSON…")):
            menu.addAction(text, partial(self.export.ask_where, form))
        return menu

    def _show(self) -> None:
        """Show the passages; cards that are here already stay, with their notes and the focus."""
        known = {card.kept.key: card for card in self.cards.cards}
        cards = []
        for number, kept in enumerate(self._basket.kept, 1):
            card = known.get(kept.key) or self._make_card(kept)
            card.show_passage(kept, number)
            cards.append(card)
        self.cards.arrange(cards)
        documents = {kept.hit.path for kept in self._basket.kept}
        text = self.tr("{passages} of {documents}").format(
            passages=amounts.hits(len(cards)), documents=amounts.documents(len(documents))
        )
        self.count.setText(text if cards else "")
        for button in (self.sort, self.clear, self.export_button):
            button.setEnabled(bool(cards))
        self.stack.setCurrentWidget(self.area if cards else self.empty)

    def _make_card(self, kept: Kept) -> Card:
        card = Card(kept)
        card.shown.connect(self._show_passage)
        card.cited.connect(self._cite)
        card.removed.connect(self._remove)
        card.moved.connect(self._move)
        card.noted.connect(self._basket.annotate)
        card.stepped.connect(lambda key, step: self._focus(self._place(key) + step))
        return card

    def _place(self, key: str) -> int:
        return [kept.key for kept in self._basket.kept].index(key)

    def _show_passage(self, key: str) -> None:
        hit = self._basket.kept[self._place(key)].hit
        self.searched.emit(query_of(link_of(hit)) or inside(hit.path))

    def _cite(self, key: str) -> None:
        self._citations.copy_cited(self._basket.kept[self._place(key)].hit)

    def _cite_focused(self) -> None:
        """Copy the passage that has the focus, else the first, which gets it."""
        cards, focus = self.cards.cards, self.focusWidget()
        card = next((each for each in cards if focus in {each, each.note}), None)
        if card is None and cards:
            card = cards[0]
            self._focus(0)
        if card is not None:
            self._cite(card.kept.key)

    def _remove(self, key: str) -> None:
        before, place = self._basket.kept, self._place(key)
        self._basket.remove_passage(key)
        self._focus(min(place, len(self._basket) - 1))
        self._say_undo(self.tr("The passage was taken out"), before)

    def _move(self, key: str, step: int) -> None:
        self._basket.move_passage(key, self._place(key) + step)
        self._focus(self._place(key), button=self.focusWidget())

    def _sort(self) -> None:
        before = self._basket.kept
        first = {kept.hit.path: natural(kept.hit.file) for kept in before}
        self._basket.replace_passages(
            sorted(before, key=lambda kept: (first[kept.hit.path], kept.hit.path, kept.hit.start))
        )
        self._say_undo(self.tr("The passages are in the order of their documents"), before)

    def _clear(self) -> None:
        before = self._basket.kept
        self._basket.replace_passages(())
        self._say_undo(self.tr("All passages were taken out"), before)

    def _say_undo(self, text: str, before: tuple[Kept, ...]) -> None:
        """Tell what was done; undone, passages that have come meanwhile stay."""

        def undo() -> None:
            now = {kept.key: kept for kept in self._basket.kept}
            there = [now.pop(kept.key, kept) for kept in before]
            self._basket.replace_passages((*there, *now.values()))

        self._notices.post(Notice(text, undo=undo))

    def _focus(self, place: int, button: QWidget | None = None) -> None:
        """Focus a card and bring it into view; a button of it that has the focus keeps it."""
        if not 0 <= place < len(self.cards.cards):
            return
        card = self.cards.cards[place]
        if button is None or not card.isAncestorOf(button):
            card.setFocus(Qt.FocusReason.OtherFocusReason)
        self.cards.settle()
        self.area.ensureWidgetVisible(card, 0, M)
