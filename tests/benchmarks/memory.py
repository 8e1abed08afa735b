"""Memory: the peak of the engine and of its extraction children, watched from outside.

``lectern index`` runs as a process of its own, with default settings, over documents of the largest
set and over the files that break programs. The engine at 100,000 and 1,000,000 passages was watched
while the synthetic libraries were built.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from typing import TYPE_CHECKING

from tests.benchmarks import sets, synthetic_library
from tests.benchmarks.libraries import note
from tests.benchmarks.processes import Peaks, watch
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

MB = 1e6
DOCUMENTS = 8
COLUMNS = ("indexed", "passages", "seconds", "engine MB", "largest child MB", "exit status")


def run(options: Options, libraries: Libraries) -> Section:
    """Index each folder in a process of its own."""
    largest = sets.find(options.names[-1])
    some = options.out / "libraries" / "memory-corpus"
    count = largest.copy_some(DOCUMENTS, some)
    folders = {f"{count} documents of {largest.name}": some}
    if not options.quick:
        folders[sets.HARD_FILES.name] = sets.HARD_FILES
    rows: list[tuple[Cell, ...]] = []
    for name, folder in folders.items():
        note(f"memory: indexing {name}")
        peaks = index(libraries.folder("memory"), folder)
        summary = json.loads(peaks.output) if peaks.output else {}
        rows.append(_row(name, int(summary.get("passages", 0)), peaks))
    shutil.rmtree(some, ignore_errors=True)
    for size in synthetic_library.sizes(options):
        facts = synthetic_library.facts(options, size)
        peaks = Peaks(seconds=facts["seconds"])
        peaks.engine, peaks.child = facts["engine_peak"], facts["child_peak"]
        rows.append(_row(f"synthetic {size:,}", facts["passages"], peaks))
    return Section("memory", "Peak memory while indexing", COLUMNS, tuple(rows), (_NOTE,))


def index(library: Path, folder: Path) -> Peaks:
    """``lectern index`` of a folder into a library that is deleted afterwards."""
    shutil.rmtree(library, ignore_errors=True)
    with tempfile.TemporaryDirectory() as empty:
        # The person's own settings are no part of a benchmark.
        peaks = watch(command(library, folder), {**os.environ, "XDG_CONFIG_HOME": empty})
    shutil.rmtree(library, ignore_errors=True)
    return peaks


def command(library: Path, folder: Path) -> list[str]:
    """Return the command line that indexes a folder."""
    program = [sys.executable, "-m", "app", "--library", str(library)]
    return [*program, "index", str(folder), "--quiet", "--json"]


def _row(name: str, passages: int, peaks: Peaks) -> tuple[Cell, ...]:
    engine, child = round(peaks.engine / MB), round(peaks.child / MB)
    return name, passages, round(peaks.seconds), engine, child, peaks.status


_NOTE = (
    "The highest resident memory (VmHWM) of each process. The synthetic libraries are written by "
    "the whole indexing job; the model is loaded and embeds names and one passage in "
    "64, other vectors are drawn."
)
