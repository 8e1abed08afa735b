"""The line above the results: their number, the embedded share, their order; the banner below it.

It must not know the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from indexer.api.types import Match, Why
from ui.icons import icon
from ui.search.grouping import Order
from ui.search.message import Muted
from ui.search.unsearched import Unsearched
from ui.theme import L, M, S
from ui.widgets import FlowLayout, keep_from_wheel, plain_label
from ui.words import amounts

if TYPE_CHECKING:
    from indexer.api.types import SearchResult

# From this embedded share on it is not shown.
_WHOLE = 0.995


class Summary(QWidget):
    """Signals: ``ordered``, with the ``Order`` that was chosen."""

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
            (Order.RELEVANCE, self.tr("Relevance")),
            (Order.DATE, self.tr("Date")),
            (Order.NAME, self.tr("Name")),
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
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(M)
        column.addLayout(row)
        column.addWidget(self.banner)
        self.unsearched = Unsearched()
        column.addWidget(self.unsearched)
        self.banner.hide()

    @property
    def order(self) -> Order:
        return Order(self.orders.currentData())

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
        share = self.tr("{share} embedded").format(share=amounts.share(result.embedded_share))
        self._embedded.setText(self.tr("by words so far") if by_words else share)
        about = self.tr("This much is found by meaning already; all of it by words.")
        self._embedded.setToolTip("" if by_words else about)
        if result.match is Match.PERHAPS:
            self.banner.show_text(self.tr("Perhaps not what you asked for."))
        elif result.match is Match.NONE:
            self.banner.show_text(self.tr("No good match; closest passages below."))
        self.banner.setVisible(bool(result.hits) and result.match is not Match.GOOD)
        if result.match is Match.GOOD:
            self.unsearched.forget()

    def _chosen(self, _at: int) -> None:
        self.ordered.emit(self.order)


class Banner(QWidget):
    """A sentence with an icon, on a line of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.drawing = QLabel()
        self._draw()
        self._label = plain_label()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, S, L, S)
        row.setSpacing(M)
        row.addWidget(self.drawing)
        row.addWidget(self._label, 1)

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
