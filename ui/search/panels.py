"""The parts around the results: the line above them, panels in their place, and the query help."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from indexer.api.types import FileState, Match, Why
from indexer.query.filters import GRAMMAR, help_of
from indexer.query.grammar import clauses
from ui.search.filters import label_of, readable
from ui.search.labels import DocumentLink, Link, Muted
from ui.search.query_text import inside, without, without_filters
from ui.search.rows import ResultOrder
from ui.search.safe_text import line
from ui.theme import XL, L, M, S, icon
from ui.widgets import (
    ElidedLabel,
    FlowLayout,
    filled,
    keep_from_wheel,
    make_bold,
    plain_label,
    scrolling,
    wrapped_label,
)
from ui.words import amounts, failures, names, say
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.api.status import Status
    from indexer.api.types import SearchResult
    from ui.search.memory import Saved


# Languages that are named; a tool tip names all.
_MOST = 5


class Unsearched(QWidget):
    """A line on what an answer leaves out. Signals: ``files_requested`` with a state."""

    files_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Not searched"))
        self._flow = FlowLayout(self, M)
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
            label = Muted(self.tr("By words only: {languages}").format(languages=shown))
            lines = zip(listed, map(failures.note, advice.values()), strict=True)
            tip = "\n".join(f"{name}: {note}" for name, note in lines)
            label.setToolTip(tip)
            label.setAccessibleDescription(tip)
            self._add(label)
        self.setVisible(self._flow.count() > 1)

    def clear_line(self) -> None:
        """Empty and hide the line."""
        while (item := self._flow.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._add(Muted(self.tr("Not searched:")))
        self.hide()

    @property
    def texts(self) -> list[str]:
        """The texts of the line."""
        parts = [self._flow.itemAt(at) for at in range(self._flow.count())]
        widgets = [part.widget() for part in parts if part is not None]
        return [each.text() for each in widgets if isinstance(each, Link | Muted)]

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


# From this embedded share on it is not shown.
_WHOLE = 0.995


class ResultsSummary(QWidget):
    """The line above the results. Signals: ``ordered`` with the chosen ``ResultOrder``."""

    ordered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = plain_label()
        self._embedded = Muted()
        sort = Muted(self.tr("Sort by"))
        sort.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.orders = QComboBox()
        keep_from_wheel(self.orders)
        self.orders.setAccessibleName(self.tr("Sort by"))
        self.orders.setToolTip(self.tr("Order of the documents"))
        for order, text in (
            (ResultOrder.RELEVANCE, self.tr("Relevance")),
            (ResultOrder.DATE, self.tr("Date")),
            (ResultOrder.NAME, self.tr("Name")),
        ):
            self.orders.addItem(text, order)
        self.orders.activated.connect(self._chosen)
        sort.setBuddy(self.orders)
        # With a large font the embedded share wraps below the number of hits.
        counts = QWidget()
        flow = FlowLayout(counts)
        flow.addWidget(self._count)
        flow.addWidget(self._embedded)
        row = QHBoxLayout()
        row.setSpacing(M)
        row.addWidget(counts, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(sort)
        row.addWidget(self.orders)
        self.banner = Banner()
        column = filled(QVBoxLayout(self), row, self.banner)
        self.unsearched = Unsearched()
        column.addWidget(self.unsearched)
        self.banner.hide()

    @property
    def order(self) -> ResultOrder:
        return ResultOrder(self.orders.currentData())

    @property
    def text(self) -> str:
        """The text for a screen reader."""
        parts = [] if self.banner.isHidden() else [self.banner.text]
        parts += [each.text() for each in (self._count, self._embedded) if not each.isHidden()]
        return " ".join(filter(None, parts))

    def show_result(
        self, result: SearchResult, documents: int, *, more: bool, by_words: bool = False
    ) -> None:
        """Show the number of hits.

        Without a good match nothing counts as found.

        Args:
            result: The hits.
            documents: How many have them.
            more: There may be more than these.
            by_words: They are those by words alone, until the answer comes.
        """
        hits = amounts.hits(len(result.hits))
        text = (
            self.tr("The best {hits} in {documents}") if more else self.tr("{hits} in {documents}")
        )
        text = text.format(hits=hits, documents=amounts.documents(documents))
        if exact := sum(hit.why is Why.PHRASE for hit in result.hits):
            text = self.tr("{hits}, {exact}").format(hits=text, exact=amounts.exact(exact))
        self._count.setText(text)
        self._count.setVisible(result.match is not Match.NONE)
        partly = 0 <= result.embedded_share < _WHOLE
        self._embedded.setVisible(partly or by_words)
        share = self.tr("Meaning search {share} ready").format(
            share=amounts.share(result.embedded_share)
        )
        self._embedded.setText(self.tr("by words so far") if by_words else share)
        about = self.tr("This much is found by meaning already; all of it by words.")
        self._embedded.setToolTip("" if by_words else about)
        if result.match is Match.PERHAPS:
            self.banner.show_text(self.tr("Perhaps not what you asked for."))
        elif result.match is Match.NONE:
            self.banner.show_text(self.tr("No good match; closest passages below."))
        self.banner.setVisible(bool(result.hits) and result.match is not Match.GOOD)
        if result.match is Match.GOOD:
            self.unsearched.clear_line()

    def _chosen(self, _at: int) -> None:
        self.ordered.emit(self.order)


class Banner(QWidget):
    """A sentence with an icon, on a line of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.drawing = QLabel()
        self._draw()
        self._label = plain_label()
        filled(QHBoxLayout(self), self.drawing, self._label, edges=(0, S, L, S), wide=self._label)

    @property
    def text(self) -> str:
        return self._label.text()

    def show_text(self, text: str) -> None:
        """Replace the sentence."""
        self._label.setText(text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._draw()

    def _draw(self) -> None:
        side = self.fontMetrics().height()
        self.drawing.setPixmap(icon("info").pixmap(QSize(side, side), self.devicePixelRatioF()))


def grammar_examples() -> Iterator[tuple[str, str]]:
    """Return the example and the explanation of each operator."""
    return ((operator.example, help_of(operator, say)) for operator in GRAMMAR)


class GrammarHelp(QFrame):
    """A popover with an example on each line, which can be clicked.

    Signals:
        tried: The example, to be searched for.
    """

    tried = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAccessibleName(self.tr("What you can type"))
        inside = QWidget()
        grid = QGridLayout(inside)
        grid.setContentsMargins(L, M, L, L)
        grid.setHorizontalSpacing(L)
        grid.setVerticalSpacing(S)
        title = QLabel(self.tr("What you can type; click an example to try it"))
        make_bold(title)
        title.setWordWrap(True)
        grid.addWidget(title, 0, 0, 1, 2)
        for at, (example, description) in enumerate(grammar_examples(), 1):
            link = Link(example, example)
            link.setAccessibleDescription(description)
            link.followed.connect(self._try)
            text = wrapped_label(description)
            grid.addWidget(link, at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text, at, 1, Qt.AlignmentFlag.AlignVCenter)
        grid.setColumnStretch(1, 1)
        self._area = scrolling(inside)
        filled(QVBoxLayout(self), self._area)

    def open_below(self, widget: QWidget) -> None:
        """Show it under a widget, as wide as the window allows."""
        window = widget.window()
        width = min(window.width() - 2 * L, self.fontMetrics().averageCharWidth() * 90)
        inside = self._area.widget()
        wanted = inside.heightForWidth(width) if inside is not None else 0
        height = min(wanted + 2, window.height() - L)
        self.resize(QSize(width, max(height, 0)))
        corner = widget.mapToGlobal(QPoint(widget.width() - width, widget.height()))
        if widget.isRightToLeft():
            corner = widget.mapToGlobal(QPoint(0, widget.height()))
        self.move(corner)
        self.show()
        self.setFocus(Qt.FocusReason.PopupFocusReason)
        self.focusNextChild()

    def _try(self, example: str) -> None:
        self.hide()
        self.tried.emit(example)


_SHOWN = 6
# The operators of the examples.
_EXAMPLES = ("words", '"…"', "date")


def examples() -> list[tuple[str, str]]:
    """Return three searches to begin with and their explanations, from the grammar."""
    return [
        row for row, each in zip(grammar_examples(), GRAMMAR, strict=True) if each.name in _EXAMPLES
    ]


class _Panel(QScrollArea):
    """A column of texts and links in the middle of the page."""

    searched = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.viewport().setAutoFillBackground(False)
        inside = QWidget()
        inside.setAutoFillBackground(False)
        outer = QVBoxLayout(inside)
        outer.setContentsMargins(XL, XL, XL, XL)
        self._column = QVBoxLayout()
        self._column.setSpacing(S)
        outer.addLayout(self._column)
        outer.addStretch(1)
        self._outer = outer
        self.setWidget(inside)

    def _clear(self) -> None:
        while (item := self._column.takeAt(0)) is not None:
            row = item.layout()
            for part in [item] if row is None else [row.takeAt(0) for _ in range(row.count())]:
                widget = part.widget() if part is not None else None
                if widget is not None:
                    widget.hide()
                    widget.deleteLater()

    def _heading(self, text: str) -> None:
        label = wrapped_label(text)
        make_bold(label)
        if self._column.count():
            self._column.addSpacing(L)
        self._column.addWidget(label)

    def _say(self, text: str) -> None:
        self._column.addWidget(wrapped_label(text))

    def _link(self, text: str, target: str, hint: str = "") -> Link:
        """Add a link that searches, followed by an explanation."""
        link = self._add(Link(text, target), hint)
        link.add_to_menu(self.tr("Search for this"), link.click)
        return link

    def _add(self, link: Link, hint: str = "") -> Link:
        link.setAccessibleDescription(hint)
        link.followed.connect(self.searched)
        row = filled(QHBoxLayout(), link, spacing=L)
        if hint:
            beside = ElidedLabel(role=QPalette.ColorRole.PlaceholderText)
            beside.setText(hint)
            beside.setToolTip(hint)
            row.addWidget(beside, 1)
        else:
            row.addStretch(1)
        self._column.addLayout(row)
        return link


class StartPanel(_Panel):
    """Examples, and saved and recent searches.

    Signals:
        searched: A query to ask.
        folders_requested: Choose folders for an empty library.
        help_requested: Show the whole grammar.
        dropped: A recent search, or the path of a document, to be removed.
        discarded: The name of a saved search to be removed.
    """

    folders_requested = Signal()
    help_requested = Signal()
    dropped = Signal(str)
    discarded = Signal(str)

    def show_start(
        self,
        recent: Sequence[str],
        documents: Sequence[str],
        saved: Sequence[Saved],
        *,
        empty_library: bool,
    ) -> None:
        """Fill the panel."""
        self._clear()
        if empty_library:
            self._heading(self.tr("There is nothing in the library yet"))
            self._say(self.tr("Choose folders, and Lectern reads what is in them."))
            button = QPushButton(self.tr("Choose folders…"))
            button.clicked.connect(self.folders_requested)
            self._column.addSpacing(M)
            self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeading)
            return
        if saved:
            self._heading(self.tr("Saved searches"))
            for each in saved[:_SHOWN]:
                hint = amounts.new(each.new) if each.new else readable(each.text)
                link = self._link(each.name, each.text, hint)
                link.add_to_menu(self.tr("Remove"), partial(self.discarded.emit, each.name))
        forget = self.tr("Remove from this list")
        if recent:
            self._heading(self.tr("Recent searches"))
            for text in recent[:_SHOWN]:
                self._link(readable(text), text).add_to_menu(
                    forget, partial(self.dropped.emit, text)
                )
        if documents:
            self._heading(self.tr("Recent documents"))
            for path in documents[:_SHOWN]:
                folder = from_home(line(str(PurePath(path).parent)))
                link = self._add(DocumentLink(path, inside(path)), folder)
                link.add_to_menu(forget, partial(self.dropped.emit, path))
        self._heading(self.tr("Ask in your own words, or try"))
        for example, description in examples():
            self._link(example, example, description)
        more = self._add(Link(self.tr("Search syntax…"), ""))
        more.followed.disconnect(self.searched)
        more.followed.connect(self.help_requested)


class NothingPanel(_Panel):
    """The parts of a query without hits, each with a link without it, and what was not searched.

    Signals:
        searched: The query without a part.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.unsearched = Unsearched()
        self._outer.insertWidget(1, self.unsearched)

    def show_nothing(self, query: str) -> None:
        """Fill the panel for a query that had no hits."""
        self._clear()
        self.unsearched.clear_line()
        self._heading(self.tr("Nothing was found"))
        parts = clauses(query)
        if any(without(query, clause).strip() for clause in parts):
            self._say(self.tr("Nothing matches all parts of the query. Search"))
            for clause in parts:
                text = self.tr("without “{name}”").format(name=label_of(clause))
                self._link(text, without(query, clause))
            if sum(bool(clause.operator) for clause in parts) > 1:
                self._link(self.tr("without any filter"), without_filters(query))
            return
        self._say(self.tr("Try fewer or other words, or ask as you would ask a person."))
        self._say(self.tr("Files that could not be read are listed in the library."))
