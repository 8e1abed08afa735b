"""Entries in the menus of file managers: their syntax, and that their commands do what they say."""

from __future__ import annotations

import configparser
import importlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from app.cli import parse
from app.cli_gui import clauses_of
from indexer.query.grammar import clauses
from tests.waiting import wait_for
from ui.application import Start

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LINUX = Path(__file__).resolve().parents[3] / "packaging" / "linux"
MENUS = LINUX / "file-managers"
SEARCH, SIMILAR, ADD = "Search in this folder", "Find similar", "Add to Lectern"
DOLPHIN = {("lectern-folder.desktop", SEARCH), ("lectern-folder.desktop", ADD),
           ("lectern-file.desktop", SIMILAR), ("lectern-file.desktop", ADD)}  # fmt: skip
NEMO = {("lectern-search.nemo_action", SEARCH), ("lectern-similar.nemo_action", SIMILAR),
        ("lectern-add.nemo_action", ADD)}  # fmt: skip


class DesktopFile(configparser.ConfigParser):
    """Keys are told apart by their case."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


def entries() -> dict[tuple[str, str], dict[str, str]]:
    """Return the groups that have a command, by their file and name."""
    found = {}
    for file in sorted([*MENUS.glob("*.desktop"), *MENUS.glob("*.nemo_action")]):
        read = DesktopFile(interpolation=None, delimiters="=")
        read.read_string(file.read_text("utf-8"))
        offered = read.sections()
        if file.suffix == ".desktop":
            head = dict(read["Desktop Entry"])
            assert head["Type"] == "Service"
            assert head["X-KDE-ServiceTypes"] == "KonqPopupMenu/Plugin"
            assert head["MimeType"].endswith(";")
            actions = head["Actions"].rstrip(";").split(";")
            offered.remove("Desktop Entry")
            assert offered == [f"Desktop Action {name}" for name in actions]
            assert os.access(file, os.X_OK), "Dolphin asks for it in a home"
        else:
            assert offered == ["Nemo Action"]
            assert {"Selection", "Extensions"} <= set(read["Nemo Action"])
        for name in offered:
            found[file.name, read[name]["Name"]] = dict(read[name])
    return found


ENTRIES = entries()


def opened(words: Sequence[str]) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """Return the filters and the paths that the window gets from a command line."""
    options = parse(words)
    assert options.command == "gui"
    start = Start.from_arguments([*clauses_of(options.folder, options.like), *options.given])
    return [(each.operator, each.value) for each in clauses(start.query)], start.paths


def expected(name: str, path: Path) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    if name == ADD:
        return [], (str(path),)
    return [("in" if name == SEARCH else "like", str(path))], ()


@pytest.fixture
def document(tmp_path: Path) -> Path:
    place = tmp_path / "Mieten & Verträge"
    place.mkdir()
    file = place / "lease: 2024.txt"
    file.write_text("The tenant pays.")
    return file


@pytest.mark.parametrize("which", sorted(ENTRIES))
def test_a_command_of_a_menu_does_what_it_says(which: tuple[str, str], document: Path) -> None:
    entry = ENTRIES[which]
    assert entry["Name[de]"]
    program, *words = shlex.split(entry["Exec"])
    assert program == "lectern-window"
    path = document.parent if which[1] == SEARCH else document
    assert words.pop().upper() == "%F"
    assert opened([*words, str(path)]) == expected(which[1], path)


def test_each_file_manager_offers_each_command() -> None:
    assert set(ENTRIES) == DOLPHIN | NEMO


class Item:
    """An entry as Nautilus makes it."""

    def __init__(self, **values: str) -> None:
        self.label = values["label"]
        self.press: Callable[[Any], Any] = print

    def connect(self, signal: str, called: Callable[[Any], Any]) -> None:
        assert signal == "activate"
        self.press = called


class Selected:
    """A file as Nautilus hands it over."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def get_location(self) -> Selected:
        return self

    def get_path(self) -> str | None:
        return None if self._path is None else str(self._path)

    def is_directory(self) -> bool:
        return self._path is not None and self._path.is_dir()


@pytest.fixture
def nautilus(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Load the extension with Nautilus' own types, or with the little of them that it uses."""
    repository: Any = ModuleType("gi.repository")
    repository.GObject = type("GObject", (), {"GObject": type("Base", (), {})})
    repository.Nautilus = type(
        "Nautilus", (), {"MenuProvider": type("Provider", (), {}), "MenuItem": Item}
    )
    repository.GLib = type("GLib", (), {"get_language_names": staticmethod(lambda: ["de_AT", "C"])})
    monkeypatch.setitem(sys.modules, "gi", ModuleType("gi"))
    monkeypatch.setitem(sys.modules, "gi.repository", repository)
    spec = importlib.util.spec_from_file_location("made", MENUS / "nautilus_lectern.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_the_menu_of_nautilus_starts_the_window(
    nautilus: Any, document: Path, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    program = tmp_path / "lectern-window"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {told}.part; mv {told}.part {told}\n')
    program.chmod(0o755)
    nautilus.PROGRAM = str(program)
    menu = nautilus.LecternMenu()
    for name, path in ((SEARCH, document.parent), (SIMILAR, document), (ADD, document)):
        items = {each.label: each for each in menu.get_file_items([Selected(path)])}
        items[nautilus.GERMAN[name]].press(None)
        wait_for(told.exists)
        assert opened(told.read_text("utf-8").splitlines()) == expected(name, path)
        told.unlink()
    several = menu.get_file_items("the window", [Selected(document), Selected(document.parent)])
    assert [each.label for each in several] == [nautilus.GERMAN[ADD]]
    assert len(menu.get_background_items(Selected(document.parent))) == 2
    assert menu.get_file_items([Selected(None)]) == []
    assert menu.get_file_items([]) == []


@pytest.mark.parametrize("name", ["home", "Anna & Otto's | home"])
def test_they_are_installed_in_a_home_with_the_place_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.syspath_prepend(str(LINUX.parent))
    places: dict[str, str] = importlib.import_module("share").FILE_MANAGERS
    tree, home = tmp_path / "tree", tmp_path / name
    home.mkdir()
    for pattern, place in places.items():
        (tree / "share" / place).mkdir(parents=True)
        for file in MENUS.glob(pattern):
            (tree / "share" / place / file.name).write_bytes(file.read_bytes())
    services = tree / "share" / "dbus-1" / "services"
    services.mkdir(parents=True)
    shutil.copy(LINUX / "org.lectern.Desktop.service", services)
    (tree / "install.sh").write_bytes((LINUX / "install.sh").read_bytes())
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    script = ["sh", str(tree / "install.sh")]
    subprocess.run(script, env=environment, check=True)
    placed = [file for file in (home / ".local/share").rglob("*") if file.is_file()]
    assert {file.name for file in placed} == {
        file.name for file in (tree / "share").rglob("*") if file.is_file()
    }
    program = str(home / ".local/lib/lectern/lectern")
    for file in placed:
        commands = re.findall("^(?:Exec|PROGRAM ?)= ?(.*)$", file.read_text("utf-8"), re.MULTILINE)
        named = {shlex.split(command)[0] for command in commands}
        assert named == {program if file.name.endswith(".service") else f"{program}-window"}
    subprocess.run([*script, "--remove"], env=environment, check=True)
    assert [file for file in home.rglob("*") if file.is_file()] == []


def test_a_home_that_entries_cannot_name_is_refused(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path / "50% of $it"), "PATH": os.environ["PATH"]}
    script = ["sh", str(LINUX / "install.sh")]
    done = subprocess.run(script, env=environment, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr.count("leave out")) == (1, 1)
    assert not list(tmp_path.iterdir())
