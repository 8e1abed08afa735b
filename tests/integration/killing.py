"""Engines in processes of their own that are killed at a chosen point, and what they leave.

Owns the world of such a test (documents, library, model), the processes, and the comparison of
libraries by what can be seen of them. Run as a module it indexes one world to the end.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from indexer import faults
from indexer.config import EngineConfig, Precision
from indexer.engine import Engine
from indexer.pipeline.pace import Pace
from indexer.progress import CancelToken, ignore
from indexer.store import Upkeep, key_of
from tests.tiny_model import TINY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from indexer.types import Summary

WAIT_S = 60.0
ROOT = Path(__file__).resolve().parents[2]
# Small enough that the corpus takes several of each kind.
PACE = Pace(
    passages=16,
    vectors=16,
    unit=8,
    upkeep=Upkeep(text=(24, 8), vectors=(24, 8), fragments=(6, 3), ann_from=32),
)


@dataclass(frozen=True, slots=True)
class World:
    """Documents, a library and the folder of the tiny model."""

    documents: Path
    library: Path
    models: Path

    @property
    def config(self) -> EngineConfig:
        return EngineConfig(
            library=self.library,
            models=self.models,
            model=TINY,
            precision=Precision.FP32,
            threads=1,
            children=1,
            offline=True,
            min_free_bytes=0,
        )

    @contextlib.contextmanager
    def engine(self) -> Iterator[Engine]:
        with contextlib.closing(Engine.open(self.config, pace=PACE)) as engine:
            yield engine

    def index(self, engine: Engine) -> Summary:
        return engine.index([self.documents], report=ignore, token=CancelToken())

    def start(self, fault: str) -> subprocess.Popen[bytes]:
        """Start a process that indexes this world and comes to grief at a point."""
        return subprocess.Popen(
            [sys.executable, "-m", __spec__.name if __spec__ else __name__]
            + [str(self.documents), str(self.library), str(self.models)],
            cwd=ROOT,
            env={**os.environ, faults.VARIABLE: fault, "PYTHONWARNINGS": "error"},
            stdout=subprocess.DEVNULL,
        )

    def kill_at(self, fault: str) -> None:
        """Index until the process is killed at a point, and see that nothing of it is left."""
        with self.start(fault) as process:
            assert process.wait(WAIT_S) == -signal.SIGKILL, f"it never came by {fault}"
        wait_for(lambda: not children_of(process.pid))

    def kill_within(self, fault: str) -> None:
        """Index until a point, go on until the store's files change, and kill it then."""
        with self.start(f"{fault}:SIGSTOP") as process:
            wait_until_stopped(process)
            before = self.stored_files()
            process.send_signal(signal.SIGCONT)
            wait_for(lambda: self.stored_files() != before)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        wait_for(lambda: not children_of(process.pid))

    def stored_files(self) -> set[str]:
        return {
            os.path.join(folder, name)  # noqa: PTH118  # quick enough to see files come
            for folder, _, names in os.walk(self.library / "lance")
            for name in names
        }


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait for something another process does."""
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"


def wait_until_stopped(process: subprocess.Popen[bytes]) -> None:
    """Wait until a process has stopped itself; fails if it ends instead."""
    state = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    assert state is not None
    assert state.si_code == os.CLD_STOPPED, "it never came by"


def children_of(pid: int) -> list[psutil.Process]:
    """The extraction children of an engine, which stand in sessions of their own."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if f"--engine={pid}" in process.cmdline() and process.status() != "zombie":
                found.append(process)
    return found


@dataclass(frozen=True, slots=True)
class Seen:
    """A library as it can be compared: by files, whatever numbers documents have.

    ``vectors`` holds, for each file, the vectors of its passages and of their sentences.
    """

    files: dict[str, tuple[object, ...]]
    passages: dict[str, list[dict[str, Any]]]
    vectors: dict[str, tuple[Any, Any]]
    shared: set[frozenset[str]]
    words: dict[str, int]
    hits: list[list[tuple[str, int, int]]]


def look(engine: Engine) -> Seen:
    """Look at all there is, and insist that it hangs together."""
    check_whole(engine)
    catalog, store = engine.catalog, engine.store
    space = catalog.spaces.active()
    assert space is not None
    files, passages, vectors = {}, {}, {}
    owners: dict[int, set[str]] = {}
    for row in catalog.files.listing(limit=10_000):
        files[row.file] = (row.state, row.code, row.detail, row.size, row.pages, row.bad_pages)
        known = catalog.files.at(row.path)
        doc = catalog.files.doc_of(known[0]) if known else None
        if doc is None:
            continue
        owners.setdefault(doc, set()).add(row.file)
        ordinals = range(store.passage_counts([doc])[doc])
        keys = np.array([key_of(doc, ordinal) for ordinal in ordinals], np.int64)
        rows = store.passages_of(keys, _COLUMNS)
        passages[row.file] = [rows[int(key)] for key in keys]
        sentences, _ = store.sentence_vectors_of(space.key, keys)
        vectors[row.file] = store.vectors_of(space.key, keys), sentences
    hits = [_hits(engine, query) for query in ("zephyr clause", '"single xylophone"')]
    words = catalog.lexicon.df(["zephyr", "xylophone", "kalo", "tides", "report"])
    shared = {frozenset(names) for names in owners.values()}
    return Seen(files, passages, vectors, shared, words, hits)


_COLUMNS = (
    "ordinal", "text_id", "language", "page_first", "page_last", "char_start", "char_end",
    "heading_path", "text", "view", "stems", "text_starts", "view_starts",
)  # fmt: skip


def _hits(engine: Engine, query: str) -> list[tuple[str, int, int]]:
    found = engine.search(query, limit=3, full_text=True).hits
    return [(hit.file, hit.start, hit.end) for hit in found]


def check_whole(engine: Engine) -> None:
    """Nothing twice, nothing that nobody owns, nothing unfinished."""
    catalog, store = engine.catalog, engine.store
    space = catalog.spaces.active()
    assert space is not None
    assert store.verify() == []
    known = catalog.docs.known().tolist()
    assert store.known_docs().tolist() == [doc for doc in known if catalog.docs.expected()[doc]]
    assert store.sizes()["documents"].rows == len(known)
    assert sorted(store.documents(known)) == known
    assert store.passage_counts(known) == catalog.docs.expected()
    for doc, passages in catalog.docs.expected().items():
        assert len(store.ordinals_with_vectors(space.key, doc)) == passages
    assert catalog.spaces.pending(space.id, 10) == []
    assert catalog.docs.orphans() == []
    assert catalog.queue.waiting() == 0
    assert catalog.names.missing(space.id) == []
    assert engine.status()["understood"] == 1.0
    assert catalog.db.value("PRAGMA integrity_check") == "ok"


def check_same(seen: Seen, undisturbed: Seen) -> None:
    """Insist that two libraries are alike, vectors to a thousandth."""
    assert seen.files == undisturbed.files
    assert seen.passages == undisturbed.passages
    assert seen.shared == undisturbed.shared
    assert seen.words == undisturbed.words
    assert seen.hits == undisturbed.hits
    assert seen.vectors.keys() == undisturbed.vectors.keys()
    for file, pair in seen.vectors.items():
        for mine, theirs in zip(pair, undisturbed.vectors[file], strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-3, err_msg=file)


def main() -> None:
    world = World(*map(Path, sys.argv[1:4]))
    with world.engine() as engine:
        world.index(engine)


if __name__ == "__main__":
    main()
