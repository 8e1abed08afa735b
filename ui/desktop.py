"""Files handed to the desktop: opened in their own program, shown in the file manager.

Owns every start of a program outside Lectern. Nothing here waits for an answer. Programs are
started with lists of arguments, never through a shell, and what a system would run instead of
showing it (``ui.runnable``) is never opened but shown in its folder.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePath, PureWindowsPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QProcess, QStandardPaths, QUrl
from PySide6.QtGui import QDesktopServices

from ui.runnable import would_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ui.ports import Notices

ENCODED = QUrl.ComponentFormattingOption.FullyEncoded


def start(command: Sequence[str]) -> bool:
    """Start a program that outlives this one; False if it is not there or there is none."""
    if not command:
        return False
    program = QStandardPaths.findExecutable(command[0]) or command[0]
    started, _process = QProcess.startDetached(program, list(command[1:]))
    return bool(started)


def _open_by_system(path: str) -> bool:
    return QDesktopServices.openUrl(QUrl.fromLocalFile(path))


def open_path(path: str, notices: Notices | None = None) -> None:
    """Open a file or folder in the program the person uses for its kind.

    Args:
        path: Absolute.
        notices: Told if nothing opens it, or if it is shown in its folder instead.
    """
    if is_program(path):
        show_in_folder(path)
        told = QCoreApplication.translate(
            "Desktop", "{name} is shown in its folder, because opening it could run it."
        )
    elif _open_by_system(path):
        return
    else:
        told = QCoreApplication.translate("Desktop", "No program could open {name}.")
    if notices is not None:
        notices.tell(told.format(name=PurePath(path).name))


def is_program(path: str) -> bool:
    """Whether the system would run what is at a path, or what a link there leads to."""
    try:
        mode = Path(path).stat().st_mode
        names = {path, os.path.realpath(path)}
    except (OSError, ValueError):
        mode, names = 0, {path}
    extensions = os.environ.get("PATHEXT", "")
    return any(would_run(name, sys.platform, mode, extensions) for name in names)


def show_in_folder(path: str) -> None:
    """Show a file selected in the system's file manager, or at least its folder."""
    match sys.platform:
        case "win32":
            shown = start(["explorer.exe", "/select,", str(PureWindowsPath(path))])
        case "darwin":
            shown = start(["/usr/bin/open", "-R", path])
        case _:
            shown = _ask_file_manager(path)
    if not shown:
        open_folder_of(path)


def open_folder_of(path: str) -> None:
    """Open the folder a file lies in, or the next one above that is no program."""
    for folder in map(str, Path(path).parents):
        if not is_program(folder):
            _open_by_system(folder)
            return


def _ask_file_manager(path: str) -> bool:
    """Ask the desktop's file manager; without waiting, its answer decides what else to do."""
    program = QStandardPaths.findExecutable("gdbus")
    if not program:
        return False
    asking = _FolderQuestion(path)
    asking.start(program)
    return True


class _FolderQuestion(QProcess):
    """A call of the interface that file managers share; opens the folder if nobody answers."""

    def __init__(self, path: str) -> None:
        super().__init__(QCoreApplication.instance())
        self._path = path
        self.finished.connect(self._done)
        self.errorOccurred.connect(self._failed)

    def start(self, program: str) -> None:  # type: ignore[override]
        address = QUrl.fromLocalFile(self._path).toString(ENCODED)
        # Quoted for the notation of GVariant; the URL holds no quote, it is percent-encoded.
        items = "['" + address.replace("'", "%27") + "']"
        interface = "org.freedesktop.FileManager1"
        super().start(program, [
            "call", "--session", "--timeout", "5", "--dest", interface,
            "--object-path", "/org/freedesktop/FileManager1",
            "--method", f"{interface}.ShowItems", items, "",
        ])  # fmt: skip

    def _done(self, status: int, _how: object) -> None:
        if status:
            open_folder_of(self._path)
        self.deleteLater()

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            open_folder_of(self._path)
            self.deleteLater()
