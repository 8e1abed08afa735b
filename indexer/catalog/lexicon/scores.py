"""One read transaction on the lexicon, and the BM25 scores of documents computed in it.

Owns the scores and their statistics; ``lexicon`` counts the words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.catalog.lexicon.lexicon import Lexicon
    from indexer.catalog.lexicon.pending import PendingDoc
    from indexer.catalog.lexicon.segments import Segment

K1 = 1.2
B = 0.75


@dataclass(frozen=True, slots=True)
class Statistics:
    """The collection statistics of BM25; arrays are indexed by document."""

    segments: Sequence[Segment]
    pending: Sequence[PendingDoc]
    length: NDArray[np.float32]  # in words, 0 where there is no document


@dataclass(slots=True)
class LexiconReader:
    """One read transaction on the lexicon, which counts each group of words once.

    Valid inside ``Lexicon.reading``, on the thread that opened it.
    """

    _lexicon: Lexicon
    _statistics: Statistics
    _counted: dict[tuple[str, ...], NDArray[np.float32]] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """How many documents the library has."""
        return int(np.count_nonzero(self._statistics.length))

    def counts(self, group: Sequence[str]) -> NDArray[np.float32]:
        """How often a group of words occurs in each document, indexed by document."""
        key = tuple(dict.fromkeys(group))
        if key not in self._counted:
            self._counted[key] = self._lexicon.counts(self._statistics, key)
        return self._counted[key]

    def df(self, wanted: Sequence[str]) -> dict[str, int]:
        """Count the documents that have each word in their text, title or names."""
        return {word: int(np.count_nonzero(self.counts([word]))) for word in wanted}

    def occurrences(self, groups: Sequence[Sequence[str]]) -> list[float]:
        """Return about how often each group of words occurs in the whole library."""
        return [float(self.counts(group).sum()) for group in groups]

    def document_scores(
        self,
        groups: Sequence[Sequence[str]],
        docs: NDArray[np.int32] | None = None,
        limit: int = 1000,
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Score whole documents by BM25; see ``Lexicon.document_scores``."""
        length = self._statistics.length
        alive = length > 0
        total = int(alive.sum())
        scores = np.zeros(len(alive), np.float32)
        if total == 0:
            return np.zeros(0, np.int32), scores[:0]
        allowed = alive if docs is None else alive & _chosen(docs, len(alive))
        norm = K1 * (1 - B + B * length / length[alive].mean())
        for group in groups:
            counts = self.counts(group)
            there = np.flatnonzero(counts)
            idf = np.log1p((total - len(there) + 0.5) / (len(there) + 0.5))
            there = there[allowed[there]]
            found = counts[there]
            scores[there] += idf * found * (K1 + 1) / (found + norm[there])
        best = np.flatnonzero(scores)
        order = np.lexsort((best, -scores[best]))[:limit]
        return best[order].astype(np.int32), scores[best[order]]


def _chosen(docs: NDArray[np.int32], count: int) -> NDArray[np.bool_]:
    chosen = np.zeros(count, np.bool_)
    chosen[docs[docs < count]] = True
    return chosen
