"""The library of a law office, in an engine of its own process, made once for all tasks."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.config import DEFAULT_MODEL, LANGUAGES_MODEL
from tests.ui import engines
from tests.ui.program import end, make, start
from tests.ui.walk.papers import make_papers
from tests.ui.walk.person import Person
from ui import passwords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from app.gui import Program
    from app.settings import Settings
    from tests.ui.engines import Home

SIZE = 1280, 800


@contextlib.contextmanager
def _read_library(model: str, *without: str) -> Iterator[Home]:
    """Yield a home whose documents are read and embedded, with an engine that watches them."""
    with tempfile.TemporaryDirectory(prefix="walk-") as folder:
        home = engines.make_home(Path(folder) / "home")
        settings = {"offline": True, "min_free_gb": 0, "speed": "fast", "model": model}
        home.settings_file.write_text(json.dumps(settings))
        documents = home.folder / "documents"
        make_papers(documents)
        for each in without:
            shutil.rmtree(documents / each)
        with engines.real_engine(home, "--watch"):
            # It fails for the locked document.
            command = home.command("index", str(documents))
            subprocess.run(
                command, cwd=home.folder, env=home.environment, check=False, capture_output=True
            )
            yield home


@pytest.fixture(scope="session")
def office() -> Iterator[Home]:
    with _read_library(DEFAULT_MODEL) as home:
        yield home


@pytest.fixture(scope="session")
def office_of_languages() -> Iterator[Home]:
    """One with the model that the window offers for German and French documents."""
    with _read_library(LANGUAGES_MODEL, "reports", "Downloads", "mail") as home:
        yield home


@pytest.fixture
def library(request: pytest.FixtureRequest) -> Home:
    """The home that the window opens; a parameter names another fixture."""
    home: Home = request.getfixturevalue(getattr(request, "param", "office"))
    return home


@pytest.fixture
def documents(library: Home) -> Path:
    return library.folder / "documents"


@pytest.fixture
def runtime_folder(library: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the engine listens, in place of a folder of the test's own."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", library.environment["XDG_RUNTIME_DIR"])
    return Path(library.environment["XDG_RUNTIME_DIR"])


@pytest.fixture
def open_window(
    library: Home, runtime_folder: Path, program_library: Path, settings: Settings, qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[], Person]]:  # fmt: skip
    """Opens a window, after the one before has closed."""
    monkeypatch.setattr(passwords, "_shared", [passwords.Passwords(lambda: None)])
    opened: list[Program] = []

    def open_one() -> Person:
        if opened:
            end(opened.pop(), qtbot)
        program = make(settings, library.library)
        opened.append(program)
        program.window.resize(*SIZE)
        start(program, qtbot)
        person = Person(program, qtbot)
        person.until(program.window.isActiveWindow)
        return person

    yield open_one
    for program in opened:
        end(program, qtbot)


@pytest.fixture
def person(open_window: Callable[[], Person]) -> Person:
    return open_window()
