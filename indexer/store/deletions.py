"""Validates lists of deleted rows, one per fragment, which Lance reads without checks.

Short lists are Arrow files, in which one flipped bit makes Lance allocate 34 GB and more; long ones
are Roaring bitmaps. An invalid list is replaced by an empty one; ``indexer.library.recovery``
deletes the documents that reappear. If a manifest has another number of deleted rows than the list,
Lance reads the right rows, counts them wrongly and never compacts the fragment. Owns finding and
fixing both; it must not know what the rows mean.
"""

from __future__ import annotations

import re
import struct
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

FOLDER = "_deletions"
_FRAGMENT_BITS = 32
_NAMED = re.compile(rf"{FOLDER}/([\w-]+\.(?:arrow|bin))")

# The Roaring format: containers of 65,536 rows each, by key, as lists or bitmaps.
_COOKIE = 12_346
_CONTAINER_BITS, _LISTED_ROWS, _BITMAP_BYTES = 16, 4_096, 8_192
_EMPTY_BITMAP = struct.pack("<II", _COOKIE, 0)

# The end of a manifest: the offset of its message, two versions, the magic. Numbers of protobuf
# fields: fragments in the message; id, data files, deletion list and row count in a fragment; the
# name of a data file; the parts of the file name and the row count in a list.
_END = struct.Struct("<QHH4s")
_FRAGMENTS, _ID, _FILES, _LIST, _ROWS = 2, 1, 2, 3, 4
_FILE_NAME = 1
_BITMAP, _VERSION, _NUMBER, _DELETED = 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class Stated:
    """A fragment with a deletion list in the manifest: its rows, and how many are deleted."""

    fragment: int
    path: Path
    rows: int
    deleted: int


def stated(table: Path) -> list[Stated]:
    """The deletion lists of a table's newest version; none if its manifest is unreadable."""
    with suppress(OSError, ValueError, IndexError, KeyError, struct.error):
        found = []
        for fragment in map(dict, _fragments(table)):
            if _LIST in fragment:
                known, one = fragment.get(_ID, 0), dict(_fields(fragment[_LIST]))
                suffix = "bin" if one.get(_BITMAP) else "arrow"
                name = f"{known}-{one.get(_VERSION, 0)}-{one[_NUMBER]}.{suffix}"
                path = table / FOLDER / name
                found.append(Stated(known, path, fragment[_ROWS], one.get(_DELETED, 0)))
        return found
    return []


def data_files(table: Path) -> dict[str, int] | None:
    """The data files of a table's newest version, and the fragment of each.

    None if its manifest is unreadable.

    Each is written once, under a name of its own.
    """
    with suppress(OSError, ValueError, IndexError, KeyError, struct.error):
        return {
            dict(_fields(value))[_FILE_NAME].decode(): dict(fragment).get(_ID, 0)
            for fragment in _fragments(table)
            for number, value in fragment
            if number == _FILES
        }
    return None


def _fragments(table: Path) -> list[list[tuple[int, Any]]]:
    """The fields of each fragment in the newest manifest."""
    content = min((table / "_versions").glob("*.manifest")).read_bytes()
    (start, *_rest) = _END.unpack(content[-_END.size :])
    (length,) = struct.unpack_from("<I", content, start)
    message = content[start + 4 :][:length]
    return [list(_fields(value)) for number, value in _fields(message) if number == _FRAGMENTS]


def wrong_lists(table: Path) -> Iterator[tuple[Path, int, bytes]]:
    """Yield invalid lists, the number of bytes to keep, and the bytes to write after those."""
    lists = list((table / FOLDER).glob("*"))
    rows = {one.path: one.rows for one in stated(table)} if lists else {}
    for path in lists:
        with suppress(OSError):
            try:
                deleted = _read(path)
                right = deleted is None or bool((deleted < rows.get(path, 2**32)).all())
            except ValueError:
                right = False
            if not right:
                yield path, 0, _empty(path)


def miscounted(table: Path) -> list[int]:
    """The fragments whose number of deleted rows differs between manifest and list."""
    found = []
    for one in stated(table):
        with suppress(OSError, ValueError):
            deleted = _read(one.path)
            if deleted is not None and len(deleted) != one.deleted:
                found.append(one.fragment)
    return found


def forget(table: Path, error: BaseException) -> Path | None:
    """Replace the list that Lance could not read by an empty one, if that caused the error."""
    named = _NAMED.search(str(error))
    if named is None:
        return None
    path = table / FOLDER / named[1]
    if path.exists() and path.read_bytes() == _empty(path):
        return None
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(_empty(path))
    return path


def recount(inner: Any, fragments: Iterable[int]) -> None:
    """Make Lance recount the deleted rows of fragments, by deleting one more row of each.

    The documents of these rows are then incomplete and read again.
    """
    for place in last_rows(inner, fragments):
        inner.delete(f"_rowaddr = {place}")


def last_rows(inner: Any, fragments: Iterable[int]) -> list[int]:
    """The address of the last row of each fragment that has rows."""
    wanted = set(fragments)
    if not wanted:
        return []
    places = inner.search().select(["_rowaddr"]).to_arrow().column("_rowaddr").to_pylist()
    last = {place >> _FRAGMENT_BITS: place for place in sorted(places)}
    return [last[fragment] for fragment in sorted(wanted & last.keys())]


def fragments_of(emptied: Iterable[Path]) -> set[int]:
    """The ids of the fragments of some deletion lists."""
    return {int(path.name.partition("-")[0]) for path in emptied if path.parent.name == FOLDER}


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the numbers and values of a protobuf message's fields, repeated ones several times."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        length = {1: 8, 5: 4}.get(kind)
        if length is None:
            if kind != 2:  # not length-delimited
                raise ValueError(f"a field of the kind {kind}")
            length, at = _varint(message, at)
        yield tag >> 3, message[at : at + length]
        at += length


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (message[at] & 0x7F) << shift
        shift += 7
        at += 1
        if message[at - 1] < 0x80:  # the last byte of a varint
            return value, at


def _read(path: Path) -> NDArray[np.uint32] | None:
    """The row offsets in a list; None if its format is not supported here.

    Raises:
        ValueError: If the list is invalid.
    """
    content = path.read_bytes()
    return _arrow_rows(content) if path.suffix == ".arrow" else _bitmap_rows(content)


def _arrow_rows(content: bytes) -> NDArray[np.uint32]:
    import pyarrow as pa

    try:
        file = pa.ipc.open_file(pa.py_buffer(content))
        if file.num_record_batches != 1 or file.schema != _schema():
            raise ValueError("another table than a list of rows")
        batch = file.get_batch(0)
        batch.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(str(error)) from error
    rows: NDArray[np.uint32] = batch.column(0).to_numpy()
    return rows


def _bitmap_rows(content: bytes) -> NDArray[np.uint32] | None:
    head = np.frombuffer(content[:8].ljust(8, b"\0"), "<u4")
    if head[0] != _COOKIE:
        return None  # run containers, which Lance does not write, or damage
    count = int(head[1])
    at = 8 + 8 * count  # after the keys, sizes and offsets of containers
    if at > len(content):
        raise ValueError("containers are missing")
    found = [np.empty(0, np.uint32)]
    heads = np.frombuffer(content, "<u2", 2 * count, 8).astype(int).reshape(-1, 2)
    for key, size in zip(heads[:, 0].tolist(), (heads[:, 1] + 1).tolist(), strict=True):
        if size > _LISTED_ROWS:
            bits = np.frombuffer(content, np.uint8, _BITMAP_BYTES, at)
            rows = np.flatnonzero(np.unpackbits(bits, bitorder="little"))
            at += _BITMAP_BYTES
        else:
            rows = np.frombuffer(content, "<u2", size, at).astype(np.int64)
            at += 2 * size
        if len(rows) != size:
            raise ValueError("another number of rows than it says")
        found.append((rows + (key << _CONTAINER_BITS)).astype(np.uint32))
    every = np.concatenate(found)
    if at != len(content) or not (np.diff(every.astype(np.int64)) > 0).all():
        raise ValueError("rows in no order")
    return every


def _empty(path: Path) -> bytes:
    import pyarrow as pa

    if path.suffix != ".arrow":
        return _EMPTY_BITMAP
    made = pa.BufferOutputStream()
    with pa.ipc.new_file(made, _schema()) as file:
        file.write_batch(pa.record_batch([pa.array([], pa.uint32())], schema=_schema()))
    return bytes(made.getvalue())


def _schema() -> Any:
    import pyarrow as pa

    return pa.schema([pa.field("row_id", pa.uint32(), nullable=False)])
