"""Engines in processes of their own that come to grief at a chosen point.

Owns the processes: starting, stopping, killing and what is left of them. Run as a module it
indexes one world to the end.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from indexer import faults
from indexer.config import Precision
from tests.integration.world import World
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]


def start(world: World, fault: str = "", prefix: Sequence[str] = ()) -> subprocess.Popen[str]:
    """Start a process that indexes a world.

    Args:
        world: What it indexes.
        fault: Where it comes to grief, see ``indexer.faults``.
        prefix: A command that runs the process, such as one that takes rights away.
    """
    places = (world.documents, world.library, world.models, world.precision, world.model)
    return subprocess.Popen(
        [*prefix, sys.executable, "-m", "tests.integration.killing", *map(str, places)],
        cwd=ROOT,
        env={**os.environ, faults.VARIABLE: fault, "PYTHONWARNINGS": "error"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str], status: int = 0) -> str:
    """Wait for the end of a process, insist on its exit status, give what it complained of."""
    _, complaints = process.communicate(timeout=WAIT_S)
    assert process.returncode == status, f"{process.returncode}\n{complaints}"
    wait_for(lambda: not children_of(process.pid))
    return complaints


def kill_at(world: World, fault: str) -> None:
    """Index until the process is killed at a point, and see that nothing of it is left."""
    with start(world, fault) as process:
        finish(process, -signal.SIGKILL)


def kill_within(world: World, fault: str) -> None:
    """Index until a point, go on until the store's files change, and kill it then."""
    with stopped_at(world, fault) as process:
        before = stored_files(world)
        process.send_signal(signal.SIGCONT)
        wait_for(lambda: stored_files(world) != before, look_s=0.001)
        process.kill()
        finish(process, -signal.SIGKILL)


@contextlib.contextmanager
def stopped_at(world: World, fault: str) -> Iterator[subprocess.Popen[str]]:
    """A process that indexes and stands still at a point; it goes on with SIGCONT."""
    with start(world, f"{fault}:SIGSTOP") as process:
        try:
            wait_until_stopped(process)
            yield process
        finally:
            process.kill()


def wait_until_stopped(process: subprocess.Popen[str]) -> None:
    """Wait until a process has stopped itself; fails if it ends instead."""
    state = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    assert state is not None
    assert state.si_code == os.CLD_STOPPED, "it never came by"


def stored_files(world: World) -> set[str]:
    return {
        os.path.join(folder, name)  # noqa: PTH118  # quick enough to see files come
        for folder, _, names in os.walk(world.library / "index")
        for name in names
    }


def children_of(pid: int) -> list[psutil.Process]:
    """The extraction children of an engine, which stand in sessions of their own."""
    running = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if f"--engine={pid}" in process.cmdline():
                running.append(process)
    return running


def main() -> None:
    *places, precision, model = sys.argv[1:]
    documents, library, models = map(Path, places)
    world = World(documents, library, models, Precision(precision), model)
    with world.engine() as engine:
        world.index(engine)


if __name__ == "__main__":
    main()
