"""The client of the render child answers by urgency, and replaces a child that hangs."""

from __future__ import annotations

import sys
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import psutil
import pytest
from PySide6.QtCore import QTimer

from indexer.api.pages import DocumentSource, GetImage, GetText, Open
from indexer.confine import worker
from tests.integration.test_confinement import LEAVING, Victim, running_code_of
from tests.ui.preview.conftest import Answers
from tests.unit.extract.pdfs import endless_page
from ui.preview import client as client_module
from ui.preview.client import RenderClient, Urgency, render_command

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def opening(path: Path) -> Open:
    return Open(DocumentSource(path))


def image(path: Path, page: int = 1, width: int = 300) -> GetImage:
    return GetImage(DocumentSource(path), page, width)


def test_an_answer_comes_later_and_once(
    client: RenderClient, qtbot: QtBot, tale_path: Path, answers: Answers
) -> None:
    number = answers.ask(opening(tale_path))
    assert answers.done == []
    qtbot.waitUntil(lambda: bool(answers.done))
    assert answers.order == [number]
    assert answers.done[0].pages.count == 8


def test_the_most_urgent_comes_first(
    client: RenderClient, qtbot: QtBot, tale_path: Path, answers: Answers
) -> None:
    numbers = {
        urgency: answers.ask(image(tale_path), urgency)
        for urgency in (Urgency.REST, Urgency.NEAR, Urgency.OPEN, Urgency.VISIBLE)
    }
    qtbot.waitUntil(lambda: len(answers.order) == 4)
    assert answers.order == [numbers[urgency] for urgency in sorted(numbers)]


def test_a_cancelled_request_has_no_callback(
    client: RenderClient, qtbot: QtBot, tale_path: Path, answers: Answers
) -> None:
    numbers = [answers.ask(image(tale_path, page)) for page in range(1, 9)]
    for number in numbers[::2]:
        client.cancel(number)
    client.cancel(999)
    qtbot.waitUntil(lambda: len(answers.order) == 4)
    assert answers.order == numbers[1::2]
    assert answers.failed == []


def test_a_failure_has_our_error_code(
    client: RenderClient, qtbot: QtBot, tmp_path: Path, answers: Answers
) -> None:
    answers.ask(opening(tmp_path / "nowhere.pdf"))
    qtbot.waitUntil(lambda: answers.failed == ["vanished"])


@pytest.mark.slow
def test_an_endless_page_costs_only_its_child(
    client: RenderClient,
    qtbot: QtBot,
    tmp_path: Path,
    answers: Answers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "endless.pdf"
    path.write_bytes(endless_page(pages=3, endless=2))
    begun = monotonic()
    one = answers.ask(image(path, 1))
    qtbot.waitUntil(lambda: answers.order == [one])
    first = client.pid
    # Time enough for the next child to start, on this computer.
    monkeypatch.setattr(client_module, "LIMIT_S", 2.0 + 3 * (monotonic() - begun))
    answers.ask(image(path, 2))
    number = answers.ask(image(path, 3))
    qtbot.waitUntil(lambda: len(answers.done) == 2)
    assert answers.failed == ["out_of_time"]
    assert answers.order == [one, number]
    assert client.pid != first
    assert not psutil.pid_exists(first)


def test_a_cancelled_request_does_not_delay_others(
    client: RenderClient, qtbot: QtBot, tmp_path: Path, tale_path: Path, answers: Answers
) -> None:
    path = tmp_path / "endless.pdf"
    path.write_bytes(endless_page(pages=1, endless=1))
    opened = answers.ask(opening(path))
    qtbot.waitUntil(lambda: answers.order == [opened])
    stuck = answers.ask(image(path))
    qtbot.waitUntil(lambda: client.is_busy)
    client.cancel(stuck)
    wanted = answers.ask(image(tale_path))
    # Far less than the limit for one that is wanted.
    qtbot.waitUntil(lambda: answers.order == [opened, wanted])
    assert answers.failed == []


def test_a_child_that_dies_is_replaced(
    client: RenderClient, qtbot: QtBot, tmp_path: Path, tale_path: Path, answers: Answers
) -> None:
    path = tmp_path / "endless.pdf"
    path.write_bytes(endless_page(pages=1, endless=1))
    answers.ask(opening(path))
    qtbot.waitUntil(lambda: bool(answers.done))
    answers.ask(image(path))
    qtbot.waitUntil(lambda: client.is_busy)
    psutil.Process(client.pid).kill()
    qtbot.waitUntil(lambda: answers.failed == ["child_died"])
    answers.ask(image(tale_path))
    qtbot.waitUntil(lambda: len(answers.done) == 2)


@pytest.mark.skipif(not worker.is_available(), reason="documents have workers on Linux only")
def test_what_a_document_started_ends_with_a_child_that_somebody_kills(
    client: RenderClient,
    qtbot: QtBot,
    tmp_path: Path,
    answers: Answers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    victim = Victim(tmp_path, monkeypatch)
    hanging = victim.document.rename(tmp_path / "hang.txt")
    command = [sys.executable, "-P", "-c", victim.run(LEAVING)]
    monkeypatch.setattr(client_module, "render_command", lambda _library, _scratch: command)
    monkeypatch.setattr(client_module, "LIMIT_S", 300.0)
    answers.ask(GetText(DocumentSource(hanging), start=0, end=0, room=1_000))
    qtbot.waitUntil(lambda: len(running_code_of(victim)) == 5, timeout=20_000)
    psutil.Process(client.pid).kill()
    qtbot.waitUntil(lambda: answers.failed == ["child_died"])
    qtbot.waitUntil(lambda: not running_code_of(victim))


def test_a_child_that_does_not_start_is_given_up(
    qtbot: QtBot, tale_path: Path, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "MODULE", "indexer.no_such_module")
    for _ in range(2):
        answers.ask(opening(tale_path))
    qtbot.waitUntil(lambda: answers.failed == ["child_died"] * 2)


def test_a_missing_program_fails_the_request(
    qtbot: QtBot, tale_path: Path, answers: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        client_module, "render_command", lambda _library, _scratch: ["/no/such/program"]
    )
    answers.ask(opening(tale_path))
    qtbot.waitUntil(lambda: answers.failed == ["child_died"])


def test_files_are_closed_when_idle(
    qtbot: QtBot, tale_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "_IDLE_MS", 50)
    client = RenderClient()
    answers = Answers(client)
    answers.ask(opening(tale_path))
    qtbot.waitUntil(lambda: bool(answers.done))

    def closed() -> bool:
        files = psutil.Process(client.pid).open_files()
        return str(tale_path) not in {file.path for file in files}

    qtbot.waitUntil(closed)
    # The child is told to rest once: no timer asks again.
    timers = client.findChildren(QTimer)
    qtbot.waitUntil(lambda: not client.is_busy and not any(each.isActive() for each in timers))
    client.close()


def test_a_child_that_grows_too_large_is_replaced(
    client: RenderClient,
    qtbot: QtBot,
    tmp_path: Path,
    answers: Answers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client_module, "RESIDENT_BYTES", 1 << 20)
    path = tmp_path / "endless.pdf"
    path.write_bytes(endless_page(pages=1, endless=1))
    answers.ask(image(path))
    qtbot.waitUntil(lambda: answers.failed == ["out_of_memory"])


def test_closing_ends_the_child(
    client: RenderClient, qtbot: QtBot, tale_path: Path, answers: Answers
) -> None:
    client.warm_up()
    qtbot.waitUntil(lambda: client.pid > 0)
    pid = client.pid
    answers.ask(opening(tale_path))
    client.close()
    assert not psutil.pid_exists(pid)
    answers.ask(opening(tale_path))
    client.warm_up()
    assert client.pid == 0
    assert (answers.done, answers.failed) == ([], [])


def test_the_frozen_window_starts_children_with_the_other_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert render_command()[:4] == [sys.executable, "-P", "-m", "indexer.render.child"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    folder = Path("/opt/lectern")
    monkeypatch.setattr(sys, "executable", str(folder / "lectern-window.exe"))
    program = str(folder / "lectern.exe")
    assert render_command()[:3] == [program, "--child", "indexer.render.child"]
