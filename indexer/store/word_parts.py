"""Parts of the inverted index of stems: rows with their postings, in a derived file or in memory.

Owns the file of postings, how it is made and read, and the postings of rows that it lacks. It must
not know how rows are scored.
"""

from __future__ import annotations

import tempfile
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

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
    from collections.abc import Iterator, Sequence
    from typing import BinaryIO

    from indexer.store.derived import Derived
    from indexer.store.table import Table
    from indexer.store.values import Int64s

#: Rows that are inverted at once, with 80 MB of memory.
BATCH = 8_192
# Postings are merged by the first byte of their stems, a part at a time: two million for a million
# rows, and those of the most frequent stem, which all lie in one part.
_PARTS = 256
_EDGES = np.arange(1, _PARTS, dtype=np.uint64) << np.uint64(56)
_END_BYTES = 8
_PLACE = np.dtype([(name, "<u8") for name in BlockPlace.__slots__])
# Bytes of postings of a file that are kept.
_KEPT_BYTES = 8 << 20


class Lists(Protocol):
    def of(self, stem: int) -> Found: ...


@dataclass(frozen=True, slots=True)
class Part:
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
    lists: Lists


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
            if self._kept_bytes + found.nbytes > _KEPT_BYTES:
                self._kept, self._kept_bytes = {}, 0
            self._kept[stem] = found
            self._kept_bytes += found.nbytes
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


def in_file(file: Derived) -> Part:
    keys, rows, (lengths,) = file.stored_rows()
    return Part(keys, rows, lengths, _File(file))


def read_part(table: Table, keys: Int64s, rows: Int64s) -> Part:
    """The postings of some rows of a table, without those that are gone meanwhile."""
    found, places = table.take(keys, ["stems"])
    order = np.argsort(places)
    column = found.column("stems").take(order).combine_chunks()
    postings, lengths = invert(column)
    return Part(keys[places[order]], rows[places[order]], lengths, postings)


def joined(one: Part, other: Part) -> Part:
    """Two parts in memory as one."""
    lists = [part.lists for part in (one, other) if isinstance(part.lists, Postings)]
    return Part(
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
        for start in range(0, len(keys), BATCH):
            batch = slice(start, start + BATCH)
            part = read_part(table, keys[batch], rows[batch])
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
