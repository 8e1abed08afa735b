"""Postings: in which rows each stem occurs, and how often there. In memory, and packed in blocks.

Owns inverting stems, merging and packing. It must not know tables or files, nor how rows are
scored. A stem is known by 64 bits of its hash: among five million stems two have the same with a
probability of one in a million, and are then one stem.

Packed, a posting takes a byte: the differences of rows and the counts lie in planes of one byte
each, which zstd compresses. Of a stem in every eighth row or more, the counts of all rows are
packed instead, in as many bytes; a few passes over them take a tenth of the time of so many rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from indexer.store.compression import codec
from indexer.store.values import ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.store.values import Int32s, Int64s

    Bytes = NDArray[np.uint8]
    Stems = NDArray[np.uint64]

_HASH_BYTES, _COUNT_BYTES = 8, 4
_MOST_TIMES = 255
# A block has whole stems, until it has so many postings; a rare stem is read with its block.
_TOGETHER = 2048
# Pairs of words are told apart by so many bits, and from stems by the others.
_PAIR_BITS, _PAIR = 13, np.uint64(0x7A6D_50B1_93E5)
_MIX = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xBF58_476D_1CE4_E5B9)
_LEVEL = 1  # of zstd
# A stem in one of so many rows is packed with the counts of all.
_DENSE = 8


@dataclass(frozen=True, slots=True)
class Found:
    """The rows with a stem, ascending, and how often it occurs there, at most 255.

    ``rows`` may be None: ``times`` has all rows then, with 0 where the stem does not occur.
    """

    rows: Int32s | None
    times: Bytes

    @property
    def nbytes(self) -> int:
        """The memory that both take."""
        return self.times.nbytes + (0 if self.rows is None else self.rows.nbytes)

    def listed(self) -> tuple[Int32s, Bytes]:
        """The rows and times, without rows in which it does not occur."""
        if self.rows is not None:
            return self.rows, self.times
        rows = np.flatnonzero(self.times)
        return rows.astype(np.int32), self.times[rows]


@dataclass(frozen=True, slots=True)
class Postings:
    """The rows of k stems, with m postings.

    Attributes:
        stems: ``stem_of`` each, ascending, (k,).
        ends: Where the postings of each end, (k,).
        rows: The rows of one stem after the other, each ascending, (m,).
        times: How often the stem occurs there, at most 255, (m,).
    """

    stems: Stems
    ends: Int64s
    rows: Int32s
    times: Bytes

    def of(self, stem: int) -> Found:
        """The rows with a stem."""
        found = _span(self.stems, self.ends, stem)
        return Found(self.rows[found], self.times[found])

    @property
    def nbytes(self) -> int:
        """The memory that all take."""
        return self.stems.nbytes + self.ends.nbytes + self.rows.nbytes + self.times.nbytes

    @property
    def counts(self) -> Int64s:
        """In how many rows each stem occurs."""
        return _steps(self.ends)

    def part(self, first: int, last: int) -> Postings:
        """Those of the stems from one index up to another."""
        begin, end = (int(self.ends[at - 1]) if at else 0 for at in (first, last))
        return Postings(
            self.stems[first:last],
            self.ends[first:last] - begin,
            self.rows[begin:end],
            self.times[begin:end],
        )


NO_POSTINGS = Postings(
    np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint8)
)


class BlockPlace(NamedTuple):
    """Where a packed block lies, how long it is, and what is needed to unpack it.

    Attributes:
        first: Its first stem.
        offset: In bytes.
        length: In bytes.
        stems: How many it has.
        postings: How many it has, or how many rows there are.
        width: The bytes of a difference; 0 if it has one stem, with the counts of all rows.
    """

    first: int
    offset: int
    length: int
    stems: int
    postings: int
    width: int


@dataclass(frozen=True, slots=True)
class Block:
    """An unpacked block. ``gaps``, (width, m), are the bytes of the differences of rows.

    With a width of 0 there is one stem, and ``times`` are those of all rows.
    """

    stems: Stems
    ends: Int64s
    gaps: Bytes
    times: Bytes

    def of(self, stem: int) -> Found:
        """The rows with a stem."""
        if not len(self.gaps):
            return Found(None, self.times) if self.stems[0] == stem else NO_POSTINGS.of(stem)
        found = _span(self.stems, self.ends, stem)
        rows = np.cumsum(_joined(self.gaps[:, found]), dtype=np.int32)
        rows -= 1
        return Found(rows, self.times[found].copy())  # a view would keep the block in memory

    def postings(self) -> Postings:
        """All of its postings."""
        if not len(self.gaps):
            rows, times = Found(None, self.times).listed()
            return Postings(self.stems, np.array([len(rows)]), rows, times)
        # Each stem begins anew at -1. Sums may overflow, and their differences are right again.
        rows = np.cumsum(_joined(self.gaps), dtype=np.int32)
        before = np.ones(len(self.ends), np.int32)
        before[1:] += rows[self.ends[:-1] - 1]
        rows -= before.repeat(_steps(self.ends))
        return Postings(self.stems, self.ends, rows, self.times)


def stem_of(text: str) -> int:
    """The number of a stem."""
    return int(_hashed([text])[0])


def invert(column: Any) -> tuple[Postings, Int64s]:
    """The postings of an Arrow array of stems separated by spaces, and how many each row has."""
    import pyarrow.compute as pc

    split = pc.ascii_split_whitespace(column)
    owners = np.repeat(np.arange(len(column)), split.value_lengths().to_numpy())
    coded = split.flatten().dictionary_encode()
    texts, codes = coded.dictionary.to_pylist(), coded.indices.to_numpy()
    if "" in texts:  # from spaces at an end
        filled = codes != texts.index("")
        owners, codes = owners[filled], codes[filled]
    stems, of_code = np.unique(_hashed(texts), return_inverse=True)
    cells, times = np.unique(of_code[codes] * len(column) + owners, return_counts=True)
    of_cell, rows = np.divmod(cells, max(1, len(column)))
    counts = np.bincount(of_cell, minlength=len(stems))
    there = counts > 0
    postings = Postings(
        stems[there],
        np.cumsum(counts[there]),
        rows.astype(np.int32),
        np.minimum(times, _MOST_TIMES).astype(np.uint8),
    )
    return postings, np.bincount(owners, minlength=len(column))


def pairs_of(words: Sequence[str]) -> list[int]:
    """The numbers of the pairs of words side by side, found as stems are.

    So few numbers are shared by many pairs: a passage has one by chance in 2 of 100 cases.
    """
    hashed = _hashed(words)
    found: list[int] = _pair_number(_pair_kind(hashed[:-1], hashed[1:])).tolist()
    return found


def invert_pairs(texts: Sequence[Sequence[str]]) -> Postings:
    """The postings of ``pairs_of`` the words of each row, each once."""
    import pyarrow as pa

    owners = np.repeat(np.arange(len(texts)), list(map(len, texts)))
    coded = pa.array(list(chain.from_iterable(texts)), pa.string()).dictionary_encode()
    hashed = _hashed(coded.dictionary.to_pylist())[coded.indices.to_numpy()]
    inside = owners[1:] == owners[:-1]
    kinds = _pair_kind(hashed[:-1], hashed[1:])[inside].astype(np.int64)
    cells = np.sort(kinds * len(texts) + owners[1:][inside])  # faster than ``unique`` of numbers
    of_cell, rows = np.divmod(cells[np.diff(cells, prepend=-1) > 0], max(1, len(texts)))
    counts = np.bincount(of_cell)
    there = np.flatnonzero(counts)
    times = np.ones(len(rows), np.uint8)
    numbers = _pair_number(there.astype(np.uint64))
    return Postings(numbers, np.cumsum(counts[there]), rows.astype(np.int32), times)


def _pair_kind(first: Stems, second: Stems) -> Stems:
    mixed = (first * _MIX[0] + second) * _MIX[1]
    return mixed >> np.uint64(64 - _PAIR_BITS)


def _pair_number(kind: Stems) -> Stems:
    # Numbers are spread over all of 64 bits, as those of stems are.
    return kind << np.uint64(64 - _PAIR_BITS) | _PAIR


def merged(parts: Sequence[Postings], first_rows: Sequence[int]) -> Postings:
    """The postings of all parts, whose rows begin at ascending ones of the whole."""
    stems = np.concatenate([part.stems for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    order = np.argsort(stems, kind="stable")
    sorted_already = np.array_equal(order, np.arange(len(order)))  # as of a very frequent stem
    at = (
        slice(None)
        if sorted_already
        else ranges((np.cumsum(counts) - counts)[order], counts[order])
    )
    moved = [part.rows + np.int32(first) for part, first in zip(parts, first_rows, strict=True)]
    times = np.concatenate([part.times for part in parts])
    distinct, first = np.unique(stems[order], return_index=True)
    summed = np.add.reduceat(counts[order], first) if len(first) else counts
    return Postings(distinct, np.cumsum(summed), np.concatenate(moved)[at], times[at])


def packed(
    postings: Postings, offset: int, rows: int | None = None
) -> Iterator[tuple[bytes, BlockPlace]]:
    """Pack postings in blocks.

    Args:
        postings: At least one.
        offset: Where the first block will lie.
        rows: How many there are, if stems in many of them are packed with the counts of all.
    """
    counts, ends = postings.counts, postings.ends
    dense = counts * _DENSE >= (np.inf if rows is None else rows)
    apart = np.diff((ends - 1) // _TOGETHER) > 0
    cuts = [0, *(np.flatnonzero(apart | dense[1:] | dense[:-1]) + 1).tolist(), len(dense)]
    begins = (ends - counts)[cuts[:-1]]
    gaps = np.zeros(0, "<i4") if dense.all() else _gaps(postings)
    most = np.maximum.reduceat(gaps, begins).tolist() if len(gaps) else [0] * len(begins)
    planes = gaps.view(np.uint8).reshape(-1, 4).T
    stems, sizes = postings.stems.astype("<u8"), counts.astype("<u4")
    for (first, last), begin, end, gap in zip(
        pairwise(cuts), begins.tolist(), ends[np.array(cuts[1:]) - 1].tolist(), most, strict=True
    ):
        times, width = postings.times[begin:end], (gap.bit_length() + 7) // 8
        if dense[first] and rows is not None:
            width, times = 0, np.zeros(rows, np.uint8)
            times[postings.rows[begin:end]] = postings.times[begin:end]
        columns = (stems[first:last], sizes[first:last], planes[:width, begin:end], times)
        block = codec(_LEVEL).compress(b"".join(one.tobytes() for one in columns), asbytes=True)
        place = BlockPlace(int(stems[first]), offset, len(block), last - first, len(times), width)
        yield block, place
        offset += len(block)


def _gaps(postings: Postings) -> Int32s:
    """The differences of rows, (m,); each stem begins anew at -1."""
    gaps = _steps(postings.rows)
    begins = postings.ends - postings.counts
    gaps[begins] = postings.rows[begins] + 1
    return gaps.astype("<i4")


def unpacked(content: bytes, place: BlockPlace) -> Block:
    """Unpack a block.

    Raises:
        OSError: If its bytes are not those of such a block.
    """
    stems_end = place.stems * _HASH_BYTES
    counts_end = stems_end + place.stems * _COUNT_BYTES
    gaps_end = counts_end + place.postings * place.width
    plain = codec(_LEVEL).decompress(content, gaps_end + place.postings)
    if len(plain) != gaps_end + place.postings:
        raise OSError("a block of postings was altered")
    every = np.frombuffer(plain, np.uint8)
    ends = np.cumsum(every[stems_end:counts_end].view("<u4"), dtype=np.int64)
    if place.width and ends[-1] != place.postings:
        raise OSError("a block of postings was altered")
    planes = every[counts_end:gaps_end].reshape(place.width, place.postings)
    return Block(every[:stems_end].view("<u8"), ends, planes, every[gaps_end:])


def _span(stems: Stems, ends: Int64s, stem: int) -> slice:
    """Where the postings of a stem lie."""
    at = int(np.searchsorted(stems, np.uint64(stem)))
    if at == len(stems) or int(stems[at]) != stem:
        return slice(0, 0)
    return slice(int(ends[at - 1]) if at else 0, int(ends[at]))


def _steps(ends: NDArray[Any]) -> NDArray[Any]:
    """The difference of each number to the one before, of the first to 0; ``np.diff`` is slow."""
    steps = ends.copy()
    steps[1:] -= ends[:-1]
    return steps


def _joined(planes: Bytes) -> Int32s:
    """The numbers whose bytes lie in planes, the lowest first."""
    numbers: Int32s = planes[0].astype(np.int32)
    for place, plane in enumerate(planes[1:], 1):
        numbers += plane.astype(np.int32) << (8 * place)
    return numbers


def _hashed(texts: Iterable[str]) -> Stems:
    hashed = [
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
        for text in texts
    ]
    return np.frombuffer(b"".join(hashed), "<u8")
