"""Fixtures for tests of the window: offscreen, with engines behind the real protocol.

Every test here fails if it leaves a thread, a running timer or a window behind, or if Qt logs a
warning.
"""

from __future__ import annotations

import os

# Set before Qt is loaded; name another platform to watch a test.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import contextlib
import gc
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtGui import QFont, QFontDatabase
from pytestqt.qtbot import QtBot

from app.settings import Settings
from tests.ui import engines, leaks
from tests.ui.notices import RecordedNotices
from ui.application import Application
from ui.engine_client import EngineLink
from ui.ports import Context
from ui.theme import Themes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtWidgets import QApplication, QWidget
    from pytestqt.wait_signal import SignalBlocker

    from app.gui import Program
    from tests.fake_engine import FakeEngine
    from tests.ui.engines import Home
    from ui.main_window import MainWindow

# What the tests measure by, whatever fonts are installed.
FONT = Path(__file__).resolve().parents[1] / "data" / "fonts" / "LecternTestSans.ttf"
POINT_SIZE = 9.0
# Milliseconds; longer than the machine may stand still. Only a wait that fails takes as long.
WAIT_MS = 120_000


class PatientBot(QtBot):
    """Waits for ``WAIT_MS``, where pytest-qt gives up after 5 s, and owns its widgets.

    pytest-qt keeps weak references only, and processes events after the test has returned: a
    garbage collection within a paint event then deleted the widget that was being painted.
    """

    def __init__(self, request: pytest.FixtureRequest) -> None:
        super().__init__(request)
        self._widgets: list[QWidget] = []

    def addWidget(self, widget: QWidget, **more: Any) -> None:
        self._widgets.append(widget)
        super().addWidget(widget, **more)

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = WAIT_MS) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = WAIT_MS, **more: Any) -> SignalBlocker:
        return super().waitSignal(signal, timeout=timeout, **more)

    def waitExposed(self, widget: QWidget, *, timeout: int = WAIT_MS) -> Any:
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture(scope="session")
def qapp_cls() -> type[Application]:
    """The class of the application that pytest-qt makes."""
    return Application


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture(scope="session")
def measured_font(qapp: QApplication) -> QFont:
    """The font of the window in every test."""
    (family,) = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(FONT)))
    font = QFont(family)
    font.setPointSizeF(POINT_SIZE)
    qapp.setFont(font)
    return font


@pytest.fixture(scope="session")
def settled(qapp: QApplication, measured_font: QFont) -> Iterator[None]:
    """Exempt the objects that exist before the first test from the collections after each."""
    gc.collect()
    gc.freeze()
    yield
    # The offscreen clipboard deletes its data after Python has ended, which crashes for data that
    # were made in Python.
    qapp.clipboard().clear()


@pytest.fixture(autouse=True)
def nothing_is_left_behind(settled: None) -> Iterator[None]:
    before = leaks.look()
    yield
    left = leaks.left_behind(before)
    assert not left, f"left behind: {', '.join(left)}"


@pytest.fixture(autouse=True)
def english() -> None:
    """Use the locale that the tests expect."""
    QLocale.setDefault(QLocale("en_US"))


@pytest.fixture(autouse=True)
def runtime_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put sockets into a temporary folder with a short name, since theirs is limited."""
    with tempfile.TemporaryDirectory(prefix="lectern-") as runtime:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        yield Path(runtime)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings" / "settings.json")


@pytest.fixture
def notices() -> RecordedNotices:
    return RecordedNotices()


@pytest.fixture
def library_files(tmp_path: Path) -> Path:
    """A folder of small documents."""
    return make_documents(tmp_path / "documents")


def make_documents(folder: Path) -> Path:
    (folder / "contracts").mkdir(parents=True)
    (folder / "ice.txt").write_text(
        "The ship sank in November. The crew camped on the ice. They ate seal and penguin."
    )
    (folder / "lighthouse.md").write_text(
        "# The lighthouse\n\nThe lamp is lit at dusk.\n\n## Repairs\n\nThe keeper mends the lamp.\n"
    )
    (folder / "contracts" / "lease.txt").write_text(
        "The tenant pays rent.\fThe landlord mends the roof. The tenant cleans the gutters."
    )
    (folder / "empty.txt").touch()
    return folder


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[FakeEngine]:
    """The fake engine, served over a real socket."""
    with engines.fake_engine(tmp_path / "library") as engine:
        yield engine


@pytest.fixture
def link(engine: FakeEngine, tmp_path: Path, qtbot: QtBot) -> Iterator[EngineLink]:
    """A link attached to the fake engine."""
    with contextlib.closing(EngineLink(tmp_path / "library")) as link:
        attach(qtbot, link)
        yield link


@pytest.fixture
def context(
    link: EngineLink, settings: Settings, notices: RecordedNotices, tmp_path: Path
) -> Context:
    """The context of the window's parts, with the fake engine."""
    folder = tmp_path / "person"
    folder.mkdir()
    return Context(link, settings, notices, folder, tmp_path / "library")


@pytest.fixture
def themes(qapp: QApplication) -> Iterator[Themes]:
    themes = Themes(qapp)
    yield themes
    themes.apply("light")
    themes.scale_text(100)
    themes.deleteLater()


@pytest.fixture(scope="session")
def compiled_models(tiny_models_dir: Path) -> Path:
    """A folder with the tiny model, compiled once for all homes."""
    return tiny_models_dir


@pytest.fixture
def home(compiled_models: Path, tmp_path: Path) -> Home:
    """A home with the tiny model."""
    home = engines.make_home(tmp_path / "home")
    shutil.copytree(compiled_models, home.models, dirs_exist_ok=True)
    return home


@pytest.fixture
def real_link(home: Home, qtbot: QtBot) -> Iterator[EngineLink]:
    """A link attached to a real engine; tests of the supervisor have one in its own process."""
    with (
        engines.own_engine(home.library, home.models),
        contextlib.closing(EngineLink(home.library)) as link,
    ):
        attach(qtbot, link)
        yield link


@pytest.fixture
def real_context(
    real_link: EngineLink, settings: Settings, notices: RecordedNotices, tmp_path: Path
) -> Context:
    """The context of the window's parts, with a real engine."""
    return Context(real_link, settings, notices, tmp_path / "person", tmp_path / "library")


@pytest.fixture
def program_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The library of ``program``, in a temporary home."""
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    # What platformdirs reads on Windows, which has one folder for all of them.
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path / "data"))
    monkeypatch.setenv("PYTHONPATH", engines.search_path())
    return tmp_path / "library"


@pytest.fixture
def program(program_library: Path, settings: Settings, qtbot: QtBot) -> Iterator[Program]:
    """The whole program, made but not started."""
    from tests.ui.program import end, make

    made = make(settings, program_library)
    yield made
    end(made, qtbot)


@pytest.fixture
def shown(
    engine: FakeEngine,
    library_files: Path,
    program_library: Path,
    settings: Settings,
    qtbot: QtBot,
) -> Iterator[Program]:
    """The whole program with its window shown, with the fake engine and some files."""
    from tests.ui.program import end, index, make, start

    (program_library / "catalog.sqlite").touch()
    index(engine, library_files)
    program = make(settings, program_library)
    start(program, qtbot)
    yield program
    end(program, qtbot)


@pytest.fixture
def window(shown: Program) -> MainWindow:
    return shown.window


def attach(qtbot: QtBot, link: EngineLink) -> None:
    with qtbot.waitSignal(link.connected):
        link.attach()
