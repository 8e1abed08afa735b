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


@dataclass(frozen=True, slots=True)
class _Placed:
    """A part of an index.

    Attributes:
        part: The rows, and some that are gone.
        at: The index of each row among the keys of the table, -1 of those that are gone, (n,).
        gone: Which are gone, (n,); None if none is.
        norms: What length adds to the count of a stem in the denominator of BM25, (n,).
    """

    part: Part
    at: Int32s
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
                there[at if one.gone is None else at[at >= 0]] = True
        return there

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
    pairs = list(zip(parts, places, strict=True))
    lengths = np.concatenate([part.lengths[at >= 0] for part, at in pairs])
    filled = max(1, int(np.count_nonzero(lengths)))
    mean = max(1, int(lengths.sum(dtype=np.int64))) / filled
    return WordIndex(rows.keys, file, [_placed(part, at, mean) for part, at in pairs], filled)


def _placed(part: Part, at: Int32s, mean: float) -> _Placed:
    gone = at < 0
    norms = (_K1 * (1 - _B + _B * part.lengths / mean)).astype(np.float32)
    return _Placed(part, at, gone if gone.any() else None, norms)
