"""Opens files in other programs, and shows them in the file manager.

Every program is started here, or by ``ui.programs`` in the launcher, and none is waited for.
Programs get a list of arguments, never a shell's command line. A file that the system would run is
not opened but shown in its folder.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path, PurePath, PureWindowsPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QProcess, QStandardPaths, QUrl
from PySide6.QtGui import QDesktopServices

from indexer.api.errors import LecternError
from indexer.confine import launcher
from ui.ports import Notice
from ui.preview.viewer_commands import custom_command, view_command
from ui.programs import is_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ui.ports import Notices

log = logging.getLogger(__name__)

ENCODED = QUrl.ComponentFormattingOption.FullyEncoded


def start(command: Sequence[str]) -> bool:
    """Start a program that outlives this one; False if the command is empty or does not start."""
    if not command:
        return False
    program = QStandardPaths.findExecutable(command[0]) or command[0]
    started, _process = QProcess.startDetached(program, list(command[1:]))
    return bool(started)


def start_viewer(name: str, path: str, page: int, own: str = "") -> bool:
    """Start a viewer at a page; False if it does not start.

    Args:
        name: What the system calls the viewer; "" for the person's own command.
        path: Absolute.
        page: From 1.
        own: The person's command; a launcher ignores it and reads the settings.
    """
    if launcher.current() is not None:
        return _ask(launcher.OpenInViewer(name, Path(path), page))
    return start(view_command(name, path, page) if name else custom_command(own, path, page))


def _open_by_system(path: str) -> bool:
    if launcher.current() is not None:
        return _ask(launcher.OpenPath(Path(path)))
    return QDesktopServices.openUrl(QUrl.fromLocalFile(path))


def _ask(request: launcher.LauncherRequest[bool]) -> bool:
    """Have the launcher start a program, since one started here would have no network."""
    outside = launcher.current()
    try:
        return outside is not None and outside.ask(request)
    except LecternError:
        log.warning("the launcher did not open anything", exc_info=True)
        return False


def open_path(path: str, notices: Notices | None = None) -> None:
    """Open a file or folder in the program the person uses for its kind.

    Args:
        path: Absolute.
        notices: Where to say that nothing opens it, or that it is shown in its folder instead.
    """
    if is_program(path):
        show_in_folder(path)
        message = QCoreApplication.translate(
            "Desktop", "{name} is shown in its folder, because opening it could run it."
        )
    elif _open_by_system(path):
        return
    else:
        message = QCoreApplication.translate("Desktop", "No program could open {name}.")
    if notices is not None:
        notices.post(Notice(message.format(name=PurePath(path).name)))


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
    """Open the folder of a file; on macOS, where a folder may be a program, the next one above."""
    for folder in map(str, Path(path).parents):
        if not is_program(folder):
            _open_by_system(folder)
            return


def _ask_file_manager(path: str) -> bool:
    """Ask the file manager over D-Bus; False without the program that asks."""
    program = QStandardPaths.findExecutable("gdbus")
    if not program:
        return False
    asking = _FolderQuestion(path)
    asking.ask(program)
    return True


class _FolderQuestion(QProcess):
    """A call of the file managers' D-Bus interface; opens the folder if none answers."""

    def __init__(self, path: str) -> None:
        super().__init__(QCoreApplication.instance())
        self._path = path
        self.finished.connect(self._done)
        self.errorOccurred.connect(self._failed)

    def ask(self, program: str) -> None:
        address = QUrl.fromLocalFile(self._path).toString(ENCODED)
        # A GVariant text; percent-encoding leaves only the single quote to be replaced.
        items = "['" + address.replace("'", "%27") + "']"
        interface = "org.freedesktop.FileManager1"
        self.start(program, [
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
