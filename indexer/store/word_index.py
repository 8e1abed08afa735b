"""The inverted index of the stems of passages, and BM25 of all of them.

Owns the scores, and which parts make up the index of the rows that a table has now. It must not
know how words are stemmed or weighted, nor how postings lie in a file; see ``word_parts``.

BM25 has k1 1.2 and b 0.75, as LanceDB's. The number of rows with any stem, their mean length and
the rows of each stem are counted over the rows that the table has, deleted ones never, and over all
documents whichever are searched; so the scores are the same however the rows lie in file and
memory.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from indexer.store.word_parts import BATCH, LAYOUT, in_file, joined, read_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.store.derived import Derived
    from indexer.store.postings import Found
    from indexer.store.rowmap import ById
    from indexer.store.table import Table
    from indexer.store.values import Float32s, Int32s, Int64s, Mask
    from indexer.store.word_parts import Part

_K1, _B = 1.2, 0.75
# Lists of terms whose scores are kept: a query asks for those of two, several times each.
_KEPT = 4
# Rows that are scored at once by a frequent stem.
_AT_ONCE = 1 << 14
# Rows of a group of which the best is looked at.
_GROUPED = 64


@dataclass(frozen=True, slots=True)
class _Placed:
    """A part of an index.

    Attributes:
        part: The rows, and some that are gone.
        at: The index of each row among the keys of the table, -1 of those that are gone, (n,).
        gone: The places of those that are gone, ascending.
        norms: What length adds to the count of a stem in the denominator of BM25, (n,).
    """

    part: Part
    at: Int32s
    gone: Int64s
    norms: Float32s

    def count(self, found: Found) -> int:
        """How many rows that are not gone were found."""
        if found.rows is None:
            return int(np.count_nonzero(found.times) - np.count_nonzero(found.times[self.gone]))
        gone = np.count_nonzero(self.at[found.rows] < 0) if len(self.gone) else 0
        return len(found.rows) - int(gone)

    def add(self, found: Found, weight: np.float32, scores: Float32s) -> None:
        """Add BM25 of a stem to the scores of the part's rows."""
        # Compared with plain expressions, parts that stay in the processor's cache and no bounds to
        # check save a third of the time; the scores are the same, bit by bit.
        if found.rows is None:
            for start in range(0, len(scores), _AT_ONCE):
                some = slice(start, start + _AT_ONCE)
                counts = found.times[some].astype(np.float32)
                counts /= counts + self.norms[some]
                counts *= weight
                scores[some] += counts
        else:
            rows = found.rows.astype(np.intp)
            counts, sums = found.times.astype(np.float32), self.norms.take(rows, mode="clip")
            sums += counts
            counts /= sums
            counts *= weight
            counts += scores.take(rows, mode="clip")
            scores[rows] = counts


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The stems of the rows that a table has.

    Attributes:
        keys: The keys of all rows, ascending, (n,).
        file: From which it was made.
        parts: The rows.
        at: The ``at`` of all parts, one part after the other, (m,).
        places: For each key, the index of its row there, (n,); -1 if it went while it was read.
        filled: How many rows have any stem.
    """

    keys: Int64s
    file: Derived | None
    parts: Sequence[_Placed]
    at: Int32s
    places: Int32s
    filled: int
    _kept: dict[tuple[tuple[int, float], ...], Float32s] = field(default_factory=dict)
    _scoring: threading.Lock = field(default_factory=threading.Lock)

    def having(self, stems: Iterable[int], *, in_files: bool = False) -> Mask:
        """Which rows have any of some stems, (n,).

        ``in_files``: of what only the file has postings, as of pairs of words; any other row may
        have it.
        """
        there = np.zeros(len(self.keys), bool)
        for stem in stems:
            for one in self.parts:
                known = one.part.file is not None or not in_files
                at = one.at[one.part.lists.of(stem).listed()[0]] if known else one.at
                there[at[at >= 0] if len(one.gone) else at] = True
        return there

    def scores(self, weights: Mapping[int, float], at: Int64s) -> Float32s:
        """BM25 of some rows, by their indices among the keys, (k,) to (k,); 0 where no stem occurs.

        Args:
            weights: Of the stems.
            at: The indices.
        """
        found: Float32s = self._sums(weights)[self.places[at]]
        return found

    def found(
        self, weights: Mapping[int, float], count: int | None = None
    ) -> tuple[Int64s, Float32s]:
        """The indices of all rows with any of the stems, in no order, and BM25 of each.

        Args:
            weights: Of the stems.
            count: How many are wanted, if not all: then the best, and some more.
        """
        sums, least = self._sums(weights), 0.0
        if count is not None and 0 < count < len(sums) // _GROUPED:
            # As many groups have such a row, so no other is among the best.
            best = sums[: len(sums) // _GROUPED * _GROUPED].reshape(_GROUPED, -1).max(axis=0)
            least = float(np.partition(best, len(best) - count)[len(best) - count])
        there = np.flatnonzero(sums >= least if least > 0 else sums > 0)
        return self.at[there].astype(np.int64), sums[there]

    def _sums(self, weights: Mapping[int, float]) -> Float32s:
        """BM25 of the rows of all parts, 0 of those that are gone and at the end, (m + 1,)."""
        terms = tuple(weights.items())
        with self._scoring:
            if terms not in self._kept:
                # The stems of a question are the first of its whole query's.
                begun = [one for one in self._kept if one == terms[: len(one)]]
                first = max(begun, key=len, default=())
                sums = self._kept[first].copy() if first else np.zeros(len(self.at) + 1, np.float32)
                self._add(terms[len(first) :], sums)
                if len(self._kept) >= _KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[terms] = sums
            return self._kept[terms]

    def _add(self, terms: Sequence[tuple[int, float]], sums: Float32s) -> None:
        """Add BM25 of terms to the scores of the rows of all parts, (m + 1,)."""
        # The terms are added in the same order everywhere, so that equal rows have equal scores.
        ends = list(accumulate(len(one.at) for one in self.parts))
        of_parts = np.split(sums, ends)
        for stem, weight in terms:
            found = [one.part.lists.of(stem) for one in self.parts]
            rows = sum(one.count(of) for one, of in zip(self.parts, found, strict=True))
            idf = math.log1p((self.filled - rows + 0.5) / (rows + 0.5))
            factor = np.float32(weight * idf * (_K1 + 1))
            for one, of, part in zip(self.parts, found, of_parts, strict=False):
                one.add(of, factor, part)
        for one, part in zip(self.parts, of_parts, strict=False):
            part[one.gone] = 0


def current(table: Table) -> WordIndex | None:
    """The index of the rows that a table has now; None if it has none.

    What its file lacks is read from the table, once.
    """
    rows = table.rows.by_id()
    if not len(rows.keys):
        return None

    def is_current(index: WordIndex | None) -> bool:
        file = table.files.get(LAYOUT.name)
        return index is not None and index.keys is rows.keys and index.file is file

    index = table.words
    if not is_current(index):
        with table.inverting:
            index = table.words
            if not is_current(index):
                table.words = index = _completed(table, index, rows)
    return index


def _completed(table: Table, known: WordIndex | None, rows: ById) -> WordIndex:
    """The index of these rows; ``known`` has most of their postings."""
    file = table.files.get(LAYOUT.name)
    before = [] if known is None else [one.part for one in known.parts]
    opened = {part.file: part for part in before}
    parts, places = [], []
    missing = np.ones(len(rows.keys), bool)
    if file is not None:
        parts = [opened.get(one) or in_file(one) for one in file.parts]
        places = list(file.placed(rows).at)
    for at in places:
        missing[at[at >= 0]] = False
    in_files = len(parts)

    def append(part: Part) -> None:
        at = rows.indices_of(part.keys, part.ids)
        at[~missing[at]] = -1
        missing[at[at >= 0]] = False
        if (at >= 0).any():
            parts.append(part)
            places.append(at)

    for part in before:
        if part.file is None:
            append(part)
    left = rows.at[missing[rows.at]]
    for start in range(0, len(left), BATCH):
        wanted = left[start : start + BATCH]
        append(read_part(table, rows.keys[wanted], rows.rows[wanted]))
    while len(parts) - in_files > 1 and len(parts[-2].keys) <= len(parts[-1].keys):
        parts[-2:] = [joined(*parts[-2:])]
        places[-2:] = [np.concatenate(places[-2:])]
    every = np.concatenate(places)
    inverse = np.full(len(rows.keys), -1, np.int32)
    inverse[every[every >= 0]] = np.flatnonzero(every >= 0)
    pairs = list(zip(parts, places, strict=True))
    lengths = np.concatenate([part.lengths[at >= 0] for part, at in pairs])
    filled = max(1, int(np.count_nonzero(lengths)))
    mean = max(1, int(lengths.sum(dtype=np.int64))) / filled
    placed = [_placed(part, at, mean) for part, at in pairs]
    return WordIndex(rows.keys, file, placed, every, inverse, filled)


def _placed(part: Part, at: Int32s, mean: float) -> _Placed:
    norms = (_K1 * (1 - _B + _B * part.lengths / mean)).astype(np.float32)
    return _Placed(part, at, np.flatnonzero(at < 0), norms)
