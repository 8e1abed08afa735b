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
    Found,
    Postings,
    invert,
    merged,
    packed,
    unpacked,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import BinaryIO

    from indexer.store.derived import Derived
    from indexer.store.table import Table
    from indexer.store.values import Float32s, Int64s, Mask

_K1, _B = 1.2, 0.75
# Rows that are inverted at once, with 80 MB of memory.
_BATCH = 8_192
# Postings are merged by the first byte of their stems, a part at a time: two million for a million
# rows, and those of the most frequent stem, which all lie in one part.
_PARTS = 256
_EDGES = np.arange(1, _PARTS, dtype=np.uint64) << np.uint64(56)
_END_BYTES = 8
_PLACE = np.dtype([(name, "<u8") for name in BlockPlace.__slots__])
# Lists of terms whose scores are kept: a query asks for those of two, several times each. And the
# bytes of postings that are kept.
_KEPT, _KEPT_BYTES = 4, 8 << 20


class _Lists(Protocol):
    def of(self, stem: int) -> Found: ...


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
        self._kept: dict[int, Found] = {}
        self._kept_bytes = 0

    def of(self, stem: int) -> Found:
        """The rows with a stem. A query asks for most of its stems twice, the next one for some."""
        found = self._kept.get(stem)
        if found is None:
            found = self._read(stem)
            self._kept_bytes += found.times.nbytes + (
                0 if found.rows is None else found.rows.nbytes
            )
            if self._kept_bytes > _KEPT_BYTES:
                self._kept, self._kept_bytes = {}, 0
            self._kept[stem] = found
        return found

    def _read(self, stem: int) -> Found:
        at = int(np.searchsorted(self._first, np.uint64(stem), side="right")) - 1
        if at < 0:
            return NO_POSTINGS.of(stem)
        place = BlockPlace(*self._places[at].tolist())
        found = unpacked(self._file.read(place.offset, place.length), place).of(stem)
        last = len(found.times) - 1 if found.rows is None else found.rows[-1:].sum()
        if last >= self._file.rows:
            raise OSError("a file of postings was altered")
        return found


@dataclass(frozen=True, slots=True)
class _Placed:
    """A part of an index.

    Attributes:
        part: The rows, and some that are gone.
        at: The index of each row among the keys of the table, -1 of those that are gone, (n,).
        gone: Which are gone, (n,); None if none is.
        norms: What length adds to the count of a stem in the denominator of BM25, (n,).
    """

    part: _Part
    at: Int64s
    gone: Mask | None
    norms: Float32s

    def count(self, found: Found) -> int:
        """How many rows that are not gone were found."""
        gone = self.gone
        if found.rows is None:
            there = found.times if gone is None else found.times[~gone]
            return int(np.count_nonzero(there))
        return len(found.rows) - (0 if gone is None else int(np.count_nonzero(gone[found.rows])))

    def add(self, found: Found, weight: np.float32, scores: Float32s) -> None:
        """Add BM25 of a stem to the scores of the part's rows."""
        counts = found.times.astype(np.float32)
        if found.rows is None:
            counts /= counts + self.norms
            counts *= weight
            scores += counts
        else:
            scores[found.rows] += counts / (counts + self.norms[found.rows]) * weight


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The stems of the rows that a table has.

    Attributes:
        keys: The keys of all rows, ascending, (n,).
        file: From which it was made.
        parts: The rows.
        filled: How many rows have any stem.
    """

    keys: Int64s
    file: Derived | None
    parts: Sequence[_Placed]
    filled: int
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
        # The terms are added in the same order everywhere, so that equal rows have equal scores.
        scores = [np.zeros(len(one.at), np.float32) for one in self.parts]
        for stem, weight in terms:
            found = [one.part.lists.of(stem) for one in self.parts]
            rows = sum(one.count(of) for one, of in zip(self.parts, found, strict=True))
            idf = math.log1p((self.filled - rows + 0.5) / (rows + 0.5))
            factor = np.float32(weight * idf * (_K1 + 1))
            for one, of, sums in zip(self.parts, found, scores, strict=True):
                one.add(of, factor, sums)
        total = np.zeros(len(self.keys), np.float32)
        for one, sums in zip(self.parts, scores, strict=True):
            there = slice(None) if one.gone is None else ~one.gone
            total[one.at[there]] = sums[there]
        return total


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
        parts = [one.part for one in known.parts]
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
    pairs = list(zip(parts, places, strict=True))
    lengths = np.concatenate([part.lengths[at >= 0] for part, at in pairs])
    filled = max(1, int(np.count_nonzero(lengths)))
    mean = max(1, int(lengths.sum())) / filled
    return WordIndex(keys, file, [_placed(part, at, mean) for part, at in pairs], filled)


def _placed(part: _Part, at: Int64s, mean: float) -> _Placed:
    gone = at < 0
    norms = (_K1 * (1 - _B + _B * part.lengths / mean)).astype(np.float32)
    return _Placed(part, at, gone if gone.any() else None, norms)


def _in_file(file: Derived) -> _Part:
    keys, rows, (lengths,) = file.stored_rows()
    return _Part(keys, rows, lengths, _File(file))


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
            if first == last:
                continue
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
    lengths = []
    none = np.empty((1, 0), np.int64)
    with tempfile.TemporaryFile(dir=table.path / FOLDER) as file:
        spool = _Spool(file)
        for start in range(0, len(keys), _BATCH):
            batch = slice(start, start + _BATCH)
            part = _read(table, keys[batch], rows[batch])
            if len(part.keys) != len(keys[batch]) or not isinstance(part.lists, Postings):
                raise OSError("rows went while they were read")
            lengths.append(part.lengths)
            spool.add(part.lists, start)
        listed: list[BlockPlace] = []
        for postings in spool.merged():
            end = listed[-1].offset + listed[-1].length if listed else 0
            for block, place in packed(postings, end, len(keys)):
                listed.append(place)
                yield block, none
    places = np.array([astuple(place) for place in listed], _PLACE).tobytes()
    yield places + len(places).to_bytes(_END_BYTES, "little"), np.concatenate(lengths)[None]


LAYOUT = Layout("stems", 1, of_files=False, parts=_parts, always=True)
