"""What Lectern asks of the desktop: open a file at a page, show it in its folder.

Every program is started here, or by ``ui.programs`` in the launcher, and none is waited for.
Programs get a list of arguments, never a shell's command line. A file that the system would run is
not opened but shown in its folder.
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path, PurePath, PureWindowsPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QProcess, QSettings, QStandardPaths, QUrl
from PySide6.QtGui import QDesktopServices

from indexer.api.errors import LecternError
from indexer.confine import launcher
from ui import programs
from ui.ports import Context, Notice, Notices
from ui.programs import custom_command, filled, is_program, program_of, view_command, viewer_named
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.types import Hit


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
        page: From 1.
        own: The person's command; a launcher ignores it and reads the settings.
    """
    if launcher.current() is not None:
        return _ask(launcher.OpenInViewer(name, Path(path), page))
    return start(view_command(name, path, page) if name else custom_command(own, path, page))


def start_again() -> bool:
    """Start this program again, once its window has closed; False if it does not start."""
    if launcher.current() is not None:
        return _ask(launcher.StartAgain())
    return programs.start_again()


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

    ``notices`` is where to say that nothing opens it, or that it is shown in its folder instead.
    """
    if is_gone(path):
        message = QCoreApplication.translate("Desktop", "{name} is no longer where it was.")
    elif is_program(path):
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


def is_gone(path: str) -> bool:
    """Whether nothing is at a path any more."""
    return not os.path.lexists(path)


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
    asking.call_file_manager(program)
    return True


class _FolderQuestion(QProcess):
    """A call of the file managers' D-Bus interface; opens the folder if none answers."""

    def __init__(self, path: str) -> None:
        super().__init__(QCoreApplication.instance())
        self._path = path
        self.finished.connect(self._done)
        self.errorOccurred.connect(self._failed)

    def call_file_manager(self, program: str) -> None:
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


SETTING = "viewer"
_PAGED = frozenset({".pdf"})
_ASK_MS = 1_500


def open_external(hit: Hit, context: Context | None = None, page: int = 0) -> None:
    """Open the document of a hit in the system's viewer, at the page if that viewer can.

    Args:
        context: For the person's own command, and a notice if nothing opens.
        page: The page; 0 for that of the hit.
    """
    opening = _Opening(hit.path, max(page or hit.page, 1), context)
    opening.begin()


class _Opening(QObject):
    """The opening of one document; deletes itself afterwards."""

    def __init__(self, path: str, page: int, context: Context | None) -> None:
        super().__init__(QCoreApplication.instance())
        self._path, self._page, self._context = path, page, context
        self._query: QProcess | None = None
        self._timeout = timer(self, _ASK_MS, self._no_answer)

    def begin(self) -> None:
        own = str(self._setting() or "").strip()
        if is_gone(self._path):
            self._finish(started=False)  # which says so
        elif own:
            self._finish(start_viewer("", self._path, self._page, own))
        elif PurePath(self._path).suffix.lower() not in _PAGED:
            self._finish(started=False)
        elif sys.platform == "win32":
            self._finish(_start_registered(self._path, self._page))
        elif sys.platform == "darwin":
            # On macOS no viewer takes a page as an argument.
            self._finish(started=False)
        else:
            self._ask_desktop()

    def _setting(self) -> object:
        if self._context is None:
            return ""
        try:
            return self._context.settings[SETTING]
        except KeyError:
            return ""

    def _ask_desktop(self) -> None:
        """Ask for the default viewer, asynchronously: it takes a few dozen milliseconds."""
        program = QStandardPaths.findExecutable("xdg-mime")
        if not program:
            self._finish(started=False)
            return
        self._query = QProcess(self)
        self._query.finished.connect(self._answered)
        self._query.errorOccurred.connect(self._no_answer)
        self._timeout.start()
        self._query.start(program, ["query", "default", "application/pdf"])

    def _answered(self) -> None:
        if self._query is None:
            return
        name = bytes(self._query.readAllStandardOutput().data()).decode("utf-8", "replace")
        self._query = None
        self._finish(start_viewer(name, self._path, self._page))

    def _no_answer(self) -> None:
        if self._query is not None:
            asking, self._query = self._query, None
            asking.kill()
            self._finish(started=False)

    def _finish(self, started: bool) -> None:
        if not started:
            open_path(self._path, self._context.notices if self._context is not None else None)
        self.deleteLater()


def _start_registered(path: str, page: int) -> bool:
    """Start the default PDF viewer of Windows, if it can open a page."""
    user = (
        "HKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\FileExts"
        "\\.pdf\\UserChoice"
    )
    name = str(QSettings(user, QSettings.Format.NativeFormat).value("ProgId") or "")
    key = f"HKEY_CLASSES_ROOT\\{name}\\shell\\open\\command"
    line = str(QSettings(key, QSettings.Format.NativeFormat).value("Default") or "")
    program = program_of(line)
    viewer = viewer_named(name) or viewer_named(PureWindowsPath(program).name)
    if viewer is None or not program:
        return False
    return start([program, *filled(viewer.arguments, path, page)])
