"""The cost of watching: hardly any while nothing changes, and little when a whole folder moves.

python -m tests.benchmarks.watching                        100,000 idle files, 1,000 moved
python -m tests.benchmarks.watching --idle 2000 --seconds 5 --moved 100

It uses the real source of events, a real engine and the tiny model. The idle files are of a kind
that is not read, which makes no difference to watching.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from indexer.api.errors import Cancelled
from indexer.api.progress import CancelToken, Progress, Step
from indexer.api.requests import Index, ListFiles, Watch
from indexer.config import EngineConfig, Precision
from indexer.engine.engine import Engine
from tests.integration.corpus import make_tiny_files, text
from tests.tiny_model import TINY, install_tiny_model
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

IN_A_FOLDER = 100
WAIT_S = 3600.0


@dataclass(slots=True)
class Work:
    """The files and passages that were read."""

    read: int = 0
    passages: int = 0

    def counted(
        self, engine: Engine
    ) -> Callable[[CancelToken, Callable[[Exception | None], None]], None]:
        """Return a reader for the watcher of an engine that counts what it reads."""

        def read(token: CancelToken, done: Callable[[Exception | None], None]) -> None:
            files = 0

            def note(progress: Progress) -> None:
                nonlocal files
                if progress.step is Step.INDEX:
                    files = progress.files_done

            summary = engine.call(Index(scan=False), report=note, token=token)
            self.read += files
            self.passages += summary.passages
            done(Cancelled() if summary.cancelled else None)

        return read


def _engine(folder: Path) -> Engine:
    install_tiny_model(folder / "models")
    config = EngineConfig(
        folder / "library",
        folder / "models",
        model=TINY,
        precision=Precision.FP32,
        offline=True,
        min_free_bytes=0,
    )
    return Engine.open(config)


def _wait_until_quiet(engine: Engine) -> None:
    wait_for(lambda: engine.call(Watch(None)).quiet, WAIT_S)


def idle(folder: Path, files: int, seconds: float) -> None:
    """Watch files that do not change, and print the cost."""
    documents = folder / "idle"
    for number in range(files):
        path = documents / str(number // IN_A_FOLDER) / f"file {number}.bin"
        if number % IN_A_FOLDER == 0:
            path.parent.mkdir(parents=True)
        path.write_bytes(b"x")
    with contextlib.closing(_engine(folder)) as engine:
        began = time.monotonic()
        engine.call(Index((documents,)))
        indexed = time.monotonic()
        engine.call(Watch(on=True))
        _wait_until_quiet(engine)
        ready = time.monotonic()
        watcher, process = engine.watcher, psutil.Process()
        before, looked = process.cpu_times(), (watcher.scans, watcher.partial_scans)
        time.sleep(seconds)
        after = process.cpu_times()
        spent = after.user + after.system - before.user - before.system
        scans, entries = watcher.scans - looked[0], watcher.partial_scans - looked[1]
        print(
            f"{files:,} idle files in {engine.call(Watch(None)).folders:,} watched folders: "
            f"{100 * spent / seconds:.2f} % of one core over {seconds:.0f} s, "
            f"{scans} scans, {entries} entries; "
            f"first scan {indexed - began:.1f} s, until watched {ready - indexed:.1f} s"
        )


def moved(folder: Path, files: int) -> None:
    """Rename and move a folder of indexed files, and print when the library is up to date."""
    documents, other = folder / "documents", folder / "other"
    other.mkdir()
    make_tiny_files(documents / "before", files)
    (documents / "before" / "long.txt").write_text(text(1, 5000))
    work = Work()
    with contextlib.closing(_engine(folder)) as engine:
        engine.call(Index((documents, other)))
        engine.watcher.read = work.counted(engine)
        engine.call(Watch(on=True))
        _wait_until_quiet(engine)
        for what, old, new in (
            ("renamed", documents / "before", documents / "after"),
            ("moved to another root", documents / "after", other / "after"),
        ):
            work.read = work.passages = 0
            began = time.monotonic()
            old.rename(new)
            _wait_until_there(engine, old, new, files + 1)
            seconds = time.monotonic() - began
            _wait_until_quiet(engine)
            print(
                f"folder of {files:,} indexed files {what}: up to date in {seconds:.2f} s, "
                f"{work.read} files read or hashed, {work.passages} passages embedded"
            )


def _wait_until_there(engine: Engine, old: Path, new: Path, files: int) -> None:
    def there() -> bool:
        rows = engine.call(ListFiles(offset=0, limit=min(2 * files, 10_000))).files
        paths = [row.path for row in rows if row.state == "indexed"]
        return sum(path.startswith(f"{new}/") for path in paths) == files and not any(
            path.startswith(f"{old}/") for path in paths
        )

    wait_for(there, WAIT_S)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--idle", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--moved", type=int, default=1000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        moved(Path(folder), asked.moved)
    with tempfile.TemporaryDirectory() as folder:
        idle(Path(folder), asked.idle, asked.seconds)


if __name__ == "__main__":
    main()
