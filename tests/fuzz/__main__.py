"""Fuzzing of every format for as long as one likes: ``python -m tests.fuzz --seconds 600``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.corpora import BENCH
from tests.fuzz.run import run
from tests.fuzz.samples import samples

_MAX_BYTES = 400_000  # of a file of the corpus; larger ones only take longer


def main() -> int:
    """Fuzz, print what became of the files, and fail if there were findings."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="files whose names end so")
    options = parser.parse_args()
    files = {**samples(), **hard_files()}
    files = {name: data for name, data in files.items() if name.endswith(options.only)}
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    end = time.monotonic() + options.seconds
    report = run(files, folder, options.seed, lambda _: time.monotonic() < end)
    total = sum(report.outcomes.values())
    print(f"{total} spoilt files of {len(files)}, seed {options.seed}")
    for code, count in report.outcomes.most_common():
        print(f"  {count:7} {code}")
    print(f"slowest: {report.slowest_s:.1f} s, {report.slowest}")
    for finding in report.findings:
        print(f"FINDING {folder}/{finding}")
    if not report.findings:
        folder.rmdir()
    return 1 if report.findings else 0


def hard_files() -> dict[str, bytes]:
    """The files of the shared corpus that break programs, where it is here."""
    folder = BENCH / "hard-files"
    if not folder.is_dir():
        return {}
    return {
        path.name: path.read_bytes()
        for path in sorted(folder.iterdir())
        if path.is_file() and path.stat().st_size <= _MAX_BYTES
    }


if __name__ == "__main__":
    sys.exit(main())
