"""Requests to the desktop: open a file at a page, show it in its folder, start Lectern at login.

Every program is started here, or by ``ui.programs`` in the launcher, and nothing waits for its end.
Programs get a list of arguments, never a shell's command line. A file that the system would run is
not opened but shown in its folder.
"""

from __future__ import annotations

import logging
import os
import plistlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path, PurePath, PureWindowsPath
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QCoreApplication, QProcess, QSettings, QStandardPaths, QUrl
from PySide6.QtGui import QDesktopServices

from indexer.api.errors import LecternError
from indexer.confine import launcher
from ui import programs
from ui.ports import Context, Notice, Notices
from ui.programs import custom_command, filled, is_program, program_of, view_command, viewer_named
from ui.widgets import timer

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.types import Hit


log = logging.getLogger(__name__)

_ASK_MS = 1_500  # the time that the desktop has to name its viewer
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
        name: The system's name of the viewer; "" for the person's own command.
        page: The page, counted from 1.
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
        return outside is not None and outside.ask_launcher(request)
    except LecternError:
        log.warning("the launcher did not open anything", exc_info=True)
        return False


def open_path(path: str, notices: Notices | None = None) -> None:
    """Open a file or folder in the program the person uses for its kind.

    A notice says if no program opens it, or if it is shown in its folder instead.
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
    """Return whether no file or folder is at a path any more."""
    return not os.path.lexists(path)


def show_in_folder(path: str, notices: Notices | None = None) -> None:
    """Show a file selected in the system's file manager, or at least its folder."""
    if is_gone(path):
        open_path(path, notices)  # which says so
        return
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
    """Open the folder of a file; if that is a program, as on macOS, the next folder above."""
    for folder in map(str, Path(path).parents):
        if not is_program(folder):
            _open_by_system(folder)
            return


def _ask_file_manager(path: str) -> bool:
    """Ask the file manager over D-Bus to show a file; False if ``gdbus`` is not installed."""
    program = QStandardPaths.findExecutable("gdbus")
    if not program:
        return False
    address = QUrl.fromLocalFile(path).toString(ENCODED)
    # A GVariant text; percent-encoding leaves only the single quote to be replaced.
    items = "['" + address.replace("'", "%27") + "']"
    interface = "org.freedesktop.FileManager1"
    call = [
        "call", "--session", "--timeout", "5", "--dest", interface,
        "--object-path", "/org/freedesktop/FileManager1",
        "--method", f"{interface}.ShowItems", items, "",
    ]  # fmt: skip

    def done(answer: str | None) -> None:
        if answer is None:
            open_folder_of(path)

    _ask_program(program, call, done)
    return True


def _ask_program(
    program: str, arguments: list[str], done: Callable[[str | None], None], patience_ms: int = 0
) -> None:
    """Call ``done`` later with a program's output; None if it fails or does not end in time.

    Without ``patience_ms`` the program has no limit of time.
    """
    process = QProcess(QCoreApplication.instance())

    def end(answer: str | None) -> None:
        process.deleteLater()
        done(answer)

    def finished(status: int, _how: object) -> None:
        said = bytes(process.readAllStandardOutput().data()).decode("utf-8", "replace")
        end(None if status else said)

    def failed(error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            end(None)

    process.finished.connect(finished)
    process.errorOccurred.connect(failed)
    if patience_ms:
        timer(process, patience_ms, process.kill).start()
    process.start(program, arguments)


NAME = "lectern"
AGENT = "io.github.lectern.Lectern"
RUN_KEY = r"Software\Microsoft\Windows\CurrentVersion\Run"

_DESKTOP = """\
[Desktop Entry]
Type=Application
Name=Lectern
Comment=Keeps the library of your documents up to date
Exec={command}
Icon=lectern
Terminal=false
StartupNotify=false
X-GNOME-Autostart-enabled=true
"""


class Entry(Protocol):
    """A system's list of programs started at login. Every method may raise ``OSError``."""

    def is_there(self) -> bool: ...
    def write_entry(self, command: Sequence[str]) -> None: ...
    def remove(self) -> None: ...


class DesktopFile:
    """XDG autostart, of every desktop on Linux and the BSDs."""

    def __init__(self, config: Path | None = None) -> None:
        home = os.environ.get("XDG_CONFIG_HOME") or ""
        usual = Path(home) if Path(home).is_absolute() else Path.home() / ".config"
        self.path = (config or usual) / "autostart" / f"{NAME}.desktop"

    def is_there(self) -> bool:
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        # A desktop disables an entry by one of these lines instead of deleting the file.
        lines = {line.replace(" ", "").lower() for line in text.splitlines()}
        return lines.isdisjoint({"hidden=true", "x-gnome-autostart-enabled=false"})

    def write_entry(self, command: Sequence[str]) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        words = " ".join(_desktop_word(word) for word in command)
        self.path.write_text(_DESKTOP.format(command=words), encoding="utf-8")

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


def _desktop_word(word: str) -> str:
    """Quote a word by the Desktop Entry Specification: as an argument, then as a file's value."""
    if not word or set(word) & set(" \t\n\"'\\><~|&;$*?#()`"):
        for sign in '\\"`$':
            word = word.replace(sign, f"\\{sign}")
        word = f'"{word}"'
    return word.replace("\\", "\\\\").replace("%", "%%")


class LaunchAgent:
    """A property list that launchd reads at login, on macOS."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = (folder or Path.home() / "Library" / "LaunchAgents") / f"{AGENT}.plist"

    def is_there(self) -> bool:
        try:
            agent = plistlib.loads(self.path.read_bytes())
        except (FileNotFoundError, plistlib.InvalidFileException):
            return False
        return bool(agent.get("RunAtLoad")) and not agent.get("Disabled")

    def write_entry(self, command: Sequence[str]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        agent = {
            "Label": AGENT,
            "ProgramArguments": list(command),
            "RunAtLoad": True,
            "ProcessType": "Interactive",
            "LimitLoadToSessionType": "Aqua",
        }
        self.path.write_bytes(plistlib.dumps(agent))

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


if sys.platform == "win32":
    import winreg

    class RunKey:
        """A value under the person's own Run key, on Windows."""

        def __init__(self, key: str = RUN_KEY) -> None:
            self._key = key

        def is_there(self) -> bool:
            try:
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, self._key) as key:
                    winreg.QueryValueEx(key, NAME)
            except FileNotFoundError:
                return False
            return True

        def write_entry(self, command: Sequence[str]) -> None:
            line = subprocess.list2cmdline(command)
            with winreg.CreateKey(winreg.HKEY_CURRENT_USER, self._key) as key:
                winreg.SetValueEx(key, NAME, 0, winreg.REG_SZ, line)

        def remove(self) -> None:
            try:
                access = winreg.KEY_SET_VALUE
                with winreg.OpenKey(winreg.HKEY_CURRENT_USER, self._key, 0, access) as key:
                    winreg.DeleteValue(key, NAME)
            except FileNotFoundError:
                return


def entry() -> Entry:
    """Return the entry of this system."""
    if sys.platform == "win32":
        return RunKey()
    return LaunchAgent() if sys.platform == "darwin" else DesktopFile()


def start_command(*options: str) -> list[str]:
    """Return the command that starts this program, installed, frozen or from its source."""
    if getattr(sys, "frozen", False):
        image = os.environ.get("APPIMAGE")  # the place of its content differs at each start
        return [image or sys.executable, *options]
    script = Path(sys.executable).with_name("lectern.exe" if sys.platform == "win32" else "lectern")
    return [str(script), *options] if script.exists() else [sys.executable, "-m", "app", *options]


def set_start_at_login(wanted: bool, *options: str) -> None:
    """Enable or disable starting Lectern at login, with these options.

    Raises ``OSError`` if the entry cannot be written or removed.
    """
    if wanted:
        entry().write_entry(start_command(*options))
    else:
        entry().remove()


def starts_at_login() -> bool:
    """Whether the system starts Lectern at login; False if that cannot be read."""
    try:
        return entry().is_there()
    except OSError:
        return False


SETTING = "viewer"
_PAGED = frozenset({".pdf"})


def open_external(hit: Hit, context: Context | None = None, page: int = 0) -> None:
    """Open the document of a hit in the system's viewer, at the page if the viewer can do that.

    Args:
        context: Gives the person's own command, and shows a notice if nothing opens.
        page: The page; 0 for the hit's own page.
    """
    path, page = hit.path, max(page or hit.page, 1)

    def finish(*, started: bool) -> None:
        if not started:
            open_path(path, context.notices if context is not None else None)

    def answered(viewer: str | None) -> None:
        finish(started=bool(viewer) and start_viewer(str(viewer), path, page))

    own = str(context.settings[SETTING]).strip() if context is not None else ""
    asked = QStandardPaths.findExecutable("xdg-mime")
    if is_gone(path):
        finish(started=False)  # this posts the notice
    elif own:
        finish(started=start_viewer("", path, page, own))
    elif PurePath(path).suffix.lower() not in _PAGED:
        finish(started=False)
    elif sys.platform == "win32":
        finish(started=_start_registered(path, page))
    elif sys.platform == "darwin" or not asked:  # on macOS no viewer takes a page as an argument
        finish(started=False)
    else:  # asynchronously: it takes a few dozen milliseconds
        _ask_program(asked, ["query", "default", "application/pdf"], answered, _ASK_MS)


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
