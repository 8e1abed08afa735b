"""Which files each of the three systems would run; tested on any of them."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox

from indexer.api.formats import FORMATS
from ui.confirm_viewer import question
from ui.programs import would_run

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

PLAIN, PROGRAM, FOLDER = (stat.S_IFREG | 0o644, stat.S_IFREG | 0o755, stat.S_IFDIR | 0o755)
RUN_BY_WINDOWS = (
    "bat cmd js jse vbs vbe wsf wsh ps1 exe com scr msi lnk url hta reg py pyw jar cpl chm pif scf "
    "msc inf iso settingcontent-ms appref-ms application sh pl rb php"
)
PLATFORMS = ("win32", "darwin", "linux")


@pytest.mark.parametrize("extension", RUN_BY_WINDOWS.split())
@pytest.mark.parametrize("mode", [0, PLAIN, PROGRAM])
def test_windows_runs_scripts_and_programs(extension: str, mode: int) -> None:
    assert would_run(f"C:\\d\\lease.{extension}", "win32", mode)
    assert would_run(f"C:\\d\\lease.pdf.{extension.upper()}", "win32", mode)
    # Windows strips these from the end of a name.
    assert would_run(f"C:/d/lease.{extension}. .", "win32", mode)


@pytest.mark.parametrize("name", ["lease", "a.b\\lease", "lease.{00021401-0000}", "lease.bat x"])
def test_windows_decides_about_names_without_an_extension(name: str) -> None:
    assert would_run(f"C:\\d\\{name}", "win32", PLAIN)


def test_windows_runs_what_its_own_list_names() -> None:
    assert not would_run("C:\\d\\a.xyz", "win32", PLAIN)
    assert would_run("C:\\d\\a.XYZ", "win32", PLAIN, extensions=".COM;.EXE; .xyz")
    assert not would_run("/d/a.xyz", "linux", PLAIN, extensions=".xyz")


@pytest.mark.parametrize("name", ["x.desktop", "x.AppImage", "x.run", "x.sh", "x.jar", "x.exe"])
@pytest.mark.parametrize("mode", [0, PLAIN, PROGRAM])
def test_linux_runs_launchers_and_packages(name: str, mode: int) -> None:
    assert would_run(f"/d/{name}", "linux", mode)


@pytest.mark.parametrize("name", ["x.command", "x.tool", "x.terminal", "x.sh", "x.inetloc", "x.py"])
@pytest.mark.parametrize("mode", [0, PLAIN, PROGRAM])
def test_macos_runs_commands_and_what_leads_to_them(name: str, mode: int) -> None:
    assert would_run(f"/d/{name}", "darwin", mode)


@pytest.mark.parametrize("name", ["x.app", "x.workflow", "x.app/"])
def test_folders_are_programs_on_macos_only(name: str) -> None:
    assert would_run(f"/d/{name}", "darwin", FOLDER)
    assert not would_run(f"/d/{name}", "linux", FOLDER)
    assert not would_run(f"C:\\d\\{name}", "win32", FOLDER)


@pytest.mark.parametrize("platform", ["darwin", "linux"])
@pytest.mark.parametrize("name", ["tool", "tool.py", "tool.xyz", "a.b/tool", ".hidden"])
def test_executable_files_are_programs_on_unix(platform: str, name: str) -> None:
    assert would_run(f"/d/{name}", platform, PROGRAM)
    assert not would_run("/d/tool", platform, PLAIN)


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("name", ["a b.pdf", "a.docx", "a.epub", "a.html", "a.txt", "a.MD"])
@pytest.mark.parametrize("mode", [0, PLAIN, PROGRAM])
def test_documents_are_opened_whatever_their_mode(platform: str, name: str, mode: int) -> None:
    assert not would_run(f"/d/{name}", platform, mode)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_folders_are_opened(platform: str) -> None:
    assert not would_run("/d/Documents", platform, FOLDER)
    assert not would_run("/d/2024.01 Letters", platform, FOLDER)


def test_of_the_formats_read_only_source_code_may_be_a_program() -> None:
    kept_back = {
        known.name
        for known in FORMATS
        for extension in known.extensions
        for platform in PLATFORMS
        if would_run(f"/d/a{extension}", platform, PLAIN)
    }
    assert kept_back == {"code"}


def test_only_a_yes_confirms_a_changed_viewer(qtbot: QtBot) -> None:
    box = question("<b>viewer</b> --page {page}")
    qtbot.addWidget(box)
    assert "<b>viewer</b>" in box.text()
    assert box.textFormat() is Qt.TextFormat.PlainText
    assert box.defaultButton() is box.button(QMessageBox.StandardButton.No)
