"""Where else the library says what is selected in the preview, in place of the results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from indexer.api.requests import FindElsewhere
from ui.compare.page import named
from ui.compare.statement_rows import RowList, StatementCell, StatementRow
from ui.search import describe
from ui.search.rows import FoundHits
from ui.search.safe_text import plain
from ui.theme import L, M
from ui.widgets import IconButton, plain_label, wrapped_label
from ui.words import amounts, failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.api.answers import Parallel
    from indexer.api.errors import LecternError
    from indexer.api.types import Hit
    from ui.ports import EnginePort


class ParallelsPane(QWidget):
    """The pane.

    Signals:
        hit_selected: The passage of the current row.
        opened: A passage to open in its own program.
        left: Back to the results.
        menu_requested: Where, the passage, and all that are listed.
    """

    hit_selected = Signal(object)
    opened = Signal(object)
    left = Signal()
    menu_requested = Signal(QPoint, object, object)

    def __init__(self, link: EnginePort, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Elsewhere in the library"))
        self._link = link
        self._request: int | None = None
        self.hit: Hit | None = None  # the passage that was asked about
        title = plain_label(self.tr("Elsewhere in the library"))
        font = title.font()
        font.setBold(True)
        title.setFont(font)
        self.back = IconButton(self.tr("Back to the results"), "search")
        self.back.clicked.connect(self.left)
        self.message = wrapped_label()
        self.list = RowList()
        self.list.setAccessibleName(self.tr("Passages that say nearly the same"))
        self.list.chosen.connect(self._choose)
        self.list.opened.connect(self._open)
        self.list.menu_requested.connect(self._request_menu)
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(self.back)
        column = QVBoxLayout(self)
        column.setContentsMargins(L, L, L, 0)
        column.setSpacing(M)
        column.addLayout(head)
        column.addWidget(self.message)
        column.addWidget(self.list, 1)

    def ask_parallels(self, hit: Hit) -> None:
        """Ask where else the library says what a passage says."""
        self.stop()
        self.hit = hit
        self.list.show_rows([("", [self._here()])])
        self.list.choose(0)
        self._say(self.tr("Looking through the library…"))
        known = hit.start < hit.end
        self._request = self._link.ask(
            FindElsewhere(
                Path(hit.path),
                hit.text,
                page=0 if known else hit.page,
                start=hit.start,
                end=hit.end,
            ),
            done=self._answered,
            failed=self._failed,
        )

    def stop(self) -> None:
        """Cancel the request."""
        if self._request is not None:
            self._link.cancel(self._request)
            self._request = None

    def _here(self) -> StatementRow:
        hit = self.hit
        assert hit is not None  # noqa: S101  # set by ``ask``
        return StatementRow((StatementCell(_place(hit), plain(hit).text),), hit, self.tr("Here"))

    def _answered(self, found: tuple[Parallel, ...]) -> None:
        self._request = None
        if self.hit is None:
            return
        focused = any(row.hasFocus() for row in self.list.rows)
        same = [_row(one) for one in found if one.same]
        others = [_row(one, more) for one, more in _once(one for one in found if not one.same)]
        self.list.show_rows(
            [
                (self.tr("Here"), [self._here()]),
                (self.tr("Says nearly the same"), same),
                (self.tr("Close in meaning"), others),
            ]
        )
        nothing = self.tr("Nothing else in the library says this in these words.")
        self._say("" if same else nothing)
        self.list.choose(1 if same else 0, focus=focused)

    def _failed(self, error: LecternError) -> None:
        self._request = None
        self._say(failures.failure(error))

    def _say(self, text: str) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def _choose(self, row: StatementRow) -> None:
        self.hit_selected.emit(row.of)

    def _open(self, row: StatementRow) -> None:
        self.opened.emit(row.of)

    def _request_menu(self, row: StatementRow, _cell: int, at: QPoint) -> None:
        found = FoundHits(tuple(each.row.of for each in self.list.rows))
        self.menu_requested.emit(at, row.of, found)


def _once(found: Iterable[Parallel]) -> Iterator[tuple[Parallel, int]]:
    """Return the first passage with each sentence, and how many more have the same."""
    by_sentence: dict[str, list[Parallel]] = {}
    for one in found:
        said = one.hit.text[slice(*one.hit.best)]
        by_sentence.setdefault(" ".join(said.split()).casefold(), []).append(one)
    for same in by_sentence.values():
        yield same[0], len(same) - 1


def _row(one: Parallel, more: int = 0) -> StatementRow:
    """Return the row of a passage; ``more`` others say the same."""
    hit = one.hit
    said = plain(hit, (hit.best, *one.marks))
    (start, end), *rest = said.spans or ((0, len(said.text)),)
    marks = tuple((low - start, high - start) for low, high in rest)
    translate = QCoreApplication.translate
    pairs = [
        translate("ParallelsPane", "{here} here, {there} there").format(here=here, there=there)
        for here, there in one.pairs
    ]
    if more:
        pairs.append(amounts.alike(more))
    return StatementRow(
        (StatementCell(_place(hit), said.text[start:end], marks, foot="; ".join(pairs)),), hit
    )


def _place(hit: Hit) -> str:
    return ", ".join(filter(None, (named(hit), describe.pages(hit))))
