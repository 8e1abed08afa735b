"""The memory of the window and of all that it starts, while a folder is read and at rest.

``python -m tests.benchmarks.window_memory`` starts the real program, which reads documents of the
sets and answers questions. It reads each process's share of the memory from Linux (PSS: pages that
several processes share are divided among them): *own* is memory that is not backed by a file, and
*mapped* is memory that the system can take back. "At rest" is after the time without work in which
the engine releases memory.

    python -m tests.benchmarks.window_memory --set evidence --set cuad --documents 150

With ``--passages 15000`` a library of 15,000 synthetic passages is built before the window opens
(see ``synthetic_engine``), and only the memory at rest is measured.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from indexer.api.endpoint import EngineClient
from indexer.api.requests import GetActivity, GetStatus, Index
from indexer.server.service import REST_S
from tests.benchmarks import sets
from tests.benchmarks.meanwhile import make_home
from tests.benchmarks.processes import CHILD, Memory, memory, peak
from tests.integration.speaking import ask, greeted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.ui.engines import Home

GOALS_MB = {"at rest": 350, "engine while indexing": 600}
LOOK_S = 0.25
PATIENCE_S = 120.0
PART = {"engine": "engine", CHILD: "extraction", "indexer.render.child": "render child"}


def parts_of(window: psutil.Process) -> Iterator[tuple[str, psutil.Process]]:
    """Yield the window and all processes below it, each with the name of its role."""
    for process in (window, *window.children(recursive=True)):
        with suppress(psutil.Error):
            command = process.cmdline()
            name = next((part for word, part in PART.items() if word in command), "")
            yield name or ("window" if process == window else "launcher"), process


def held(window: psutil.Process) -> dict[str, Memory]:
    """Return the memory of each part."""
    parts: dict[str, Memory] = {}
    for name, process in parts_of(window):
        with suppress(OSError):
            own, mapped = memory(process.pid)
            before = parts.get(name, (0.0, 0.0))
            parts[name] = before[0] + own, before[1] + mapped
    return parts


def total(parts: Mapping[str, Memory]) -> Memory:
    return sum(own for own, _ in parts.values()), sum(mapped for _, mapped in parts.values())


def peaks_while_reading(window: psutil.Process, engine: EngineClient) -> dict[str, Memory]:
    """Return the peaks of own memory, of each part and of all together, until reading has ended."""
    peaks: dict[str, Memory] = {}
    while engine.call(GetActivity()).running is not None:
        parts = held(window)
        for name, each in {**parts, "all": total(parts)}.items():
            peaks[name] = max(peaks.get(name, each), each)
        time.sleep(LOOK_S)
    return peaks


def attached(home: Home) -> EngineClient:
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        if (engine := EngineClient.attach(home.library)) is not None:
            return engine
        time.sleep(LOOK_S)
    raise TimeoutError("the window has started no engine")


def measure(
    home: Home, documents: Path, questions: list[str], rest_s: float, *, known: bool
) -> None:
    """Open the window, let it read the folder, ask questions and let it rest.

    Args:
        home: The home folder of the program, with its library.
        documents: The folder to read.
        questions: The questions to ask.
        rest_s: Seconds without work before the last look.
        known: The library has the folder's documents already, so reading is not measured.
    """
    environment = {"QT_QPA_PLATFORM": "offscreen", **home.environment}
    command = home.command("gui", "--offline")
    with subprocess.Popen(command, cwd=home.folder, env=environment) as started:
        window = psutil.Process(started.pid)
        try:
            with closing(attached(home)) as engine, closing(greeted(home.library)) as reading:
                if known:
                    engine.call(Index((documents,), kept=True))
                    print(f"{engine.call(GetStatus()).passages:,} passages", flush=True)
                else:
                    ask(reading, 1, Index((documents,), kept=True))
                    while engine.call(GetActivity()).running is None:
                        time.sleep(LOOK_S)
                    show("most while reading", peaks_while_reading(window, engine))
            for question in questions:  # the open window takes it over
                subprocess.run([*command, question], cwd=home.folder, env=environment, check=True)
                time.sleep(2)
            show("after questions", held(window))
            resident = next(peak(each) for name, each in parts_of(window) if name == "engine")
            print(f"| most ever resident | engine | {resident / 1e6:.0f} MB in all | |")
            time.sleep(rest_s)
            show("at rest", held(window))
        finally:
            started.send_signal(signal.SIGTERM)
            started.wait(PATIENCE_S)


def build(passages: int, texts: Path, library: Path) -> None:
    """Write synthetic texts and build their library, in processes of their own."""
    for module, arguments in {
        "synthetic_texts": ["--passages", str(passages), "--folder", str(texts)],
        "synthetic_engine": ["--texts", str(texts), "--library", str(library)],
    }.items():
        subprocess.run([sys.executable, "-m", f"{__package__}.{module}", *arguments], check=True)


def show(when: str, parts: Mapping[str, Memory]) -> None:
    rows = parts if "all" in parts else {**parts, "all": total(parts)}
    for name, (own, mapped) in rows.items():
        print(f"| {when} | {name} | {own:.0f} MB | {mapped:.0f} MB |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--set", action="append", choices=sets.NAMES, dest="sets")
    parser.add_argument("--documents", type=int, default=150)
    parser.add_argument("--passages", type=int, default=0, help="synthetic ones, instead")
    parser.add_argument("--questions", type=int, default=5)
    parser.add_argument("--rest", type=float, default=REST_S + 90, help="seconds")
    options = parser.parse_args()
    chosen = [sets.find(name) for name in options.sets or ("evidence", "cuad")]
    files = chain.from_iterable(sorted(each.corpus.iterdir()) for each in chosen)
    questions = [query.text for query in chosen[0].queries()[: options.questions]]
    with tempfile.TemporaryDirectory() as folder:
        home = make_home(Path(folder) / "home")
        documents = home.folder / "documents"
        documents.mkdir(mode=0o700)
        if options.passages:
            build(options.passages, documents, home.library)
        else:
            for file in islice(files, options.documents):
                shutil.copy(file, documents)
        count = sum(path.is_file() for path in documents.rglob("*"))
        goals = ", ".join(f"{name} {goal} MB" for name, goal in GOALS_MB.items())
        print(f"| {count} documents, {os.cpu_count()} cores | ({goals}) | own | mapped |")
        print("|---|---|---|---|")
        measure(home, documents, questions, options.rest, known=bool(options.passages))


if __name__ == "__main__":
    main()
