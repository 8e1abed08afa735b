"""The composition root of the window.

It creates the parts of the window, connects them, and decides in which order they start and stop.
After the window has closed it may delete all that Lectern made. Importing it does not load Qt.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from app import encryption, logs, paths
from app.doors.call_log import read_calls
from app.engine import engine_command
from app.settings import Settings
from indexer.api.errors import WorldError
from indexer.confine.launcher import LauncherRequest, OpenInViewer, OpenPath, StartAgain
from indexer.confine.process import child_command, child_environment
from indexer.vault.mounting import why_not
from indexer.vault.place import is_encrypted, place_of

if TYPE_CHECKING:
    from indexer.confine.launcher import Command
    from ui.application import Application, Start
    from ui.main_window import MainWindow
    from ui.ports import Encryption, Ending


log = logging.getLogger(__name__)
T = TypeVar("T")

# Seconds without a client after which an engine ends by itself; its window may have been killed.
IDLE_EXIT_S = 300


def run(
    settings: Settings,
    library: Path,
    *,
    offline: bool = False,
    given: Sequence[str] = (),
    in_tray: bool = False,
    check: Path | None = None,
) -> int:
    """Open the window, or hand over to the one that is open, and return the exit status.

    Args:
        offline: The engine makes no connection, whatever the setting says.
        given: Words to search for, or paths to open, at once.
        in_tray: Start without showing the window, where there is a tray.
        check: For the self-test: a folder for the window's files. The window closes once it shows
            the page of a hit.

    Raises ``no_window``, with the reason.
    """
    check_display()
    from ui.application import Start, hand_over, make_application, use_language

    app = make_application()
    start = Start.from_arguments(given, os.environ.pop("XDG_ACTIVATION_TOKEN", ""))
    if hand_over(library, start):
        return 0
    use_language(app, str(settings["language"]))
    if not unlocked(library, settings):
        return 0
    logs.start()
    program = Program(app, settings, library, offline=offline, folder=check)
    if check is None:
        return program.run(start, in_tray=in_tray)
    from ui.main_window import WindowCheck

    shown = WindowCheck(program.window)
    return program.run(start, in_tray=False) or shown.status


def unlocked(library: Path, settings: Settings) -> bool:
    """Unlock an encrypted library by the keyring or the person; False if the person declines."""
    try:
        encryption.open_library(library, settings)
    except (WorldError, OSError) as error:
        # The engine will report any other failure with its reason.
        if not isinstance(error, WorldError) or error.code != "vault_locked":
            return True
    else:
        return True
    from ui.vault import unlock_dialog

    def check(passphrase: str, *, keep: bool) -> None:
        encryption.unlock_here(library, passphrase, settings, keyring=keep)

    dialog = unlock_dialog(str(library), check)
    try:
        return bool(dialog.exec())
    finally:
        dialog.deleteLater()


def launcher_commands() -> dict[type[LauncherRequest[Any]], Command]:
    """Return the launcher's commands for a window, which open documents in other programs."""
    from ui import programs

    return {
        OpenPath: lambda request, _gone: programs.open_path(str(request.path)),
        StartAgain: lambda _request, _gone: programs.start_again(),
        OpenInViewer: _ConfirmedViewer().start,
    }


class _ConfirmedViewer:
    """Starts the viewer command of the settings, in the launcher.

    A window that was taken over could write another command into the settings. So a command that
    was not there when the window was started needs the person's consent, which a process asks for
    that the window cannot reach.
    """

    def __init__(self) -> None:
        self._confirmed = {str(Settings()["viewer"])}
        self._asking = threading.Lock()

    def start(self, request: OpenInViewer, _gone: Callable[[], bool]) -> bool:
        """Start a viewer, or ask first; False if it does not start."""
        from ui import programs

        command = str(Settings()["viewer"])
        if request.viewer or command in self._confirmed:
            return programs.start_viewer(request, command)
        if self._asking.acquire(blocking=False):
            threading.Thread(target=self._ask, args=(request, command)).start()
        return True

    def _ask(self, request: OpenInViewer, command: str) -> None:
        from ui import programs

        environment = {**os.environ, "PYTHONPATH": child_environment()["PYTHONPATH"]}
        question = child_command("ui.confirm_viewer", window=True)
        asking = [*question, str(Settings()["language"]), command]
        try:
            if subprocess.run(asking, env=environment, check=False).returncode == 0:
                self._confirmed.add(command)
                programs.start_viewer(request, command)
        finally:
            self._asking.release()


def check_display() -> None:
    """Check that a window can be opened; Qt itself would abort the process.

    Raises ``no_window``.
    """
    try:
        import PySide6.QtWidgets
    except ModuleNotFoundError as error:
        raise WorldError("no_window", reason="PySide6 is not installed") from error
    except ImportError as error:
        raise WorldError("no_window", reason=f"Qt does not load ({error})") from error
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM"):
        return
    if os.environ.get("WAYLAND_DISPLAY"):
        return
    if not os.environ.get("DISPLAY"):
        raise WorldError("no_window", reason="there is no display")
    plugin = Path(PySide6.QtWidgets.__file__).parent / "Qt/plugins/platforms/libqxcb.so"
    try:
        ctypes.CDLL(str(plugin))
    except OSError as error:
        raise WorldError("no_window", reason=f"Qt lacks a library ({error})") from error


def age_s() -> float:
    """Return the seconds since this process was started."""
    import psutil

    began = float(psutil.Process().create_time())
    if sys.platform != "linux":
        return time.time() - began
    # The kernel gives the time of the boot in whole seconds, so "began" is up to a second early.
    return time.clock_gettime(time.CLOCK_BOOTTIME) - (began - float(psutil.boot_time()))


class Program:
    """Everything that lives as long as the window."""

    def __init__(
        self,
        app: Application,
        settings: Settings,
        library: Path,
        *,
        offline: bool,
        folder: Path | None = None,
    ) -> None:
        from PySide6.QtCore import QFileSystemWatcher, QObject

        from ui.application import Signals, Single
        from ui.engine_client import ActivityFeed, EngineLink
        from ui.hotkey import Hotkey
        from ui.main_window import MainWindow
        from ui.ports import Context
        from ui.state import WindowState
        from ui.supervisor import Supervisor
        from ui.theme import Themes
        from ui.window_parts import NoticeBar

        self.app = app
        self.settings = settings
        self.library = library
        self.restarting = False
        self._ending: Ending | None = None
        self._root = root = QObject(app)
        self.themes = Themes(app)
        self.themes.setParent(root)
        self._apply_setting("theme")
        self._apply_setting("text_scale")
        self.link = EngineLink(library, root)
        command = engine_command(library, str(IDLE_EXIT_S), offline=offline, watch=True)
        self.supervisor = Supervisor(self.link, command, root)
        self.feed = ActivityFeed(self.link, root)
        self.notices = NoticeBar()
        folder = folder or paths.window_folder()
        context = Context(
            self.link,
            settings,
            self.notices,
            folder,
            library,
            read_calls,
            partial(encryption_of, library),
        )
        state = WindowState(folder)
        self.window: MainWindow = MainWindow(
            context, self.supervisor, self.feed, self.notices, state
        )
        self.hotkey = Hotkey(root)
        self.single = Single(library, root)
        self.signals = Signals(root)
        # Each write replaces the file, and a watch of a file ends then, so the folder is watched.
        self._watcher = QFileSystemWatcher(root)
        with contextlib.suppress(OSError):
            settings.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._watcher.addPath(str(settings.file.parent))
        self._connect()

    def _connect(self) -> None:
        from ui.application import FocusRings

        FocusRings(self.app, self._root)
        self.settings.watch(self._apply_setting)
        self._watcher.directoryChanged.connect(self.settings.read_again)
        self.window.quit_requested.connect(self._leave)
        self.window.ending_chosen.connect(self._end_with)
        self.supervisor.changed.connect(self._leave_locked)
        self.supervisor.ended.connect(self.app.quit)
        self.single.handed_over.connect(self._handed_over)
        self.signals.arrived.connect(self.window.quit)
        # At the end of a session Qt only closes the window, and that may merely hide it.
        self.app.commitDataRequest.connect(self.window.quit)
        self.app.asked.connect(self._asked)
        self.hotkey.pressed.connect(self.window.show_or_hide)
        self.hotkey.refused.connect(self._show_hotkey_refusal)

    def run(self, start: Start, *, in_tray: bool) -> int:
        """Show the window, run until it is closed, then delete it and do what the person chose."""
        from PySide6.QtCore import QTimer

        from ui.application import FirstPaint, logged_faults
        from ui.desktop import start_again

        with logged_faults(self._show_fault):
            self._add_tray()
            if in_tray and self.window.has_tray:
                QTimer.singleShot(0, self.begin)
            else:
                # The window is shown first, as starting a process takes a while.
                first = FirstPaint(self.window)
                first.painted.connect(self.begin)
                # Objects that exist by now live until the end: collecting them would cause stalls.
                first.painted.connect(gc.freeze)
                self.window.present(start.query, start.paths)
            status = self.app.exec()
        self.close()
        if self._ending is not None:
            self._finish(self._ending)
        if self.restarting:
            start_again()
        return status

    def close(self) -> None:
        """Delete all objects, after the supervisor has ended or left the engine."""
        self.signals.close()
        self.hotkey.stop()
        self.window.deleteLater()
        self._root.deleteLater()

    def _add_tray(self) -> None:
        from ui.main_window import Tray

        if not Tray.isSystemTrayAvailable():
            return
        tray = Tray(self.window)
        tray.search.triggered.connect(self.window.show_search)
        tray.pause.triggered.connect(self.feed.pause)
        tray.quit.triggered.connect(self.window.quit)
        self.feed.changed.connect(tray.show_activity)
        self.window.has_tray = True
        tray.show()

    def begin(self) -> None:
        """Start slow work, once the window is shown."""
        worked = time.process_time()
        log.info("the window was shown %.3f s after the start, %.3f s of work", age_s(), worked)
        self.supervisor.start()
        self.window.pages.load_ahead()
        self._apply_setting("hotkey")
        for problem in self.settings.problems:
            log.warning("%s", problem.message)

    def _apply_setting(self, name: str) -> None:
        """Apply a changed setting that needs no restart."""
        match name:
            case "theme":
                self.themes.apply(str(self.settings["theme"]))
            case "text_scale":
                percent: Any = self.settings["text_scale"]
                self.themes.scale_text(int(percent))
            case "hotkey":
                self._show_hotkey_refusal(self.hotkey.listen_for(str(self.settings["hotkey"])))

    def _show_hotkey_refusal(self, refusal: str) -> None:
        from ui.ports import Notice

        if refusal:
            self.notices.post(Notice(refusal, seconds=0))

    def _handed_over(self, start: Start) -> None:
        if start.token:
            os.environ["XDG_ACTIVATION_TOKEN"] = start.token  # Wayland needs it to raise a window
        self.window.present(start.query, start.paths)

    def _asked(self, what: str) -> None:
        from ui.application import Start

        self._handed_over(Start.from_arguments([what]))

    def _leave(self) -> None:
        self.single.close()
        self.hotkey.stop()
        from ui.ports import EndAction

        ending = self._ending
        self.supervisor.end(whoever=ending is not None and ending.action is not EndAction.RESTART)

    def _end_with(self, ending: Ending) -> None:
        from ui.ports import EndAction

        self._ending = ending
        self.restarting = ending.action not in (EndAction.LOCK, EndAction.DELETE)

    def _finish(self, ending: Ending) -> None:
        """Carry out what the person chose to happen after the window has closed."""
        from ui.ports import EndAction
        from ui.vault import change_with_progress

        if ending.action is EndAction.DELETE:
            forget_everything(self.library)
        elif ending.action is not EndAction.RESTART:
            change_with_progress(
                ending.action, partial(change_encryption, self.library, self.settings, ending)
            )

    def _leave_locked(self) -> None:
        """Close the window if its library was locked, and start again to ask for the passphrase."""
        problem = self.supervisor.problem
        if problem is not None and problem.code == "vault_locked":
            self.restarting = True
            self.window.quit()

    def _show_fault(self) -> None:
        self.window.alerts.show_fault(str(next(iter(logs.fault_reports()), logs.log_file())))


# Seconds to wait until an engine that was just ended releases the library.
RELEASE_S = 10.0
RETRY_S = 0.2


def forget_everything(library: Path) -> None:
    """Delete the library, what the window stores and the log.

    Raises ``library_locked`` if another program keeps the library open, ``library_unwritable`` if
    the system denies it.
    """
    from indexer.library.library import remove_everything

    if not _when_released(partial(encryption.remove, library)):
        _when_released(partial(remove_everything, library))
    shutil.rmtree(paths.window_folder(), ignore_errors=True)
    logs.remove()


def encryption_of(library: Path) -> Encryption:
    """Find out how a library is encrypted, and whether its disk is."""
    from ui.ports import Encryption

    disk, _ = encryption.disk_encryption(library.parent)
    kept = False
    with contextlib.suppress(WorldError):
        if encrypted := is_encrypted(library):
            kept = place_of(library).in_keyring
        return Encryption(encrypted, why_not(), disk, kept)
    return Encryption(encrypted=True, refusal=why_not(), disk=disk)


def change_encryption(library: Path, settings: Settings, change: Ending) -> None:
    """Encrypt, decrypt or lock a library that no window has open any more.

    Raises what ``app.encryption`` raises.
    """
    from ui.ports import EndAction

    match change.action:
        case EndAction.ENCRYPT:
            keep = change.keyring
            _when_released(partial(encryption.encrypt, library, change.passphrase, keyring=keep))
            encryption.unlock(library, change.passphrase, settings)
        case EndAction.DECRYPT:
            _when_released(partial(encryption.decrypt, library, change.passphrase or None))
        case EndAction.LOCK:
            encryption.lock(library)


def _when_released(action: Callable[[], T]) -> T:
    """Act on the library once the engine that was just ended has released it."""
    ends = time.monotonic() + RELEASE_S
    while True:
        try:
            return action()
        except WorldError as error:
            if error.code != "library_locked" or time.monotonic() > ends:
                raise
            time.sleep(RETRY_S)
