"""The values of the store: keys, filters, rows, candidates, and sentence vectors in 4 bits.

They are structs and arrays of numpy. A passage's key is ``doc << 20 | ordinal``,
so the passages of one document are consecutive and a key determines its document without a look-up.

Sentence vectors are kept as what they add to their passage's vector, in 4 bits per component. A
vector of 384 dimensions takes 196 bytes, where float16 takes 768. A passage's vector is the mean
of its tokens, so a sentence's has some .8 of its direction, and only the rest is quantised: to 15
levels, of a step that follows the rest's components. Two float16 say how much of either a vector
has, such that it is as near to the original as it can be and L2-normalised. On sentences of annual
reports and meetings (lectern-minilm-late) the cosine with the original is .998 on average and .982
at worst, and the best sentence of a passage scores .002 differently; the error of the 8-bit model
that makes the vectors is .012. With 3 bits it scores .004 differently, with 6 bits of the whole
vector .0012, at 288 bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from indexer.api.types import Passage
from indexer.text.terms import words

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Int32s, Int64s, Mask

ORDINAL_BITS = 20
MAX_ORDINAL = (1 << ORDINAL_BITS) - 1


def key_of(doc: int, ordinal: int) -> int:
    """The key of one passage."""
    return doc << ORDINAL_BITS | ordinal


def keys_of(doc: int, passages: int) -> Int64s:
    """The keys of all passages of a document, given their number."""
    return np.arange(passages, dtype=np.int64) + key_of(doc, 0)


def docs_of(keys: Int64s) -> Int32s:
    """The documents of keys."""
    return (keys >> ORDINAL_BITS).astype(np.int32)


def ranges(starts: Int64s, counts: Int64s) -> Int64s:
    """The concatenation of the ranges ``start … start + count - 1``."""
    total = int(counts.sum())
    before = np.cumsum(counts) - counts
    gathered: Int64s = np.arange(total, dtype=np.int64) + np.repeat(starts - before, counts)
    return gathered


class ScoredKeys(Struct, frozen=True):
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


class DocSet(Struct, frozen=True):
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


class PassageRow(Struct, frozen=True):
    """A passage to be written."""

    doc: int
    text_id: str
    language: str
    passage: Passage


class VectorRows(Struct, frozen=True):
    """Vectors of n passages, of one or of many documents, to be written.

    ``keys`` is int64 (n,). ``vectors`` is float32 (n, dim), ``sentences`` float32 (m, dim), both
    L2-normalised; the sentences of row ``i`` are ``sentences[offsets[i]:offsets[i + 1]]``, so
    ``offsets`` is int64 (n + 1,).
    """

    keys: Int64s
    vectors: Float32s
    sentences: Float32s
    offsets: Int64s


class StoredPassage(Passage, frozen=True, kw_only=True):
    """A passage read back, without its stems."""

    doc: int
    text_id: str
    language: str

    @property
    def key(self) -> int:
        return key_of(self.doc, self.ordinal)


class Term(Struct, frozen=True):
    """One stem of a query and its weight."""

    text: str
    weight: float = 1.0


class Phrase(Struct, frozen=True):
    """Words that stand side by side in a passage.

    Attributes:
        ways: How it may be written; one of them suffices.
        languages: All that passages are in, "" for unknown.
    """

    ways: tuple[str, ...]
    languages: tuple[str, ...]


class Without(Struct, frozen=True):
    """Folded words of which a passage must have none; ``languages`` as those of ``Phrase``."""

    words: frozenset[str] = frozenset()
    languages: tuple[str, ...] = ()

    def allows(self, view: str) -> bool:
        """Whether a view has none of them."""
        return self.words.isdisjoint(words(view))


NOTHING_LEFT_OUT = Without()


_TOP = 7  # levels of either sign
# The step, of the root mean square of the components: .36 loses the least of a normal distribution.
# Where a few components are much larger than the others, it is so much of the largest.
_STEP, _STEP_OF_LARGEST = 0.36, 1 / 9
_NOTHING = 1e-12
_SCALES = 2  # float16 before the codes: of the passage's vector, and of the levels
_SCALES_BYTES = 2 * _SCALES
_LEVELS = np.arange(16, dtype=np.float32) - (_TOP + 1)
#: The two levels of each byte, the low four bits first.
_PAIRS = np.stack([np.tile(_LEVELS, 16), np.repeat(_LEVELS, 16)], axis=1)

Bytes = NDArray[np.uint8]


def bytes_of_sentence(dimension: int) -> int:
    """How many bytes a vector takes."""
    return _SCALES_BYTES + _pairs(dimension)


def pack_sentences(vectors: Float32s, pooled: Float32s) -> Bytes:
    """Quantise vectors to uint8 (n, ``bytes_of_sentence(dim)``).

    Args:
        vectors: L2-normalised, float32 (n, dim).
        pooled: The vector of each one's passage, as it is stored, float32 (n, dim).
    """
    count, dimension = vectors.shape
    square = _dots(pooled, pooled)
    along = _divided(_dots(vectors, pooled), square)
    rest = vectors - along[:, None] * pooled
    largest = np.abs(rest).max(axis=1, initial=0.0)
    usual = np.sqrt(_dots(rest, rest) / dimension)
    step = np.maximum(_STEP * usual, _STEP_OF_LARGEST * largest)
    levels = np.zeros((count, 2 * _pairs(dimension)), np.float32)
    np.rint(rest * _divided(np.ones_like(step), step)[:, None], out=levels[:, :dimension])
    np.clip(levels, -_TOP, _TOP, out=levels)
    codes = (levels + (_TOP + 1)).astype(np.uint8)
    levels = levels[:, :dimension]
    # Least squares: ``rest`` is at right angles to ``pooled``, the levels only nearly so.
    slant = _divided(_dots(levels, pooled), square)
    of_levels = _divided(_dots(levels, rest), _dots(levels, levels) - slant**2 * square)
    scales = np.stack([along - of_levels * slant, of_levels], axis=1)
    made = np.multiply(levels, scales[:, 1:], dtype=np.float32)
    made += scales[:, :1] * pooled
    scales *= _divided(np.ones_like(along), np.sqrt(_dots(made, made)))[:, None]
    packed = np.empty((count, bytes_of_sentence(dimension)), np.uint8)
    packed[:, :_SCALES_BYTES] = scales.astype(np.float16).view(np.uint8)
    packed[:, _SCALES_BYTES:] = codes[:, ::2] | codes[:, 1::2] << 4
    return packed


def unpack_sentences(packed: Bytes, pooled: Float32s) -> Float32s:
    """Restore vectors, float32 (n, dim), normalised to .001; vectors of zeros stay so."""
    count, dimension = pooled.shape
    scales = _scales(packed)
    levels = _PAIRS.take(packed[:, _SCALES_BYTES:], axis=0).reshape(count, 2 * _pairs(dimension))
    vectors: Float32s = levels[:, :dimension]
    vectors *= scales[:, 1:]
    vectors += scales[:, :1] * pooled
    return vectors


def cosines_of_sentences(packed: Bytes, of_pooled: Float32s, queries: Float32s) -> Float32s:
    """The products of n vectors with k queries, float32 (n, k), without restoring them.

    Args:
        packed: The vectors.
        of_pooled: The products of their passages' vectors, float32 (n, k).
        queries: Float32 (k, dim).
    """
    scales = _scales(packed)
    codes = packed[:, _SCALES_BYTES:]
    low, high = (codes & 15).astype(np.float32), (codes >> 4).astype(np.float32)
    even, odd = queries[:, ::2], queries[:, 1::2]
    of_levels = low @ even.T + high[:, : odd.shape[1]] @ odd.T - (_TOP + 1) * queries.sum(axis=1)
    found: Float32s = scales[:, :1] * of_pooled + scales[:, 1:] * of_levels
    return found


class SentenceCodes(Struct, frozen=True):
    """The quantised sentence vectors of n passages, and where each passage's begin, (n + 1,)."""

    packed: Bytes
    offsets: Int64s

    def cosines(self, queries: Float32s, of_pooled: Float32s) -> Float32s:
        """The products with k queries, float32 (m, k).

        Args:
            queries: Float32 (k, dim).
            of_pooled: The products of the passages' vectors, float32 (n, k).
        """
        if not len(self.packed):
            return np.zeros((0, len(queries)), np.float32)
        of_each = of_pooled.repeat(np.diff(self.offsets), axis=0)
        return cosines_of_sentences(self.packed, of_each, queries)


def join_codes(codes: Sequence[bytes], dimension: int) -> SentenceCodes:
    """The packed vectors of n passages, given one after the other for each."""
    each = bytes_of_sentence(dimension)
    offsets = np.cumsum([0, *map(len, codes)]) // each
    packed = np.frombuffer(b"".join(codes), np.uint8).reshape(-1, each)
    return SentenceCodes(packed, offsets)


def _scales(packed: Bytes) -> Float32s:
    """Both scales of each vector, float32 (n, 2); 0 for what only damage makes of them."""
    scales = np.ascontiguousarray(packed[:, :_SCALES_BYTES]).view(np.float16).astype(np.float32)
    return np.nan_to_num(scales, copy=False, posinf=0.0, neginf=0.0)


def _pairs(dimension: int) -> int:
    return -(-dimension // 2)


def _dots(one: Float32s, other: Float32s) -> Float32s:
    dots: Float32s = np.einsum("ij,ij->i", one, other)
    return dots


def _divided(one: Float32s, by: Float32s) -> Float32s:
    """Quotients; 0 where the divisor is next to nothing."""
    return np.divide(one, by, out=np.zeros_like(one), where=by > _NOTHING)
