"""Lists of statements with their differences marked, and the pane of places that say the same."""

from __future__ import annotations

from functools import partial
from html import escape
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from PySide6.QtCore import QCoreApplication, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from indexer.api.requests import FindElsewhere
from ui.lists import paint_bar
from ui.requests import LatestRequest
from ui.search import describe
from ui.search.rows import FoundHits
from ui.search.safe_text import is_right_to_left, line, plain, shown
from ui.theme import L, M, S, Theme, current, paint_rounded, row_background
from ui.widgets import IconButton, Restyled, ScrollPage, filled, plain_label, unread, wrapped_label
from ui.words import amounts, failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent

    from indexer.api.answers import ComparisonSide, Parallel
    from indexer.api.errors import LecternError
    from indexer.api.types import Hit, Span
    from ui.ports import EnginePort


# Rows moved by each key; those of the last two are more than a list has.
_STEPS = {
    Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -5, Qt.Key.Key_PageDown: 5,
    Qt.Key.Key_Home: -(10**6), Qt.Key.Key_End: 10**6,
}  # fmt: skip


class StatementCell(Struct, frozen=True):
    """A text of a row.

    Attributes:
        head: The place of the text, shown above it.
        text: The text as it was read.
        marks: The spans that differ.
        pale: Whether it is only the nearest statement, shown in grey.
        foot: A remark below it.
    """

    head: str
    text: str
    marks: tuple[Span, ...] = ()
    pale: bool = False
    foot: str = ""

    def html(self, theme: Theme) -> str:
        """Return the cell as rich text in the colours of a theme."""
        safe = shown(self.text, self.marks)
        colour = (theme.muted if self.pale else theme.text).name()
        look = f"background-color: {theme.mark.name()}; color: {theme.mark_text.name()}"
        parts, at = [], 0
        for start, end in sorted(safe.spans):
            if start >= at:
                parts.append(escape(safe.text[at:start]))
                parts.append(f"<b><u style='{look}'>{escape(safe.text[start:end])}</u></b>")
                at = end
        parts.append(escape(safe.text[at:]))
        side = "rtl" if is_right_to_left(safe.text) else "ltr"
        muted = theme.muted.name()
        made = [f"<div dir='{side}' style='color: {colour}'>{''.join(parts)}</div>"]
        if self.head:
            made.insert(0, f"<div style='color: {muted}'>{escape(shown(self.head).text)}</div>")
        if self.foot:
            made.append(f"<div style='color: {muted}'>{escape(shown(self.foot).text)}</div>")
        return "".join(made)

    @property
    def spoken(self) -> str:
        parts = (self.head, shown(self.text).text, self.foot)
        return ". ".join(part.rstrip(".") for part in parts if part)


class StatementRow(Struct, frozen=True):
    """One or two cells, of which one may be missing; ``of`` is the object behind the row."""

    cells: tuple[StatementCell | None, ...]
    of: Any = None
    kind: str = ""  # a screen reader says it first


class RowWidget(Restyled, QFrame):
    """A row of statements, which can be the current one.

    Signals:
        focused: It has got the focus.
        opened: It was double-clicked, or Enter was pressed.
        stepped: By how many rows the focus is to move.
        menu_requested: The number of the cell whose menu is requested, and the point.
    """

    focused = Signal()
    opened = Signal()
    stepped = Signal(int)
    menu_requested = Signal(int, QPoint)

    def __init__(self, row: StatementRow) -> None:
        super().__init__()
        self.row = row
        self.is_current = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        line = filled(QHBoxLayout(self), spacing=2 * L, edges=(L, M, L, M))
        top, rich = Qt.AlignmentFlag.AlignTop, Qt.TextFormat.RichText
        self.labels = [QLabel(wordWrap=True, alignment=top, textFormat=rich) for _ in row.cells]
        for label in self.labels:
            line.addWidget(label, 1)
        self.restyle()
        spoken = [row.kind, *(cell.spoken for cell in row.cells if cell is not None)]
        self.setAccessibleName(". ".join(filter(None, spoken)))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focused.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, held = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key in _STEPS and not held:
            self.stepped.emit(_STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not held:
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        cells = [number for number, cell in enumerate(self.row.cells) if cell is not None]
        if event.reason() is event.Reason.Mouse:
            x = event.x()
            cells.sort(key=lambda number: abs(self.labels[number].geometry().center().x() - x))
        self.menu_requested.emit(cells[0], event.globalPos())

    def restyle(self) -> None:
        for label, cell in zip(self.labels, self.row.cells, strict=True):
            label.setText(cell.html(current()) if cell is not None else "")

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground = row_background(selected=self.is_current)
        paint_rounded(painter, QRectF(self.rect()).adjusted(1, 1, -1, -1), current().line, ground)
        if self.is_current:
            paint_bar(painter, self.rect().adjusted(0, S, 0, -S), self.layoutDirection())


class RowList(ScrollPage):
    """Rows below headings, of which one is current.

    Signals:
        chosen: The row that has become the current one.
        opened: The row that was double-clicked, or on which Enter was pressed.
        menu_requested: The row, the number of the cell whose menu is requested, and the point.
    """

    chosen = Signal(object)
    opened = Signal(object)
    menu_requested = Signal(object, int, QPoint)

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.rows: list[RowWidget] = []
        self.at = -1
        self._unread = unread(self)

    def show_rows(self, sections: Sequence[tuple[str, Sequence[StatementRow]]]) -> None:
        """Show sections, each a heading ("" for none) and its rows."""
        self.rows, self.at = [], -1
        self._unread.start()
        inside = QWidget()
        column = filled(QVBoxLayout(inside), spacing=S, edges=(0, 0, L, L))
        for heading, rows in sections:
            if heading and rows:
                label = wrapped_label(heading, bold=True)
                label.setContentsMargins(S, M, S, 0)
                column.addWidget(label)
            for row in rows:
                column.addWidget(self._make(row))
        column.addStretch(1)
        old = self.takeWidget()
        if old is not None:
            old.deleteLater()
        self.setWidget(inside)

    @property
    def current_row(self) -> StatementRow | None:
        return self.rows[self.at].row if 0 <= self.at < len(self.rows) else None

    def choose_row(self, number: int, *, focus: bool = True) -> None:
        """Make a row the current one, and bring it into view."""
        if not self.rows:
            return
        number = min(max(number, 0), len(self.rows) - 1)
        if focus:
            self.rows[number].setFocus(Qt.FocusReason.OtherFocusReason)
        self._make_current(number)
        self.ensureWidgetVisible(self.rows[number], 0, M)

    def _make(self, row: StatementRow) -> RowWidget:
        widget, number = RowWidget(row), len(self.rows)
        widget.focused.connect(partial(self._make_current, number))
        widget.opened.connect(partial(self._open, row))
        widget.stepped.connect(lambda step: self.choose_row(self.at + step))
        widget.menu_requested.connect(partial(self.menu_requested.emit, row))
        self.rows.append(widget)
        return widget

    def _open(self, row: StatementRow) -> None:
        if not self._unread.isActive():
            self.opened.emit(row)

    def _make_current(self, number: int) -> None:
        if number == self.at:
            return
        self.at = number
        for place, widget in enumerate(self.rows):
            widget.is_current = place == number
            widget.update()
        self.chosen.emit(self.rows[number].row)


class ParallelsPane(QWidget):
    """The pane that shows where else the library says the same as a passage.

    Signals:
        hit_selected: The passage of the current row.
        opened: A passage to open in its own program.
        left: Go back to the results.
        menu_requested: The point, the passage, and all passages that are listed.
    """

    hit_selected = Signal(object)
    opened = Signal(object)
    left = Signal()
    menu_requested = Signal(QPoint, object, object)

    def __init__(self, link: EnginePort) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Elsewhere in the library"))
        self._request = LatestRequest(link)
        self.hit: Hit | None = None  # the passage that was asked about
        title = plain_label(self.tr("Elsewhere in the library"), bold=True)
        self.back = IconButton(self.tr("Back"), "chevron-left", self.left)
        self.message = wrapped_label()
        self.list = RowList()
        self.list.setAccessibleName(self.tr("Passages that say nearly the same"))
        self.list.chosen.connect(lambda row: self.hit_selected.emit(row.of))
        self.list.opened.connect(lambda row: self.opened.emit(row.of))
        self.list.menu_requested.connect(self._request_menu)
        head = filled(QHBoxLayout(), title, self.back, wide=title)
        filled(QVBoxLayout(self), head, self.message, self.list, edges=(L, S, 0, 0), wide=self.list)

    def ask_parallels(self, hit: Hit) -> None:
        """Ask where else the library says the same as a passage."""
        self.stop()
        self.hit = hit
        self.list.show_rows([("", [self._here()])])
        self.list.choose_row(0)
        self._say(self.tr("Looking through the library…"))
        page = 0 if hit.start < hit.end else hit.page
        request = FindElsewhere(Path(hit.path), hit.text, page=page, start=hit.start, end=hit.end)
        self._request.replace_request(request, self._answered, self._failed)

    def stop(self) -> None:
        """Cancel the request."""
        self._request.cancel()

    def _here(self) -> StatementRow:
        hit = self.hit
        assert hit is not None  # noqa: S101  # set by ``ask_parallels``
        return StatementRow((StatementCell(_place(hit), plain(hit).text),), hit, self.tr("Here"))

    def _answered(self, found: tuple[Parallel, ...]) -> None:
        if self.hit is None:
            return
        focused = any(row.hasFocus() for row in self.list.rows)
        same = [_row(one) for one in found if one.same]
        others = [_row(one, more) for one, more in _once(one for one in found if not one.same)]
        sections = (self.tr("Here"), self.tr("Says nearly the same"), self.tr("Close in meaning"))
        rows = ([self._here()], same, others)
        self.list.show_rows(list(zip(sections, rows, strict=True)))
        nothing = self.tr("Nothing else in the library says this in these words.")
        self._say("" if same else nothing)
        self.list.choose_row(1 if same else 0, focus=focused)

    def _failed(self, error: LecternError) -> None:
        self._say(failures.failure(error))

    def _say(self, text: str) -> None:
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def _request_menu(self, row: StatementRow, _cell: int, at: QPoint) -> None:
        found = FoundHits(tuple(each.row.of for each in self.list.rows))
        self.menu_requested.emit(at, row.of, found)


def named(side: ComparisonSide | Hit) -> str:
    """Return a document's file, then its title: versions share titles, and titles may be cut."""
    file = line(PurePath(side.file).name)
    title = line(side.title)
    return f"{file} ({title})" if title and title != PurePath(side.file).stem else file


def _once(found: Iterable[Parallel]) -> Iterator[tuple[Parallel, int]]:
    """Yield the first passage with each best sentence, and how many others have the same one."""
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
