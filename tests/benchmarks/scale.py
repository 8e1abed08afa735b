"""The costs of a growing library: it is built, asked, changed and asked again at several sizes.

    python -m tests.benchmarks.scale --sizes 100000 1000000

Before a size begins, it prints how much disk that needs. The result of each step is kept in
``steps.json``. A run that was interrupted continues with the next step, and while building with the
files that were not read yet. Delete the folder of a size to measure it anew. Texts and vectors are
those of ``synthetic_engine``. This module must not know how queries are timed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.private_files import write_file
from indexer.engine.engine import Engine
from tests.benchmarks import machine, sets
from tests.benchmarks.latency import SYNTHETIC_QUERIES, ask
from tests.benchmarks.libraries import Options, note
from tests.benchmarks.processes import memory, watch
from tests.benchmarks.report import Section
from tests.benchmarks.synthetic_texts import FOLDERS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Facts = dict[str, Any]

# Measured at a million: .95 KB of text, and 4.4 KB of library, which compaction writes twice.
BYTES_A_PASSAGE = 11_000
EDITED_EVERY = 100  # files
# Folders that each have a hundredth of the documents; see ``synthetic_texts``.
REMOVED, RENAMED = "most/half/few", "rest"
COLUMNS = (
    "passages", "built s", "engine MB", "library GB", "p50 ms", "p95 ms", "processor ms",
    "p95 ms in 1 %", "in 50 %", "in 99 %", "own MB",
    "at rest", "1 % changed s", "p95 ms afterwards",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where a library of one size and its texts lie."""

    folder: Path
    passages: int

    @property
    def texts(self) -> Path:
        # The sets call this folder "corpus", too, so that progress lines name the size.
        return self.folder / "texts" / "corpus"

    @property
    def library(self) -> Path:
        return self.folder / "library"


def carry_out(
    record: Path, steps: Mapping[str, Callable[[], Facts]], what: str = ""
) -> dict[str, Facts]:
    """Run the steps that a record does not have, keep each result, and return all results."""
    kept: dict[str, Facts] = json.loads(record.read_text("utf-8")) if record.exists() else {}
    for name, step in steps.items():
        if name not in kept:
            note(f"{what}{name} …")
            kept[name] = step()
            write_file(record, json.dumps(kept, indent=1) + "\n")
    return kept


def measure(place: Place) -> dict[str, Facts]:
    """All steps at one size.

    Raises:
        OSError: If the disk has no room for it.
    """
    record = place.folder / "steps.json"
    place.folder.mkdir(parents=True, exist_ok=True)
    free, needed = shutil.disk_usage(place.folder).free, place.passages * BYTES_A_PASSAGE
    there = sum(file.stat().st_size for file in place.folder.rglob("*") if file.is_file())
    note(
        f"{place.passages:,} passages need {needed / 1e9:.1f} GB of disk, of which "
        f"{there / 1e9:.1f} are there; {free / 1e9:.1f} are free"
    )
    if not record.exists() and free + there < needed:
        raise OSError("there is no room on the disk")
    steps: dict[str, Callable[[], Facts]] = {
        "write the texts": lambda: _write(place),
        "build": lambda: _index(place),
        "ask": lambda: _ask(place, list(FOLDERS)),
        "change": lambda: _change(place),
        "ask again": lambda: _ask(place, []),
    }
    return carry_out(record, steps, f"{place.passages:,}: ")


def _write(place: Place) -> Facts:
    shutil.rmtree(place.texts, ignore_errors=True)
    began = time.monotonic()
    _run("synthetic_texts", "--passages", str(place.passages), "--folder", str(place.texts))
    return {"seconds": time.monotonic() - began}


def _index(place: Place) -> Facts:
    resumed = place.library.exists()
    peaks = watch(
        _command("synthetic_engine", "--texts", str(place.texts), "--library", str(place.library))
    )
    if peaks.status:
        raise subprocess.CalledProcessError(peaks.status, "synthetic_engine")
    size = sum(file.stat().st_size for file in place.library.rglob("*") if file.is_file())
    return {
        "seconds": peaks.seconds,
        "resumed": resumed,  # the seconds are only those of the last run
        "engine": peaks.engine,
        "bytes": size,
    }


def _ask(place: Place, folders: Sequence[str]) -> Facts:
    """Time queries in the whole library and in folders."""
    queries = [query.text for query in sets.find(SYNTHETIC_QUERIES).queries()]
    found: Facts = {}
    with closing(Engine.open(Options(place.folder).config(place.library))) as engine:
        for folder in ("", *folders):
            prefix = f"in:{folder} " if folder else ""
            _, p50, p95, _, worked = ask(engine, [prefix + text for text in queries]).cells()
            found[folder] = {"p50": p50, "p95": p95, "processor": worked}
        found["own"] = _own()
        engine.release_memory()
        found["rest"] = _own()
    return found


def _own() -> float | None:
    """The memory of this process in MB without mapped files; None if the system hides it."""
    return memory(os.getpid())[0] if sys.platform == "linux" else None


def _change(place: Place) -> Facts:
    """Edit every hundredth file, remove a folder, rename another, and index that."""
    files = sorted(place.texts.rglob("*.md"))
    for file in files[::EDITED_EVERY]:
        with file.open("a", encoding="utf-8") as opened:
            opened.write("\n\nA paragraph that was not there before.\n")
    shutil.rmtree(place.texts / REMOVED, ignore_errors=True)
    if (place.texts / RENAMED).exists():
        (place.texts / RENAMED).rename(place.texts / f"{RENAMED} of them")
    return {**_index(place), "resumed": False}


def _run(module: str, *arguments: str) -> None:
    subprocess.run(_command(module, *arguments), check=True)


def _command(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", f"{__package__}.{module}", *arguments]


def table(found: Mapping[int, Mapping[str, Facts]]) -> Section:
    """The cost curves."""
    rows = []
    for passages, steps in found.items():
        built, asked = steps["build"], steps["ask"]
        rows.append((
            passages, None if built["resumed"] else built["seconds"], built["engine"] / 1e6,
            built["bytes"] / 1e9, asked[""]["p50"], asked[""]["p95"], asked[""]["processor"],
            *(asked[folder]["p95"] for folder in FOLDERS),
            asked["own"], asked["rest"], steps["change"]["seconds"], steps["ask again"][""]["p95"],
        ))  # fmt: skip
    return Section("scale", "Cost by the number of passages", COLUMNS, tuple(rows))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--out", type=Path, default=Path("bench-results"))
    asked = parser.parse_args()
    out = asked.out.absolute()
    found = {size: measure(Place(out / "scale" / str(size), size)) for size in asked.sizes}
    section = table(found)
    section.save(out, machine.facts())
    print(section.markdown())


if __name__ == "__main__":
    main()
