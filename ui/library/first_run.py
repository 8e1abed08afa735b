"""The first run: choose folders, see the estimate, then a first answer from documents just read.

Nothing is read before Start is pressed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, QStandardPaths, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from indexer.api.requests import GetDocument, Index, ListFiles, Order, Search
from indexer.api.types import FileState, SearchResult
from ui.dialogs import choose_paths
from ui.library.cards import EstimateCard
from ui.ports import Context, Notice, ignore
from ui.requests import Questions
from ui.theme import XL, L, S
from ui.widgets import (
    IconButton,
    Restyled,
    ScrollPage,
    dropped_paths,
    filled,
    leading,
    stacked,
    timer,
    wrapped_label,
)
from ui.words.amounts import from_home

if TYPE_CHECKING:
    from PySide6.QtGui import (
        QDragEnterEvent,
        QDragMoveEvent,
        QDropEvent,
        QHideEvent,
        QResizeEvent,
        QShowEvent,
    )

    from indexer.api.answers import Document, FileList
    from indexer.api.status import Activity

COUNT_MS = 400
# The widest column, in average letters, and the size of titles.
WIDEST, TITLE_SCALE = 135, 1.45


class FirstRun(Restyled, ScrollPage):
    """The first page of a new library. Signals: ``finished`` with the query, "" for none.

    It ends with a query that one of the documents just read answers, so that the person sees a
    first passage on its page, in the search page.
    """

    finished = Signal(str)

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._questions = Questions(context, self)
        self.setAcceptDrops(True)
        self.setAccessibleName(self.tr("First steps"))
        self.folders = FolderChoice(usual_folders())
        self.card = EstimateCard(context, can_cancel=False)
        self.suggestion = QuerySuggestion(context, self)
        self.suggestion.found.connect(self._show_example)
        self._titles = (
            wrapped_label(self.tr("Find the passage that answers your question")),
            wrapped_label(self.tr("Your documents are being read")),
        )
        self._arrange()
        self._counting = timer(self, COUNT_MS, self._count)
        self.folders.changed.connect(self._counting.start)
        self.card.accepted.connect(self._start)

    def _arrange(self) -> None:
        self._steps = stacked(self._choosing(), self._reading())
        page = QWidget()
        self._outer = QVBoxLayout(page)
        self._outer.addWidget(self._steps, 1, Qt.AlignmentFlag.AlignHCenter)
        self.setWidget(page)
        self.restyle()
        self.setFocusProxy(self.folders.add_button)

    def restyle(self) -> None:
        big = QFont(self.font())
        big.setPointSizeF(big.pointSizeF() * TITLE_SCALE)
        big.setBold(True)
        for title in self._titles:
            title.setFont(big)
        room = max(0, self.viewport().width() - 2 * XL)
        self._steps.setFixedWidth(min(self.fontMetrics().averageCharWidth() * WIDEST, room))

    def _choosing(self) -> QWidget:
        step = QWidget()
        text = self.tr(
            "Choose the folders with your documents. They are read on this computer, "
            "nothing leaves it, and no file is ever changed. They may be in any of about "
            "a hundred languages; the first documents decide which language model is used."
        )
        column = filled(QVBoxLayout(step), self._titles[0], wrapped_label(text), spacing=L)
        column.addSpacing(L)
        column.addWidget(self.folders)
        column.addSpacing(L)
        column.addWidget(self.card)
        column.addStretch(1)
        return step

    def _reading(self) -> QWidget:
        step = QWidget()
        text = self.tr(
            "Each can be searched in a moment: by its words at once, by its meaning soon after."
        )
        leave = partial(self.finished.emit, "")
        self.skip = IconButton(self.tr("&Open search"), "search", leave)
        parts = (self._titles[1], wrapped_label(text), leading(self.skip))
        filled(QVBoxLayout(step), *parts, None, spacing=L)
        return step

    # -- events ---------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._steps.currentIndex() == 0:
            self._counting.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.restyle()
        # A share of the height, so that nothing moves when the estimate or an answer comes.
        edge = max(XL, self.height() // 12)
        self._outer.setContentsMargins(XL, edge, XL, edge)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._counting.stop()
        self.suggestion.stop()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._steps.currentIndex() == 0 and dropped_paths(event.mimeData()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.folders.add_folders(dropped_paths(event.mimeData()))

    # -- steps ----------------------------------------------------------------------------------

    def _count(self) -> None:
        paths = self.folders.paths
        if paths:
            self.card.estimate_paths(paths)
        else:
            self.card.dismiss()

    def _start(self, paths: list[str]) -> None:
        self._questions.send_lasting(Index(tuple(map(Path, paths)), kept=True), ignore)
        self._steps.setCurrentIndex(1)
        self.setFocusProxy(self.skip)
        self.skip.setFocus()

    def show_activity(self, activity: Activity | None) -> None:
        """Look for an example among the files just read; the foot says how far reading is."""
        if activity is not None and self._steps.currentIndex() == 1 and self.isVisible():
            self.suggestion.refresh()

    def _show_example(self, query: str) -> None:
        """Leave the page with an example query, unless the person has left it already."""
        if self.isVisible():
            text = self.tr(
                "This is an example from your documents. Ask your own question in the box; more is "
                "read every second."
            )
            self._context.notices.post(Notice(text))
            self.finished.emit(query)


_Place = QStandardPaths.StandardLocation
_PLACES = (_Place.DocumentsLocation, _Place.DesktopLocation, _Place.DownloadLocation)


def usual_folders() -> list[str]:
    """Return the system's folders for documents that exist, without the home folder itself."""
    home = QDir.homePath()
    found = [QStandardPaths.writableLocation(place) for place in _PLACES]
    return [path for path in dict.fromkeys(found) if path and path != home and QDir(path).exists()]


class FolderChoice(QWidget):
    """Check boxes of folders. Signals: ``changed`` when the checked folders change."""

    changed = Signal()

    def __init__(self, offered: Sequence[str]) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Folders to search"))
        self.boxes: dict[str, QCheckBox] = {}
        self._column = filled(QVBoxLayout(self), spacing=S)
        ask = partial(choose_paths, self, self.tr("Add a folder"), self.add_folders, folder=True)
        self.add_button = IconButton(self.tr("&Add folder…"), "folder-add", ask)
        self._column.addSpacing(S)
        self._column.addLayout(leading(self.add_button))
        for number, path in enumerate(offered):
            self._add(path, ticked=number == 0)

    @property
    def paths(self) -> list[str]:
        """The selected folders."""
        return [path for path, box in self.boxes.items() if box.isChecked()]

    def add_folders(self, paths: Sequence[str]) -> None:
        """Offer more folders, checked."""
        for path in paths:
            if path in self.boxes:
                self.boxes[path].setChecked(True)
            else:
                self._add(path, ticked=True)
        self.changed.emit()

    def _add(self, path: str, *, ticked: bool) -> None:
        name = PurePath(path).name or path
        text = self.tr("{name} ({path})").format(name=name, path=from_home(path))
        box = QCheckBox(text.replace("&", "&&"))
        box.setChecked(ticked)
        box.setAccessibleName(path)
        box.toggled.connect(self.changed)
        self._column.insertWidget(len(self.boxes), box)
        self.boxes[path] = box


MAX_FILES = 12
LEAST_LETTERS, MOST_QUERY_LETTERS, MOST_WORDS = 6, 60, 8
# States of files that can be searched.
_STATES = (FileState.INDEXED, FileState.TEXT_ONLY)
# Signs that the grammar of queries uses, so that a suggestion must not have them.
_SIGNS = frozenset('":()[]{}<>*')


class QuerySuggestion(QObject):
    """Finds a query that one of the documents answers. Signals: ``found`` with the query, once."""

    found = Signal(str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._questions = Questions(context, self)
        self._seen: set[str] = set()
        self._waiting: list[str] = []
        self.text = ""

    def refresh(self) -> None:
        """Look for a query in the files that the engine has read since the last call."""
        if self.text or self._waiting or self._waits:
            return
        for state in _STATES:
            request = ListFiles(state, limit=MAX_FILES, order=Order.MODIFIED)
            self._questions.ask_engine(request, self._handle_files, failed=ignore, slot=state)

    def stop(self) -> None:
        self._waiting = []
        self._questions.cancel_all()

    @property
    def _waits(self) -> bool:
        """Return whether a file is being looked at; a request for another would cancel its own."""
        asked = (GetDocument.wire_name, Search.wire_name)
        return any(self._questions.is_waiting(each) for each in asked)

    def _handle_files(self, listed: FileList) -> None:
        paths = [row.path for row in listed.files]
        self._waiting += [path for path in paths if path not in self._seen]
        self._seen.update(paths)
        if not self._waits:
            self._look_at_next()

    def _look_at_next(self, _error: object = None) -> None:
        if self._waiting and not self.text:
            path = Path(self._waiting.pop(0))
            done = partial(self._handle_document, path)
            self._questions.ask_engine(GetDocument(path), done, failed=self._look_at_next)

    def _handle_document(self, path: Path, document: Document) -> None:
        text = without_signs(document.title or path.stem)
        if text:
            done, request = partial(self._handle_result, text), Search(text, 1, full_text=False)
            self._questions.ask_engine(request, done, failed=self._look_at_next)
        else:
            self._look_at_next()

    def _handle_result(self, text: str, result: SearchResult) -> None:
        for hit in result.hits[:1]:
            headings = map(without_signs, reversed(hit.heading_path))
            # The heading of a section is a better query than the title of the document.
            better = next(filter(is_good, headings), text)
            if is_good(better):
                self._waiting, self.text = [], better
                self.found.emit(better)
        self._look_at_next()


def without_signs(text: str) -> str:
    """Remove the signs of the grammar of queries from a text.

    >>> without_signs('2.1  "Rent":  the basics')
    '2.1 Rent the basics'
    >>> without_signs("annual_report-2023")
    'annual report 2023'
    """
    letters = (" " if sign in _SIGNS or sign in "_-/\\" else sign for sign in text)
    return " ".join("".join(letters).split())


def is_good(text: str) -> bool:
    """Return whether a text can be a query: mostly letters, neither too short nor too long.

    >>> is_good("Repairs of the roof"), is_good("1.2.3"), is_good("IV")
    (True, False, False)
    """
    letters = sum(sign.isalpha() for sign in text)
    fits = LEAST_LETTERS <= len(text) <= MOST_QUERY_LETTERS and len(text.split()) <= MOST_WORDS
    return fits and letters > len(text) // 2
