"""The interface types of the store: keys, filters, rows and candidates.

Plain dataclasses and numpy; it must not know LanceDB. A passage's key is ``doc << 20 | ordinal``,
so the passages of one document are consecutive and a key determines its document without a look-up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from indexer.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.api.types import Passage

ORDINAL_BITS = 20
MAX_ORDINAL = (1 << ORDINAL_BITS) - 1

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Float32s = NDArray[np.float32]
Mask = NDArray[np.bool_]


def key_of(doc: int, ordinal: int) -> int:
    """The key of one passage."""
    return doc << ORDINAL_BITS | ordinal


def keys_of(doc: int, ordinals: Int32s) -> Int64s:
    """The keys of passages of one document, int64 like the column."""
    return (np.int64(doc) << ORDINAL_BITS) | ordinals.astype(np.int64)


def docs_of(keys: Int64s) -> Int32s:
    """The documents of keys."""
    return (keys >> ORDINAL_BITS).astype(np.int32)


def ordinals_of(keys: Int64s) -> Int32s:
    """The ordinals of passages within their documents."""
    return (keys & MAX_ORDINAL).astype(np.int32)


def ranges(starts: Int64s, counts: Int64s) -> Int64s:
    """The concatenation of the ranges ``start … start + count - 1``."""
    total = int(counts.sum())
    before = np.cumsum(counts) - counts
    gathered: Int64s = np.arange(total, dtype=np.int64) + np.repeat(starts - before, counts)
    return gathered


@dataclass(frozen=True, slots=True)
class ScoredKeys:
    """Passages found, best first: ``keys`` int64 (n,), ``scores`` float32 (n,)."""

    keys: Int64s
    scores: Float32s

    def __len__(self) -> int:
        return len(self.keys)

    def first(self, count: int) -> ScoredKeys:
        """The best ``count`` of them."""
        return ScoredKeys(self.keys[:count], self.scores[:count])

    def between(self, start: int, end: int) -> ScoredKeys:
        """Those from one place up to another."""
        return ScoredKeys(self.keys[start:end], self.scores[start:end])

    def followed_by(self, others: ScoredKeys) -> ScoredKeys:
        """These and then others."""
        return ScoredKeys(np.append(self.keys, others.keys), np.append(self.scores, others.scores))

    def kept(self, mask: Mask) -> ScoredKeys:
        """Those with a true mask, in the same order."""
        return ScoredKeys(self.keys[mask], self.scores[mask])


NO_KEYS: Int64s = np.empty(0, np.int64)
NOTHING = ScoredKeys(NO_KEYS, np.empty(0, np.float32))


@dataclass(frozen=True, slots=True)
class DocSet:
    """The documents to search: those listed, or with ``allowed=False`` all others.

    ``docs`` is a sorted int32 array without duplicates; ``from_docs`` makes one of any ids.
    """

    docs: Int32s
    allowed: bool = True

    @classmethod
    def from_docs(cls, docs: Iterable[int], *, allowed: bool = True) -> DocSet:
        return cls(np.unique(np.fromiter(docs, np.int32)), allowed=allowed)

    def keeps(self, docs: Int32s) -> Mask:
        """A mask of the given documents that pass."""
        passing: Mask = np.isin(docs, self.docs, invert=not self.allowed)
        return passing

    def within(self, keys: Int64s) -> Int64s:
        """The indices of the keys, which ascend, whose documents pass."""
        if not self.allowed:
            return np.flatnonzero(self.keeps(docs_of(keys)))
        ends = np.stack([self.docs, self.docs + 1]).astype(np.int64) << ORDINAL_BITS
        first, last = np.searchsorted(keys, ends)
        return ranges(first, last - first)


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A passage to be written."""

    doc: int
    text_id: str
    language: str
    passage: Passage


@dataclass(frozen=True, slots=True)
class VectorRows:
    """Vectors of n passages, of one or of many documents, to be written.

    ``docs`` and ``ordinals`` are int32 (n,). ``vectors`` is float32 (n, dim), ``sentences``
    float32 (m, dim), both L2-normalised; the sentences of row ``i`` are
    ``sentences[offsets[i]:offsets[i + 1]]``, so ``offsets`` is int64 (n + 1,).
    """

    docs: Int32s
    ordinals: Int32s
    vectors: Float32s
    sentences: Float32s
    offsets: Int64s


@dataclass(frozen=True, slots=True)
class StoredPassage:
    """A passage read back; see ``indexer.api.types.Passage`` for what its fields mean."""

    doc: int
    text_id: str
    language: str
    ordinal: int
    page_first: int
    page_last: int
    char_start: int
    char_end: int
    heading_path: tuple[str, ...]
    text: str
    view: str
    text_starts: tuple[int, ...]
    view_starts: tuple[int, ...]
    text_pages: tuple[int, ...] = ()

    @property
    def key(self) -> int:
        return key_of(self.doc, self.ordinal)


@dataclass(frozen=True, slots=True)
class Term:
    """One stem of a query and its weight."""

    text: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that stand side by side in a passage.

    Attributes:
        ways: How it may be written; one of them suffices.
        languages: All that passages are in, "" for unknown.
    """

    ways: tuple[str, ...]
    languages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """Folded words of which a passage must have none; ``languages`` as those of ``Phrase``."""

    words: frozenset[str] = frozenset()
    languages: tuple[str, ...] = ()

    def allows(self, view: str) -> bool:
        """Whether a view has none of them."""
        return self.words.isdisjoint(words(view))


NOTHING_LEFT_OUT = Without()


@dataclass(frozen=True, slots=True)
class Maintenance:
    """The steps of one round of maintenance, in their order."""

    steps: tuple[str, ...]
    seconds: float
