"""The folders, collections and languages of the library, offered to what chooses filters."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog

from indexer.api.requests import GetStatus, SetCollection, SetPace
from indexer.query.grammar import clauses
from ui.ports import Notice, ignore
from ui.search.query_text import parted, written
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from PySide6.QtWidgets import QWidget

    from indexer.api.errors import LecternError
    from indexer.api.status import Status
    from ui.ports import Context, EnginePort
    from ui.search.actions import HitActions
    from ui.search.box import SearchBox
    from ui.search.filters import FilterMenus

# Seconds between two reports of typing to the engine.
_TYPING_S = 1.0


class FilterChoices(QObject):
    """``roots`` is None until the engine has answered.

    Signals:
        changed: The values have changed.
    """

    changed = Signal()

    def __init__(self, link: EnginePort, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link = link
        self.roots: tuple[str, ...] | None = None
        self.languages: tuple[str, ...] = ()
        self.collections: Mapping[str, str] = {}
        self._typed = 0.0
        link.connected.connect(self.ask_choices)
        self.ask_choices()

    def ask_choices(self) -> None:
        """Ask the engine for the values, if it is connected."""
        if self._link.is_connected:
            self.roots = self.roots or None  # an empty library may have roots by now
            self._link.ask(GetStatus(), done=self._handle_status)

    def report_typing(self) -> None:
        """Report typing to the engine, which slows down indexing for a moment."""
        now = time.monotonic()
        if now - self._typed >= _TYPING_S and self._link.is_connected:
            self._typed = now
            self._link.ask(SetPace(typing=True), done=ignore)

    def _handle_status(self, status: Status) -> None:
        self.roots = tuple(root.path for root in status.roots)
        self.languages = tuple(each.language for each in status.languages)
        self.collections = status.collections
        self.changed.emit()


def folders_of(roots: Sequence[str], paths: Iterable[str]) -> tuple[str, ...]:
    """Return the roots, then the folders of these files, those with most files first."""
    counts: dict[str, int] = {}
    for path in paths:
        folder = str(PurePath(path).parent)
        counts[folder] = counts.get(folder, 0) + 1
    fullest = sorted(counts, key=lambda folder: -counts[folder])
    return tuple(dict.fromkeys((*roots, *fullest)))


class Collections(QObject):
    """The collections of the library; ``known`` has their queries by their names.

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
        """Set the collections to those of the engine's answer."""
        if known != self.known:
            self.known = known
            self.changed.emit()

    @property
    def lists(self) -> list[str]:
        """The names of collections that list folders and documents, which can be extended."""
        return [
            name
            for name, text in self.known.items()
            if all(each.operator == "in" and not each.excluded for each in clauses(text))
        ]

    def ask_name(self, filters: str) -> None:
        """Ask for a name, and store filters under it."""
        dialog = QInputDialog(self._widget)
        dialog.setWindowTitle(self.tr("New collection"))
        dialog.setLabelText(self.tr("Name of the collection:"))
        dialog.setOkButtonText(self.tr("Save"))
        dialog.textValueSelected.connect(partial(self._named, filters))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def add_document(self, name: str, path: str) -> None:
        """Add a document to a collection; without a name, to a new one."""
        if not name:
            self.ask_name(written("in", path))
            return
        before, clause = self.known.get(name, ""), written("in", path)
        if clause in parted(before)[0]:
            self._say(self.tr("It is in “{name}” already"), name)
            return
        undo = partial(self._set, name, before)
        self._set(name, f"{before} {clause}", self.tr("Added to “{name}”"), undo)

    def remove_collection(self, name: str) -> None:
        """Delete a collection; its documents stay in the library."""
        before = self.known.get(name, "")
        undo = partial(self._set, name, before)
        self._set(name, "", self.tr("The collection “{name}” was removed"), undo)

    def _named(self, filters: str, name: str) -> None:
        name = " ".join(name.replace('"', " ").split())
        if name:
            before = next((one for one in self.known if one.casefold() == name.casefold()), "")
            undo = partial(self._set, name, self.known.get(before, ""))
            self._set(name, filters, self.tr("“{name}” is a collection now"), undo)

    def _set(
        self, name: str, filters: str, message: str = "", undo: Callable[[], None] | None = None
    ) -> None:
        def done(known: Mapping[str, str]) -> None:
            self.show_collections(known)
            if message:
                self._say(message, name, undo)

        self._context.link.ask(SetCollection(name, filters), done=done, failed=self._failed)

    def _say(self, message: str, name: str, undo: Callable[[], None] | None = None) -> None:
        self._context.notices.post(Notice(message.format(name=name), undo=undo))

    def _failed(self, error: LecternError) -> None:
        self._context.notices.post(Notice(failures.failure(error)))


class FilterValues(QObject):
    """``choices`` has the values that the engine gave."""

    def __init__(
        self,
        link: EnginePort,
        collections: Collections,
        box: SearchBox,
        menus: FilterMenus,
        actions: HitActions,
    ) -> None:
        super().__init__(box)
        self._collections, self._actions = collections, actions
        self._box, self._menus = box, menus
        self._paths: Sequence[str] = ()
        self.choices = FilterChoices(link, self)
        self.choices.changed.connect(self._take)
        self._menus.opened.connect(self.choices.ask_choices)
        collections.changed.connect(self._offer_collections)
        actions.collected.connect(collections.add_document)

    def show_documents(self, paths: Sequence[str]) -> None:
        """Offer the folders of the documents of an answer, too."""
        self._paths = paths
        self._offer_places()

    def _take(self) -> None:
        self._offer_places()
        self._collections.show_collections(self.choices.collections)

    def _offer_places(self) -> None:
        folders = folders_of(self.choices.roots or (), self._paths)
        languages, box = self.choices.languages, self._box
        self._menus.folders, self._menus.languages = folders, languages
        box.offers = replace(box.offers, folders=folders, languages=languages)

    def _offer_collections(self) -> None:
        names, box = tuple(self._collections.known), self._box
        self._menus.collections = names
        self._actions.collections = tuple(self._collections.lists)
        box.offers = replace(box.offers, collections=names)
        self.choices.ask_choices()  # replaces an answer that is still to come
