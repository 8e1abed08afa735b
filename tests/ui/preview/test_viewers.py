"""Opening a document outside, at its page, in the viewer of the person or of the desktop."""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QDesktopServices

from indexer.api.errors import WorldError
from indexer.confine.launcher import OpenInViewer
from tests.ui.search.hits import hit
from ui import desktop as desktop_module
from ui import programs
from ui.desktop import open_external, open_path, show_in_folder

if TYPE_CHECKING:
    from PySide6.QtCore import QUrl
    from pytestqt.qtbot import QtBot

    from tests.ui.library.port import Canned

ROOT = Path(__file__).resolve().parents[3]
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the desktop's way")


@pytest.fixture(autouse=True)
def _documents_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desktop_module, "is_gone", lambda path: path.startswith("/gone/"))
    monkeypatch.setattr("ui.desktop.is_gone", desktop_module.is_gone)


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A desktop of scripts, which record their arguments in files beside them."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name, said in (("xdg-mime", "org.gnome.Evince.desktop"), ("evince", ""), ("mine", "")):
        write(folder / name, said)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def write(program: Path, said: str, status: int = 0) -> None:
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > "{program}.got.new"\n'
        f'mv "{program}.got.new" "{program}.got"\necho "{said}"\nexit {status}\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


def got(desktop: Path, name: str) -> list[str]:
    file = desktop / f"{name}.got"
    return file.read_text().splitlines() if file.exists() else []


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that the system was asked to open."""
    urls: list[str] = []

    class Services:
        @staticmethod
        def openUrl(url: QUrl) -> bool:
            urls.append(url.toLocalFile())
            return True

    monkeypatch.setattr(desktop_module, "QDesktopServices", Services)
    return urls


@linux_only
def test_the_desktops_viewer_is_started_at_the_page(
    qtbot: QtBot, desktop: Path, opened: list[str]
) -> None:
    open_external(hit("/d/a b.pdf", start=600))
    qtbot.waitUntil(lambda: bool(got(desktop, "evince")))
    assert got(desktop, "evince") == ["--page-index=7", "/d/a b.pdf"]
    assert got(desktop, "xdg-mime") == ["query", "default", "application/pdf"]
    assert opened == []


@linux_only
@pytest.mark.parametrize("said", ["org.example.Reader.desktop", "", "org.kde.okular.desktop"])
def test_any_other_viewer_is_opened_as_the_system_does(
    qtbot: QtBot, desktop: Path, opened: list[str], said: str
) -> None:
    write(desktop / "xdg-mime", said)
    open_external(hit("/d/a.pdf"))
    qtbot.waitUntil(lambda: opened == ["/d/a.pdf"])


@linux_only
def test_texts_are_opened_as_the_system_does(
    qtbot: QtBot, desktop: Path, opened: list[str]
) -> None:
    open_external(hit("/d/a.txt"))
    assert opened == ["/d/a.txt"]
    assert got(desktop, "xdg-mime") == []


@linux_only
def test_the_persons_own_viewer_comes_first(
    qtbot: QtBot, desktop: Path, opened: list[str], canned: Canned
) -> None:
    context, _, said = canned
    context.settings.set("viewer", "mine --at={page}")
    open_external(hit("/d/a.pdf"), context, page=3)
    qtbot.waitUntil(lambda: bool(got(desktop, "mine")))
    assert got(desktop, "mine") == ["--at=3", "/d/a.pdf"]
    context.settings.set("viewer", "no-such-program-anywhere")
    open_external(hit("/d/a.pdf"), context)
    assert opened == ["/d/a.pdf"]
    assert said.texts == []


def test_a_file_that_is_gone_opens_nothing_and_says_so(
    qtbot: QtBot, desktop: Path, opened: list[str], canned: Canned
) -> None:
    context, _, said = canned
    context.settings.set("viewer", "mine --at={page}")
    open_external(hit("/gone/a.pdf"), context)
    open_path("/gone/b.txt", context.notices)
    show_in_folder("/gone/c.txt", context.notices)
    names = ("a.pdf", "b.txt", "c.txt")
    assert said.texts == [f"{name} is no longer where it was." for name in names]
    assert opened == []
    assert got(desktop, "mine") == []


def test_when_nothing_opens_it_the_person_is_told(
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    canned: Canned,
) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    context, _, said = canned
    open_external(hit("/d/a.txt"), context)
    assert said.texts == ["No program could open a.txt."]


@linux_only
@pytest.mark.parametrize("name", ["run.desktop", "tool.sh", "tool", "link.txt"])
def test_what_the_system_would_run_is_shown_in_its_folder(
    qtbot: QtBot,
    desktop: Path,
    opened: list[str],
    tmp_path: Path,
    canned: Canned,
    name: str,
) -> None:
    write(desktop / "gdbus", "()")
    context, _, said = canned
    (tmp_path / "real.sh").touch()
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.sh")
    file = tmp_path / name
    file.touch()
    if name == "tool":
        file.chmod(0o755)
    open_external(hit(str(file)), context)
    qtbot.waitUntil(lambda: bool(got(desktop, "gdbus")))
    assert f"['file://{file}']" in got(desktop, "gdbus")
    (desktop / "gdbus.got").unlink()
    open_path(str(file), context.notices)
    qtbot.waitUntil(lambda: bool(got(desktop, "gdbus")))
    assert opened == []
    assert said.texts == [f"{name} is shown in its folder, because opening it could run it."] * 2


@linux_only
def test_the_persons_own_command_that_fails_is_no_way_around(
    qtbot: QtBot,
    desktop: Path,
    opened: list[str],
    tmp_path: Path,
    canned: Canned,
) -> None:
    write(desktop / "gdbus", "()")
    context, _, _ = canned
    context.settings.set("viewer", "no-such-program-anywhere")
    (tmp_path / "x.desktop").touch()
    open_external(hit(str(tmp_path / "x.desktop")), context)
    qtbot.waitUntil(lambda: bool(got(desktop, "gdbus")))
    assert opened == []


def test_a_folder_that_is_a_program_is_passed_by(
    opened: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "Tool.app" / "Contents").mkdir(parents=True)
    monkeypatch.setattr(sys, "platform", "darwin")
    desktop_module.open_folder_of(str(tmp_path / "Tool.app" / "readme.txt"))
    desktop_module.open_folder_of(str(tmp_path / "Tool.app" / "Contents" / "readme.txt"))
    assert [*map(Path, opened)] == [tmp_path, tmp_path / "Tool.app" / "Contents"]


def test_programs_are_started_in_one_place() -> None:
    calls = ("openUrl", "startDetached", "startfile", "Popen", "xdg-open", "webbrowser")
    starting = {
        file.relative_to(ROOT).as_posix()
        for package in ("app", "ui")
        for file in (ROOT / package).rglob("*.py")
        if any(call in file.read_text("utf-8") for call in calls)
    }
    # These start processes of Lectern itself: the engine, the window, and the preview's child.
    own = {"app/engine.py", "app/doors/desktop_bus.py", "app/doors/page_images.py"}
    assert starting - own == {"ui/desktop.py", "ui/programs.py"}


@linux_only
def test_the_file_manager_is_asked_to_show_the_file(
    qtbot: QtBot, desktop: Path, opened: list[str]
) -> None:
    write(desktop / "gdbus", "()")
    show_in_folder("/d/it's.pdf")
    qtbot.waitUntil(lambda: bool(got(desktop, "gdbus")))
    arguments = got(desktop, "gdbus")
    assert "org.freedesktop.FileManager1.ShowItems" in arguments
    assert "['file:///d/it%27s.pdf']" in arguments
    assert opened == []


def break_program(program: Path) -> None:
    """Make an executable file that fails to start."""
    program.write_bytes(b"\x7fELF, and nothing that a system could start")
    program.chmod(0o755)


@linux_only
@pytest.mark.parametrize("how", ["absent", "broken", "killed"])
def test_without_a_file_manager_that_works_the_folder_is_opened(
    qtbot: QtBot, desktop: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setenv("PATH", str(desktop))
    if how == "broken":
        break_program(desktop / "gdbus")
    elif how == "killed":
        (desktop / "gdbus").write_text("#!/bin/sh\nkill -9 $$\n")
        (desktop / "gdbus").chmod(0o755)
    show_in_folder("/d/a.pdf")
    qtbot.waitUntil(lambda: opened == ["/d"])


@linux_only
def test_explorer_is_told_which_file_to_select(
    qtbot: QtBot, desktop: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    write(desktop / "explorer.exe", "")
    show_in_folder("/d/a.pdf")
    qtbot.waitUntil(lambda: bool(got(desktop, "explorer.exe")))
    assert got(desktop, "explorer.exe") == ["/select,", "\\d\\a.pdf"]
    assert opened == []


def test_what_nobody_opens_is_no_fault_where_nobody_is_to_be_told(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    open_path("/d/a.txt")


@linux_only
def test_for_a_window_without_a_network_nothing_else_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("tool.sh", "a.txt"):
        (tmp_path / name).touch()
    with pytest.raises(WorldError) as caught:
        programs.open_path(str(tmp_path / "tool.sh"))
    assert caught.value.code == "bad_request"
    document = tmp_path / "a.txt"
    assert not programs.open_path(str(document))  # there is nothing to open it with
    break_program(tmp_path / "xdg-open")
    assert not programs.open_path(str(document))
    assert not programs.start_viewer(OpenInViewer("", document, 3), "")
    assert not programs.start_viewer(OpenInViewer("", document, 3), "xdg-open {page}")
    assert not programs.start_viewer(OpenInViewer("org.gnome.Evince.desktop", document, 3), "")


@linux_only
def test_without_an_answer_the_folder_is_opened(
    qtbot: QtBot, desktop: Path, opened: list[str]
) -> None:
    write(desktop / "gdbus", "", status=1)
    show_in_folder("/d/a.pdf")
    qtbot.waitUntil(lambda: opened == ["/d"])
