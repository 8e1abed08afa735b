"""Builds a synthetic library, in which everything but most of the vectors is real.

    python -m tests.benchmarks.synthetic_engine --texts DIR --library DIR

The texts (see ``synthetic_texts``) are files that a real indexing job scans, extracts, splits and
writes. Only the model is replaced, because it would take hours for a million passages; names and
every 512th unit still go through the model, so that its memory counts. This module runs as a
process that does nothing else and is watched from outside.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from app.paths import models_folder
from indexer.config import EngineConfig
from indexer.embed.batches import PassageVectors
from indexer.engine.engine import Engine
from tests.benchmarks.libraries import index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.embed.batches import EmbedInput
    from indexer.embed.embedder import OnnxEmbedder
    from indexer.pipeline.parts import Parts

    Floats = NDArray[np.float32]

REAL_EVERY = 512  # units
_BATCH = 16  # passages
_TOPICS = 200
_POOL = 1 << 20  # numbers of noise; each vector takes some of them, from a random place on


class StandIn:
    """An embedder that draws vectors as real ones lie: near a topic, nearer to their document."""

    def __init__(self, real: OnnxEmbedder) -> None:
        self._real = real
        self._rng = np.random.default_rng(3)
        self._units = 0
        dimension = real.record.dimension
        self._scale = (np.arange(1, dimension + 1) ** -0.35).astype(np.float32)
        self._topics = self._rng.standard_normal((_TOPICS, dimension), np.float32) * self._scale
        self._pool = self._rng.standard_normal(_POOL, np.float32)

    def encode_batches(
        self,
        passages: Sequence[EmbedInput],
        *,
        runs: Sequence[int] | None = None,  # a parameter of the real embedder
        budget: Callable[[], int] | None = None,
    ) -> Iterator[list[tuple[int, PassageVectors]]]:
        self._units += 1
        names = not passages[0].title  # every text has one
        if names or self._units % REAL_EVERY == 0:
            yield from self._real.encode_batches(passages, budget=budget)
            return
        for start in range(0, len(passages), _BATCH):
            part = passages[start : start + _BATCH]
            yield [(start + at, self._made(passage)) for at, passage in enumerate(part)]

    def _made(self, passage: EmbedInput) -> PassageVectors:
        noise = self._noise(len(passage.view_starts) + 1)
        vector = _unit(0.45 * self._document(passage.title) + 0.8 * noise[0])
        sentences = _unit(0.6 * vector + 0.8 * _unit(noise[1:]))
        return PassageVectors(vector, sentences, len(passage.view) // 4)

    @lru_cache(maxsize=64)  # noqa: B019  # one for the whole process
    def _document(self, title: str) -> Floats:
        seed = zlib.crc32(title.encode())
        drawn = np.random.default_rng(seed).standard_normal(len(self._scale), np.float32)
        made: Floats = drawn * self._scale + self._topics[seed % _TOPICS]
        return made

    def _noise(self, count: int) -> Floats:
        size = count * len(self._scale)
        start = int(self._rng.integers(len(self._pool) - size))
        drawn: Floats = self._pool[start : start + size].reshape(count, -1) * self._scale
        return drawn


class SyntheticEngine(Engine):
    """The engine, whose model is replaced while it indexes."""

    def _parts(self, *, first: bool) -> Parts:
        return replace(
            super()._parts(first=first), open_embedder=lambda: StandIn(self.models.indexing())
        )


def _unit(vectors: Floats) -> Floats:
    made: Floats = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    return made


def build(texts: Path, library: Path) -> dict[str, float]:
    """Index the texts, and print the outcome."""
    config = EngineConfig(library=library, models=models_folder())
    with closing(SyntheticEngine.open(config)) as engine:
        indexed = index(engine, texts)
    return {
        "documents": indexed.summary.documents_added,
        "passages": indexed.summary.passages,
        "seconds": indexed.seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    asked = parser.parse_args()
    json.dump(build(asked.texts, asked.library), sys.stdout)


if __name__ == "__main__":
    main()
