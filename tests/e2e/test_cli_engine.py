"""The command line beside a running engine: attaching, sharing, stopping, signals."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.api.endpoint import NOTE_NAME

if TYPE_CHECKING:
    import subprocess

    from tests.e2e.conftest import Lectern


def test_commands_that_start_together_share_one_engine(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    with contextlib.ExitStack() as stack:
        start = stack.enter_context
        searches = [start(lectern.start("search", "--json", "rent")) for _each in range(4)]
        for search in searches:
            out, err = search.communicate(timeout=60)
            assert (search.returncode, err) == (0, "")
            assert json.loads(out)["hits"]


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    return process.stderr.readline()


def test_a_running_engine_is_used_and_can_be_stopped(lectern: Lectern, folder: Path) -> None:
    with lectern.start("engine") as engine:
        assert "Serving" in first_line(engine)
        assert "3 files seen" in lectern("index", folder).stdout
        assert "lease" in lectern("search", "rent").stdout
        assert "[busy]" in lectern("--offline", "status", status=6).stderr
        lectern("engine", "--stop")
        assert engine.wait(60) == 0
    assert "No engine" in lectern("engine", "--stop").stderr
    assert not list((lectern.folder / "run").iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_engine_ends_cleanly_on_a_signal(lectern: Lectern, number: signal.Signals) -> None:
    with lectern.start("engine") as engine:
        assert "Serving" in first_line(engine)
        engine.send_signal(number)
        assert engine.wait(60) == 0
    assert not list((lectern.folder / "run").iterdir())


def test_after_a_killed_engine_commands_work(lectern: Lectern, folder: Path) -> None:
    with lectern.start("engine") as engine:
        assert "Serving" in first_line(engine)
        engine.kill()
    note = json.loads((lectern.library / NOTE_NAME).read_text())
    assert Path(note["address"]).is_socket()
    assert "3 files seen" in lectern("index", folder).stdout


def test_an_idle_engine_ends_by_itself(lectern: Lectern) -> None:
    lectern("engine", "--idle-exit", "0")


def test_searching_works_while_another_command_indexes(lectern: Lectern, folder: Path) -> None:
    lectern("index", folder)
    os.mkfifo(folder / "slow.txt")
    with lectern.start("index", folder) as indexing:
        # Opening the pipe blocks until the other process reads it, in the middle of its work.
        (folder / "slow.txt").write_text("WAIT")
        assert "lease" in lectern("search", "rent").stdout
        indexing.send_signal(signal.SIGINT)
        out, err = indexing.communicate(timeout=60)
    assert indexing.returncode == 130
    assert "Stopped after" in out
    assert "`lectern index` goes on" in out
    assert "Traceback" not in err


def test_ctrl_c_stops_a_run_in_another_process_too(lectern: Lectern, folder: Path) -> None:
    os.mkfifo(folder / "slow.txt")
    with lectern.start("engine") as engine:
        assert "Serving" in first_line(engine)
        with lectern.start("index", folder) as indexing:
            (folder / "slow.txt").write_text("WAIT")
            indexing.send_signal(signal.SIGINT)
            out, _err = indexing.communicate(timeout=60)
        assert indexing.returncode == 130
        assert "Stopped after" in out
        assert json.loads(lectern("status", "--json").stdout)["documents"] == 3
        lectern("engine", "--stop")


def test_a_second_ctrl_c_does_not_wait(lectern: Lectern, folder: Path) -> None:
    os.mkfifo(folder / "slow.txt")
    with lectern.start("index", folder) as indexing:
        (folder / "slow.txt").write_text("STUCK")
        indexing.send_signal(signal.SIGINT)
        while indexing.poll() is None:
            indexing.send_signal(signal.SIGINT)
    assert indexing.returncode == 130
