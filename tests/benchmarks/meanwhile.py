"""How soon a search answers while a folder is read.

``python -m tests.benchmarks.meanwhile`` indexes a set in a real engine's process. Meanwhile it
saves new files and waits until each is found by its words, asks for ten thousand hits, and asks a
question that replaces such a request. It stops when the folder has been read, so the set must be
large enough.

    python -m tests.benchmarks.meanwhile --set financebench --times 5
"""

from __future__ import annotations

import argparse
import itertools
import os
import shutil
import statistics
import tempfile
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from app.paths import models_folder
from indexer.api.contract import MAX_LIMIT
from indexer.api.endpoint import EngineClient
from indexer.api.errors import LecternError
from indexer.api.requests import GetActivity, Index, Search
from tests.benchmarks import sets
from tests.integration.speaking import answer_to, ask, attached, greeted
from tests.ui.engines import Home, real_engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GOAL_S = 5.0
PATIENCE_S = 120.0
LOOK_S = 0.1
FIRST_LIMIT = 60  # what the window asks for


def make_home(folder: Path) -> Home:
    """Make a home with the settings of a new installation, and this machine's compiled models."""
    models = models_folder()
    home = Home(folder)
    (folder / "run").mkdir(parents=True, mode=0o700)
    home.library.parent.mkdir(parents=True)
    if models.exists():
        (home.library.parent / "models").symlink_to(models)
    os.environ["XDG_RUNTIME_DIR"] = home.environment["XDG_RUNTIME_DIR"]
    return home


def is_busy(engine: EngineClient) -> bool:
    return engine.call(GetActivity()).running is not None


def found_after(engine: EngineClient, documents: Path, number: int) -> float:
    """Save a new file and return the seconds until its words find it."""
    word = f"zyx{number}quorum"
    file = documents / f"new {number}.txt"
    file.write_text(f"The {word} was agreed on Thursday. Nobody objected to it.")
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE_S:
        if any(hit.path == str(file) for hit in engine.call(Search(word)).hits):
            return time.monotonic() - began
        time.sleep(LOOK_S)
    raise TimeoutError(file)


def asked(engine: EngineClient, query: str, limit: int) -> float:
    """Return the seconds that a search takes."""
    began = time.monotonic()
    engine.call(Search(query, limit))
    return time.monotonic() - began


def newest(library: Path, query: str) -> float:
    """Return the seconds of a search that replaces a search for the most hits allowed."""
    with closing(greeted(library)) as window:
        ask(window, 1, Search(f"{query} again", MAX_LIMIT))
        time.sleep(LOOK_S)
        began = time.monotonic()
        ask(window, 2, Search(query, FIRST_LIMIT))
        answer_to(window, 2)
        return time.monotonic() - began


def measured(
    engine: EngineClient, times: int, call: Callable[[int], float]
) -> Iterator[tuple[float, bool]]:
    """Yield seconds, and whether the folder was still being read afterwards."""
    for number in range(times):
        seconds = call(number)
        yield seconds, is_busy(engine)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--set", default="financebench", choices=sets.NAMES)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    wanted = sets.find(options.set)
    questions = itertools.cycle([query.text for query in wanted.queries()])
    with tempfile.TemporaryDirectory() as folder:
        home = make_home(Path(folder) / "home")
        documents = home.folder / "documents"
        shutil.copytree(wanted.corpus, documents)
        documents.chmod(0o700)
        with real_engine(home, "--watch"):  # as the window starts it
            engine = EngineClient.attach(home.library)
            if engine is None:
                raise SystemExit("the engine does not answer")
            with closing(engine):
                _report(engine, home.library, documents, options.times, questions)


def _report(
    engine: EngineClient, library: Path, documents: Path, times: int, questions: Iterator[str]
) -> None:
    reading = threading.Thread(target=_read, args=(library, documents))
    reading.start()
    while engine.call(GetActivity()).pages_per_second <= 0:
        time.sleep(LOOK_S)
    print("| while a folder is read | median | worst | still read |")
    print("|---|---|---|---|")
    parts: dict[str, Callable[[int], float]] = {
        f"a new file is found (goal {GOAL_S:g} s)": lambda n: found_after(engine, documents, n),
        f"{MAX_LIMIT:,} hits": lambda _n: asked(engine, next(questions), MAX_LIMIT),
        "the newest query behind these": lambda _n: newest(library, next(questions)),
    }
    for name, call in parts.items():
        seconds, busy = zip(*measured(engine, times, call), strict=True)
        middle, worst = statistics.median(seconds), max(seconds)
        print(f"| {name} | {middle:.2f} s | {worst:.2f} s | {sum(busy)} of {times} |", flush=True)


def _read(library: Path, documents: Path) -> None:
    # The engine ends before it has read everything.
    with suppress(LecternError), closing(attached(library)) as engine:
        engine.call(Index((documents,)))


if __name__ == "__main__":
    main()
