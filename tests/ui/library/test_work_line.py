"""The line on the work at the head of the library: one share, one time, pause and pace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.phrases import Note
from indexer.api.progress import Step
from indexer.api.requests import GetActivity
from indexer.api.status import Activity, ModelChange
from tests.answers import IDLE, running
from tests.ui.library.port import canned_context
from ui.engine_client import ActivityFeed
from ui.library.work_line import WorkLine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.fake_engine import FakeEngine
    from ui.ports import Context

BUSY = replace(
    IDLE,
    running=running(
        Step.INDEX, files_done=4, files_total=10, eta_seconds=200.0, current="/a/b.pdf"
    ),
    reason="battery", pages_per_second=30.0, embedded_share=0.5, pending=6,
    device_notes=(Note("device_absent", {"device": "cuda"}),),
)  # fmt: skip


@pytest.fixture
def line(qtbot: QtBot, context: Context) -> Iterator[WorkLine]:
    line = WorkLine(context)
    feed = ActivityFeed(context.link, line)
    feed.changed.connect(line.show_activity)
    qtbot.addWidget(line)
    line.resize(800, 60)
    line.show()
    yield line
    feed.close()
    line.hide()


def test_the_work_is_one_line_with_one_bar(qtbot: QtBot, tmp_path: Path) -> None:
    line = WorkLine(canned_context(tmp_path)[0])
    qtbot.addWidget(line)
    assert line.sentence.text() == "The engine is starting…"
    assert not line.pause.isEnabled()
    line.show_activity(BUSY)
    assert (
        line.sentence.text()
        == "Reading: 4 of 10 files, about 4 minute(s) left. Slower: on battery."
    )
    said = "Meaning search 50 % ready · 30 pages a second · CPU · /a/b.pdf"
    assert line.about.text() == said
    assert line.about.toolTip() == "cuda is not part of the installed ONNX Runtime"
    assert line.bar.value() == line.bar.maximum() // 2
    line.show_activity(replace(IDLE, changing=ModelChange("many", "int8", 0.25)))
    assert line.sentence.text() == "Changing to the language model many: 25 % done."
    line.show_activity(replace(BUSY, paused=True, reason="paused"))
    assert line.about.text() == "Meaning search 50 % ready · CPU · /a/b.pdf", "no pace now"
    line.show_activity(IDLE)
    assert line.sentence.text() == "Up to date"
    assert line.about.isHidden()
    assert line.bar.isHidden()


@pytest.mark.parametrize("unfinished", [{"embedded_share": 0.5}, {"pending": 3}, {"paused": True}])
def test_only_a_library_that_is_up_to_date_is_said_to_be(
    qtbot: QtBot, tmp_path: Path, unfinished: dict[str, float]
) -> None:
    line = WorkLine(canned_context(tmp_path)[0])
    qtbot.addWidget(line)
    reason = "paused" if "paused" in unfinished else ""
    line.show_activity(replace(IDLE, reason=reason, **unfinished))
    assert line.sentence.text() != "Up to date"


def test_the_time_left_is_smoothed_and_does_not_run_while_paused(
    qtbot: QtBot, tmp_path: Path
) -> None:
    context, link, _said = canned_context(tmp_path)
    told: list[Activity] = []
    feed = ActivityFeed(context.link)
    feed.changed.connect(told.append)

    def left(seconds: float | None, *, paused: bool = False) -> float | None:
        now = running(Step.INDEX, files_total=9, eta_seconds=seconds)
        link.answers[GetActivity] = lambda _request: replace(IDLE, running=now, paused=paused)
        number = len(told)
        feed.refresh()
        qtbot.waitUntil(lambda: len(told) > number)
        assert told[-1].running is not None
        return told[-1].running.progress.eta_seconds

    qtbot.waitUntil(lambda: not link.waiting)
    assert left(100.0) == 100
    calm = left(150.0)
    assert calm is not None
    assert 100 < calm < 125
    assert left(1000.0) == 1000, "another work"
    assert left(1000.0, paused=True) is None
    assert left(700.0) == 700
    feed.close()


def test_reading_is_paused_and_resumed(line: WorkLine, qtbot: QtBot, engine: FakeEngine) -> None:
    qtbot.waitUntil(line.pause.isEnabled)
    line.pause.click()
    qtbot.waitUntil(lambda: engine.paused)
    qtbot.waitUntil(lambda: line.sentence.text() == "Paused")
    assert line.pause.text() == "&Go on"
    line.pause.click()
    qtbot.waitUntil(lambda: not engine.paused)


def test_a_chosen_pace_is_stored(line: WorkLine, qtbot: QtBot, context: Context) -> None:
    qtbot.waitUntil(line.pace.isEnabled)
    assert line.pace.currentData() == "normal"
    line.pace.setCurrentIndex(0)
    line.pace.activated.emit(0)
    assert context.settings["speed"] == "slow"
