"""A synthetic library of any size, the same for the same seed: text, vectors and queries.

Words follow Zipf's law, sentences are drawn from a pool, and documents have log-normal lengths.
Vectors are clustered like those of a sentence encoder, by topic and then by document (cosine about
.36 within a document, .00 ± .09 between documents), with a decaying spectrum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.types import Passage
from indexer.store.values import PassageRow, VectorRows, keys_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

DIMENSION = 384
SENTENCES = 6
_VOCABULARY = 120_000
_POOL = 60_000
_WORDS = 25  # in a sentence
_LETTERS = "etaoinshrdlcumwfgypbvk"


@dataclass(frozen=True, slots=True)
class Document:
    """One document's rows, ready for the store."""

    doc: int
    passages: list[PassageRow]
    vectors: VectorRows


class Library:
    """Documents with ``size`` passages in total."""

    def __init__(self, size: int, seed: int = 1) -> None:
        self._rng = np.random.default_rng(seed)
        self.lengths = self._lengths(size)
        words = self._words()
        ranks = np.minimum(self._rng.zipf(1.25, (_POOL, _WORDS)), _VOCABULARY) - 1
        self._sentences = [" ".join(words[rank] for rank in row) + "." for row in ranks]
        turn, _ = np.linalg.qr(self._rng.standard_normal((DIMENSION, DIMENSION)))
        self._basis = (turn * np.arange(1, DIMENSION + 1) ** -0.35).astype(np.float32).T
        count = len(self.lengths)
        topics = self._normal(max(20, count // 20))
        self._centres = 0.7 * topics[self._rng.integers(0, len(topics), count)]
        self._centres += 0.7 * self._normal(count)
        self._bank = _unit(self._normal(20_000) @ self._basis)

    def documents(self) -> Iterator[Document]:
        """All documents, in order of their numbers."""
        for doc, length in enumerate(self.lengths.tolist(), start=1):
            yield Document(doc, self._passages(doc, length), self._vectors(doc, length))

    def query_vector(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """A query as near to a passage as a question is: cosine about .8."""
        noise = self._rng.standard_normal(DIMENSION).astype(np.float32)
        return _unit(vector + 0.75 / np.sqrt(DIMENSION) * noise)

    def query_words(self, count: int) -> list[str]:
        """Words that stand next to each other in some passage, like those of a pasted sentence."""
        text = " ".join(self._sentences[i] for i in self._rng.integers(0, _POOL, 2))
        return text.replace(".", "").split()[:count]

    def _lengths(self, size: int) -> NDArray[np.int64]:
        drawn = np.clip(self._rng.lognormal(3.5, 1.0, size), 2, 1500).astype(np.int64)
        ends = np.minimum(np.cumsum(drawn), size)
        lengths: NDArray[np.int64] = np.diff(np.concatenate([[0], np.unique(ends)]))
        return lengths

    def _words(self) -> list[str]:
        lengths = 2 + self._rng.poisson(4.0, _VOCABULARY)
        letters = self._rng.integers(0, len(_LETTERS), int(lengths.sum()))
        text = "".join(_LETTERS[i] for i in letters)
        ends = np.cumsum(lengths)
        return [text[e - n : e] for e, n in zip(ends, lengths, strict=True)]

    def _normal(self, count: int) -> NDArray[np.float32]:
        return self._rng.standard_normal((count, DIMENSION), dtype=np.float32)

    def _passages(self, doc: int, length: int) -> list[PassageRow]:
        picks = self._rng.integers(0, _POOL, (length, SENTENCES)).tolist()
        return [
            PassageRow(doc, f"{doc:064x}", "en", self._passage(i, p)) for i, p in enumerate(picks)
        ]

    def _passage(self, ordinal: int, picks: list[int]) -> Passage:
        sentences = [self._sentences[i] for i in picks]
        view, text = " ".join(sentences), "\n".join(sentences)
        ends = np.cumsum([0] + [len(sentence) + 1 for sentence in sentences[:-1]])
        starts = tuple(ends.tolist())
        return Passage(
            ordinal=ordinal,
            page_first=ordinal // 3 + 1,
            page_last=ordinal // 3 + 1,
            char_start=ordinal * len(text),
            char_end=(ordinal + 1) * len(text),
            heading_path=("Part one", f"Chapter {ordinal // 20}"),
            text=text,
            view=view,
            text_starts=starts,
            view_starts=starts,
            stems=view.replace(".", ""),
        )

    def _vectors(self, doc: int, length: int) -> VectorRows:
        own = 0.6 * self._centres[doc - 1] + 0.8 * self._normal(length)
        picks = self._rng.integers(0, len(self._bank), length * SENTENCES)
        return VectorRows(
            keys=keys_of(doc, length),
            vectors=_unit(own @ self._basis),
            sentences=self._bank[picks],
            offsets=np.arange(length + 1, dtype=np.int64) * SENTENCES,
        )


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    made: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return made.astype(np.float32)
