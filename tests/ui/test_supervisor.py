"""The supervisor starts the engine, restarts it and ends it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from indexer.api.endpoint import published
from indexer.api.requests import Index, Search, Verify
from tests.ui import engines
from tests.ui.conftest import WAIT_MS
from tests.ui.engines import answer, fake_engine, is_alive, make_home
from ui.engine_client import EngineLink
from ui.ports import ignore
from ui.supervisor import EngineState, Supervisor
from ui.words import failures

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from indexer.api.errors import LecternError


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", engines.search_path())
    return tmp_path / "library"


@pytest.fixture
def supervisor(library: Path, qtbot: QtBot) -> Iterator[Supervisor]:
    """A supervisor of the fake engine in a process of its own."""
    command = [sys.executable, "-m", "tests.fake_cli", "--library", str(library), "engine"]
    with supervised(library, command, qtbot) as supervisor:
        yield supervisor


@contextlib.contextmanager
def supervised(library: Path, command: list[str], qtbot: QtBot) -> Iterator[Supervisor]:
    link = EngineLink(library)
    supervisor = Supervisor(link, command, link)
    yield supervisor
    with qtbot.waitSignal(supervisor.ended):
        supervisor.end()
    assert not supervisor.pid


def ready(supervisor: Supervisor, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: supervisor.state is EngineState.READY)


def test_an_engine_is_started_and_ended(
    supervisor: Supervisor, library: Path, qtbot: QtBot
) -> None:
    supervisor.start()
    assert supervisor.state is EngineState.STARTING
    ready(supervisor, qtbot)
    endpoint = published(library)
    assert endpoint is not None
    assert supervisor.pid
    assert endpoint.pid == supervisor.pid
    with qtbot.waitSignal(supervisor.ended):
        supervisor.end()
    assert not is_alive(endpoint.pid)
    assert published(library) is None


def test_a_running_engine_is_used_and_not_ended(
    library: Path, supervisor: Supervisor, qtbot: QtBot
) -> None:
    with fake_engine(library) as engine:
        supervisor.start()
        ready(supervisor, qtbot)
        assert not supervisor.pid
        with qtbot.waitSignal(supervisor.ended):
            supervisor.end()
        assert not engine.closed


def test_an_engine_of_another_process_is_ended_on_request(
    library: Path, supervisor: Supervisor, qtbot: QtBot
) -> None:
    command = [sys.executable, "-m", "tests.fake_cli", "--library", str(library), "engine"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as other:
        assert other.stderr is not None
        assert "Serving" in other.stderr.readline()
        supervisor.start()
        ready(supervisor, qtbot)
        assert not supervisor.pid
        with qtbot.waitSignal(supervisor.ended):
            supervisor.end(whoever=True)
        assert other.wait(WAIT_MS / 1000) == 0


OTHERS = {
    "protocol": "import indexer.api.codec as one; one.PROTOCOL_VERSION -= 1",
    "program": "import indexer.server.service as one; one.program_version = lambda: '0.0'",
}


@pytest.mark.parametrize("other", OTHERS)
def test_an_engine_of_another_version_is_replaced(
    other: str, library: Path, supervisor: Supervisor, qtbot: QtBot
) -> None:
    start = f"import sys; {OTHERS[other]}; from app.cli import main; "
    start += "from tests.fake_engine import FakeEngine; sys.exit(main(open_engine=FakeEngine.open))"
    command = [sys.executable, "-c", start, "--library", str(library), "engine"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        assert "Serving" in process.stderr.readline()
        supervisor.start()
        ready(supervisor, qtbot)
        assert process.wait(WAIT_MS / 1000) == 0
    assert supervisor.pid


def test_an_engine_whose_library_was_moved_says_so_and_makes_no_new_one(
    supervisor: Supervisor, library: Path, qtbot: QtBot
) -> None:
    supervisor.start()
    ready(supervisor, qtbot)
    library.rename(library.with_name("moved"))
    qtbot.waitUntil(lambda: supervisor.state is EngineState.FAILED)
    assert supervisor.problem is not None
    assert supervisor.problem.code == "library_moved"
    assert not library.exists()


def test_a_copy_gets_an_engine_of_its_own(
    supervisor: Supervisor, library: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    with fake_engine(tmp_path / "original") as engine:
        shutil.copytree(tmp_path / "original", library)
        supervisor.start()
        ready(supervisor, qtbot)
        assert supervisor.pid
        assert not engine.closed


def test_a_killed_engine_is_started_again(supervisor: Supervisor, qtbot: QtBot) -> None:
    supervisor.start()
    ready(supervisor, qtbot)
    pid = supervisor.pid
    with qtbot.waitSignal(supervisor._link.disconnected):
        psutil.Process(pid).kill()
    assert supervisor.state is EngineState.RESTARTING
    ready(supervisor, qtbot)
    assert supervisor.pid not in {0, pid}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGBUS is POSIX")
def test_an_engine_whose_mapped_words_are_cut_is_started_again_and_makes_them_again(
    tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a drive that is taken away: a page of a mapped file that is not there ends it."""
    home = make_home(tmp_path / "home")
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    documents = tmp_path / "documents"
    documents.mkdir()
    for number in range(40):
        text = " ".join(f"zephyr{number} word{one}" for one in range(200))
        (documents / f"{number}.txt").write_text(text)
    home.library.mkdir(parents=True)
    with supervised(home.library, home.command("engine"), qtbot) as supervisor:
        supervisor.start()
        ready(supervisor, qtbot)
        link, pid = supervisor._link, supervisor.pid
        answer(qtbot, link, Index((documents,)))
        assert answer(qtbot, link, Search("zephyr7")).hits[0].file == "7.txt"
        words = home.library / "index" / "words" / "passages"
        for file in words.iterdir():
            if file.suffix in {".idx", ".pos", ".term", ".store", ".fast", ".fieldnorm"}:
                os.truncate(file, 0)
        failed: list[LecternError] = []
        with qtbot.waitSignal(supervisor._link.disconnected):
            link.send_request(Search("zephyr9"), done=ignore, failed=failed.append)
        qtbot.waitUntil(lambda: bool(failed))
        assert failed[0].code == "engine_gone"
        assert "It is restarted" in failures.failure(failed[0])
        assert supervisor.state is EngineState.RESTARTING
        ready(supervisor, qtbot)
        assert supervisor.pid not in {0, pid}
        assert answer(qtbot, link, Search("zephyr9")).hits[0].file == "9.txt"
        assert all(path.stat().st_size for path in words.glob("*.idx"))
        assert answer(qtbot, link, Verify()).problems == ()


def test_an_engine_of_another_process_that_ends_is_replaced(
    library: Path, supervisor: Supervisor, qtbot: QtBot
) -> None:
    with fake_engine(library):
        supervisor.start()
        ready(supervisor, qtbot)
    qtbot.waitUntil(lambda: supervisor.pid != 0)
    ready(supervisor, qtbot)


def test_an_engine_that_fails_for_good_is_reported_and_not_restarted(
    library: Path, qtbot: QtBot
) -> None:
    library.write_text("not a folder")
    command = [sys.executable, "-m", "app", "--library", str(library), "engine"]
    with supervised(library, command, qtbot) as supervisor:
        supervisor.start()
        qtbot.waitUntil(lambda: supervisor.state is EngineState.FAILED)
        assert supervisor.problem is not None
        assert supervisor.problem.code == "library_unwritable"
        assert str(library) in supervisor.problem.message
        assert not supervisor.pid


def test_a_program_that_does_not_exist_is_a_failure(library: Path, qtbot: QtBot) -> None:
    with supervised(library, [str(library / "nothing")], qtbot) as supervisor:
        supervisor.start()
        qtbot.waitUntil(lambda: supervisor.state is EngineState.FAILED)


def test_ending_while_the_engine_starts_ends_it(supervisor: Supervisor, qtbot: QtBot) -> None:
    supervisor.start()
    qtbot.waitUntil(lambda: supervisor.pid > 0)
    pid = supervisor.pid
    with qtbot.waitSignal(supervisor.ended):
        supervisor.end()
    assert not is_alive(pid)
