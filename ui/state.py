"""The stored state of the window: its geometry, its splitters and a few numbers, in one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings

if TYPE_CHECKING:
    from PySide6.QtWidgets import QSplitter, QWidget

FILE_NAME = "window.ini"


class WindowState(QSettings):
    """The state in a file in ``folder``; it is ignored if the file cannot be read or written."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FILE_NAME
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Qt keeps the mode of an existing file.
            self.file.touch(mode=0o600)
        except OSError:
            pass
        super().__init__(str(self.file), QSettings.Format.IniFormat)

    def restore_window(self, window: QWidget) -> bool:
        """Restore a window's geometry; return False if none is stored."""
        return window.restoreGeometry(self._bytes("geometry"))

    def save_window(self, window: QWidget) -> None:
        self.setValue("geometry", window.saveGeometry())

    def restore_splitter(self, name: str, splitter: QSplitter) -> bool:
        return splitter.restoreState(self._bytes(f"splitter/{name}"))

    def save_splitter(self, name: str, splitter: QSplitter) -> None:
        self.setValue(f"splitter/{name}", splitter.saveState())

    def number(self, name: str) -> int:
        """Return the number stored under a name; 0 if there is none."""
        kept = str(self.value(f"numbers/{name}", "0"))
        return int(kept) if kept.isdecimal() else 0

    def keep_number(self, name: str, number: int) -> None:
        self.setValue(f"numbers/{name}", number)

    def _bytes(self, name: str) -> QByteArray:
        kept = self.value(name)
        return kept if isinstance(kept, QByteArray) else QByteArray()
