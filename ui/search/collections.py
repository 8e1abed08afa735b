"""Collections: named sets of documents, made of a query's filters or document by document.

Owns the dialog for a name, and the requests that store and delete a collection. It must not know
how one is searched: ``in:`` with its name is a filter like any other.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog

from indexer.api.requests import SetCollection
from indexer.query.grammar import clauses
from ui.ports import Notice
from ui.search.query_text import parted, written
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtWidgets import QWidget

    from indexer.api.errors import LecternError
    from ui.ports import Context


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

    def show(self, known: Mapping[str, str]) -> None:
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

    def add(self, name: str, path: str) -> None:
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

    def remove(self, name: str) -> None:
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
            self.show(known)
            if message:
                self._say(message, name, undo)

        self._context.link.ask(SetCollection(name, filters), done=done, failed=self._failed)

    def _say(self, message: str, name: str, undo: Callable[[], None] | None = None) -> None:
        self._context.notices.post(Notice(message.format(name=name), undo=undo))

    def _failed(self, error: LecternError) -> None:
        self._context.notices.post(Notice(failures.failure(error)))
