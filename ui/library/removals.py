"""Removals of folders that can be undone for a while.

A file lists them until the engine has carried them out, so that they survive a restart of the
window or the engine.
"""

from __future__ import annotations

import json
import logging
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.atomic import write_file
from indexer.api.requests import Remove
from ui.library.questions import Questions
from ui.ports import Notice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.errors import LecternError
    from ui.ports import Context

log = logging.getLogger(__name__)

FILE_NAME = "removals.json"


class Removals(QObject):
    """Signals: ``changed`` when the set of hidden folders changes."""

    changed = Signal()

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._questions = Questions(context, self)
        self._file = context.folder / FILE_NAME
        self._undoable: list[str] = []
        self._due = _listed_removals(context)
        context.link.connected.connect(self.send_removals)
        if self._due and context.link.is_connected:
            self.send_removals()

    @property
    def hidden(self) -> frozenset[str]:
        """The folders with a pending removal."""
        return frozenset((*self._undoable, *self._due))

    def remove_folders(self, paths: Sequence[str]) -> None:
        """Hide folders, and remove them from the library unless the person undoes it."""
        self._undoable = list(paths)
        self._write()
        self.changed.emit()
        self._context.notices.post(
            Notice(
                self.tr("%Ln folder(s) removed. The files themselves stay.", "", len(paths)),
                undo=self._undo,
                expired=self._expire,
            )
        )

    def send_removals(self) -> None:
        """Send the removals that are due to the engine, if it is connected."""
        if self._due and self._context.link.is_connected:
            request = Remove(tuple(map(Path, self._due)))
            self._questions.send(request, self._removed, failed=self._failed)

    def _undo(self) -> None:
        self._undoable = []
        self._write()
        self.changed.emit()

    def _expire(self) -> None:
        self._due += self._undoable
        self._undoable = []
        self.send_removals()

    def _removed(self, _removal: object) -> None:
        self._due = []
        self._write()
        self.changed.emit()

    def _failed(self, error: LecternError) -> None:
        if error.code == "engine_gone":
            return  # sent again with the next connection
        self._due = []
        self._write()
        self.changed.emit()
        if error.code != "not_a_root":  # else it is removed already
            self._questions.report(error)

    def _write(self) -> None:
        paths = [*self._due, *self._undoable]
        try:
            if paths:
                self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_file(self._file, json.dumps(paths))
            else:
                self._file.unlink(missing_ok=True)
        except OSError as error:
            log.warning("what is to be removed cannot be noted: %s", error.strerror)


def _listed_removals(context: Context) -> list[str]:
    with suppress(OSError, ValueError):
        paths = json.loads((context.folder / FILE_NAME).read_text(encoding="utf-8"))
        if isinstance(paths, list) and all(isinstance(path, str) for path in paths):
            return paths
    return []
