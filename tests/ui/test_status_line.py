"""The sentence of the status line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSystemTrayIcon, QToolButton

from indexer.api.errors import WorldError
from indexer.api.progress import Step
from indexer.api.status import ModelChange
from tests.answers import IDLE, running
from ui.main_window import Tray
from ui.supervisor import EngineState
from ui.window_parts import StatusLine

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from indexer.api.status import Activity


def reading(step: Step = Step.INDEX, **more: Any) -> Activity:
    return replace(IDLE, running=running(step, files_done=12, files_total=3400), **more)


@pytest.fixture
def line(qtbot: QtBot) -> StatusLine:
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(800, 40)
    line.show()
    return line


@pytest.mark.parametrize(
    ("activity", "text"),
    [
        (IDLE, "Up to date"),
        (replace(IDLE, empty=True), "No documents yet"),
        (replace(IDLE, reason="disk_full"), "Waits: the disk is nearly full"),
        (replace(IDLE, reason="busy"), "Up to date"),
        (reading(), "Reading: 12 of 3,400 files."),
        (reading(Step.SCAN), "Looking for new and changed files."),
        (reading(Step.MAINTAIN), "Tidying up the library."),
        (
            reading(changing=ModelChange("gte-small", "int8", 0.43)),
            "Changing to the language model gte-small: 43 % done.",
        ),
        (
            replace(IDLE, rebuilding=True, embedded_share=0.2),
            "Rebuilding after an update: 20 % done.",
        ),
        (reading(reason="battery"), "Reading: 12 of 3,400 files. Slower: on battery."),
    ],
)
def test_the_activity_is_a_sentence(line: StatusLine, activity: Activity, text: str) -> None:
    line.show_engine(EngineState.READY, None)
    line.show_activity(activity)
    assert line.text == text


def test_a_start_and_a_crash_are_shown(line: StatusLine) -> None:
    assert line.text == "Starting…"
    line.show_activity(reading())
    line.show_engine(EngineState.RESTARTING, None)
    assert "Nothing is lost" in line.text


def test_a_failure_has_a_reason_and_a_button(line: StatusLine, qtbot: QtBot) -> None:
    line.show_engine(EngineState.FAILED, WorldError("library_locked", holder="the moon"))
    assert "the moon" in line.text
    with qtbot.waitSignal(line.retry_requested):
        qtbot.mouseClick(line.findChild(QPushButton), Qt.MouseButton.LeftButton)


def test_pausing_is_asked_for_and_shown(line: StatusLine, qtbot: QtBot) -> None:
    line.show_engine(EngineState.READY, None)
    line.show_activity(IDLE)
    button = line.findChild(QToolButton)
    assert button is not None
    assert button.isHidden(), "there is nothing to pause"
    line.show_activity(replace(IDLE, pending=2))
    assert not button.isHidden()
    assert button.sizePolicy().retainSizeWhenHidden(), "the page would jump"
    assert button.accessibleName() == "Pause reading"
    with qtbot.waitSignal(line.pause_requested, check_params_cb=lambda paused: paused is True):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    line.show_activity(replace(IDLE, paused=True, reason="paused"))
    assert button.accessibleName() == "Go on reading"
    assert line.text == "Paused"
    with qtbot.waitSignal(line.pause_requested, check_params_cb=lambda paused: paused is False):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_the_tray_shows_a_pause_and_searches_at_a_click(line: StatusLine, qtbot: QtBot) -> None:
    tray = Tray(line)
    assert not tray.pause.isEnabled()
    tray.show_activity(replace(IDLE, paused=True))
    assert tray.pause.isChecked()
    with qtbot.waitSignal(tray.search.triggered):
        tray.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
