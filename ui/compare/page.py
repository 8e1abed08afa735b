"""Two documents side by side: what each says that the other does not, and both pages below."""

from __future__ import annotations

from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from indexer.api.answers import Comparison, ComparisonSide, LoneStatement, Statement
from indexer.api.requests import Compare
from indexer.api.types import Hit, Why
from ui import keys
from ui.citations import CitationCopier
from ui.compare.statement_rows import RowList, StatementCell, StatementRow, named
from ui.dialogs import choose_export
from ui.export import ExportFormat, html_tag, tell_written, text_document, write_document
from ui.preview.frame import DocumentPane
from ui.requests import LatestRequest
from ui.search import describe
from ui.search.rows import FoundHits
from ui.search.safe_text import line
from ui.theme import LIGHT, L
from ui.widgets import (
    ElidedLabel,
    IconButton,
    add_shortcut,
    filled,
    make_bold,
    plain_label,
    split,
    wrapped_label,
)
from ui.words import amounts, failures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from PySide6.QtGui import QContextMenuEvent, QShowEvent

    from indexer.api.errors import LecternError
    from ui.ports import Context

    Section = tuple[str, list[StatementRow]]


class DocumentSide(DocumentPane):
    """Shows the statements of one document, one at a time; ``rest`` ends its render child.

    Signals:
        menu_requested: The point, the shown statement as a passage, and all passages of its row.
    """

    menu_requested = Signal(QPoint, object, object)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.title = ElidedLabel()
        make_bold(self.title)
        filled(QVBoxLayout(self), self.title, self.stack, wide=self.stack)

    def show_document(self, title: str) -> None:
        """Show the name of a document, without a statement yet."""
        self.rest()
        self.title.setText(title)
        self.setAccessibleName(title)
        self.message.explain(
            "document", self.tr("Select a difference to see it in both documents.")
        )
        self.bring(self.message)

    def show_statement(self, side: ComparisonSide, statement: Statement) -> None:
        """Show where a statement stands."""
        if self._hit is None:
            self.pages.show_loading()
            self.bring(self.pages)
        self._hit = hit_of(side, statement)
        self._load_again()

    def show_beginning(self, side: ComparisonSide) -> None:
        """Show the first page, unless the document is shown already."""
        if self._hit is None:
            self.show_statement(side, Statement(1, 1, 0, 0, (), ""))

    def rest(self) -> None:
        """Close the document, and end the child."""
        self._hit = None
        self.pages.show_document(None)
        self.loader.let_go()
        self.loader.client.end_child()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self._hit is not None:
            self.menu_requested.emit(event.globalPos(), self._hit, FoundHits((self._hit,)))


def hit_of(side: ComparisonSide, statement: Statement) -> Hit:
    """Return a statement as a passage of its document."""
    text = statement.original or statement.text
    whole = (0, len(text))
    return Hit(
        path=side.path, root="", file=side.file, title=line(side.title) or side.file,
        page=statement.page, page_last=statement.page_last, start=statement.start,
        end=statement.end, score=0.0, text=text, heading_path=statement.heading_path,
        why=Why.MEANING, best=whole, marks=(whole,), format=side.format,
    )  # fmt: skip


# The most statements of each part that are shown, the most different ones first.
_MOST = 100
# The nearest statement is shown if its score is at least this share of ``Comparison.border``.
_NEAR = 0.5
_SHARES = (2, 3)  # how the statements and the pages share the height


class ComparePage(QWidget):
    """The page that compares two documents.

    Signals:
        left: Go back to the search.
        menu_requested: The point, a statement as a passage, and all passages of its row.
    """

    left = Signal()
    menu_requested = Signal(QPoint, object, object)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._link, self._request = context.link, LatestRequest(context.link)
        self._notices = context.notices
        self.found: Comparison | None = None
        self._asked = ("", "")
        title = plain_label(self.tr("Comparison"), bold=True)
        self.message = wrapped_label()
        self.back = IconButton(self.tr("Back"), "chevron-left", self.left)
        self.list = RowList()
        self.list.setAccessibleName(self.tr("Statements that differ"))
        self.list.chosen.connect(self._choose)
        self.list.menu_requested.connect(self._request_menu)
        self.sides = (DocumentSide(context), DocumentSide(context))
        for side in self.sides:
            side.menu_requested.connect(self.menu_requested)
        below = split(*self.sides, shares=(1, 1))
        self.parts = split(self.list, below, shares=_SHARES, way=Qt.Orientation.Vertical)
        self.parts.setSizes([100 * share for share in _SHARES])
        below.setSizes([100, 100])
        self.export = IconButton(self.tr("Export"), "export")
        self.export.setMenu(menu := QMenu(self))
        for form, text in ((ExportFormat.PDF, "PDF…"), (ExportFormat.WORD, "Word…")):
            menu.addAction(text, partial(self._ask_where, form))
        parts = (title, self.message, self.export, self.back)
        head = filled(QHBoxLayout(), *parts, wide=self.message)
        filled(QVBoxLayout(self), head, self.parts, edges=(L, L, L, 0), wide=self.parts)
        self._citations = CitationCopier(context, self)
        add_shortcut(self, keys.CITE, self._cite)

    def compare(self, first: str, second: str) -> None:
        """Compare two documents, given by their paths."""
        self.rest()
        self._asked = first, second
        for side, path in zip(self.sides, self._asked, strict=True):
            side.show_document(line(PurePath(path).name))
        self.list.show_rows([])
        self.export.setEnabled(False)
        self.message.setText(self.tr("The documents are being compared…"))
        request = Compare(*self._asked, _MOST)
        self._request.replace_request(request, self._answered, self._failed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        row = self.list.current_row
        # Leaving the page has closed the documents, so the current row is shown anew.
        if row is not None and not event.spontaneous():
            self._choose(row)

    def rest(self) -> None:
        """Cancel the request, and close both documents."""
        self._request.cancel()
        for side in self.sides:
            side.rest()

    def _answered(self, found: Comparison) -> None:
        self.found = found
        for side, told in zip(self.sides, (found.first, found.second), strict=True):
            side.title.setText(named(told))
        sections = self._sections(found)
        self.message.setText(self._summary(found, sections))
        self.list.show_rows(sections)
        self.export.setEnabled(bool(self.list.rows))
        self.list.choose_row(0)

    def _sections(self, found: Comparison) -> list[Section]:
        """Return the headings of a comparison, each with its rows."""
        changed = []
        for each in found.changed:
            first, second = each.first, each.second
            cells = (
                StatementCell(_place(found.first, first), first.text, each.first_marks),
                StatementCell(_place(found.second, second), second.text, each.second_marks),
            )
            changed.append(StatementRow(cells, (first, second)))
        only = self.tr("Only in {name}: {count}")
        return [
            (self.tr("Changed: {count}").format(
                count=amounts.count(found.changes)), changed),
            (only.format(name=named(found.first), count=amounts.count(found.first.alone)),
             [self._lone(found, one, 0) for one in found.first.only]),
            (only.format(name=named(found.second), count=amounts.count(found.second.alone)),
             [self._lone(found, one, 1) for one in found.second.only]),
        ]  # fmt: skip

    def _ask_where(self, form: ExportFormat) -> None:
        """Let the person choose a file, and export the comparison to it."""
        if self.found is not None:
            names = [PurePath(side.file).stem for side in (self.found.first, self.found.second)]
            write = partial(self.export_to, form)
            title, name = self.tr("Export the comparison"), " - ".join(names)
            choose_export(self, title, name, form.suffix, write)

    def export_to(self, form: ExportFormat, path: Path) -> None:
        """Write all statements that differ, also those that are not shown."""
        if self.found is not None and _hidden(self.found):
            write = partial(self._write, form, path)
            self._link.send_request(Compare(*self._asked), done=write, failed=self._failed)
        elif self.found is not None:
            self._write(form, path, self.found)

    def _write(self, form: ExportFormat, path: Path, found: Comparison) -> None:
        """Write a comparison as tables of two columns."""
        title, sections = self.tr("Comparison"), self._sections(found)
        names = (named(found.first), named(found.second))
        document = text_document()
        said = self._summary(found, sections)
        document.setHtml("".join(_table(title, said, names, sections)))
        error = None
        try:
            write_document(path, form, document, title)
        except OSError as failed:
            error = failed
        tell_written(self._notices, path, self.tr("The comparison was exported"), error)

    def _summary(self, found: Comparison, sections: Sequence[Section]) -> str:
        if found.by_words:
            return self.tr("Compared by their words: their meaning is still being read.")
        if not any(rows for _, rows in sections):
            return self.tr("Both say the same.")
        if _hidden(found):
            return self.tr("The most different statements of each part are shown.")
        return ""

    def _lone(self, found: Comparison, one: LoneStatement, at: int) -> StatementRow:
        """Return a row with a statement and, if any is near, the other document's nearest one."""
        mine, other = (found.first, found.second)[at], (found.second, found.first)[at]
        near = one.near if one.cosine >= _NEAR * found.border else None
        cells: list[StatementCell | None] = [StatementCell(_place(mine, one), one.text)]
        if near is None:
            cells.append(None)
        else:
            place = self.tr("Nearest: {place}").format(place=_place(other, near))
            cells.append(StatementCell(place, near.text, pale=True))
        places = [one, near]
        if at:
            cells.reverse()
            places.reverse()
        return StatementRow(tuple(cells), tuple(places))

    def _choose(self, row: StatementRow) -> None:
        found = self.found
        if found is None:
            return
        for side, told, statement in zip(
            self.sides, (found.first, found.second), row.of, strict=True
        ):
            if statement is not None:
                side.show_statement(told, statement)
            else:
                side.show_beginning(told)

    def _hits(self, row: StatementRow) -> dict[int, Hit]:
        """Return the statements of a row as passages, by the number of their document."""
        if self.found is None:
            return {}
        told = (self.found.first, self.found.second)
        return {n: hit_of(told[n], each) for n, each in enumerate(row.of) if each is not None}

    def _cite(self) -> None:
        """Copy the current statement of the side that has the focus, else the one that differs."""
        row, focus = self.list.current_row, QApplication.focusWidget()
        if row is None or not (hits := self._hits(row)):
            return

        def distance(at: int) -> tuple[bool, bool]:
            cell, side = row.cells[at], self.sides[at]
            is_near = focus is not None and side.isAncestorOf(focus)
            return not is_near, cell is None or cell.pale

        self._citations.copy_cited(hits[min(hits, key=distance)])

    def _request_menu(self, row: StatementRow, cell: int, at: QPoint) -> None:
        if hits := self._hits(row):
            self.menu_requested.emit(at, hits[cell], FoundHits(tuple(hits.values())))

    def _failed(self, error: LecternError) -> None:
        self.message.setText(failures.failure(error))


def _hidden(found: Comparison) -> int:
    """Return how many differing statements the engine has left out of a comparison."""
    lone = sum(side.alone - len(side.only) for side in (found.first, found.second))
    return lone + found.changes - len(found.changed)


def _table(
    title: str, said: str, names: Sequence[str], sections: Iterable[Section]
) -> Iterator[str]:
    """Yield the HTML of a comparison: both documents side by side, in the colours of paper."""
    yield html_tag("h1", "", title)
    if said:
        yield html_tag("p", "remark", said)
    for heading, rows in sections:
        if not rows:
            continue
        yield html_tag("h2", "", heading)
        yield "<table width='100%' cellspacing='0' cellpadding='6' border='1'><tr>"
        yield from (f"<th width='50%'>{html_tag('span', '', name)}</th>" for name in names)
        yield "</tr>"
        for row in rows:
            cells = (cell.html(LIGHT) if cell is not None else "" for cell in row.cells)
            yield f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        yield "</table>"


def _place(side: ComparisonSide, statement: Statement) -> str:
    hit = hit_of(side, statement)
    return ", ".join(filter(None, (describe.pages(hit), describe.headings(hit))))
