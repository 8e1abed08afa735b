"""Compares an encrypted library with a plain one: indexing, questions, encrypting, unlocking.

    python -m tests.benchmarks.encryption FOLDER --queries FILE [--rounds 2]

It runs the commands of Lectern on the same documents and questions, with both kinds of library in
turns. Processor seconds are those of the whole machine, as gocryptfs works in a process of its own,
so nothing else should run at the same time. It needs gocryptfs and fuse3.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from tests.encrypting import PASSPHRASE, why_no_encryption

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
PLAIN, ENCRYPTED = "plain", "encrypted"

Cost = tuple[float, float]  # seconds, and those of processors


def busy() -> float:
    """Return the seconds that all processors have worked."""
    times = psutil.cpu_times()
    return float(times.user + times.system + times.nice)


class Home:
    """A home in which the commands run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        names = ("DATA", "CONFIG", "STATE", "CACHE")
        folders = {f"XDG_{name}_HOME": str(folder / name.lower()) for name in names}
        self.environment = {**os.environ, **folders, "PYTHONPATH": str(ROOT)}

    def cost(self, library: str, *arguments: str | Path) -> Cost:
        """Run a command on a library."""
        began, worked = time.monotonic(), busy()
        command = [sys.executable, "-m", "app", "--library", str(self.folder / library)]
        subprocess.run(
            [*command, *map(str, arguments)], env=self.environment, input=f"{PASSPHRASE}\n",
            stdout=subprocess.DEVNULL, text=True, check=True,
        )  # fmt: skip
        return time.monotonic() - began, busy() - worked


def compare(home: Home, documents: Path, queries: Path, rounds: int) -> None:
    """Index and ask libraries of both kinds, and print what each step took."""
    empty = home.folder / "empty"
    empty.mkdir()
    indexing: dict[str, list[Cost]] = {PLAIN: [], ENCRYPTED: []}
    asking: dict[str, list[Cost]] = {PLAIN: [], ENCRYPTED: []}
    for number in range(rounds):
        names = {kind: f"{kind}-{number}" for kind in indexing}
        home.cost(names[ENCRYPTED], "index", empty)
        home.cost(names[ENCRYPTED], "encrypt")
        say("unlocking an empty library", [home.cost(names[ENCRYPTED], "unlock")])
        for kind, library in names.items():
            indexing[kind].append(home.cost(library, "index", documents))
        for kind, library in names.items():
            out = home.folder / f"{library}.jsonl"
            if kind == ENCRYPTED:
                home.cost(library, "unlock")
            asking[kind].append(home.cost(library, "search", "--batch", queries, "--out", out))
        home.cost(names[ENCRYPTED], "lock")
        say("encrypting the plain library", [home.cost(names[PLAIN], "encrypt")])
    for step, costs in {"indexing": indexing, "the questions": asking}.items():
        for kind, each in costs.items():
            say(f"{step}, {kind}", each)
        ratios = [
            [other[at] / one[at] for one, other in zip(costs[PLAIN], costs[ENCRYPTED], strict=True)]
            for at in (0, 1)
        ]
        print(f"  {step}: encrypted takes {statistics.median(ratios[0]):.2f} times the seconds, "
              f"{statistics.median(ratios[1]):.2f} times those of processors")  # fmt: skip


def say(what: str, costs: Sequence[Cost]) -> None:
    texts = ", ".join(f"{seconds:.1f} s ({worked:.1f} of processors)" for seconds, worked in costs)
    print(f"  {what}: {texts}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=Path, required=True, help="as `search --batch` takes it")
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "probe"
        probe.mkdir()
        if reason := why_no_encryption(probe):
            sys.exit(reason)
        home = Home(Path(folder))
        compare(home, options.folder.resolve(), options.queries.resolve(), options.rounds)


if __name__ == "__main__":
    main()
