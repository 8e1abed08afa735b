"""The sets as libraries: each is indexed once in a run, with the settings of a new installation.

It knows where the libraries of the benchmark lie and when they are made anew. It must not know
what is measured on them.
"""

from __future__ import annotations

import shutil
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.paths import models_folder
from indexer.api.requests import Calibrate, Index
from indexer.config import DEFAULT_MODEL, LANGUAGES_MODEL, EngineConfig
from indexer.engine.engine import Engine
from tests.benchmarks import sets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.api.progress import Progress
    from indexer.api.types import Summary


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line."""

    out: Path
    chosen: tuple[sets.BenchSet, ...] = field(default_factory=sets.every)
    quick: bool = False
    keep: bool = False  # use libraries that an earlier run left
    million: bool = False

    def config(self, library: Path, model: str = "") -> EngineConfig:
        """The settings of a new installation, but without recognition, which would be measured too.

        Args:
            library: The folder of the library.
            model: A chosen model; by default the languages of the documents decide.
        """
        return EngineConfig(
            library=library,
            models=models_folder(),
            model=model or DEFAULT_MODEL,
            languages_model="" if model else LANGUAGES_MODEL,
            ocr=False,
        )


@dataclass(slots=True)
class Libraries:
    """The libraries of one run."""

    options: Options
    _ready: set[str] = field(default_factory=set)

    def folder(self, name: str) -> Path:
        return self.options.out / "libraries" / name

    @contextmanager
    def open(self, wanted: sets.BenchSet) -> Iterator[Engine]:
        """Open a set's library, indexed by this run or, with ``keep``, by an earlier one."""
        with self.open_folder(wanted.library, wanted.corpus, wanted.model) as engine:
            yield engine

    @contextmanager
    def open_folder(self, name: str, corpus: Path, model: str = "") -> Iterator[Engine]:
        """Do the same for any folder of documents; see ``Options.config``."""
        if name not in self._ready and not self.options.keep:
            self._discard(name)
        with closing(self._engine(name, model)) as engine:
            if name not in self._ready:
                index(engine, corpus)
                self._ready.add(name)
            yield engine

    @contextmanager
    def make(self, wanted: sets.BenchSet) -> Iterator[Path]:
        """Yield the empty folder of a set's library to a caller who indexes the set."""
        self._discard(wanted.library)
        yield self.folder(wanted.library)
        self._ready.add(wanted.library)

    def _engine(self, name: str, model: str) -> Engine:
        folder = self.folder(name)
        folder.parent.mkdir(parents=True, exist_ok=True)
        return Engine.open(self.options.config(folder, model))

    def _discard(self, name: str) -> None:
        shutil.rmtree(self.folder(name), ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Indexed:
    """An indexing run from its call to its return: scan, reading, embedding, upkeep.

    ``read`` are the seconds until the progress reported that every file had been read, so that all
    could be found by words.
    """

    summary: Summary
    seconds: float
    read: float


def index(engine: Engine, corpus: Path) -> Indexed:
    """Index a folder, and print the progress."""
    began = time.perf_counter()
    line = _Line(corpus.parent.name)
    summary = engine.call(Index((corpus,)), report=line)
    seconds = time.perf_counter() - began
    engine.call(Calibrate())
    note(f"{corpus.parent.name}: {summary.passages:,} passages indexed in {seconds:.0f} s")
    return Indexed(summary, seconds, (line.read_at or began + seconds) - began)


def note(text: str) -> None:
    """Print a remark to the error stream, apart from the table."""
    print(text, file=sys.stderr, flush=True)


@dataclass(slots=True)
class _Line:
    """A line of progress every ten seconds; notes when the last file was read."""

    name: str
    read_at: float = 0.0
    _next: float = field(default_factory=lambda: time.monotonic() + 10.0)

    def __call__(self, progress: Progress) -> None:
        read = progress.files_total > 0 and progress.files_done == progress.files_total
        if progress.step == "index" and read and not self.read_at:
            self.read_at = time.perf_counter()
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 10.0
            files = f"{progress.files_done}/{progress.files_total} files"
            note(f"  {self.name}: {progress.step}, {files}, {progress.passages:,} passages")
