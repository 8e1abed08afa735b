"""The page of the basket: its passages as cards with notes, in a column that can be reordered."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup, QColor, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPlainTextEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ui import keys
from ui.basket.basket import COLOURS, Kept
from ui.basket.export import BasketExport, Extent
from ui.citations import CitationCopier
from ui.export import ExportFormat
from ui.ports import Context, Notice
from ui.search import describe
from ui.search.labels import PassageLabel
from ui.search.query_text import inside, link_of, query_of
from ui.search.rows import natural
from ui.search.safe_text import line
from ui.theme import XL, L, M, S, current, icon
from ui.widgets import (
    CardFrame,
    IconButton,
    IconToolButton,
    Restyled,
    ScrollPage,
    add_shortcut,
    filled,
    plain_label,
    stacked,
    wrapped_label,
)
from ui.words import amounts

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from ui.basket.basket import Basket
    from ui.file_worker import FileWorker


# Width in average letters; a narrower card has its note below the passage.
_NARROW = 90
_NOTE_LINES = 4
_MOST_LETTERS = 1200


class NoteField(Restyled, QPlainTextEdit):
    """The field of a note: plain text, in which Tab goes to the next control.

    Signals: ``ended`` with the text that a change of the person's replaced.
    """

    ended = Signal(str)

    def __init__(self, text: str) -> None:
        super().__init__()
        self._before = text
        self.setPlainText(text)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(self.tr("Your note"))
        self.setFrameShape(QFrame.Shape.NoFrame)  # the card draws its edge
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.restyle()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._before = self.toPlainText()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self.toPlainText() != self._before:
            self.ended.emit(self._before)

    def restyle(self) -> None:
        self.setMinimumHeight(self.fontMetrics().lineSpacing() * _NOTE_LINES + 2 * M)


class Card(Restyled, CardFrame):
    """A passage of the basket with its note; its menu offers the same actions as its keys.

    Signals, each with the key of the passage first:
        shown: Show the passage on its page.
        cited: Copy it with its citation.
        removed: Take it out.
        moved: Move it by a number of places.
        noted: Its note has changed to a text.
        stepped: Focus the card before (-1) or after (1) it.
    """

    shown = Signal(str)
    cited = Signal(str)
    removed = Signal(str)
    moved = Signal(str, int)
    noted = Signal(str, str)
    stepped = Signal(str, int)

    def __init__(self, kept: Kept) -> None:
        super().__init__()
        self.kept = kept
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.title, self.place = plain_label(bold=True), plain_label(muted=True)
        self.where = wrapped_label(muted=True)
        self.text = PassageLabel(_MOST_LETTERS)
        self.note = NoteField(kept.note)
        self.note.textChanged.connect(lambda: self.noted.emit(kept.key, self.note.toPlainText()))
        self.more = IconToolButton("more", self.tr("More"))
        self.more.setPopupMode(self.more.ToolButtonPopupMode.InstantPopup)
        self.more.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        menu = QMenu(self.more)
        for drawing, text, act in (
            ("preview", self.tr("Show on its page"), self._show),
            ("copy", self.tr("Copy with citation"), lambda: self.cited.emit(self.kept.key)),
            ("arrow-up", self.tr("Move up"), lambda: self.moved.emit(self.kept.key, -1)),
            ("arrow-down", self.tr("Move down"), lambda: self.moved.emit(self.kept.key, 1)),
            ("trash", self.tr("Take out of the basket"), self._remove),
        ):
            menu.addAction(icon(drawing), text, act)
        self.addActions(menu.actions())
        self.more.setMenu(menu)
        self._arrange()
        self.show_passage(kept, 1)

    def show_passage(self, kept: Kept, number: int) -> None:
        """Show a passage, the ``number``-th from 1; a note that is being typed stays."""
        self.kept = kept
        hit = kept.hit
        title, pages = describe.title(hit), describe.pages(hit)
        self.title.setText(title)
        self.title.setToolTip(line(hit.path))
        self.place.setText(pages)
        self.place.setVisible(bool(pages))
        where = " · ".join(filter(None, (describe.file_beside_title(hit), describe.headings(hit))))
        self.where.setText(where)
        self.where.setVisible(bool(where))
        self.text.show_hit(hit)
        if not self.note.hasFocus() and self.note.toPlainText() != kept.note:
            self.note.setPlainText(kept.note)
        spoken = self.tr("{number}: {title}. {passage}")
        named = ", ".join(filter(None, (title, describe.file_beside_title(hit))))
        passage_spoken = describe.hit_spoken(hit)
        self.setAccessibleName(spoken.format(number=number, title=named, passage=passage_spoken))
        self.note.setAccessibleName(self.tr("Note on passage {number}").format(number=number))
        more = self.tr("{action}: passage {number}")
        self.more.setAccessibleName(more.format(action=self.more.toolTip(), number=number))

    def _arrange(self) -> None:
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        parts = (self.title, self.place, self.more)
        head = filled(QHBoxLayout(), *parts, spacing=S, wide=self.title)
        passage_column = filled(QVBoxLayout(), self.where, self.text, None, spacing=S)
        self._body = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._body.setSpacing(L)
        self._body.addLayout(passage_column, 3)
        self._body.addWidget(self.note, 2)
        filled(QVBoxLayout(self), head, self._body, edges=(L, M, L, L))

    def _show(self) -> None:
        self.shown.emit(self.kept.key)

    def _remove(self) -> None:
        self.removed.emit(self.kept.key)

    # Qt's events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        moving = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if key in steps and held == moving:
            self.moved.emit(self.kept.key, steps[key])
        elif key in steps and not held:
            self.stepped.emit(self.kept.key, steps[key])
        elif event.matches(QKeySequence.StandardKey.Delete) and not held:
            self._remove()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not held:
            self._show()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.restyle()

    def restyle(self) -> None:
        """Put the note below the passage if there is no room beside it."""
        narrow = self.width() < _NARROW * self.fontMetrics().averageCharWidth()
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        if self._body.direction() != direction:
            self._body.setDirection(direction)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.kept.colour in COLOURS:
            painter.fillRect(0, 0, S, self.height(), QColor(COLOURS[self.kept.colour]))
        painter.setPen(current().accent if self.note.hasFocus() else current().line)
        painter.drawRoundedRect(QRectF(self.note.geometry()).adjusted(-1, -1, 1, 1), S, S)


class Cards(QWidget):
    """The column of cards."""

    def __init__(self) -> None:
        super().__init__()
        self.cards: list[Card] = []
        self._column = filled(QVBoxLayout(self), None)

    def arrange(self, cards: list[Card]) -> None:
        """Show these cards in this order; the others are deleted."""
        for card in self.cards:
            if card not in cards:
                self._column.removeWidget(card)
                card.hide()
                card.deleteLater()
        for place, card in enumerate(cards):
            if self._column.indexOf(card) != place:
                self._column.insertWidget(place, card)
        chain = [widget for card in cards for widget in (card, card.note)]
        for before, widget in pairwise(chain):
            QWidget.setTabOrder(before, widget)
        self.cards = cards

    def settle(self) -> None:
        """Lay the cards out now, without waiting for Qt."""
        self._column.activate()


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
        self.restore = IconButton(self.tr("Restore the last ones"), "undo", self._restore)
        self.export_button = IconButton(self.tr("Export"), "export")
        self.menu = self._make_menu()
        self.export_button.setMenu(self.menu)
        self._build()
        add_shortcut(self, keys.CITE, self._cite_focused)
        basket.changed.connect(self._show)
        self._show()

    def _build(self) -> None:
        self._title = plain_label(self.tr("Basket"), bold=True)
        buttons = (self.restore, self.sort, self.clear, self.export_button)
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
        """Set the title, and the hint to show while there are no passages."""
        self._title.setText(title)
        self.empty.setText(hint)

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        for form, text in (
            (ExportFormat.MARKDOWN, "Markdown…"),
            (ExportFormat.WORD, "Word…"),
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
        """Show the passages; existing cards are reused, so that notes and the focus stay."""
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
        self.restore.setVisible(bool(self._basket.last.entries) and not cards)
        self.stack.setCurrentWidget(self.area if cards else self.empty)

    def _make_card(self, kept: Kept) -> Card:
        card = Card(kept)
        card.shown.connect(self._show_passage)
        card.cited.connect(self._cite)
        card.removed.connect(self._remove)
        card.moved.connect(self._move)
        card.noted.connect(self._basket.annotate)
        card.note.ended.connect(partial(self._say_noted, kept.key))
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
        """Copy the passage that has the focus, else the first one, and focus that."""
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

    def _say_noted(self, key: str, before: str) -> None:
        undo = partial(self._basket.annotate, key, before)
        self._notices.post(Notice(self.tr("The note was changed"), undo=undo))

    def _move(self, key: str, step: int) -> None:
        before = self._basket.kept
        self._basket.move_passage(key, self._place(key) + step)
        self._focus(self._place(key), button=self.focusWidget())
        self._say_undo(self.tr("The passage was moved"), before)

    def _sort(self) -> None:
        before = self._basket.kept
        first = {kept.hit.path: natural(kept.hit.file) for kept in before}
        self._basket.replace_passages(
            sorted(before, key=lambda kept: (first[kept.hit.path], kept.hit.path, kept.hit.start))
        )
        self._say_undo(self.tr("The passages are in the order of their documents"), before)

    def _clear(self) -> None:
        before = self._basket.kept
        self._basket.empty()
        self._say_undo(self.tr("All passages were taken out"), before)

    def _restore(self) -> None:
        self._basket.replace_passages(self._basket.last.entries)

    def _say_undo(self, text: str, before: tuple[Kept, ...]) -> None:
        """Post what was done, with an undo that keeps passages added since."""

        def undo() -> None:
            now = {kept.key: kept for kept in self._basket.kept}
            there = [now.pop(kept.key, kept) for kept in before]
            self._basket.replace_passages((*there, *now.values()))

        self._notices.post(Notice(text, undo=undo))

    def _focus(self, place: int, button: QWidget | None = None) -> None:
        """Focus a card, unless ``button`` is a part of it, and bring the card into view."""
        if not 0 <= place < len(self.cards.cards):
            return
        card = self.cards.cards[place]
        if button is None or not card.isAncestorOf(button):
            card.setFocus(Qt.FocusReason.OtherFocusReason)
        self.cards.settle()
        self.area.ensureWidgetVisible(card, 0, M)
