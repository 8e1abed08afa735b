"""Words first: how soon a set can be found by words, while its vectors follow.

The same documents are read three times into an empty library: with the model kept away, which is
as fast as words can be; as a person would; and then until everything is embedded.
"""

from __future__ import annotations

import shutil
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from indexer.api.progress import CancelToken
from indexer.api.requests import Index
from indexer.engine.engine import Engine
from tests.benchmarks import sets
from tests.benchmarks.libraries import note
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.progress import Progress
    from indexer.embed.base import Embedder
    from indexer.pipeline.parts import Parts
    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

READ = "financebench"
DOCUMENTS = 8
COLUMNS = ("set", "what", "documents", "pages", "seconds", "pages/s")


class WordsOnly(Engine):
    """An engine whose model never comes."""

    never = threading.Event()

    def _parts(self, *, first: bool) -> Parts:
        parts = super()._parts(first=first)

        def open_embedder() -> Embedder:
            self.never.wait()
            return parts.open_embedder()

        return replace(parts, open_embedder=open_embedder)


@dataclass(slots=True)
class _Watch:
    """Notes when the last file was read and, if told so, ends the run then."""

    token: CancelToken
    end: bool
    event: threading.Event = field(default_factory=threading.Event)
    began: float = field(default_factory=time.perf_counter)
    read_at: float = 0.0
    pages: int = 0

    def __call__(self, progress: Progress) -> None:
        done = progress.files_total > 0 and progress.files_done == progress.files_total
        if progress.step == "index" and done and not self.read_at:
            self.read_at, self.pages = time.perf_counter() - self.began, progress.pages
            if self.end:
                self.event.set()
                self.token.cancel()


def run(options: Options, _libraries: Libraries) -> Section:
    """Read some documents with the model kept away, and with it."""
    corpus = options.out / "libraries" / "words-corpus"
    count = sets.find(READ).copy_some(DOCUMENTS, corpus)
    rows: list[tuple[Cell, ...]] = []
    for what, kind in (("words alone", WordsOnly), ("words, vectors following", Engine)):
        watch, seconds = _read(options, kind, corpus)
        note(f"{what}: {watch.pages} pages in {watch.read_at:.1f} s")
        rows.append((READ, what, count, watch.pages, watch.read_at, watch.pages / watch.read_at))
        if kind is Engine:
            embedded = (READ, "embedded", count, watch.pages, seconds, watch.pages / seconds)
            rows.append(embedded)
    shutil.rmtree(corpus, ignore_errors=True)
    return Section("words", "Words first", COLUMNS, tuple(rows), (_NOTE,))


def _read(options: Options, kind: type[Engine], corpus: Path) -> tuple[_Watch, float]:
    library = options.out / "libraries" / "words"
    shutil.rmtree(library, ignore_errors=True)
    token = CancelToken()
    watch = _Watch(token, end=kind is WordsOnly)
    WordsOnly.never = watch.event
    with closing(kind.open(options.config(library))) as engine:
        engine.call(Index((corpus,)), report=watch, token=token)
    seconds = time.perf_counter() - watch.began
    shutil.rmtree(library, ignore_errors=True)
    return watch, seconds


_NOTE = (
    "Seconds run from the call, scan included, until the last document can be found by words or, "
    "in the last row, until everything is embedded and tidied."
)
