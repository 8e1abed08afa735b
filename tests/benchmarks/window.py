"""How soon the window is shown: from the start of the process to the first paint.

``python -m tests.benchmarks.window`` starts the real program several times, in a home of its own
that is warm after the first start, and reads from its log when the window was painted. Without a
display it paints offscreen, which includes drawing but not the way to a screen. On a busy machine
the processor's seconds say more than the clock.
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
from pathlib import Path

from tests.ui.engines import Home, make_home

STOOD = re.compile(r"the window was shown (\d+\.\d+) s after the start, (\d+\.\d+) s of work")
PATIENCE_S = 60.0
GOAL_S = 1.0


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


if __name__ == "__main__":
    main()
