"""The inverted index of the stems of passages, and BM25 of all of them.

Owns the file of postings and its making, the postings of rows that it lacks, which are kept in
memory, and the scores. It must not know how words are stemmed or weighted.

BM25 has k1 1.2 and b 0.75, as LanceDB's. The number of rows with any stem, their mean length and
the rows of each stem are counted over the rows that the table has, deleted ones never, and over all
documents whichever are searched; so the scores are the same however the rows lie in file and
memory.
"""

from __future__ import annotations

import math
import tempfile
import threading
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from indexer.arrays import find_sorted
from indexer.store.derived import FOLDER, Layout
from indexer.store.postings import (
    NO_POSTINGS,
    BlockPlace,
    Postings,
    invert,
    merged,
    packed,
    unpacked,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import BinaryIO

    from numpy.typing import NDArray

    from indexer.store.derived import Derived
    from indexer.store.table import Table
    from indexer.store.values import Float32s, Int32s, Int64s

_K1, _B = 1.2, 0.75
# Rows that are inverted at once, with 80 MB of memory.
_BATCH = 8_192
# Postings are merged by the first byte of their stems, a part at a time: two million for a million
# rows, and those of the most frequent stem, which all lie in one part.
_PARTS = 256
_EDGES = np.arange(1, _PARTS, dtype=np.uint64) << np.uint64(56)
_END_BYTES = 8
_PLACE = np.dtype([(name, "<u8") for name in BlockPlace.__slots__])
# Lists of terms whose scores are kept: a query asks for those of two, several times each.
_KEPT = 4


class _Lists(Protocol):
    def of(self, stem: int) -> tuple[Int32s, NDArray[np.uint8]]: ...


@dataclass(frozen=True, slots=True)
class _Part:
    """Some rows with their postings.

    Attributes:
        keys: By place, as the following, (n,).
        rows: Their row ids.
        lengths: How many stems each has.
        lists: The places with a stem.
    """

    keys: Int64s
    rows: Int64s
    lengths: Int64s
    lists: _Lists


class _File:
    """The postings in a derived file."""

    def __init__(self, file: Derived) -> None:
        self._file = file
        (size,) = np.frombuffer(file.read(file.stored - _END_BYTES, _END_BYTES), "<u8").tolist()
        listed = file.read(file.stored - _END_BYTES - size, size)
        self._places = np.frombuffer(listed, _PLACE)
        self._first = np.ascontiguousarray(self._places["first"])

    def of(self, stem: int) -> tuple[Int32s, NDArray[np.uint8]]:
        """See ``Postings.of``."""
        at = int(np.searchsorted(self._first, np.uint64(stem), side="right")) - 1
        if at < 0:
            return NO_POSTINGS.of(stem)
        place = BlockPlace(*self._places[at].tolist())
        rows, times = unpacked(self._file.read(place.offset, place.length), place).of(stem)
        if len(rows) and rows[-1] >= self._file.rows:
            raise OSError("a file of postings was altered")
        return rows, times


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The stems of the rows that a table has, or had.

    Attributes:
        keys: The keys of all rows, ascending, (n,).
        file: From which it was made.
        parts: The rows, and some that are gone.
        places: By part: the index in ``keys`` of each of its rows, -1 of those that are gone.
        filled: How many rows have any stem.
        norms: What length adds to the count of a stem in the denominator of BM25, (n,).
    """

    keys: Int64s
    file: Derived | None
    parts: Sequence[_Part]
    places: Sequence[Int64s]
    filled: int
    norms: Float32s
    _kept: dict[tuple[tuple[int, float], ...], Float32s] = field(default_factory=dict)
    _scoring: threading.Lock = field(default_factory=threading.Lock)

    def scores(self, weights: Mapping[int, float]) -> Float32s:
        """BM25 of all rows, (n,), for stems with their weights; 0 where none occurs."""
        terms = tuple(weights.items())
        with self._scoring:
            if terms not in self._kept:
                if len(self._kept) >= _KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[terms] = self._scored(terms)
            return self._kept[terms]

    def _scored(self, terms: Sequence[tuple[int, float]]) -> Float32s:
        found = [np.empty(0, np.int64)]
        added = [np.empty(0, np.float32)]
        for stem, weight in terms:
            at, times = self._of(stem)
            idf = math.log1p((self.filled - len(at) + 0.5) / (len(at) + 0.5))
            counts = times.astype(np.float32)
            added.append(counts / (counts + self.norms[at]) * np.float32(weight * idf * (_K1 + 1)))
            found.append(at)
        total = np.bincount(np.concatenate(found), np.concatenate(added), len(self.keys))
        return total.astype(np.float32)

    def _of(self, stem: int) -> tuple[Int64s, NDArray[np.uint8]]:
        """The rows with a stem, as indices of ``keys``, and how often it occurs there."""
        found = [part.lists.of(stem) for part in self.parts]
        at = np.concatenate([of[rows] for of, (rows, _) in zip(self.places, found, strict=True)])
        times = np.concatenate([counts for _, counts in found])
        there = at >= 0
        return (at, times) if there.all() else (at[there], times[there])


def current(table: Table) -> WordIndex | None:
    """The index of the rows that a table has now; None if it has none.

    What its file lacks is read from the table, once.
    """
    keys, rows = table.rows.pairs()
    if not len(keys):
        return None
    index = table.words
    if index is None or index.keys is not keys or index.file is not table.files.get(LAYOUT.name):
        with table.inverting:
            index = table.words
            file = table.files.get(LAYOUT.name)
            if index is None or index.keys is not keys or index.file is not file:
                table.words = index = _completed(table, index, keys, rows)
    return index


def _completed(table: Table, known: WordIndex | None, keys: Int64s, rows: Int64s) -> WordIndex:
    """The index of these rows; ``known`` has most of their postings."""
    file = table.files.get(LAYOUT.name)
    if known is None or known.file is not file:
        parts = [] if file is None else [_in_file(file)]
    else:
        parts = list(known.parts)
    order = np.argsort(rows, kind="stable")
    by_row = rows[order]
    missing = np.ones(len(keys), bool)

    def places_of(part: _Part) -> Int64s:
        at, found = find_sorted(by_row, part.rows)
        at = order[at]
        right = keys[at] == part.keys[found]
        places = np.full(len(part.rows), -1, np.int64)
        places[found[right]] = at[right]
        missing[at[right]] = False
        return places

    places = [places_of(part) for part in parts]
    left = order[missing[order]]
    for start in range(0, len(left), _BATCH):
        wanted = left[start : start + _BATCH]
        parts.append(_read(table, keys[wanted], rows[wanted]))
        places.append(places_of(parts[-1]))
    while len(parts) - (file is not None) > 1 and len(parts[-2].rows) <= len(parts[-1].rows):
        parts[-2:] = [_joined(*parts[-2:])]
        places[-2:] = [np.concatenate(places[-2:])]
    lengths = np.zeros(len(keys), np.int64)
    for part, place in zip(parts, places, strict=True):
        lengths[place[place >= 0]] = part.lengths[place >= 0]
    filled = max(1, int(np.count_nonzero(lengths)))
    mean = max(1, int(lengths.sum())) / filled
    norms = _K1 * (1 - _B + _B * lengths / mean)
    return WordIndex(keys, file, parts, places, filled, norms.astype(np.float32))


def _in_file(file: Derived) -> _Part:
    keys, rows, (lengths,) = file.stored_rows()
    order = np.argsort(rows, kind="stable")
    return _Part(keys[order], rows[order], lengths[order], _File(file))


def _read(table: Table, keys: Int64s, rows: Int64s) -> _Part:
    """The postings of some rows of a table, without those that are gone meanwhile."""
    found, places = table.take(keys, ["stems"])
    order = np.argsort(places)
    column = found.column("stems").take(order).combine_chunks()
    postings, lengths = invert(column)
    return _Part(keys[places[order]], rows[places[order]], lengths, postings)


def _joined(one: _Part, other: _Part) -> _Part:
    """Two parts in memory as one."""
    lists = [part.lists for part in (one, other) if isinstance(part.lists, Postings)]
    return _Part(
        np.concatenate([one.keys, other.keys]),
        np.concatenate([one.rows, other.rows]),
        np.concatenate([one.lengths, other.lengths]),
        merged(lists, [0, len(one.rows)]),
    )


class _Spool:
    """Postings of successive rows in a file without a name, by the first byte of their stems."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = 0
        self._written: list[list[tuple[int, BlockPlace]]] = [[] for _ in range(_PARTS)]

    def add(self, postings: Postings, first_row: int) -> None:
        cuts = [0, *np.searchsorted(postings.stems, _EDGES).tolist(), len(postings.stems)]
        for written, first, last in zip(self._written, cuts, cuts[1:], strict=False):
            for block, place in packed(postings.part(first, last), self._end):
                self._file.write(block)
                self._end += len(block)
                written.append((first_row, place))

    def merged(self) -> Iterator[Postings]:
        """All of them, part by part."""
        for written in self._written:
            blocks, firsts = [], []
            for first_row, place in written:
                self._file.seek(place.offset)
                blocks.append(unpacked(self._file.read(place.length), place).postings())
                firsts.append(first_row)
            if blocks:
                yield merged(blocks, firsts)


def _parts(
    table: Table, keys: Int64s, rows: Int64s, _files: Sequence[str]
) -> Iterator[tuple[bytes, Int64s]]:
    """The blocks of postings, and at the end where they lie."""
    order = np.argsort(rows, kind="stable")
    lengths = np.zeros(len(keys), np.int64)
    none = np.empty((1, 0), np.int64)
    with tempfile.TemporaryFile(dir=table.path / FOLDER) as file:
        spool = _Spool(file)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            part = _read(table, keys[batch], rows[batch])
            if len(part.keys) != len(batch) or not isinstance(part.lists, Postings):
                raise OSError("rows went while they were read")
            lengths[batch] = part.lengths
            spool.add(part.lists, start)
        listed: list[BlockPlace] = []
        for postings in spool.merged():
            end = listed[-1].offset + listed[-1].length if listed else 0
            for block, place in packed(postings, end):
                listed.append(place)
                yield block, none
    places = np.array([astuple(place) for place in listed], _PLACE).tobytes()
    yield places + len(places).to_bytes(_END_BYTES, "little"), lengths[None]


LAYOUT = Layout("words", 1, of_files=False, parts=_parts, always=True)
