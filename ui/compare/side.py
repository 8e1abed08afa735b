"""One of two documents that are compared: its page or its text, with a statement outlined.

It must not know the other document, nor how they were compared.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from indexer.api.comparison import Statement
from indexer.api.types import Hit, Why
from ui import passwords
from ui.preview.loader import Loader
from ui.preview.marks import NO_MARKS
from ui.preview.message import MessagePane
from ui.preview.page_view import PageView
from ui.preview.text_view import TextView
from ui.search.hit_export import FoundHits
from ui.search.safe_text import line
from ui.widgets import ElidedLabel
from ui.words import failures

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QContextMenuEvent

    from indexer.api.comparison import ComparisonSide
    from indexer.api.errors import LecternError
    from indexer.api.pages import TextPart
    from ui.preview.document import PageDocument
    from ui.preview.marks import Marks


class DocumentSide(QWidget):
    """Shows the statements of one document, one at a time; its render child ends with ``rest``.

    Signals:
        menu_requested: Where, the shown statement as a passage, and all those listed with it.
    """

    menu_requested = Signal(QPoint, object, object)

    def __init__(self, library: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._loader: Loader | None = None
        self._hit: Hit | None = None
        self.title = ElidedLabel()
        font = self.title.font()
        font.setBold(True)
        self.title.setFont(font)
        self.pages, self.text, self.message = PageView(), TextView(), MessagePane()
        self.stack = QStackedWidget()
        for part in (self.message, self.pages, self.text):
            self.stack.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.title)
        column.addWidget(self.stack, 1)

    def show_document(self, title: str) -> None:
        """Name a document, of which no statement is shown yet."""
        self.rest()
        self.title.setText(title)
        self.setAccessibleName(title)
        self.message.explain("document", self.tr("Choose a statement to see where it stands."))
        self.stack.setCurrentWidget(self.message)

    def show_statement(self, side: ComparisonSide, statement: Statement) -> None:
        """Show where a statement stands."""
        if self._loader is None:
            self._loader = self._make_loader()
            self.pages.show_loading()
            self.stack.setCurrentWidget(self.pages)
        self._hit = hit_of(side, statement)
        self._loader.show(self._hit, passwords.shared().remembered(side.path))

    def show_beginning(self, side: ComparisonSide) -> None:
        """Show the first page, unless the document is shown already."""
        if self._hit is None:
            self.show_statement(side, Statement(1, 1, 0, 0, (), ""))

    def rest(self) -> None:
        """Close the document, and end the child."""
        self._hit = None
        self.pages.show_document(None)
        if self._loader is not None:
            self._loader.close()
            self._loader.deleteLater()
            self._loader = None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self._hit is not None:
            self.menu_requested.emit(event.globalPos(), self._hit, FoundHits((self._hit,)))

    def _make_loader(self) -> Loader:
        loader = Loader(self, self._library)
        loader.opened.connect(self._opened)
        loader.marked.connect(self._marked)
        loader.text_came.connect(self._text_came)
        loader.more_came.connect(self.text.extend)
        loader.lost.connect(self._lost)
        loader.failed.connect(self._failed)
        self.text.more_requested.connect(loader.want_more)
        return loader

    def _opened(self, document: PageDocument) -> None:
        if self._hit is None:
            return
        page = min(max(self._hit.page, 1), document.count)
        if self.pages.document is not document:
            self.pages.show_document(document, page)
        self.stack.setCurrentWidget(self.pages)

    def _marked(self, marks: Marks, scroll: bool) -> None:  # a slot
        self.pages.set_marks(marks, scroll=scroll)

    def _text_came(self, text: str, part: TextPart) -> None:
        hit = self._hit
        if hit is None:
            return
        self.text.show_text(text, part, code=hit.format == "code")
        self.stack.setCurrentWidget(self.text)
        place = (hit.start, hit.end)
        self.text.mark(place, [place])

    def _lost(self, _changed: bool) -> None:  # a slot
        if self._hit is not None and self.stack.currentWidget() is self.pages:
            self.pages.set_marks(NO_MARKS)
            self.pages.go_to(self._hit.page)

    def _failed(self, error: LecternError) -> None:
        step = failures.step(error.code, error.detail)
        self.message.explain("warning", failures.sentence(error.code, error.detail), step)
        self.stack.setCurrentWidget(self.message)


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


def named(side: ComparisonSide | Hit) -> str:
    """The file of a document, then its title, which versions share and which may be cut."""
    file = line(PurePath(side.file).name)
    title = line(side.title)
    return f"{file} ({title})" if title and title != PurePath(side.file).stem else file
