"""A disk that is full, or fails, at any write of an indexing run; there is room again afterwards.

``size`` of an extent counts the writes that fail, of each run and kind of failure; where there are
more writes than that, they are drawn. A shim that is preloaded (``write_faults.c``) lets the calls
fail in a process of its own (``write_faults_victim``), which then looks at what is left.
"""

from __future__ import annotations

import errno
import json
import os
import random
import select
import shutil
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.e2e.conftest import ROOT
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from tests.soak.extent import Extent

SOURCE = Path(__file__).with_name("write_faults.c")
HANGS_S = 300.0


@dataclass(frozen=True, slots=True)
class Kind:
    """A way in which writes fail: with which error, and whether all later ones do as well."""

    run: str
    error: int
    on: bool

    def __str__(self) -> str:
        each = "from one on" if self.on else "one"
        return f"{self.run}, {errno.errorcode[self.error]} at {each}"


SAID_OF_A_FULL_DISK = {"done", "disk_full", "lost"}  # that one is told by itself

RUNS = ("first", "update")
KINDS = tuple(
    Kind(run, error, on)
    for run in RUNS
    for error, on in ((errno.ENOSPC, False), (errno.ENOSPC, True), (errno.EIO, False))
)


def compile_shim(folder: Path) -> Path | None:
    """Compile the shim, if anything here can and the system preloads it."""
    found = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if sys.platform != "linux" or found is None:
        return None
    shim = folder / "write_faults.so"
    command = [found, "-O1", "-shared", "-fPIC", "-o", str(shim), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True)
    return shim


def soak(folder: Path, extent: Extent) -> list[str]:
    """Let writes fail one after the other, and say after which the library is not whole."""
    shim = compile_shim(folder)
    if shim is None:
        print("Nothing compiles a library to preload here: no write fails.")
        return []
    install_tiny_model(folder / "models")
    found: list[str] = []
    for run in RUNS:
        home = folder / run
        home.mkdir(exist_ok=True)
        with closing(_Process(home, folder / "models", shim, run)) as process:
            writes = int(process.ask(0, KINDS[0])["writes"])
            for number, kind in enumerate(KINDS):
                if kind.run == run:
                    chance = random.Random(extent.seed + number)
                    order = chance.sample(range(1, writes + 1), writes)
                    share = extent.seconds / len(KINDS)
                    found += _fail(process, kind, order, extent.size, share)
    return found


def _fail(process: _Process, kind: Kind, order: list[int], most: int, seconds: float) -> list[str]:
    """Let so many writes fail at most, in an order of all of them."""
    writes = len(order)
    found: list[str] = []
    ended: Counter[str] = Counter()
    deadline = time.monotonic() + seconds
    tried = 0
    for nth in order[:most]:
        if tried and time.monotonic() > deadline:
            break
        answer = process.ask(nth, kind)
        tried += 1
        ended[answer["ended"]] += 1
        where = f"{kind} of {writes} writes, {nth}: {answer['failed']}"
        wrong = answer["wrong"]
        if kind.on and answer["ended"] not in SAID_OF_A_FULL_DISK:
            wrong = [*wrong, f"said of a full disk: {answer['ended']}"]
        found += [f"{where}\n{each}" for each in wrong]
    told = ", ".join(f"{count} {how}" for how, count in ended.most_common())
    print(f"{kind}: {tried} of {writes} writes failed; {told}", flush=True)
    return found


class _Process:
    """The process whose writes fail; a new one is started where it comes to an end."""

    def __init__(self, home: Path, models: Path, shim: Path, run: str) -> None:
        self._command = [
            sys.executable, "-m", "tests.soak.write_faults_victim",
            str(home), str(models), str(shim), run,
        ]  # fmt: skip
        self._shim = shim
        self._running: subprocess.Popen[str] | None = None

    def ask(self, nth: int, kind: Kind) -> dict[str, Any]:
        """Let a write fail, none for 0; an end or silence of the process is an answer too."""
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(f"{nth} {kind.error} {int(kind.on)}\n")
            process.stdin.flush()
            answer: dict[str, Any] = json.loads(_line(process))
        except (TimeoutError, EOFError, BrokenPipeError) as error:
            self.close()
            told = f"{type(error).__name__}, status {process.returncode}"
            return {"writes": 0, "failed": "", "ended": "lost", "wrong": [told]}
        return answer

    def close(self) -> None:
        if self._running is not None:
            with self._running as process:
                process.kill()
            self._running = None

    def _started(self) -> subprocess.Popen[str]:
        if self._running is None:
            self._running = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env={**os.environ, "LD_PRELOAD": str(self._shim)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                encoding="utf-8",
            )
            assert _line(self._running) == "ready\n"
        return self._running


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    if not select.select([process.stdout], [], [], HANGS_S)[0]:
        raise TimeoutError
    line = process.stdout.readline()
    if not line:
        raise EOFError
    return line
