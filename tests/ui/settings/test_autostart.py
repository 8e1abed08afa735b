"""Starting at login: the entry is written by the system's rules, and removed."""

from __future__ import annotations

import plistlib
import shlex
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui import desktop
from ui.desktop import DesktopFile, LaunchAgent, _desktop_word

if TYPE_CHECKING:
    from pathlib import Path

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="tests the entry of Linux desktops")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return tmp_path


@linux_only
def test_starting_at_login_is_enabled_and_disabled(home: Path) -> None:
    assert not desktop.starts_at_login()
    desktop.set_start_at_login(True, "--tray")
    assert desktop.starts_at_login()
    text = (home / ".config/autostart/lectern.desktop").read_text()
    command = next(line for line in text.splitlines() if line.startswith("Exec="))
    assert shlex.split(command.removeprefix("Exec=")) == desktop.start_command("--tray")
    desktop.set_start_at_login(False)
    assert not desktop.starts_at_login()
    desktop.set_start_at_login(False)  # works without an entry


@linux_only
def test_the_folder_follows_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "elsewhere"))
    desktop.set_start_at_login(True)
    assert (home / "elsewhere/autostart/lectern.desktop").exists()
    monkeypatch.setenv("XDG_CONFIG_HOME", "not/absolute")
    assert not desktop.starts_at_login(), "a relative path is to be ignored"


@pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled = false"])
def test_an_entry_disabled_by_the_desktop_is_off(tmp_path: Path, line: str) -> None:
    entry = DesktopFile(tmp_path)
    entry.write_entry(["lectern"])
    text = entry.path.read_text().replace("X-GNOME-Autostart-enabled=true", line)
    entry.path.write_text(text)
    assert not entry.is_there()


@given(st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cc"]), max_size=30))
def test_any_word_survives_the_quoting_of_desktop_files(word: str) -> None:
    # First the file's own escapes are undone, then the field codes, then the quoting.
    unescaped = _desktop_word(word).replace("\\\\", "\\").replace("%%", "%")
    if unescaped.startswith('"'):
        inner, plain, place = unescaped[1:-1], [], 0
        while place < len(inner):
            place += inner[place] == "\\"
            plain.append(inner[place])
            place += 1
        unescaped = "".join(plain)
    assert unescaped == word


def test_a_launch_agent_starts_at_login(tmp_path: Path) -> None:
    entry = LaunchAgent(tmp_path / "LaunchAgents")
    assert not entry.is_there()
    entry.write_entry(["/Applications/Lectern.app/lectern", "--tray"])
    agent = plistlib.loads(entry.path.read_bytes())
    assert agent["ProgramArguments"] == ["/Applications/Lectern.app/lectern", "--tray"]
    assert agent["RunAtLoad"] is True
    assert entry.is_there()
    entry.path.write_bytes(b"no property list")
    assert not entry.is_there()
    entry.remove()
    entry.remove()
    assert not entry.path.exists()


@pytest.mark.skipif(sys.platform != "win32", reason="the Run key exists on Windows only")
def test_the_run_key() -> None:
    entry = vars(desktop)["RunKey"](r"Software\Lectern\Tests")
    entry.write_entry([r"C:\Program Files\Lectern\lectern.exe", "--tray"])
    assert entry.is_there()
    entry.remove()
    entry.remove()
    assert not entry.is_there()


def test_an_installed_program_starts_itself_and_an_image_from_outside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.delenv("APPIMAGE", raising=False)
    assert desktop.start_command("--tray") == [sys.executable, "--tray"]
    monkeypatch.setenv("APPIMAGE", "/home/ann/Lectern.AppImage")
    assert desktop.start_command() == ["/home/ann/Lectern.AppImage"]


def test_the_start_command_runs() -> None:
    command = desktop.start_command("--tray")
    assert command[-1] == "--tray"
    assert all(command)
