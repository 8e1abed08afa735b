"""Starting Lectern at login: a desktop file, a launch agent, or a value under Windows' Run key."""

from __future__ import annotations

import os
import plistlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    def write(self, command: Sequence[str]) -> None: ...
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

    def write(self, command: Sequence[str]) -> None:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        words = " ".join(_desktop_word(word) for word in command)
        self.path.write_text(_DESKTOP.format(command=words), encoding="utf-8")

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


def _desktop_word(word: str) -> str:
    """Quote a word by the Desktop Entry Specification: for the command line, then for the file."""
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
        except FileNotFoundError:
            return False
        except plistlib.InvalidFileException:
            return False
        return bool(agent.get("RunAtLoad")) and not agent.get("Disabled")

    def write(self, command: Sequence[str]) -> None:
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

        def write(self, command: Sequence[str]) -> None:
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
    """The command that starts this program, installed, frozen or from its source."""
    if getattr(sys, "frozen", False):
        image = os.environ.get("APPIMAGE")  # its content is mounted elsewhere at each start
        return [image or sys.executable, *options]
    script = Path(sys.executable).with_name("lectern.exe" if sys.platform == "win32" else "lectern")
    return [str(script), *options] if script.exists() else [sys.executable, "-m", "app", *options]


def set_enabled(wanted: bool, *options: str) -> None:
    """Enable or disable starting Lectern at login, with these options.

    Raises:
        OSError: If the entry cannot be written or removed.
    """
    if wanted:
        entry().write(start_command(*options))
    else:
        entry().remove()


def is_enabled() -> bool:
    """Whether the system starts Lectern at login; False if that cannot be read."""
    try:
        return entry().is_there()
    except OSError:
        return False
