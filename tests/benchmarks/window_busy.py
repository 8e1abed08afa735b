"""How long the window blocks its event loop while files are indexed and words are typed.

``python -m tests.benchmarks.window_busy`` opens the real window over a real engine, which indexes
short notes at the speed "fast", and types words letter by letter until all are indexed. A timer
beats every 5 ms; the table says how late its beats were. A loaded machine makes every beat late, so
the time is subtracted in which threads of this process were ready but had no processor. The rest is
the time in which the main thread worked or waited. An idle process beside it shows how late beats
are because of the machine alone.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtTest import QTest

from tests.ui.engines import make_home

if TYPE_CHECKING:
    from app.gui import Program

GOAL_MS = 50
TYPING_MS = 400
# fmt: off
WORDS = (
    "harbour", "lantern", "winter", "keeper", "signal", "granite", "tide", "vessel", "anchor",
    "ledger", "contract", "tenant", "roof", "repair", "notice", "garden", "engine", "valley",
    "river", "bridge", "copper", "silver", "letter", "answer", "question", "passage",
)
# fmt: on
BEAT_MS = 5
TASKS = Path("/proc/self/task")


@dataclass(slots=True)
class Beats:
    """Seconds between beats: by the clock, the share due to us, and of that the processor time."""

    clock: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def describe(self) -> str:
        began, worst = 0.0, []
        for clock, ours in zip(self.clock, self.ours, strict=True):
            began += clock
            worst.append((ours, began))
        late = ", ".join(
            f"{1000 * ours:.0f} ms after {at:.1f} s" for ours, at in sorted(worst)[:-6:-1]
        )
        return (
            f"{len(self.clock)} beats; longest gap {1000 * max(self.clock):.1f} ms by the clock, "
            f"{1000 * max(self.ours):.1f} ms due to us, "
            f"{1000 * max(self.processor):.1f} ms on the processor; worst: {late}"
        )


CONTROL = """
import sys, threading, time
worst, last = 0.0, time.monotonic()
gone = threading.Event()
def wait():
    sys.stdin.read()
    gone.set()
threading.Thread(target=wait, daemon=True).start()
while not gone.is_set():
    time.sleep(0.005)
    now = time.monotonic()
    worst, last = max(worst, now - last), now
print(worst)
"""


class Machine:
    """Measures how late beats are because of the machine, in an otherwise idle process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", CONTROL],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def stop(self) -> float:
        """Return its longest gap in seconds."""
        told, _nothing = self._process.communicate()
        return float(told)


class Heartbeat(QObject):
    """Measures the beats from its construction to ``stop``."""

    def __init__(self) -> None:
        super().__init__()
        self.beats = Beats()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._last = _now()
        self._timer.start()

    def stop(self) -> Beats:
        self._timer.stop()
        return self.beats

    def _beat(self) -> None:
        now = _now()
        clock, processor, starved = (new - old for new, old in zip(now, self._last, strict=True))
        self.beats.clock.append(clock)
        self.beats.processor.append(processor)
        self.beats.ours.append(max(processor, clock - max(0.0, starved)))
        self._last = _now()


def _now() -> tuple[float, float, float]:
    return time.monotonic(), time.thread_time(), _starved()


def _starved() -> float:
    """The seconds in which threads of this process were ready but waited for a processor."""
    total = 0
    for task in TASKS.glob("*/schedstat") if TASKS.exists() else ():
        try:
            total += int(task.read_text().split()[1])
        except (OSError, IndexError, ValueError):
            continue  # the thread has ended, or the kernel does not count
    return total / 1e9


def make_notes(folder: Path, count: int) -> None:
    """Write short notes into twenty folders."""
    random_ = random.Random(7)
    for number in range(count):
        place = folder / f"part {number % 20}"
        place.mkdir(parents=True, exist_ok=True)
        sentences = (" ".join(random_.choices(WORDS, k=9)).capitalize() + "." for _ in range(4))
        (place / f"note {number}.txt").write_text(" ".join(sentences))


def index_and_type(program: Program, notes: Path) -> None:
    """Start indexing the notes, and type words into the box until all are indexed."""
    from indexer.api.requests import Index, SetPace
    from indexer.api.status import Speed
    from ui.supervisor import EngineState

    program.begin()
    while program.supervisor.state is not EngineState.READY:
        QTest.qWait(BEAT_MS)
    done: list[object] = []
    program.link.send_request(SetPace(Speed.FAST), done=lambda _activity: None)
    program.link.send_request(Index((notes,)), done=done.append, failed=done.append)
    typed = 0
    while not done:
        word = WORDS[typed // 4 % len(WORDS)]
        program.window.pages.search_for(word[: 2 + typed % 4])
        typed += 1
        QTest.qWait(TYPING_MS)
    print(done[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--files", type=int, default=200, metavar="N")
    files = parser.parse_args().files
    with tempfile.TemporaryDirectory(prefix="lectern-busy-") as folder:
        home = make_home(Path(folder) / "home")
        os.environ.update({name: str(value) for name, value in home.environment.items()})
        # Imported after the environment is set, since these modules read the home's folders.
        from app.gui import Program
        from app.settings import Settings
        from ui.application import make_application

        make_notes(Path(folder) / "notes", files)
        app = make_application()
        program = Program(app, Settings(home.settings_file), home.library, offline=True)
        program.window.present()
        # ``tests.benchmarks.window`` measures how long the window takes to build and paint.
        QTest.qWait(50)
        heart, machine = Heartbeat(), Machine()
        index_and_type(program, Path(folder) / "notes")
        beats, late = heart.stop(), machine.stop()
        ended: list[bool] = []
        program.supervisor.ended.connect(lambda: ended.append(True))
        program.window.quit()
        while not ended:
            QTest.qWait(BEAT_MS)
        program.close()
    print(f"{beats.describe()}; an idle process was {1000 * late:.0f} ms late; goal {GOAL_MS} ms")


if __name__ == "__main__":
    main()
