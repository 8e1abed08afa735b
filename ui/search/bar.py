"""The line at the top of the search page: the box, saved searches and collections."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from indexer.api.requests import GetStatus, SetCollection, SetPace
from indexer.query.grammar import clauses
from ui.dialogs import ask_text
from ui.ports import Context, EnginePort, Notice, Notices, ignore
from ui.requests import LatestRequest
from ui.search.box import SearchBox
from ui.search.query_text import parted, with_filter, written
from ui.search.safe_text import line
from ui.theme import current, icon
from ui.widgets import IconToolButton, filled, timer
from ui.words import amounts, failures

if TYPE_CHECKING:
    from indexer.api.errors import LecternError
    from indexer.api.status import Status
    from ui.search.actions import HitActions
    from ui.search.memory import Memory, Saved


# Seconds between two reports of typing to the engine.
_TYPING_S = 1.0


class Collections(QObject):
    """The collections of the library; ``known`` maps their names to their queries.

    Signals:
        changed: ``known`` has changed.
    """

    changed = Signal()

    def __init__(self, context: Context, parent: QWidget) -> None:
        super().__init__(parent)
        self.known: Mapping[str, str] = {}
        self._context = context
        self._widget = parent

    def show_collections(self, known: Mapping[str, str]) -> None:
        """Take over the collections of the engine's answer."""
        if known != self.known:
            self.known = known
            self.changed.emit()

    @property
    def lists(self) -> list[str]:
        """The names of collections that can be extended: those that list folders and documents."""
        return [
            name
            for name, text in self.known.items()
            if all(each.operator == "in" and not each.excluded for each in clauses(text))
        ]

    def ask_name(self, filters: str) -> None:
        """Ask for a name, and store filters under it."""
        title, label = self.tr("New collection"), self.tr("Name of the collection:")
        named = partial(self._named, filters)
        ask_text(self._widget, title, label, named, saves=self.tr("Save"))

    def add_document(self, name: str, path: str) -> None:
        """Add a document to a collection; without a name, to a new one."""
        if not name:
            self.ask_name(written("in", path))
            return
        before, clause = self.known.get(name, ""), written("in", path)
        if clause in parted(before)[0]:
            self._say(self.tr("It is in “{name}” already"), name)
            return
        undo = partial(self._set, SetCollection(name, clause, removes=True))
        added = SetCollection(name, clause, adds=True)
        self._set(added, self.tr("Added to “{name}”"), undo)

    def remove_collection(self, name: str) -> None:
        """Delete a collection; its documents stay in the library."""
        before = self.known.get(name, "")
        undo = partial(self._set, SetCollection(name, before, was=""))
        removed = SetCollection(name, was=before)
        self._set(removed, self.tr("The collection “{name}” was removed"), undo)

    def _named(self, filters: str, name: str) -> None:
        name = " ".join(name.replace('"', " ").split())
        if name:
            known = next((one for one in self.known if one.casefold() == name.casefold()), "")
            before = self.known.get(known, "")
            undo = partial(self._set, SetCollection(name, before, was=filters))
            named = SetCollection(name, filters, was=before)
            self._set(named, self.tr("“{name}” is a collection now"), undo)

    def _set(
        self, request: SetCollection, message: str = "", undo: Callable[[], None] | None = None
    ) -> None:
        def done(known: Mapping[str, str]) -> None:
            self.show_collections(known)
            if message:
                self._say(message, request.name, undo)

        self._context.link.send_request(request, done=done, failed=self._failed)

    def _say(self, message: str, name: str, undo: Callable[[], None] | None = None) -> None:
        self._context.notices.post(Notice(message.format(name=name), undo=undo))

    def _failed(self, error: LecternError) -> None:
        self._context.notices.post(Notice(failures.failure(error)))
        self.changed.emit()  # asks for the collections, as another window may have changed them


class FilterValues(QObject):
    """Knows the values by which the library can be filtered, and offers them to the box.

    ``roots`` is None until the engine has answered.

    Signals:
        changed: The values have changed.
    """

    changed = Signal()

    def __init__(
        self, link: EnginePort, collections: Collections, box: SearchBox, actions: HitActions
    ) -> None:
        super().__init__(box)
        self._link, self._status = link, LatestRequest(link)
        self._collections, self._actions, self._box = collections, actions, box
        self.roots: tuple[str, ...] | None = None
        self.languages: tuple[str, ...] = ()
        self._typed = 0.0
        collections.changed.connect(self._offer_collections)
        actions.collected.connect(collections.add_document)
        link.connected.connect(self.ask_values)
        self.ask_values()

    def ask_values(self) -> None:
        """Ask the engine for the values, if it is connected."""
        if self._link.is_connected:
            self.roots = self.roots or None  # a library that was empty may have roots by now
            self._status.replace_request(GetStatus(), self._handle_status)

    def report_typing(self) -> None:
        """Report typing to the engine, which slows down indexing for a moment."""
        now = time.monotonic()
        if now - self._typed >= _TYPING_S and self._link.is_connected:
            self._typed = now
            self._link.send_request(SetPace(typing=True), done=ignore)

    def show_documents(self, paths: Sequence[str]) -> None:
        """Also offer the folders of an answer's documents, the fullest first."""
        folders = Counter(str(PurePath(path).parent) for path in paths)
        listed = tuple(dict.fromkeys((*(self.roots or ()), *dict(folders.most_common()))))
        self._box.offers = replace(self._box.offers, folders=listed, languages=self.languages)

    def _handle_status(self, status: Status) -> None:
        self.roots = tuple(root.path for root in status.roots)
        self.languages = tuple(each.language for each in status.languages)
        self.show_documents(())
        self._collections.show_collections(status.collections)
        self.changed.emit()

    def _offer_collections(self) -> None:
        self._actions.collections = tuple(self._collections.lists)
        names = tuple(self._collections.known)
        self._box.offers = replace(self._box.offers, collections=names)
        self.ask_values()  # replaces an answer that is still to come


# Milliseconds after which a search shows its line, and which the line takes to cross the page.
_BUSY_MS, _CROSSING_MS = 150, 1800


class BusyLine(QWidget):
    """A thin line under the box that moves while a search runs; its room is always reserved."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(2)
        self._crossing = QVariantAnimation(
            self, startValue=0.0, endValue=1.0, duration=_CROSSING_MS
        )
        self._crossing.setLoopCount(-1)
        self._crossing.valueChanged.connect(lambda _value: self.update())
        self._wait = timer(self, _BUSY_MS, self._crossing.start)

    @property
    def is_moving(self) -> bool:
        return self._crossing.state() is QVariantAnimation.State.Running

    def show_busy(self, busy: bool) -> None:  # a slot
        """Stop, or begin to move unless the search ends soon."""
        if not busy:
            self._wait.stop()
            self._crossing.stop()
            self.update()
        elif not self._wait.isActive() and not self.is_moving:
            self._wait.start()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.is_moving:
            part = self.width() // 4
            left = round((self.width() + part) * self._crossing.currentValue()) - part
            painter = QPainter(self)
            painter.fillRect(left, 0, part, self.height(), current().accent)


_SHOWN = 12


class SearchBar(QWidget):
    """The box, with the button for saved and recent searches and collections.

    Signals:
        searched: A query to ask at once, such as a saved one.
        help_requested: Show the help of the grammar.
    """

    searched = Signal(str)
    help_requested = Signal()

    def __init__(self, memory: Memory, collections: Collections, notices: Notices) -> None:
        super().__init__()
        self._memory = memory
        self._collections = collections
        self._notices = notices
        self._saved: tuple[Saved, ...] = ()
        self.box = SearchBox()
        name = self.tr("Saved and recent searches, collections")
        self.kept_button = IconToolButton("star", name, self.show_kept)
        self.menu = QMenu(self)
        self.menu.aboutToShow.connect(self._fill)
        filled(QHBoxLayout(self), self.box, self.kept_button, wide=self.box)
        memory.changed.connect(self._offer)
        self._enlarging = timer(self, 0, self._enlarge)
        self._enlarge()

    def show_kept(self) -> None:
        """Open the menu of saved and recent searches."""
        button, menu = self.kept_button, self.menu
        self._fill()
        left = 0 if self.isRightToLeft() else button.width() - menu.sizeHint().width()
        menu.popup(button.mapToGlobal(QPoint(left, button.height())))

    def show_saved(self, saved: tuple[Saved, ...]) -> None:
        """Show the number of new passages of the saved searches beside the star."""
        self._saved = saved
        new = sum(each.new for each in saved)
        name = self.tr("Saved and recent searches, collections")
        name = self.tr("{name}: {new}").format(name=name, new=amounts.new(new)) if new else name
        button = self.kept_button
        button.setText(amounts.count(new) if new else "")
        style = Qt.ToolButtonStyle
        both, alone = style.ToolButtonTextBesideIcon, style.ToolButtonIconOnly
        button.setToolButtonStyle(both if new else alone)
        button.setToolTip(name)
        button.setAccessibleName(name)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        changes = (event.Type.FontChange, event.Type.StyleChange)
        if event.type() in changes and hasattr(self, "kept_button"):
            # This comes later, since a new style sheet gives the box its old font.
            self._enlarging.start()

    def _enlarge(self) -> None:
        """Make the text of the box larger than the window's."""
        font = self.font()
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * 1.15)
        self.box.setFont(font)

    def _offer(self) -> None:
        memory = self._memory
        self.box.offers = replace(self.box.offers, recent=memory.recent, saved=memory.saved)

    def _fill(self) -> None:
        menu, memory, text = self.menu, self._memory, self.box.query.strip()
        menu.clear()
        name = memory.name_of(text)
        ask = partial(self._ask_name, text)
        save = menu.addAction(icon("star"), self.tr("Save this search…"), ask)
        save.setEnabled(bool(text) and not name)
        if name:
            remove = self.tr("Remove “{name}”").format(name=_plain(name))
            menu.addAction(icon("trash"), remove, partial(self.discard, name))
        self._fill_collections(menu, text)
        if self._saved:
            menu.addSection(self.tr("Saved"))
            for saved in self._saved[:_SHOWN]:
                new = f" \u2013 {amounts.new(saved.new)}" if saved.new else ""
                self._add(menu, saved.name + new, saved.text)
        if memory.recent:
            menu.addSection(self.tr("Recent"))
            for recent in memory.recent[:_SHOWN]:
                self._add(menu, recent, recent)
            menu.addSeparator()
            menu.addAction(self.tr("Forget recent searches"), memory.forget_history)
        menu.addSeparator()
        menu.addAction(icon("help"), self.tr("Search syntax…"), self.help_requested.emit)

    def _fill_collections(self, menu: QMenu, text: str) -> None:
        """Add the collections, and an entry that saves the query's filters as one."""
        filters = " ".join(parted(text)[0])
        ask = partial(self._collections.ask_name, filters)
        keep = menu.addAction(icon("library"), self.tr("Keep the filters as a collection…"), ask)
        keep.setEnabled(bool(filters))
        known = self._collections.known
        searched = {each.value for each in clauses(text) if each.operator == "in"}
        for name in sorted(searched.intersection(known)):
            remove = self.tr("Remove the collection “{name}”").format(name=_plain(name))
            act = partial(self._collections.remove_collection, name)
            menu.addAction(icon("trash"), remove, act)
        if known:
            menu.addSection(self.tr("Collections"))
            for name in list(known)[:_SHOWN]:
                self._add(menu, name, with_filter(text, "in", name))

    def _add(self, menu: QMenu, name: str, text: str) -> None:
        metrics = self.fontMetrics()
        room = metrics.averageCharWidth() * 50
        shown = metrics.elidedText(_plain(name), Qt.TextElideMode.ElideRight, room)
        menu.addAction(shown, partial(self.searched.emit, text))

    def _ask_name(self, text: str) -> None:
        title, label = self.tr("Save this search"), self.tr("Name of the search:")

        def save(name: str) -> None:
            self._memory.save_search(name, self.box.query)

        ask_text(self, title, label, save, text=line(text), saves=self.tr("Save"))

    def discard(self, name: str) -> None:
        """Remove a saved search; it can be undone."""
        gone = self._memory.discard_search(name)
        undo = partial(self._memory.save_search, gone.name, gone.text) if gone else None
        self._notices.post(Notice(self.tr("The saved search was removed"), undo=undo))


def _plain(text: str) -> str:
    return line(text).replace("&", "&&")
