"""Builds a synthetic store as indexing would and measures it.

    python -m tests.benchmarks.store_scale --passages 100000 --at /tmp/store-100k

It prints the costs of building (time, peak memory, bytes for a byte of text), then the latency of
each part of a query with filters that keep 1 %, 50 % and 99 % of the documents, and the recall of
the vector index compared with exact search. CPU is the time of all threads; on a machine with other
work the wall clock says little. If a store exists already, it is measured as it is.
"""

from __future__ import annotations

import argparse
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
import psutil

from indexer.pipeline.vectors import join
from indexer.store.store import Store
from indexer.store.values import DocSet, Term, docs_of
from indexer.store.vectors import vectors_name
from tests.benchmarks.synthetic import DIMENSION, Document, Library
from tests.store_rows import phrases

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

SPACE = "synthetic"
_BATCH = 1024
_READ = 16_384  # vectors at a time


class Peak:
    """The highest resident memory of this process within the block, in MB."""

    def __enter__(self) -> Self:
        self._process = psutil.Process()
        self._done = threading.Event()
        self.mb = self._now()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _now(self) -> float:
        return float(self._process.memory_info().rss) / 1e6

    def _watch(self) -> None:
        while not self._done.wait(0.02):
            self.mb = max(self.mb, self._now())


@dataclass(slots=True)
class Writer:
    """Writes documents in batches, with the upkeep of an indexing job."""

    store: Store
    tidy_between: bool = True
    busy: dict[str, float] = field(default_factory=lambda: {"write": 0.0, "tidy": 0.0})
    characters: int = 0

    def run(self, library: Library) -> None:
        held: list[Document] = []
        rows = 0
        for document in library.documents():
            held.append(document)
            rows += len(document.passages)
            self.characters += sum(len(row.passage.text) for row in document.passages)
            if rows >= _BATCH:
                self._write(held)
                held, rows = [], 0
        if held:
            self._write(held)
        self._tidy(idle=True)

    def _write(self, held: list[Document]) -> None:
        began = time.monotonic()
        self.store.add_passages([row for document in held for row in document.passages])
        self.store.add_vectors(SPACE, join([document.vectors for document in held]))
        self.busy["write"] += time.monotonic() - began
        if self.tidy_between:
            self._tidy(idle=False)

    def _tidy(self, *, idle: bool) -> None:
        began = time.monotonic()
        self.store.maintain(idle=idle)
        self.busy["tidy"] += time.monotonic() - began


def build(store: Store, library: Library, *, tidy_between: bool) -> None:
    writer = Writer(store, tidy_between)
    began = time.monotonic()
    with Peak() as peak:
        writer.run(library)
    sizes = store.sizes()
    total, live = sum(s.total for s in sizes.values()), sum(s.live for s in sizes.values())
    print(f"built in {time.monotonic() - began:.0f} s: {writer.busy}; peak {peak.mb:.0f} MB")
    print(
        f"bytes a byte of text: {live / writer.characters:.2f} live, "
        f"{total / writer.characters:.2f} on disk"
    )
    for name, size in sizes.items():
        print(
            f"  {name}: {size.rows} rows, {size.live / 1e6:.0f} MB live, {size.total / 1e6:.0f} MB"
        )


def timed(
    name: str, work: Callable[..., object], arguments: Sequence[tuple[object, ...]], times: int
) -> None:
    """Print how long calls of ``work`` take, going round the arguments."""
    for turn in range(3):
        work(*arguments[turn % len(arguments)])
    spent = []
    busy = time.process_time()
    for turn in range(times):
        began = time.perf_counter()
        work(*arguments[turn % len(arguments)])
        spent.append(1e3 * (time.perf_counter() - began))
    busy = 1e3 * (time.process_time() - busy) / times
    p50, p95 = np.percentile(spent, (50, 95))
    print(f"  {name:40} p50 {p50:6.1f} ms   p95 {p95:6.1f} ms   CPU {busy:6.1f} ms", flush=True)


@dataclass(frozen=True, slots=True)
class Bench:
    """Measures the parts of a query on an existing store."""

    store: Store
    times: int
    keys: NDArray[np.int64]
    queries: list[NDArray[np.float32]]
    words: dict[int, list[list[Term]]]

    @classmethod
    def from_store(cls, store: Store, library: Library, times: int) -> Bench:
        keys = store.vectors[vectors_name(SPACE)].keys()
        near = store.vectors_of(SPACE, np.random.default_rng(7).choice(keys, 64))
        words = {
            count: [[Term(word) for word in library.query_words(count)] for _ in range(32)]
            for count in (4, 12, 40)
        }
        return cls(store, times, keys, [library.query_vector(v) for v in near], words)

    def run(self) -> None:
        self.recall()
        self.retrievers()
        self.fetches()
        for share in (0.01, 0.5, 0.99):
            self.filtered(share)
        print(f"memory {psutil.Process().memory_info().rss / 1e6:.0f} MB, vectors of {DIMENSION}")

    def exact(self, query: NDArray[np.float32], count: int) -> NDArray[np.int64]:
        """The true nearest, by reading every vector."""
        parts = range(0, len(self.keys), _READ)
        scores = [self.store.vectors_of(SPACE, self.keys[at : at + _READ]) @ query for at in parts]
        best = np.argsort(-np.concatenate(scores), kind="stable")[:count]
        return self.keys[best]

    def recall(self) -> None:
        hits = []
        for query in self.queries[:24]:
            found = self.store.knn(SPACE, query, 50).keys
            hits.append(np.isin(self.exact(query, 50), found).mean())
        print(f"recall@50 of the vector index {np.mean(hits):.4f}, worst {np.min(hits):.2f}")
        timed("exact search, 50 hits", self.exact, [(q, 50) for q in self.queries], 5)

    def retrievers(self) -> None:
        for count in (50, 100, 200):
            asked = [(SPACE, query, count) for query in self.queries]
            timed(f"knn {count}", self.store.knn, asked, self.times)
        for count, lists in self.words.items():
            turns = [(terms, 100) for terms in lists]
            timed(f"match {count} words, 100 hits", self.store.match, turns, self.times)
        texts = (" ".join(one.text for one in terms[2:5]) for terms in self.words[12])
        quoted = [(phrases(text), 50) for text in texts]
        timed("phrase of 3 words", self.store.phrases, quoted, self.times)

    def fetches(self) -> None:
        rng = np.random.default_rng(8)
        some = [np.sort(rng.choice(self.keys, 400, replace=False)) for _ in range(16)]
        weighed = [(k[:200], t) for k, t in zip(some, self.words[12], strict=False)]
        timed("bm25 of 200", self.store.bm25_of, weighed, self.times)
        for count in (200, 400):
            turns = [(SPACE, keys[:count]) for keys in some]
            timed(f"pooled vectors of {count}", self.store.vectors_of, turns, self.times)
            timed(f"sentence vectors of {count}", self.store.sentence_vectors_of, turns, self.times)
            timed(f"sentence codes of {count}", self.store.sentence_codes_of, turns, self.times)
        turned = [(keys[:20],) for keys in some]
        timed("texts of 20", self.store.texts.passages, turned, self.times)

    def filtered(self, share: float) -> None:
        docs = np.unique(docs_of(self.keys))
        kept = max(1, int(len(docs) * share))
        scattered = np.random.default_rng(9).choice(docs, kept, replace=False)
        for name, chosen in (("scattered", scattered), ("a folder", docs[:kept])):
            only = DocSet.from_docs(chosen)
            near = [(SPACE, query, 100, only) for query in self.queries]
            timed(f"knn 100 in {share:.0%}, {name}", self.store.knn, near, self.times)
            worded = [(terms, 100, only) for terms in self.words[12]]
            timed(f"match 12 words in {share:.0%}, {name}", self.store.match, worded, self.times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--at", type=Path, required=True)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tidy-once", action="store_true", help="only at the end: quicker")
    asked = parser.parse_args()
    there = asked.at.exists()
    store = Store.open(asked.at, threads=asked.threads)
    library = Library(asked.passages)
    if not there:
        build(store, library, tidy_between=not asked.tidy_once)
    Bench.from_store(store, library, asked.times).run()


if __name__ == "__main__":
    main()
