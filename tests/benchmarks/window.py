"""How soon the window is shown, and how soon everything has ended after it is quit.

``python -m tests.benchmarks.window`` starts the real program several times, in a home of its own
that is warm after the first start, and reads from its log when the window was painted. Without a
display it paints offscreen, which includes drawing but not the way to a screen. On a busy machine
the processor's seconds say more than the clock.

Quitting takes from the signal until the window, its engine and all their children have ended, at
rest and, if the sets are there, while one is read.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from indexer.api.requests import GetActivity, Index
from tests.benchmarks import sets
from tests.benchmarks.meanwhile import make_home as make_real_home
from tests.benchmarks.window_memory import attached
from tests.integration.speaking import ask, greeted
from tests.ui.engines import Home, is_alive, make_home

if TYPE_CHECKING:
    from indexer.api.endpoint import EngineClient

STOOD = re.compile(r"the window was shown (\d+\.\d+) s after the start, (\d+\.\d+) s of work")
PATIENCE_S = 60.0
GOAL_S, QUIT_GOAL_S = 0.8, 1.0
EMBEDDED = 64  # passages: the model is at work
LOOK_S = 0.1
SET = "evidence"


def first_paint(home: Home, *, library: bool) -> tuple[float, float]:
    """Start the program once; return the seconds and processor seconds to the first paint.

    Args:
        home: The home folder of the program.
        library: Whether there is a library; then the search is shown, else the first run.
    """
    home.library.mkdir(parents=True, exist_ok=True)
    catalog = home.library / "catalog.sqlite"
    if not library:
        catalog.unlink(missing_ok=True)
    log = next(iter((home.folder / "state").rglob("lectern.log")), None)
    if log is not None:
        log.unlink()
    environment = {"QT_QPA_PLATFORM": "offscreen", **home.environment}
    with subprocess.Popen(
        home.command("gui"), cwd=home.folder, env=environment, stderr=subprocess.DEVNULL
    ) as process:
        try:
            return _wait_for(home)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)


def quitting(home: Home, documents: Path | None) -> float:
    """Start the program once, quit it, and return the seconds until all its processes have ended.

    Args:
        home: The home folder of the program.
        documents: A folder that is being read then; None to quit at rest.
    """
    environment = {"QT_QPA_PLATFORM": "offscreen", **home.environment}
    command = home.command("gui", "--offline")
    with subprocess.Popen(
        command, cwd=home.folder, env=environment, stderr=subprocess.DEVNULL
    ) as started:
        with closing(attached(home)) as engine, closing(greeted(home.library)) as reading:
            if documents is not None:
                ask(reading, 1, Index((documents,), kept=True))
                while not is_embedding(engine):
                    time.sleep(LOOK_S)
        family = [each.pid for each in psutil.Process(started.pid).children(recursive=True)]
        began = time.monotonic()
        started.send_signal(signal.SIGTERM)
        started.wait(PATIENCE_S)
        while any(map(is_alive, family)):
            time.sleep(0.01)
        return time.monotonic() - began


def is_embedding(engine: EngineClient) -> bool:
    running = engine.call(GetActivity()).running
    return running is not None and running.progress.passages >= EMBEDDED


def _wait_for(home: Home) -> tuple[float, float]:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        for log in (home.folder / "state").rglob("lectern.log"):
            if found := STOOD.search(log.read_text(encoding="utf-8")):
                return float(found[1]), float(found[2])
        time.sleep(0.02)
    raise TimeoutError("the window did not come")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = make_home(Path(folder) / "home")
        first_paint(home, library=False)
        print(f"| window on {sys.platform}, {os.cpu_count()} cores | median | worst | work |")
        print("|---|---|---|---|")
        for name, library in (("first run", False), ("with a library", True)):
            runs = [first_paint(home, library=library) for _ in range(options.runs)]
            clock, work = zip(*runs, strict=True)
            print(
                f"| first paint, {name} (goal {GOAL_S:g} s) | {statistics.median(clock):.2f} s "
                f"| {max(clock):.2f} s | {statistics.median(work):.2f} s |"
            )
    corpus = sets.find(SET).corpus if sets.BENCH.is_dir() else None
    for name, documents in (("at rest", None), (f"while {SET} is read", corpus)):
        if documents is None and name != "at rest":
            print(f"The benchmark sets are not there: quitting {name} was not measured.")
            continue
        taken = []
        for _ in range(options.runs):
            with tempfile.TemporaryDirectory() as folder:
                taken.append(quitting(make_real_home(Path(folder) / "home"), documents))
        print(
            f"| quitting {name} (goal {QUIT_GOAL_S:g} s) | {statistics.median(taken):.2f} s "
            f"| {max(taken):.2f} s | |"
        )


if __name__ == "__main__":
    main()
