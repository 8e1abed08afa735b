"""Lists of deleted rows, one a fragment: what Lance takes on trust about them.

Those of few rows are Arrow's files, of which one flipped bit makes Lance ask for 34 GB and more;
those of many are Roaring bitmaps. A list that cannot be right is emptied, as
``indexer.library.recovery`` deletes again what nobody knows. Where a manifest says another number
of deleted rows than the list has, Lance reads the rows rightly, counts them wrongly and never
compacts that fragment. Owns finding both, and their cures; it must not know what rows are for.
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

# A bitmap of rows: containers of 65,536 rows each, by key, that are listed or have a bit for each.
_COOKIE = 12_346
_CONTAINER_BITS, _LISTED_ROWS, _BITMAP_BYTES = 16, 4_096, 8_192
_EMPTY_BITMAP = struct.pack("<II", _COOKIE, 0)

# The end of a manifest: where its message begins, two versions, the magic. Of the message, the
# field of fragments; of these, their numbers, lists and rows; of a list, its parts of a file name
# and how many rows it has.
_END = struct.Struct("<QHH4s")
_FRAGMENTS, _ID, _LIST, _ROWS = 2, 1, 3, 4
_BITMAP, _VERSION, _NUMBER, _DELETED = 1, 2, 3, 4


@dataclass(frozen=True, slots=True)
class Stated:
    """What the manifest says of a fragment with a list: its rows, and how many are deleted."""

    fragment: int
    path: Path
    rows: int
    deleted: int


def stated(table: Path) -> list[Stated]:
    """The lists of a table's newest version; none if its manifest cannot be read."""
    with suppress(OSError, ValueError, IndexError, KeyError, struct.error):
        content = min((table / "_versions").glob("*.manifest")).read_bytes()
        (start, *_rest) = _END.unpack(content[-_END.size :])
        (length,) = struct.unpack_from("<I", content, start)
        found = []
        for number, value in _fields(content[start + 4 :][:length]):
            if number == _FRAGMENTS and _LIST in (fragment := dict(_fields(value))):
                known, one = fragment.get(_ID, 0), dict(_fields(fragment[_LIST]))
                suffix = "bin" if one.get(_BITMAP) else "arrow"
                name = f"{known}-{one.get(_VERSION, 0)}-{one[_NUMBER]}.{suffix}"
                path = table / FOLDER / name
                found.append(Stated(known, path, fragment[_ROWS], one.get(_DELETED, 0)))
        return found
    return []


def wrong_lists(table: Path) -> Iterator[tuple[Path, int, bytes]]:
    """Lists that cannot be right, how many of their bytes are, and what ought to follow."""
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
    """The fragments of which the manifest says another number of deleted rows than their list."""
    found = []
    for one in stated(table):
        with suppress(OSError, ValueError):
            deleted = _read(one.path)
            if deleted is not None and len(deleted) != one.deleted:
                found.append(one.fragment)
    return found


def forget(table: Path, error: BaseException) -> Path | None:
    """Put an empty list in the place of the one that Lance could not read, if that was it."""
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
    """Have Lance count what is deleted of fragments, which it does when it deletes one row more.

    The documents of these rows are incomplete then and read again.
    """
    for place in last_rows(inner, fragments):
        inner.delete(f"_rowaddr = {place}")


def last_rows(inner: Any, fragments: Iterable[int]) -> list[int]:
    """The address of the last row of each of some fragments; none of those without any."""
    wanted = set(fragments)
    if not wanted:
        return []
    places = inner.search().select(["_rowaddr"]).to_arrow().column("_rowaddr").to_pylist()
    last = {place >> _FRAGMENT_BITS: place for place in sorted(places)}
    return [last[fragment] for fragment in sorted(wanted & last.keys())]


def fragments_of(emptied: Iterable[Path]) -> set[int]:
    """The fragments whose lists are among some files."""
    return {int(path.name.partition("-")[0]) for path in emptied if path.parent.name == FOLDER}


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """The numbers and values of a protobuf message's fields; a repeated one comes again."""
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
            if kind != 2:  # a length and so many bytes
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
        if message[at - 1] < 0x80:  # the last byte of a number
            return value, at


def _read(path: Path) -> NDArray[np.uint32] | None:
    """The rows of a list within their fragment; None of a form that is not known here.

    Raises:
        ValueError: If it is no list.
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
        return None  # with runs, which Lance does not write, or damaged: Lance says so
    count = int(head[1])
    at = 8 + 8 * count  # behind the keys and sizes of containers, and their places
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
