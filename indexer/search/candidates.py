"""The passages worth ranking: what either leg finds, and what the likeliest documents hold.

Owns the choice of candidates and the evidence collected for them: every candidate is scored by
both legs, whichever found it. It must not decide the order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.search import figures
from indexer.search.fusion import CloserEvidence, PageEvidence, best_of_groups, shares
from indexer.search.heading_match import heading_share
from indexer.store import DocFilter, docs_of

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from numpy.typing import NDArray

    from indexer.search.query_terms import Asked
    from indexer.store import Candidates, Store, Term

    Docs = NDArray[np.int32]
    Floats = NDArray[np.float32]
    Keys = NDArray[np.int64]
    Leg = Future[Candidates]

# Of each leg over the whole library, and of each leg inside the likeliest documents.
WIDE = 100
# More, since the vector index rounds its scores and so its order.
ROUNDED = 32
NARROW = 60


@dataclass(frozen=True, slots=True)
class Vectors:
    """The query's vectors, (dim,) each; equal where the query is all question."""

    whole: Floats
    question: Floats


@dataclass(frozen=True, slots=True)
class Legs:
    """Searches that were begun. ``question`` are those whose scores are BM25 of the question."""

    question: list[Leg]
    others: list[Leg]

    def __add__(self, other: Legs) -> Legs:
        return Legs(self.question + other.question, self.others + other.others)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Candidates with their evidence.

    ``keys`` is int64 (n,) and ascends; ``best`` (n,) is the best sentence of each passage, as its
    index there. The likeness of all sentences to the question is ``sentences``, those of passage
    ``i`` from ``offsets[i]`` to ``offsets[i + 1]``; both are empty without vectors.
    """

    keys: Keys
    pages: PageEvidence
    best: NDArray[np.intp]
    sentences: Floats = field(default_factory=lambda: np.zeros(0, np.float32))
    offsets: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

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

    def start_words(self, asked: Asked, depth: int) -> Legs:
        """Begin to look for words; twice as many passages as the ``depth`` hits wanted."""
        wide = max(WIDE, 2 * depth)
        other = asked.two_parts or asked.told
        whole = [self._by_words(asked.terms, wide, self.docs)] if other else []
        return Legs([self._by_words(asked.question_terms, wide, self.docs)], whole)

    def start_meaning(self, asked: Asked, vectors: Vectors, depth: int) -> Legs:
        """Begin to look for meaning."""
        wide = max(WIDE, 2 * depth)
        wide += ROUNDED
        legs = [self._by_meaning(vectors.question, wide, self.docs)]
        if asked.two_parts:
            legs.append(self._by_meaning(vectors.whole, wide, self.docs))
        return Legs([], legs)

    def start_inside(self, asked: Asked, vectors: Vectors, likely: Docs) -> Legs:
        """Begin to look into documents that are likely meant; ``docs`` lets them pass."""
        if not len(likely):
            return Legs([], [])
        inside = DocFilter.of(likely.tolist())
        return Legs(
            [self._by_words(asked.question_terms, NARROW, inside)],
            [self._by_meaning(vectors.question, NARROW, inside)],
        )

    def weigh(self, asked: Asked, vectors: Vectors, keys: Keys, legs: Legs) -> Ranked:
        """Score candidates by both legs, whichever found them.

        Args:
            asked: The query.
            vectors: Its vectors.
            keys: The candidates, ascending.
            legs: What found them.
        """
        words = self.pool.submit(self._bm25, asked, keys, legs)
        sentences = self.pool.submit(self.store.sentence_vectors_of, self.space, keys)
        # Keys of one document are consecutive, so a passage's neighbours are known by its key.
        near = np.stack([keys - 1, keys, keys + 1])
        wanted, place = np.unique(near, return_inverse=True)
        pooled = self.store.vectors_of(self.space, wanted)
        share = shares(words.result(), asked.ceiling)
        flat, offsets = sentences.result()
        if pooled.shape[1] == 0:  # no vectors yet: words alone
            none = np.zeros(len(keys), np.float32)
            evidence = PageEvidence(none, none, none, none, share, none)
            return Ranked(keys, evidence, np.zeros(len(keys), np.intp))
        before, here, after = (pooled @ vectors.whole)[place.reshape(near.shape)]
        sentence, _ = best_of_groups(flat @ vectors.whole, offsets)
        likeness = flat @ vectors.question
        sentence_question, best = best_of_groups(likeness, offsets)
        there = np.diff(offsets) > 0
        pages = PageEvidence(
            pooled=here,
            pooled_question=(pooled @ vectors.question)[place.reshape(near.shape)[1]],
            sentence=np.where(there, sentence, np.float32(0.0)),
            sentence_question=np.where(there, sentence_question, np.float32(0.0)),
            share=share,
            around=before + after,
        )
        return Ranked(keys, pages, best, likeness, offsets)

    def look_closer(self, asked: Asked, keys: Keys) -> CloserEvidence:
        """Read of leading passages what is not worth reading of all."""
        columns = ("heading_path", "char_start", "char_end", "view")
        passages = self.store.passages_of(keys, columns)
        wanted = frozenset(term.text for term in asked.question_terms)
        in_figures = figures.asked_for(asked.question)
        heading, length, digits = np.zeros((3, len(keys)), np.float32)
        same = np.arange(len(keys))
        first: dict[tuple[int, str], int] = {}
        for at, (key, doc) in enumerate(zip(keys.tolist(), docs_of(keys).tolist(), strict=True)):
            if key in passages:
                found = passages[key]
                heading[at] = heading_share(found["heading_path"], wanted, asked.languages)
                length[at] = found["char_end"] - found["char_start"]
                digits[at] = figures.share(found["view"]) if in_figures else 0.0
                same[at] = first.setdefault((doc, found["view"]), at)
        return CloserEvidence(heading, length, digits, same)

    def _bm25(self, asked: Asked, keys: Keys, legs: Legs) -> Floats:
        """BM25 of candidates for the question; what a leg has scored already is not asked again."""
        scores = np.zeros(len(keys), np.float32)
        missing = np.ones(len(keys), bool)
        # The first leg looked everywhere and has the last word: rows that no index covers yet are
        # counted among those searched, so that inside few documents every word seems common.
        for leg in reversed(legs.question):
            found = leg.result()
            at = np.searchsorted(keys, found.keys)
            scores[at] = found.scores
            missing[at] = False
        scores[missing] = self.store.bm25_of("stems", keys[missing], asked.question_terms)
        return scores

    def _by_meaning(self, vector: Floats, count: int, docs: DocFilter | None) -> Leg:
        return self.pool.submit(self.store.approximate_knn, self.space, vector, count, docs)

    def _by_words(self, terms: tuple[Term, ...], count: int, docs: DocFilter | None) -> Leg:
        return self.pool.submit(self.store.match, "stems", terms, count, docs, self.without)


def union(legs: Legs) -> Keys:
    """Wait for legs; give what any of them found, int64 in ascending order, none twice."""
    found = [leg.result().keys for leg in (*legs.question, *legs.others)]
    return np.unique(np.concatenate(found)).astype(np.int64)
