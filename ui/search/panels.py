"""The parts around the results: the line above, the panel for no results, a model on offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from indexer.api.models import EstimateReindex, Reindex
from indexer.api.types import FileState, Match, SearchResult, Why
from indexer.query.grammar import clauses, without
from ui.flow_layout import FlowLayout
from ui.ports import Context, Notice, ignore
from ui.requests import Questions
from ui.search.filters import label_of
from ui.search.labels import Link
from ui.search.query_text import without_filters
from ui.search.rows import ResultOrder
from ui.theme import L, M, S
from ui.widgets import (
    Drawing,
    ElidedLabel,
    IconButton,
    ScrollPage,
    filled,
    leading,
    menu_button,
    plain_label,
    remove_widgets,
    wrapped_label,
)
from ui.words import amounts, failures, names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.api.answers import ReindexCost
    from indexer.api.phrases import Note
    from indexer.api.status import Status


# How many languages are named; a tool tip names all.
_MOST = 5


class Unsearched(QWidget):
    """A line on what an answer leaves out. Signals: ``files_requested`` with a state."""

    files_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Not searched"))
        self._flow = FlowLayout(parent=self)
        self.hide()

    def show_status(self, status: Status) -> None:
        """Show which files are not searched, and which languages only by words."""
        self.clear_line()
        for number, state, tip in self._missing(status):
            link = Link(number, str(state))
            link.setToolTip(tip)
            link.setAccessibleDescription(tip)
            link.followed.connect(self.files_requested)
            self._add(link)
        advice = {each.language: each.advice for each in status.languages if each.advice}
        if advice:
            # In isolates, so that a name in Arabic does not turn the order of the words.
            listed = [f"\u2068{names.language(code)}\u2069" for code in advice]
            shown = ", ".join((*listed[:_MOST], *("…" for _ in listed[_MOST : _MOST + 1])))
            text = self.tr("By words only: {languages}").format(languages=shown)
            label = ElidedLabel(role=QPalette.ColorRole.PlaceholderText)
            label.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            label.setText(text)
            lines = zip(listed, map(failures.note, advice.values()), strict=True)
            tip = "\n".join(f"{name}: {note}" for name, note in lines)
            label.setToolTip(tip)
            label.setAccessibleDescription(tip)
            self._add(label)
        self.setVisible(self._flow.count() > 1)

    def clear_line(self) -> None:
        """Empty and hide the line."""
        remove_widgets(self._flow)
        self._add(plain_label(self.tr("Not searched:"), muted=True))
        self.hide()

    def _missing(self, status: Status) -> Iterator[tuple[str, FileState, str]]:
        counts = status.files
        if number := counts.get(FileState.QUEUED, 0):
            tip = self.tr("They are being read; ask again in a while.")
            yield self.tr("%Ln waiting to be read", "", number), FileState.QUEUED, tip
        if number := counts.get(FileState.NEEDS_PASSWORD, 0):
            tip = self.tr("Enter their passwords in the list of files.")
            yield self.tr("%Ln locked", "", number), FileState.NEEDS_PASSWORD, tip
        if number := counts.get(FileState.NO_TEXT, 0):
            tip = self.tr("Scanned pages; the list of files says what is needed to read them.")
            yield self.tr("%Ln without text", "", number), FileState.NO_TEXT, tip
        damaged = FileState.UNREADABLE
        if number := counts.get(damaged, 0) + counts.get(FileState.FAILED, 0):
            tip = self.tr("The list of files gives the reason of each.")
            yield amounts.unreadable(number), damaged, tip

    def _add(self, widget: QWidget) -> None:
        # As high as a link, so that all have one baseline.
        widget.setMinimumHeight(self.fontMetrics().height() + 2 * S)
        self._flow.addWidget(widget)
        widget.show()


class ResultsSummary(QWidget):
    """The line above the results. Signals: ``ordered`` with the chosen ``ResultOrder``."""

    ordered = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.order = ResultOrder.RELEVANCE
        self._count = ElidedLabel(role=QPalette.ColorRole.PlaceholderText)
        self._count.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._exact = plain_label(muted=True)
        self._so_far = plain_label(self.tr("by words so far"), muted=True)
        self._doubt = wrapped_label()
        policy = self._doubt.sizePolicy()  # no word of it may widen the results
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)
        self._doubt.setSizePolicy(policy)
        self.banner = QWidget()
        doubt = (Drawing("info", "text"), self._doubt)
        filled(QHBoxLayout(self.banner), *doubt, edges=(0, S, L, S), wide=self._doubt)
        self.unsearched = Unsearched()
        self.orders = self._make_orders()
        row = QWidget()  # which breaks with a large font
        parts = (self._count, self._exact, self._so_far, self.orders)
        FlowLayout(*parts, parent=row, split=True)
        edges = (L, S, M, S)
        filled(QVBoxLayout(self), row, self.banner, self.unsearched, spacing=S, edges=edges)
        self.banner.hide()

    def _make_orders(self) -> IconButton:
        menu = QMenu(self)
        group = QActionGroup(menu)
        for order, text in (
            (ResultOrder.RELEVANCE, self.tr("Relevance")),
            (ResultOrder.DATE, self.tr("Newest first")),
            (ResultOrder.NAME, self.tr("Name")),
        ):
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(order is self.order)
            action.setData(order.value)
            group.addAction(action)
        menu.triggered.connect(self._chosen)
        button = menu_button(menu, self.tr("Sort by"), self.tr("Order of the documents"))
        button.setText(menu.actions()[0].text())
        return button

    @property
    def text(self) -> str:
        """The text for a screen reader."""
        parts = [] if self.banner.isHidden() else [self._doubt.text()]
        counts = (self._count, self._exact, self._so_far)
        parts += [each.text() for each in counts if not each.isHidden()]
        return " ".join(filter(None, parts))

    def show_result(
        self, result: SearchResult, documents: int, *, more: bool, by_words: bool = False
    ) -> None:
        """Show the number of hits.

        If there is no good match, the number is hidden. If it is uncertain whether the matches are
        good, the text calls them the closest passages.

        Args:
            result: The hits.
            documents: The number of documents that have them.
            more: Whether there may be more hits.
            by_words: Whether these were found only by words, until the answer comes.
        """
        hits = amounts.hits(len(result.hits))
        text = (
            self.tr("The best {hits} in {documents}") if more else self.tr("{hits} in {documents}")
        )
        if result.match is Match.CLOSEST:
            text = self.tr("Closest passages: {hits} in {documents}")
        self._count.setText(text.format(hits=hits, documents=amounts.documents(documents)))
        exact = sum(hit.why is Why.PHRASE for hit in result.hits)
        self._exact.setText(amounts.exact(exact))
        self._exact.setVisible(exact > 0)
        self._count.setVisible(result.match is not Match.NONE)
        self._so_far.setVisible(by_words)
        if result.match is Match.PERHAPS:
            self._doubt.setText(self.tr("Perhaps not what you asked for."))
        elif result.match is Match.NONE:
            self._doubt.setText(self.tr("No good match; closest passages below."))
        doubted = result.match in (Match.PERHAPS, Match.NONE)
        self.banner.setVisible(bool(result.hits) and doubted)
        if result.match is Match.GOOD:
            self.unsearched.clear_line()

    def _chosen(self, action: QAction) -> None:
        self.order = ResultOrder(action.data())
        self.orders.setText(action.text())
        self.ordered.emit(self.order)


class ModelOffer(QWidget):
    """Offers the model that reads the language of a question, if the library's does not."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._questions = Questions(context, self)
        self._model = ""
        self.text = wrapped_label(muted=True)
        self.use = IconButton(self.tr("Use the &multilingual model"), pressed=self._use)
        filled(QVBoxLayout(self), self.text, leading(self.use), spacing=S, edges=(L, M, L, M))
        self.hide()

    def show_notes(self, notes: Iterable[Note]) -> None:
        """Make the offer if the notes on a question name a model, after asking for its cost."""
        unread = (note.detail["model"] for note in notes if note.code == "question_unread")
        model = str(next(unread, ""))
        if model != self._model:
            self._model = model
            self.hide()
            if model:
                self._questions.ask_engine(EstimateReindex(model), self._offer, failed=ignore)

    def _offer(self, cost: ReindexCost) -> None:
        if cost.model == self._model:
            text = self.tr(
                "Your library is understood in few languages only. Understand about 100: {time}."
            )
            self.text.setText(text.format(time=amounts.about(cost.seconds)))
            self.show()

    def _use(self) -> None:
        self.hide()
        self._context.settings.set("model", self._model)
        self._questions.send_lasting(Reindex(self._model), ignore)
        said = self.tr("The model is being prepared; the library shows how far it is.")
        self._context.notices.post(Notice(said))


class NothingPanel(ScrollPage):
    """Shown for a query without hits: links that omit one of its parts, and unsearched files.

    Signals:
        searched: The query without one of its parts.
    """

    searched = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.viewport().setAutoFillBackground(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget()
        inside.setAutoFillBackground(False)
        self.unsearched = Unsearched()
        self._column = filled(QVBoxLayout(), spacing=S)
        filled(QVBoxLayout(inside), self._column, self.unsearched, None, edges=(L, L, L, L))
        self.setWidget(inside)

    def show_nothing(self, query: str) -> None:
        """Fill the panel for a query that had no hits."""
        remove_widgets(self._column)
        self.unsearched.clear_line()
        self._column.addWidget(wrapped_label(self.tr("Nothing was found"), bold=True))
        parts = clauses(query)
        if any(without(query, clause).strip() for clause in parts):
            self._say(self.tr("Nothing matches all filters. Remove:"))
            for clause in parts:
                self._link(label_of(clause), without(query, clause))
            if sum(bool(clause.operator) for clause in parts) > 1:
                self._link(self.tr("All filters"), without_filters(query))
            return
        self._say(self.tr("Try fewer or other words, or ask as you would ask a person."))
        self._say(self.tr("Files that could not be read are listed in the library."))

    def _say(self, text: str) -> None:
        self._column.addWidget(wrapped_label(text))

    def _link(self, text: str, target: str) -> None:
        link = Link(text, target)
        link.followed.connect(self.searched)
        self._column.addWidget(link)
