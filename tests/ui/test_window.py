"""The whole window, put together as the program does it, over the fake engine."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QApplication

from app.gui import Program
from tests.ui.conftest import WAIT_MS
from tests.ui.engines import ROOT
from ui.pages import ACTIVITY, FIRST_RUN, LIBRARY, SEARCH
from ui.supervisor import EngineState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.settings import Settings
    from tests.fake_engine import FakeEngine
    from ui.main_window import MainWindow


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path / "library"


@pytest.fixture
def program(library: Path, settings: Settings, qtbot: QtBot) -> Iterator[Program]:
    """Put together, not started."""
    program = Program(_app(), settings, library, offline=True)
    yield program
    end(program, qtbot)


def end(program: Program, qtbot: QtBot) -> None:
    if program.supervisor.state is not EngineState.ENDED:
        with qtbot.waitSignal(program.supervisor.ended, timeout=WAIT_MS):
            program.window.quit()
    program.close()


def _app() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app


@pytest.fixture
def window(engine: FakeEngine, library_files: Path, program: Program, qtbot: QtBot) -> MainWindow:
    """On the screen, over a library with some files in it."""
    (program.window._context.library / "catalog.sqlite").touch()
    index(engine, library_files)
    start(program, qtbot)
    return program.window


def index(engine: FakeEngine, *paths: Path) -> None:
    from indexer.progress import CancelToken, ignore

    engine.index(list(paths), report=ignore, token=CancelToken())


def start(program: Program, qtbot: QtBot) -> None:
    program.window.present()
    program.begin()
    qtbot.waitUntil(lambda: program.supervisor.state is EngineState.READY, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: bool(program.feed.latest), timeout=WAIT_MS)


def test_an_empty_library_begins_with_the_first_run(
    engine: FakeEngine, program: Program, qtbot: QtBot
) -> None:
    assert program.window.pages.name == FIRST_RUN
    start(program, qtbot)
    assert program.window.pages.name == FIRST_RUN


def test_a_library_begins_with_the_search_box(window: MainWindow, qtbot: QtBot) -> None:
    window.pages.show_page(SEARCH)
    assert window.pages.search.search.isAncestorOf(_app().focusWidget())


def test_pages_are_gone_to_by_the_rail_and_the_rail_follows(window: MainWindow) -> None:
    for name in (LIBRARY, ACTIVITY, SEARCH):
        window.rail.button(name).click()
        assert window.pages.name == name
        assert window.rail.button(name).isChecked()


def test_what_was_typed_survives_a_crash_of_the_engine(
    library: Path, settings: Settings, library_files: Path, qtbot: QtBot
) -> None:
    program = Program(_app(), settings, library, offline=True)
    program.supervisor._command = [
        sys.executable, "-m", "tests.fake_cli", "--library", str(library), "engine",
    ]  # fmt: skip
    start(program, qtbot)
    with qtbot.waitCallback(timeout=WAIT_MS) as done:
        program.link.ask("index", {"paths": [str(library_files)]}, done=done)
    program.window.pages.search_for("who mends the roof")
    with qtbot.waitSignal(program.supervisor.crashed, timeout=WAIT_MS):
        os.kill(program.supervisor.pid, signal.SIGKILL)
    assert "Nothing is lost" in program.window.status.text
    qtbot.waitUntil(lambda: program.supervisor.state is EngineState.READY, timeout=WAIT_MS)
    assert program.window.pages.search.search.query == "who mends the roof"
    assert program.window.pages.name == SEARCH
    end(program, qtbot)


def test_what_was_set_aside_is_said_once(
    engine: FakeEngine, window: MainWindow, program: Program, qtbot: QtBot
) -> None:
    engine.activity_now = {"set_aside": 2}
    program.feed.refresh()
    qtbot.waitUntil(lambda: "set aside" in program.notices.text, timeout=WAIT_MS)
    assert program.notices.text.startswith("2 ")
    program.notices.dismiss()
    before = dict(program.feed.latest)
    with qtbot.waitSignal(program.feed.changed, timeout=WAIT_MS):
        program.feed.refresh()
    assert before["set_aside"] == program.feed.latest["set_aside"]
    assert program.notices.text == ""


def test_a_second_start_hands_its_query_over(
    window: MainWindow, program: Program, qtbot: QtBot
) -> None:
    window.pages.show_page(LIBRARY)
    program.single.handed_over.emit({"query": "ice", "token": ""})
    assert window.pages.name == SEARCH
    assert window.pages.search.search.query == "ice"


def test_closing_may_mean_staying_in_the_tray(
    window: MainWindow, program: Program, qtbot: QtBot
) -> None:
    window.has_tray = True
    program.settings.set("close_to_tray", True)
    window.close()
    assert window.isHidden()
    assert program.supervisor.state is EngineState.READY
    window.quick_search()
    assert window.isVisible()
    with qtbot.waitSignal(program.supervisor.ended, timeout=WAIT_MS):
        window.quit()


def test_size_and_border_come_back(
    engine: FakeEngine, library: Path, settings: Settings, qtbot: QtBot
) -> None:
    (library / "catalog.sqlite").touch()
    one = Program(_app(), settings, library, offline=True)
    one.window.resize(700, 500)
    one.window.show()
    one.window.pages.search.setSizes([250, 350])
    left, right = one.window.pages.search.sizes()
    end(one, qtbot)
    other = Program(_app(), settings, library, offline=True)
    assert other.window.width() == 700
    other.window.show()
    now_left, now_right = other.window.pages.search.sizes()
    assert now_left / now_right == pytest.approx(left / right, abs=0.05)
    end(other, qtbot)


def test_the_speed_of_the_settings_is_told_to_the_engine(
    engine: FakeEngine, program: Program, qtbot: QtBot
) -> None:
    program.settings.set("speed", "slow")
    start(program, qtbot)
    qtbot.waitUntil(lambda: engine.speed == "slow", timeout=WAIT_MS)
    program.settings.set("speed", "fast")
    qtbot.waitUntil(lambda: engine.speed == "fast", timeout=WAIT_MS)
