"""Peak memory over thousands of mixed files: ``python -m tests.benchmarks.mixed_files 3280``.

It takes the files that break programs and those of every set, and copies them repeatedly with
different ends, so that each is read anew but most texts are known. It prints the engine's peak of
resident memory, its share of that (PSS: pages that several processes have count in parts), and the
largest child.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import tempfile
import threading
from pathlib import Path

from tests.benchmarks import sets
from tests.benchmarks.processes import MB, Peaks, index_command, watch

LOOK_S = 1.0


def make(folder: Path, count: int) -> None:
    """Write ``count`` files below a folder."""
    originals = [path for path in sorted(sets.BENCH.rglob("*")) if path.is_file()]
    originals.sort(key=lambda path: sets.HARD_FILES not in path.parents)
    for number, path in zip(range(count), itertools.cycle(originals), strict=False):
        copy = folder / f"{number // len(originals)}" / path.relative_to(sets.BENCH)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
        with copy.open("ab") as file:
            file.write(f"\n% {number // len(originals)}\n".encode())


def run(folder: Path, count: int) -> tuple[Peaks, int]:
    """Index the files in another process; return its peaks and its largest share in bytes."""
    make(folder / "documents", count)
    shares = [0]
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(LOOK_S):
            shares.append(max(map(_share, _engines(str(folder / "library"))), default=0))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        arguments = index_command(folder / "library", folder / "documents")
        peaks = watch(arguments, {**os.environ, "XDG_CONFIG_HOME": str(folder / "empty")})
    finally:
        ended.set()
        looking.join()
    return peaks, max(shares)


def _engines(library: str) -> list[Path]:
    """The folders in /proc of the processes that were started with a library."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if library.encode() in (process / "cmdline").read_bytes().split(b"\0"):
                found.append(process)
        except OSError:
            continue
    return found


def _share(process: Path) -> int:
    try:
        lines = (process / "smaps_rollup").read_text("ascii", "replace").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:")), 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=3280)
    with tempfile.TemporaryDirectory() as folder:
        peaks, share = run(Path(folder), parser.parse_args().count)
    summary = json.loads(peaks.output or "{}")
    print(
        f"{summary.get('files_seen', 0):,} files in {peaks.seconds:.0f} s, status {peaks.status}, "
        f"{summary.get('passages', 0):,} passages; engine {peaks.engine / MB:.0f} MB, its share "
        f"{share / MB:.0f} MB; largest child {peaks.child / MB:.0f} MB"
    )


if __name__ == "__main__":
    main()
