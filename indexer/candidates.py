"""The passages worth ranking: what either leg finds, and what the likeliest documents hold.

Owns the choice of candidates and the evidence collected for them: every candidate is scored by
both legs, whichever found it. It must not decide the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.fusion import PageEvidence, best_of_groups, shares
from indexer.store import DocFilter, docs_of

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from numpy.typing import NDArray

    from indexer.asked import Asked
    from indexer.store import Candidates, Store, Term

    Docs = NDArray[np.int32]
    Floats = NDArray[np.float32]
    Keys = NDArray[np.int64]
    Leg = Future[Candidates]

# Of each leg over the whole library, and of each leg inside the likeliest documents.
WIDE = 100
NARROW = 60


@dataclass(frozen=True, slots=True)
class Vectors:
    """The query's vectors, (dim,) each; equal where the query is all question."""

    whole: Floats
    question: Floats


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates with their evidence.

    ``keys`` is int64 (n,) and ascends; ``best`` (n,) is the best sentence of each passage, as its
    index there.
    """

    keys: Keys
    pages: PageEvidence
    best: NDArray[np.intp]

    @property
    def docs(self) -> Docs:
        return docs_of(self.keys)


@dataclass(frozen=True, slots=True)
class Where:
    """Where candidates are looked for, a leg a task.

    Attributes:
        store: The passages and vectors.
        space: The embedding space.
        docs: Which documents may answer; None for all.
        without: Words that must not stand in a passage.
        pool: Runs the legs side by side.
    """

    store: Store
    space: str
    docs: DocFilter | None
    without: tuple[str, ...]
    pool: ThreadPoolExecutor

    def start_words(self, asked: Asked, depth: int) -> list[Leg]:
        """Begin to look for words; twice as many passages as the ``depth`` hits wanted."""
        wide = max(WIDE, 2 * depth)
        legs = [self._by_words(asked.question_terms, wide, self.docs)]
        if asked.two_parts:
            legs.append(self._by_words(asked.terms, wide, self.docs))
        return legs

    def start_meaning(self, asked: Asked, vectors: Vectors, depth: int) -> list[Leg]:
        """Begin to look for meaning."""
        wide = max(WIDE, 2 * depth)
        legs = [self._by_meaning(vectors.question, wide, self.docs)]
        if asked.two_parts:
            legs.append(self._by_meaning(vectors.whole, wide, self.docs))
        return legs

    def start_inside(self, asked: Asked, vectors: Vectors, likely: Docs) -> list[Leg]:
        """Begin to look into documents that are likely meant; ``docs`` lets them pass."""
        if not len(likely):
            return []
        inside = DocFilter.of(likely.tolist())
        return [
            self._by_meaning(vectors.question, NARROW, inside),
            self._by_words(asked.question_terms, NARROW, inside),
        ]

    def weigh(self, asked: Asked, vectors: Vectors, keys: Keys) -> Ranked:
        """Score candidates by both legs, whichever found them."""
        words = self.pool.submit(self.store.bm25_of, "stems", keys, asked.question_terms)
        pooled, flat, offsets = self.store.all_vectors_of(self.space, keys)
        share = shares(words.result(), asked.ceiling)
        if pooled.shape[1] == 0:  # no vectors yet: words alone
            none = np.zeros(len(keys), np.float32)
            return Ranked(
                keys, PageEvidence(none, none, none, none, share), np.zeros(len(keys), np.intp)
            )
        sentence, _ = best_of_groups(flat @ vectors.whole, offsets)
        sentence_question, best = best_of_groups(flat @ vectors.question, offsets)
        there = np.diff(offsets) > 0
        pages = PageEvidence(
            pooled=pooled @ vectors.whole,
            pooled_question=pooled @ vectors.question,
            sentence=np.where(there, sentence, np.float32(0.0)),
            sentence_question=np.where(there, sentence_question, np.float32(0.0)),
            share=share,
        )
        return Ranked(keys, pages, best)

    def around(self, vectors: Vectors, keys: Keys) -> Floats:
        """The cosines of the passages before and after some to the whole query: (n, 2), 0 if none.

        Keys of one document are consecutive, so the neighbours of a passage are known by its key.
        """
        sides = np.stack([keys - 1, keys + 1], axis=1)
        wanted, place = np.unique(sides, return_inverse=True)
        pooled = self.store.vectors_of(self.space, wanted)
        if pooled.shape[1] == 0:
            return np.zeros(sides.shape, np.float32)
        cosines: Floats = (pooled @ vectors.whole)[place.reshape(sides.shape)]
        return cosines

    def _by_meaning(self, vector: Floats, count: int, docs: DocFilter | None) -> Leg:
        return self.pool.submit(self.store.knn, self.space, vector, count, docs)

    def _by_words(self, terms: tuple[Term, ...], count: int, docs: DocFilter | None) -> Leg:
        return self.pool.submit(self.store.match, "stems", terms, count, docs, self.without)


def union(legs: list[Leg]) -> Keys:
    """Wait for legs; give what any of them found, int64 in ascending order, none twice."""
    return np.unique(np.concatenate([leg.result().keys for leg in legs])).astype(np.int64)
