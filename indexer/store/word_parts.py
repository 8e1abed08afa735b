"""Parts of the inverted index of stems: rows with their postings, in a derived file or in memory.

Owns how postings lie in parts of the file, how they are made, merged and read, and the postings of
rows that the file lacks. The file also has postings of the pairs of words side by side, and of the
characters of scripts without spaces, by which phrases are found; making them takes several times as
long, and is left out for rows in memory. It must not know how rows are scored.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Protocol

import numpy as np

from indexer.store.derived import FOLDER, Layout, pread
from indexer.store.postings import (
    NO_POSTINGS,
    BlockPlace,
    Found,
    Postings,
    invert,
    invert_pairs,
    merged,
    packed,
    unpacked,
)
from indexer.store.recent import Recent
from indexer.text.sequences import characters
from indexer.text.terms import sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from indexer.store.derived import PartFile
    from indexer.store.table import Table
    from indexer.store.values import Int32s, Int64s

    Places = NDArray[np.void]

#: Rows that are inverted at once, with 80 MB of memory.
BATCH = 4_096
# Postings are merged by so many, beside those of the most frequent stem.
_MERGED_AT_ONCE = 1 << 19
_END_BYTES = 8
_PLACE = np.dtype([(name, "<u8") for name in BlockPlace._fields])
_NO_PLACES = np.empty(0, _PLACE)
# Bytes of postings that are kept of a part, for each of its rows, and at most.
_KEPT_EACH, _KEPT_BYTES = 48, 32 << 20


class Lists(Protocol):
    def of(self, stem: int) -> Found: ...


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows with their postings.

    Attributes:
        lengths: How many stems each has, by place, (n,).
        lists: The places with a stem.
        keys: By place, (n,); those of a part in a file are left there.
        ids: Their row ids, likewise.
        file: In which the part is.
    """

    lengths: Int32s
    lists: Lists
    keys: Int64s = field(default_factory=lambda: np.empty(0, np.int64))
    ids: Int64s = field(default_factory=lambda: np.empty(0, np.int64))
    file: PartFile | None = None


class _Lists:
    """The postings in a part of the file."""

    def __init__(self, file: PartFile) -> None:
        self._file = file
        self._places = _places(file)
        self._first = np.ascontiguousarray(self._places["first"])
        most = min(_KEPT_BYTES, _KEPT_EACH * file.rows)
        self._kept: Recent[int, Found] = Recent(most, lambda found: found.nbytes)

    def of(self, stem: int) -> Found:
        """The rows with a stem. A query asks for most of its stems twice, the next one for some."""
        return self._kept.get(stem, self._read)

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


def in_file(file: PartFile) -> Part:
    """A part of the file."""
    return Part(file.numbers(0).astype(np.int32), _Lists(file), file=file)


def read_part(table: Table, keys: Int64s, ids: Int64s, *, paired: bool = False) -> Part:
    """The postings of some rows of a table, without those that are gone meanwhile.

    ``paired``: and those of the characters and pairs of words in their views.
    """
    import pyarrow as pa

    found, places = table.take(keys, ["stems", "view"] if paired else ["stems"])
    order = np.argsort(places)
    column = found.column("stems").take(order).combine_chunks()
    postings, lengths = invert(column)
    if paired:
        views = found.column("view").take(order).to_pylist()
        pairs = invert_pairs(list(map(sequence, views)))
        others, _ = invert(pa.array(map(characters, views), pa.string()))
        postings = merged([postings, pairs, others], [0, 0, 0])
    places = places[order]
    return Part(lengths.astype(np.int32), postings, keys[places], ids[places])


def joined(one: Part, other: Part) -> Part:
    """Two parts in memory as one."""
    lists = [part.lists for part in (one, other) if isinstance(part.lists, Postings)]
    return Part(
        np.concatenate([one.lengths, other.lengths]),
        merged(lists, [0, len(one.lengths)]),
        np.concatenate([one.keys, other.keys]),
        np.concatenate([one.ids, other.ids]),
    )


class _Run:
    """The postings of successive rows in the order of their stems: in memory, or packed."""

    def __init__(
        self,
        first_row: int,
        memory: Postings,
        places: Places = _NO_PLACES,
        read: Callable[[int, int], bytes] | None = None,
    ) -> None:
        self.first_row, self.places = first_row, places
        self._read = read
        self._next = 0
        self._left = memory

    def below(self, edge: int | None) -> Iterator[Postings]:
        """Those of the next stems, below an edge."""
        while True:
            if not len(self._left.stems):
                if self._read is None or self._next == len(self.places):
                    return
                place = BlockPlace(*self.places[self._next].tolist())
                if edge is not None and place.first >= edge:
                    return
                self._left = unpacked(self._read(place.offset, place.length), place).postings()
                self._next += 1
            end = len(self._left.stems)
            cut = end if edge is None else int(np.searchsorted(self._left.stems, np.uint64(edge)))
            if cut:
                yield self._left.part(0, cut)
            self._left = self._left.part(cut, end)
            if cut < end:
                return


def _blocks(runs: Sequence[_Run], rows: int) -> Iterator[bytes]:
    """The blocks of all postings, and at the end where they lie."""
    every = np.concatenate([run.places for run in runs])
    every = every[np.argsort(every["first"])]
    firsts, begins = np.unique(every["first"], return_index=True)
    counts = np.add.reduceat(every["postings"], begins) if len(every) else every["postings"]
    apart = np.diff(np.cumsum(counts) // _MERGED_AT_ONCE) > 0
    apart |= counts[:-1] >= _MERGED_AT_ONCE  # those of a frequent stem by themselves
    listed, end = bytearray(), 0
    for edge in (*firsts[1:][apart].tolist(), None):
        pieces = [(piece, run.first_row) for run in runs for piece in run.below(edge)]
        if pieces:
            postings, first_rows = zip(*pieces, strict=True)
            for block, place in packed(merged(postings, first_rows), end, rows):
                listed += np.array([place], _PLACE).tobytes()
                end += len(block)
                yield block
    yield bytes(listed) + len(listed).to_bytes(_END_BYTES, "little")


def _places(file: PartFile) -> Places:
    """Where the blocks of a part lie."""
    (size,) = np.frombuffer(file.read(file.stored - _END_BYTES, _END_BYTES), "<u8").tolist()
    return np.frombuffer(file.read(file.stored - _END_BYTES - size, size), _PLACE)


def _merged(parts: Sequence[PartFile]) -> Iterator[bytes]:
    first_rows = accumulate((part.rows for part in parts), initial=0)
    runs = [
        _Run(first, NO_POSTINGS, _places(part), part.read)
        for first, part in zip(first_rows, parts, strict=False)
    ]
    return _blocks(runs, sum(part.rows for part in parts))


def _made(
    table: Table, keys: Int64s, ids: Int64s, _files: Sequence[str]
) -> Iterator[tuple[bytes, Int64s]]:
    """All batches but the last are packed into a file without a name, then merged."""
    lengths, runs = [], []
    with tempfile.TemporaryFile(dir=table.path / FOLDER) as file:

        def read(offset: int, count: int) -> bytes:
            return pread(file.fileno(), count, offset)

        for start in range(0, len(keys), BATCH):
            batch = slice(start, start + BATCH)
            part = read_part(table, keys[batch], ids[batch], paired=True)
            if len(part.lengths) != len(keys[batch]) or not isinstance(part.lists, Postings):
                raise OSError("rows went while they were read")
            lengths.append(part.lengths)
            if start + BATCH >= len(keys) or not len(part.lists.stems):
                runs.append(_Run(start, part.lists))
                continue
            places = []
            for block, place in packed(part.lists, file.tell()):
                file.write(block)
                places.append(place)
            runs.append(_Run(start, NO_POSTINGS, np.array(places, _PLACE), read))
        file.flush()
        none = np.empty((1, 0), np.int64)
        yield from ((block, none) for block in _blocks(runs, len(keys)))
    yield b"", np.concatenate(lengths)[None].astype(np.int64)


LAYOUT = Layout("stems", 1, made=_made, merged=_merged, always=True)
