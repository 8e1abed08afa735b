"""Indexes a great many tiny files with the tiny model, and shows whether the rate stays the same.

It measures the cost of a file without its text: ``python -m tests.benchmarks.tiny_files 100000``.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from contextlib import closing
from pathlib import Path

import psutil

from indexer.api.progress import Progress, Step
from indexer.api.requests import GetStatus, Index
from indexer.config import EngineConfig, Precision
from indexer.engine.engine import Engine
from tests.integration.corpus import make_tiny_files
from tests.tiny_model import TINY, install_tiny_model

LINES = 10  # of progress


def run(folder: Path, count: int) -> None:
    """Make the files, index them, scan them again, and print the time of each step."""
    install_tiny_model(folder / "models")
    make_tiny_files(folder / "documents", count)
    config = EngineConfig(
        folder / "library",
        folder / "models",
        model=TINY,
        precision=Precision.FP32,
        offline=True,
        min_free_bytes=0,
    )
    shown = 0
    last = (0, 0.0)

    def report(progress: Progress) -> None:
        nonlocal shown, last
        if progress.step is Step.INDEX and progress.files_done * LINES >= (shown + 1) * count:
            shown = progress.files_done * LINES // count
            files, seconds = progress.files_done - last[0], progress.seconds - last[1]
            last = (progress.files_done, progress.seconds)
            print(f"{progress.files_done:>9,} files, {files / seconds:,.0f}/s", flush=True)

    with closing(Engine.open(config)) as engine:
        summary = engine.call(Index((folder / "documents",)), report=report)
        began = time.monotonic()
        engine.call(Index())
        again = time.monotonic() - began
        size = engine.call(GetStatus()).bytes
    peak = psutil.Process().memory_info().rss
    print(
        f"{summary.files_seen:,} files in {summary.seconds:.0f} s, "
        f"{summary.files_seen / summary.seconds:,.0f}/s; looking again {again:.1f} s; "
        f"library {size / 1e6:.0f} MB; engine {peak / 1e6:.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    with tempfile.TemporaryDirectory() as folder:
        run(Path(folder), parser.parse_args().count)


if __name__ == "__main__":
    main()
