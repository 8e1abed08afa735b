"""The library's folders, collections and languages, for filters; reports of typing."""

from __future__ import annotations

import time
from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from indexer.api.requests import GetStatus, SetPace
from ui.ports import ignore

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.api.status import Status
    from ui.ports import EnginePort

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
        link.connected.connect(self.ask)
        self.ask()

    def ask(self) -> None:
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
