"""Aligns the sentences of a similar passage with those of the source.

Owns the alignment: for each sentence the most similar one of the source, by the matrix of their
stored vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from indexer.api.types import AlignedSentence, SourceSentence
from indexer.search.alignment import nearest
from indexer.search.passage_hits import page_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.store.store import Store

    Floats = NDArray[np.float32]
    Keys = NDArray[np.int64]

_COLUMNS = ("text", "text_starts", "text_pages", "page_first", "char_start")


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of some passages, one passage after the other.

    ``vectors`` is float32 (m, dim); those of passage ``i``, whose key is ``keys[i]``, are the rows
    ``offsets[i]`` to ``offsets[i + 1]``, so ``offsets`` is int64 (n + 1,).
    """

    store: Store
    keys: Keys
    vectors: Floats
    offsets: Keys

    @classmethod
    def read(cls, store: Store, space: str, keys: Keys) -> Self:
        return cls(store, keys, *store.sentence_vectors_of(space, keys))

    def describe(self, row: int) -> SourceSentence:
        """Return the place and the text of a sentence."""
        at = int(np.searchsorted(self.offsets, row, side="right")) - 1
        key = int(self.keys[at])
        passage = self.store.passages_of(self.keys[at : at + 1], _COLUMNS)[key]
        sentence = row - int(self.offsets[at])
        first, last = spans_of(passage)[sentence]
        start = passage["char_start"]
        return SourceSentence(
            page_of(passage, sentence), start + first, start + last, passage["text"][first:last]
        )


def aligned(found: Sentences, at: int, source: Sentences) -> tuple[AlignedSentence, ...]:
    """Align the sentences of one found passage with a source, most similar first.

    Args:
        found: The sentences of the passages found.
        at: The index of the passage.
        source: The sentences of the source.

    Returns:
        Each of its sentences, with the most similar one of the source.
    """
    low, high = found.offsets[at : at + 2].tolist()
    places, cosines = nearest(found.vectors[low:high], source.vectors, 1)
    passage = found.store.passages_of(found.keys[at : at + 1], _COLUMNS).get(int(found.keys[at]))
    if passage is None or not places.size:
        return ()
    pairs = [
        AlignedSentence(first, last, float(cosine), source.describe(row))
        for (first, last), row, cosine in zip(
            spans_of(passage), places[:, 0].tolist(), cosines[:, 0], strict=True
        )
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.cosine))


def spans_of(passage: dict[str, Any]) -> list[tuple[int, int]]:
    """The spans of a passage's sentences in its text, without the space around them."""
    text = passage["text"]
    spans = []
    for first, last in pairwise([*passage["text_starts"], len(text)]):
        sentence = text[first:last]
        start = first + len(sentence) - len(sentence.lstrip())
        spans.append((start, start + len(sentence.strip())))
    return spans
