"""Makes, starts and ends the whole program for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.gui import Program
from indexer.api.requests import Index
from ui.application import Application
from ui.supervisor import EngineState

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.settings import Settings
    from tests.fake_engine import FakeEngine


def application() -> Application:
    app = Application.instance()
    assert isinstance(app, Application)
    return app


def make(settings: Settings, library: Path) -> Program:
    return Program(application(), settings, library, offline=True)


def start(program: Program, qtbot: QtBot) -> None:
    """Show the window and wait for an engine."""
    program.window.present()
    program.begin()
    qtbot.waitUntil(lambda: program.supervisor.state is EngineState.READY)
    qtbot.waitUntil(lambda: bool(program.feed.latest))


def end(program: Program, qtbot: QtBot) -> None:
    """Quit as a person does."""
    if program.supervisor.state is not EngineState.ENDED:
        with qtbot.waitSignal(program.supervisor.ended):
            program.window.quit()
    program.close()


def index(engine: FakeEngine, *paths: Path) -> None:
    engine.call(Index(paths))
