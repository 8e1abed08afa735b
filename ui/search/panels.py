"""The panels in place of results, and the help of the query grammar with its examples."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from indexer.query.filters import GRAMMAR, help_of
from indexer.query.grammar import clauses
from ui.search.filters import label_of, readable
from ui.search.labels import DocumentLink, Link
from ui.search.query_text import inside, without, without_filters
from ui.search.safe_text import line
from ui.search.summary import Unsearched
from ui.theme import XL, L, M, S
from ui.widgets import ElidedLabel, filled, make_bold, scrolling, wrapped_label
from ui.words import amounts, say
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ui.search.memory import Saved


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
        link.offer(self.tr("Search for this"), link.click)
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
                link.offer(self.tr("Remove"), partial(self.discarded.emit, each.name))
        forget = self.tr("Remove from this list")
        if recent:
            self._heading(self.tr("Recent searches"))
            for text in recent[:_SHOWN]:
                self._link(readable(text), text).offer(forget, partial(self.dropped.emit, text))
        if documents:
            self._heading(self.tr("Recent documents"))
            for path in documents[:_SHOWN]:
                folder = from_home(line(str(PurePath(path).parent)))
                link = self._add(DocumentLink(path, inside(path)), folder)
                link.offer(forget, partial(self.dropped.emit, path))
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
