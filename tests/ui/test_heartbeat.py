"""Indexing hundreds of files, and searching meanwhile, does not block the event loop."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from PySide6.QtTest import QTest

from app.settings import Settings
from indexer.api.requests import Index, SetPace
from indexer.api.status import Speed
from indexer.api.types import Summary
from tests.ui.heartbeat import Heartbeat, Machine
from tests.ui.program import make
from ui.supervisor import EngineState

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.gui import Program
    from tests.ui.engines import Home

FILES = 200
LIMIT_S = 0.050
INDEX_MS, TYPING_MS = 480_000, 400
# fmt: off
WORDS = (
    "harbour", "lantern", "winter", "keeper", "signal", "granite", "tide", "vessel", "anchor",
    "ledger", "contract", "tenant", "roof", "repair", "notice", "garden", "engine", "valley",
    "river", "bridge", "copper", "silver", "letter", "answer", "question", "passage",
)
# fmt: on


def make_files(folder: Path) -> None:
    random_ = random.Random(7)
    for number in range(FILES):
        place = folder / f"part {number % 20}"
        place.mkdir(parents=True, exist_ok=True)
        sentences = (" ".join(random_.choices(WORDS, k=9)).capitalize() + "." for _ in range(4))
        (place / f"note {number}.txt").write_text(" ".join(sentences))


@pytest.mark.timeout(600)
def test_indexing_hundreds_of_files_does_not_block_the_event_loop(
    home: Home, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    documents = tmp_path / "documents"
    make_files(documents)
    program = make(Settings(home.settings_file), home.library)
    program.window.present()
    # Building and painting the window is measured apart, by the first paint.
    QTest.qWait(50)
    heart, machine = Heartbeat(), Machine()
    program.begin()
    qtbot.waitUntil(lambda: program.supervisor.state is EngineState.READY)
    done: list[object] = []
    # At the speed "fast", which is harder on the window, and does not wait for other load.
    program.link.send_request(SetPace(Speed.FAST), done=lambda _activity: None)
    program.link.send_request(Index((documents,)), done=done.append, failed=done.append)
    asked = 0
    while not done:
        search_now_and_then(program, asked)
        asked += 1
        QTest.qWait(TYPING_MS)
        assert asked < INDEX_MS / TYPING_MS
    beats, late = heart.stop(), machine.stop()
    with qtbot.waitSignal(program.supervisor.ended):
        program.window.quit()
    program.close()
    assert isinstance(done[0], Summary), done
    assert done[0].files_seen == FILES
    told = f"{beats.describe()}; a process that does nothing was {1000 * late:.0f} ms late"
    print(told)  # noqa: T201  # shown when the test fails, or with -s
    assert max(beats.processor) < LIMIT_S, told
    # A gap that an idle process has too is the machine's.
    assert max(beats.ours) < LIMIT_S + late, told


def search_now_and_then(program: Program, number: int) -> None:
    """Type a word letter by letter."""
    word = WORDS[number // 4 % len(WORDS)]
    program.window.pages.search_for(word[: 2 + number % 4])
