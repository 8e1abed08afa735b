"""The store's types: keys, filters, rows and candidates; and sentence vectors in 4 bits.

A passage's key is ``doc << 20 | ordinal``, so the passages of one document are consecutive and a
key determines its document without a look-up.

Sentence vectors are stored as differences from their passage's vector, in 4 bits per component. A
vector of 384 dimensions takes 196 bytes; float16 would take 768. A passage's vector is the mean of
its tokens, so a sentence's vector has a cosine of some .8 with it, and only the rest is quantised,
to 15 levels whose step follows the rest's components. Two float16 are the factors of the passage's
vector and of the levels. They are chosen so that the sum is L2-normalised and as near to the
original as possible. On sentences of annual reports and meetings (lectern-minilm-late) the cosine
with the original is .998 on average and .982 at worst, and the score of a passage's best sentence
is off by .002; the error of the 8-bit model that makes the vectors is .012. With 3 bits the score
would be off by .004, with 6 bits of the whole vector (288 bytes) by .0012.
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
    """The document of each key."""
    return (keys >> ORDINAL_BITS).astype(np.int32)


def ranges(starts: Int64s, counts: Int64s) -> Int64s:
    """The concatenation of the ranges ``start … start + count - 1``."""
    total = int(counts.sum())
    before = np.cumsum(counts) - counts
    gathered: Int64s = np.arange(total, dtype=np.int64) + np.repeat(starts - before, counts)
    return gathered


class ScoredKeys(Struct, frozen=True):
    """The passages found, best first: ``keys`` int64 (n,), ``scores`` float32 (n,)."""

    keys: Int64s
    scores: Float32s

    def __len__(self) -> int:
        return len(self.keys)

    def first(self, count: int) -> ScoredKeys:
        """The best ``count`` passages."""
        return ScoredKeys(self.keys[:count], self.scores[:count])

    def between(self, start: int, end: int) -> ScoredKeys:
        """The passages from index ``start`` to ``end``, exclusive."""
        return ScoredKeys(self.keys[start:end], self.scores[start:end])

    def followed_by(self, others: ScoredKeys) -> ScoredKeys:
        """These passages, then the others."""
        return ScoredKeys(np.append(self.keys, others.keys), np.append(self.scores, others.scores))

    def kept(self, mask: Mask) -> ScoredKeys:
        """The passages with a true value in a mask, in the same order."""
        return ScoredKeys(self.keys[mask], self.scores[mask])


NO_KEYS: Int64s = np.empty(0, np.int64)
NOTHING = ScoredKeys(NO_KEYS, np.empty(0, np.float32))


class DocSet(Struct, frozen=True):
    """The documents to search: the listed ones, or with ``allowed=False`` all others.

    ``docs`` is a sorted int32 array without duplicates; ``from_docs`` makes it from any ids.
    """

    docs: Int32s
    allowed: bool = True

    @classmethod
    def from_docs(cls, docs: Iterable[int], *, allowed: bool = True) -> DocSet:
        return cls(np.unique(np.fromiter(docs, np.int32)), allowed=allowed)

    def keeps(self, docs: Int32s) -> Mask:
        """A mask: which of the given documents pass."""
        passing: Mask = np.isin(docs, self.docs, invert=not self.allowed)
        return passing

    def within(self, keys: Int64s) -> Int64s:
        """The indices of the keys whose documents pass. The keys must ascend."""
        if not self.allowed:
            return np.flatnonzero(self.keeps(docs_of(keys)))
        ends = np.stack([self.docs, self.docs + 1]).astype(np.int64) << ORDINAL_BITS
        first, last = np.searchsorted(keys, ends)
        return ranges(first, last - first)


class PassageRow(Struct, frozen=True):
    """A passage to write."""

    doc: int
    text_id: str
    language: str
    passage: Passage


class VectorRows(Struct, frozen=True):
    """Vectors to write, of n passages of one or more documents.

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
    """Words that must stand side by side in a passage.

    Attributes:
        ways: The spellings of the phrase; a passage needs one of them.
        languages: The languages of all passages, "" for unknown.
    """

    ways: tuple[str, ...]
    languages: tuple[str, ...]


class Without(Struct, frozen=True):
    """Folded words that a passage must not have; ``languages`` as in ``Phrase``."""

    words: frozenset[str] = frozenset()
    languages: tuple[str, ...] = ()

    def allows(self, view: str) -> bool:
        """Whether a view has none of the words."""
        return self.words.isdisjoint(words(view))


NOTHING_LEFT_OUT = Without()


_TOP = 7  # the levels are -7 to 7
# The step as a share of the root mean square of the components: .36 loses the least for a normal
# distribution. If a few components are much larger than the others, a share of the largest.
_STEP, _STEP_OF_LARGEST = 0.36, 1 / 9
_NOTHING = 1e-12
_SCALES_BYTES = 4  # two float16 before the codes: the factors of passage and levels
_LEVELS = np.arange(16, dtype=np.float32) - (_TOP + 1)
#: The two levels of each byte, the low four bits first.
_PAIRS = np.stack([np.tile(_LEVELS, 16), np.repeat(_LEVELS, 16)], axis=1)

Bytes = NDArray[np.uint8]


def bytes_of_sentence(dimension: int) -> int:
    """The bytes of one packed vector."""
    return _SCALES_BYTES + _pairs(dimension)


def pack_sentences(vectors: Float32s, pooled: Float32s) -> Bytes:
    """Quantise vectors to uint8 (n, ``bytes_of_sentence(dim)``).

    Args:
        vectors: L2-normalised, float32 (n, dim).
        pooled: The vector of each sentence's passage, as it is stored, float32 (n, dim).
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
    # Least squares: ``rest`` is orthogonal to ``pooled``, but the levels only nearly.
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
    """Restore vectors, float32 (n, dim), normalised to .001; zeros stay zeros."""
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
        of_pooled: The products of their passages' vectors with the queries, float32 (n, k).
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
    """The quantised sentence vectors of n passages; ``offsets``, (n + 1,), has their starts."""

    packed: Bytes
    offsets: Int64s

    def cosines(self, queries: Float32s, of_pooled: Float32s) -> Float32s:
        """The products with k queries, float32 (m, k).

        Args:
            queries: Float32 (k, dim).
            of_pooled: The products of the passages' vectors with the queries, float32 (n, k).
        """
        if not len(self.packed):
            return np.zeros((0, len(queries)), np.float32)
        of_each = of_pooled.repeat(np.diff(self.offsets), axis=0)
        return cosines_of_sentences(self.packed, of_each, queries)


def join_codes(codes: Sequence[bytes], dimension: int) -> SentenceCodes:
    """Join the packed sentence vectors of n passages; each item has those of one passage."""
    each = bytes_of_sentence(dimension)
    offsets = np.cumsum([0, *map(len, codes)]) // each
    packed = np.frombuffer(b"".join(codes), np.uint8).reshape(-1, each)
    return SentenceCodes(packed, offsets)


def _scales(packed: Bytes) -> Float32s:
    """Both factors of each vector, float32 (n, 2); those that are not finite become 0."""
    scales = np.ascontiguousarray(packed[:, :_SCALES_BYTES]).view(np.float16).astype(np.float32)
    return np.nan_to_num(scales, copy=False, posinf=0.0, neginf=0.0)


def _pairs(dimension: int) -> int:
    return -(-dimension // 2)


def _dots(one: Float32s, other: Float32s) -> Float32s:
    dots: Float32s = np.einsum("ij,ij->i", one, other)
    return dots


def _divided(one: Float32s, by: Float32s) -> Float32s:
    """Quotients; 0 where the divisor is almost 0."""
    return np.divide(one, by, out=np.zeros_like(one), where=by > _NOTHING)
