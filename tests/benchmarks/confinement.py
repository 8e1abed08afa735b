"""The cost of reading each document in a confined process of its own.

Children that fork a worker for each document and children that read by themselves take turns in
reading the same documents; processor time and pages a second are compared::

    python -m tests.benchmarks.confinement FOLDER [--rounds 3]

FOLDER has any documents, for example a set of the benchmarks.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from indexer.api.errors import LecternError
from indexer.extract.process import process
from indexer.extract.process.sandbox import ExtractionChild

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.api.types import DocumentInfo
    from indexer.config import Limits

# The same child without workers.
_ALONE = """
import sys
from indexer.confine import worker
worker.is_available = lambda: False
from indexer.extract.process import child
sys.exit(child.main())
"""
_plain_command = process.command


def _alone(limits: Limits, scratch: str) -> list[str]:
    plain = _plain_command(limits, scratch)
    return [plain[0], "-P", "-c", _ALONE, *plain[plain.index("-m") + 2 :]]


def read_all(paths: Sequence[Path]) -> tuple[float, float, int]:
    """Read documents by one child; return the seconds, the processor's seconds and the pages."""
    began, used, pages = time.monotonic(), _used(), 0

    def decide(info: DocumentInfo) -> bool:
        nonlocal pages
        pages += info.pages
        return True

    with ExtractionChild() as child:
        for path in paths:
            try:
                for _group in child.extract(path, "", None, decide):
                    pass
            except LecternError as error:
                print(f"{path.name}: {error.code}", file=sys.stderr)
    return time.monotonic() - began, _used() - used, pages


def _used() -> float:
    mine = resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime


def main() -> None:
    """Compare, and print a line for each round and the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    paths = sorted(path for path in options.folder.rglob("*") if path.is_file())
    ratios = []
    for number in range(1, options.rounds + 1):
        with mock.patch.object(process, "command", _alone):
            alone = read_all(paths)
        apart = read_all(paths)
        ratios.append((apart[0] / alone[0], apart[1] / alone[1]))
        print(
            f"round {number}: {len(paths)} documents; alone {alone[2] / alone[0]:.1f} pages/s, "
            f"{alone[1]:.2f} s of processors; apart {apart[2] / apart[0]:.1f}, {apart[1]:.2f} s"
        )
    print(
        f"apart takes {statistics.median(each[0] for each in ratios):.3f} times the time and "
        f"{statistics.median(each[1] for each in ratios):.3f} times the processor"
    )


if __name__ == "__main__":
    main()
