"""Synthetic libraries and the costs of building them; each is built once and kept for later runs.

This module knows where they lie, and keeps a record beside each. ``synthetic_engine`` makes a
library in a process that is watched from outside. Delete its folder to have it made anew.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from indexer.api.private_files import write_file
from tests.benchmarks.libraries import note
from tests.benchmarks.machine import commit
from tests.benchmarks.processes import Peaks, watch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.libraries import Options

QUICK, FULL, MILLION = 10_000, 100_000, 1_000_000


def sizes(options: Options) -> tuple[int, ...]:
    """The numbers of passages of this run's synthetic libraries."""
    if options.quick:
        return (QUICK,)
    return (FULL, MILLION) if options.million else (FULL,)


def ensure(options: Options, size: int) -> Path:
    """Return the library of a size; build it if it is missing."""
    library = options.out / "synthetic" / str(size)
    if not _record(library).exists():
        _build(library, size)
    return library


def facts(options: Options, size: int) -> dict[str, Any]:
    """The record of its building: documents, passages, seconds, peaks in bytes, the commit."""
    text = _record(ensure(options, size)).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _record(library: Path) -> Path:
    return library.with_name(f"{library.name}.json")


def _build(library: Path, size: int) -> None:
    note(f"synthetic: building a library of {size:,} passages")
    # The sets call this folder "corpus", too, so that progress lines name the size.
    texts = library.parent / "texts" / str(size) / "corpus"
    for left in (library, texts):
        shutil.rmtree(left, ignore_errors=True)
    _run("synthetic_texts", "--passages", str(size), "--folder", str(texts))
    peaks = _run("synthetic_engine", "--texts", str(texts), "--library", str(library))
    shutil.rmtree(texts.parents[1])
    kept = {
        **json.loads(peaks.output),
        "engine_peak": peaks.engine,
        "child_peak": peaks.child,
        "commit": commit(),
    }
    write_file(_record(library), json.dumps(kept, indent=1) + "\n")


def _run(module: str, *arguments: str) -> Peaks:
    """Run a module of this package in a process of its own."""
    command = [sys.executable, "-m", f"{__package__}.{module}", *arguments]
    peaks = watch(command)
    if peaks.status:
        raise subprocess.CalledProcessError(peaks.status, command)
    return peaks
