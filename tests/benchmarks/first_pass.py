"""The cost of a first pass over a library's vectors, and the share of the nearest that it finds.

    python -m tests.benchmarks.first_pass                          synthetic, 100,000 and 1,000,000
    python -m tests.benchmarks.first_pass --sets cuad meetings     vectors of public sets
    python -m tests.benchmarks.first_pass --rows 100000 --dimension 768

Each pass selects a few candidates, which the full vectors then order. There are passes by all
dimensions in 8 bits (``indexer.store.nearest``, exact), by some of them in 8 bits (Matryoshka
truncation: Kusupati et al., 2022), and by one bit for each (Yamada et al., 2021). The first ten are
compared with those of the full vectors. No model that comes with Lectern was trained for
truncation, so dimensions are also ordered by principal components; for given vectors no training
can do better. Times are processor times: beside other work only their proportions within a run are
meaningful.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from app.paths import models_folder
from indexer.config import DEFAULT_MODEL, Precision
from indexer.embed.batches import unit_vectors
from indexer.embed.factory import open_embedder
from indexer.embed.model_files import find_record
from indexer.embed.models import Side
from indexer.store import nearest
from indexer.store.byte_vectors import ByteVectors
from tests.benchmarks import sets
from tests.benchmarks.dense import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Halves = NDArray[np.float16]
    Rows = NDArray[np.int64]

FIRST = 10  # hits that are compared
CANDIDATES = (50, 100, 400)
_QUERIES = 64
_PART = 16_384  # rows at a time, whose bits fit a core's cache
_DECAY, _NOISE = -0.35, 0.75  # as ``synthetic`` has them
_PER_DOCUMENT = 50


class FirstPass(Protocol):
    """Finds candidates among n vectors."""

    name: str
    bytes_each: float  # of memory, for a vector

    def find(self, query: Floats, count: int) -> Rows:
        """Candidates for the nearest ``count``, in any order."""
        ...


class EightBits:
    """All dimensions in 8 bits: every passage that may be among the nearest."""

    def __init__(self, vectors: Halves, *, dimensions: int = 0) -> None:
        size = vectors.shape[1]
        self._kept = dimensions or size
        self.name = f"8 bits, {self._kept} of {size}" if dimensions else f"8 bits, all {size}"
        every = np.arange(len(vectors))
        kept = vectors[:, : self._kept]
        parts = range(0, len(vectors), _PART)
        made = [ByteVectors.of(kept[at : at + _PART].astype("f4")) for at in parts]
        joined = ByteVectors.joined(made)
        self._codes = codes = nearest.ByteCodes(every, None, every, joined, ascending=True)
        self._vectors: Any = SimpleNamespace(codes=codes, index=None, keys=lambda: codes.made_of)
        self.bytes_each = self._kept + 2 * 8 + 3 * 4

    def find(self, query: Floats, count: int) -> Rows:
        if not count:  # as many as may be among the first
            return nearest.may_be_nearest(self._vectors, query, FIRST, None)
        part = query[: self._kept]
        return _largest(self._codes.vectors.products(part), count)


class OneBit:
    """The signs of dimensions after subtracting means; the nearest share the most bits."""

    def __init__(self, vectors: Halves) -> None:
        self._centre = vectors[:: max(1, len(vectors) // 20_000)].astype(np.float32).mean(axis=0)
        parts = range(0, len(vectors), _PART)
        self._bits = np.concatenate([self._packed(vectors[at : at + _PART]) for at in parts])
        self.name = f"1 bit, all {vectors.shape[1]}"
        self.bytes_each = self._bits.shape[1] * 8.0

    def _packed(self, vectors: NDArray[Any]) -> NDArray[np.uint64]:
        signs = vectors.astype(np.float32) > self._centre
        return np.packbits(signs, axis=1).view(np.uint64)

    def find(self, query: Floats, count: int) -> Rows:
        wanted = self._packed(query[None])
        differ = np.empty(len(self._bits), np.int16)
        for at in range(0, len(differ), _PART):
            other = np.bitwise_count(self._bits[at : at + _PART] ^ wanted)
            differ[at : at + _PART] = other.sum(axis=1, dtype=np.int16)
        return _largest(-differ, count)


def _largest(scores: NDArray[Any], count: int) -> Rows:
    return np.argpartition(scores, len(scores) - count)[len(scores) - count :]


@dataclass(frozen=True, slots=True)
class Sample:
    """Vectors and queries, and the nearest rows of each query."""

    name: str
    vectors: Halves
    queries: Floats

    def nearest(self) -> list[Rows]:
        best = [np.empty(0, np.float32) for _ in self.queries]
        rows = [np.empty(0, np.int64) for _ in self.queries]
        for at in range(0, len(self.vectors), _PART):
            part = self.vectors[at : at + _PART].astype(np.float32) @ self.queries.T
            for number, scores in enumerate(part.T):
                some = _largest(scores, min(FIRST, len(scores)))
                joined = np.concatenate([best[number], scores[some]])
                known = np.concatenate([rows[number], some + at])
                order = np.argsort(-joined, kind="stable")[:FIRST]
                best[number], rows[number] = joined[order], known[order]
        return rows

    def by_components(self) -> Sample:
        """The same vectors, turned so that the first dimensions hold the most of them."""
        some = self.vectors[:: max(1, len(self.vectors) // 20_000)].astype(np.float32)
        _, turn = np.linalg.eigh(some.T @ some)
        turn = turn[:, ::-1].astype(np.float32)
        turned = np.empty_like(self.vectors)
        for at in range(0, len(turned), _PART):
            turned[at : at + _PART] = self.vectors[at : at + _PART].astype(np.float32) @ turn
        return Sample(f"{self.name}, by components", turned, self.queries @ turn)


def synthetic(count: int, dimension: int, seed: int = 1) -> Sample:
    """Clustered vectors as ``synthetic`` makes them, with a decaying spectrum."""
    random = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(random.standard_normal((dimension, dimension)))
    basis = (turn * np.arange(1, dimension + 1) ** _DECAY).astype(np.float32).T
    documents = count // _PER_DOCUMENT + 1
    topics = random.standard_normal((max(20, documents // 20), dimension), np.float32)
    vectors = np.empty((count, dimension), np.float16)
    for start in range(0, count, _PER_DOCUMENT * 256):
        rows = min(_PER_DOCUMENT * 256, count - start)
        centres = 0.7 * topics[random.integers(0, len(topics), 256)]
        centres += 0.7 * random.standard_normal((256, dimension), np.float32)
        own = 0.6 * np.repeat(centres, _PER_DOCUMENT, axis=0)[:rows]
        own += 0.8 * random.standard_normal((rows, dimension), np.float32)
        vectors[start : start + rows] = unit_vectors((own @ basis).astype(np.float32))
    near = vectors[random.integers(0, count, _QUERIES)].astype(np.float32)
    noise = _NOISE / np.sqrt(dimension) * random.standard_normal(near.shape, np.float32)
    return Sample("synthetic", vectors, unit_vectors(near + noise))


def real(names: list[str], most: int, kept: Path) -> Sample:
    """The vectors of passages and sentences of public sets, and of their questions."""
    record = find_record(DEFAULT_MODEL)
    file = kept / f"{'-'.join(names)}-{most}.npy"
    if not file.exists():
        kept.mkdir(parents=True, exist_ok=True)
        found = np.concatenate(list(_embedded(names, most)))[:most]
        np.save(file, found.astype(np.float16))
    asker = open_embedder(record, models_folder(), Precision.FP32, Side.QUERIES, threads=1)
    texts = [query.text for name in names for query in sets.find(name).queries()]
    chosen = texts[:: max(1, len(texts) // (2 * _QUERIES))]
    queries = np.stack([asker.encode_query(text) for text in chosen])
    return Sample("+".join(names), np.load(file), queries)


def _embedded(names: list[str], most: int) -> Iterator[Floats]:
    reader = open_embedder(find_record(DEFAULT_MODEL), models_folder(), Precision.INT8)
    made = 0
    for name in names:
        passages = read(sets.find(name).corpus)
        for batch in reader.encode_batches(passages.inputs, runs=passages.runs):
            for _, vectors in batch:
                yield vectors.vector[None]
                yield vectors.sentences
                made += 1 + len(vectors.sentences)
            if made >= most:
                return


def measure(sample: Sample, method: FirstPass, wanted: list[Rows], count: int) -> dict[str, Any]:
    """The share of the first ten that are found, and the time that a query takes."""
    method.find(sample.queries[0], count)  # the first is slower
    shares, kept, began = [], 0, time.process_time()
    for query, right in zip(sample.queries, wanted, strict=True):
        rows = method.find(query, count)
        scores = sample.vectors[rows].astype(np.float32) @ query
        found = rows[np.argsort(-scores, kind="stable")[:FIRST]]
        shares.append(float(np.isin(right, found).mean()))
        kept += len(rows)
    spent = 1e3 * (time.process_time() - began) / len(wanted)
    return {
        "vectors": sample.name, "rows": len(sample.vectors), "pass": method.name,
        "candidates": kept // len(wanted), "bytes": method.bytes_each,
        "recall": round(float(np.mean(shares)), 4), "worst": min(shares), "cpu_ms": round(spent, 2),
    }  # fmt: skip


def compare(sample: Sample) -> Iterator[dict[str, Any]]:
    """Every pass on the same vectors."""
    wanted = sample.nearest()
    size = sample.vectors.shape[1]
    yield measure(sample, EightBits(sample.vectors), wanted, 0)
    for number in CANDIDATES:
        yield measure(sample, OneBit(sample.vectors), wanted, number)
    turned = sample.by_components()
    for share in (2, 3, 6):
        for each in (sample, turned):
            made = EightBits(each.vectors, dimensions=size // share)
            for number in (FIRST, *CANDIDATES):  # the first: as if no more were stored
                yield measure(each, made, wanted, number)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="+", choices=sets.NAMES, metavar="SET")
    parser.add_argument("--rows", nargs="+", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--dimension", type=int, default=384, help="of synthetic vectors")
    parser.add_argument("--kept", type=Path, default=Path("bench-results/first-pass"))
    asked = parser.parse_args()
    for rows in asked.rows:
        if asked.sets:
            sample = real(asked.sets, rows, asked.kept)
        else:
            sample = synthetic(rows, asked.dimension)
        for line in compare(sample):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
