"""Lists of deleted rows, byte by byte: what is one, what is replaced, what is left alone."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from indexer.store import deletions

if TYPE_CHECKING:
    from pathlib import Path

BITMAP, ARROW = "0-1-2.bin", "0-1-2.arrow"
COOKIE = 12_346


def roaring(*containers: tuple[int, list[int]], tail: bytes = b"") -> bytes:
    """A Roaring bitmap of containers, each with its key and rows in the order given."""
    head = struct.pack("<II", COOKIE, len(containers))
    sizes = b"".join(struct.pack("<HH", key, len(rows) - 1) for key, rows in containers)
    bodies = []
    for _key, rows in containers:
        if len(rows) > 4_096:
            bits = np.zeros(65_536, bool)
            bits[rows] = True
            bodies.append(np.packbits(bits, bitorder="little").tobytes())
        else:
            bodies.append(np.array(rows, "<u2").tobytes())
    return head + sizes + bytes(4 * len(containers)) + b"".join(bodies) + tail


def arrow(*batches: list[int], name: str = "row_id") -> bytes:
    schema = pa.schema([pa.field(name, pa.uint32(), nullable=False)])
    made = pa.BufferOutputStream()
    with pa.ipc.new_file(made, schema) as file:
        for rows in batches:
            file.write_batch(pa.record_batch([pa.array(rows, pa.uint32())], schema=schema))
    return bytes(made.getvalue())


def listed(table: Path, name: str, content: bytes) -> Path:
    path = table / deletions.FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (BITMAP, roaring((0, [1, 5, 65_535]), (3, [0]))),
        (BITMAP, roaring((0, list(range(0, 10_000, 2))))),
        (BITMAP, roaring()),
        (BITMAP, struct.pack("<II", COOKIE + 1, 1)),  # a form that only Lance knows
        (ARROW, arrow([1, 2, 3])),
        (ARROW, arrow([])),
    ],
)
def test_a_list_that_may_be_right_stays(name: str, content: bytes, tmp_path: Path) -> None:
    listed(tmp_path, name, content)
    assert list(deletions.wrong_lists(tmp_path)) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (BITMAP, struct.pack("<II", COOKIE, 9)),  # containers are missing
        (BITMAP, roaring((0, [5, 1]))),
        (BITMAP, roaring((1, [0]), (0, [0]))),
        (BITMAP, roaring((0, [1, 1]))),
        (BITMAP, roaring((0, [1]), tail=b"more")),
        (BITMAP, roaring((0, list(range(5_000))))[:-1]),
        (ARROW, arrow([1], [2])),
        (ARROW, arrow([1], name="rows")),
        (ARROW, arrow([1, 2, 3])[:-5]),
    ],
)
def test_a_list_that_cannot_be_right_is_emptied(name: str, content: bytes, tmp_path: Path) -> None:
    path = listed(tmp_path, name, content)
    ((wrong, kept, instead),) = deletions.wrong_lists(tmp_path)
    assert (wrong, kept) == (path, 0)
    path.write_bytes(instead)
    assert list(deletions.wrong_lists(tmp_path)) == []


def varint(value: int) -> bytes:
    return bytes([value]) if value < 0x80 else bytes([value & 0x7F | 0x80]) + varint(value >> 7)


def field(number: int, value: int | bytes) -> bytes:
    """A field of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def state(table: Path, message: bytes) -> None:
    """Write a manifest as the newest version of a table."""
    folder = table / "_versions"
    folder.mkdir(parents=True, exist_ok=True)
    content = struct.pack("<I", len(message)) + message + struct.pack("<QHH4s", 0, 0, 1, b"LANC")
    (folder / "1.manifest").write_bytes(content)


LIST = field(1, 1) + field(2, 7) + field(3, 300) + field(4, 2)
FRAGMENT = field(2, field(1, 3) + field(3, LIST) + field(4, 1_000))
WHOLE = field(2, field(1, 4) + field(4, 1_000))


def test_a_manifest_is_read_past_fields_of_every_width(tmp_path: Path) -> None:
    fixed = varint(9 << 3 | 1) + bytes(8) + varint(10 << 3 | 5) + bytes(4)
    state(tmp_path, fixed + WHOLE + FRAGMENT + field(11, b"later"))
    path = tmp_path / deletions.FOLDER / "3-7-300.bin"
    assert deletions.stated(tmp_path) == [deletions.Stated(3, path, 1_000, 2)]


@pytest.mark.parametrize(
    "message", [varint(9 << 3 | 3), field(2, field(3, LIST)), FRAGMENT + b"\x80"]
)
def test_of_a_manifest_that_is_none_nothing_is_believed(message: bytes, tmp_path: Path) -> None:
    state(tmp_path, message)
    assert deletions.stated(tmp_path) == []


def test_a_list_that_says_another_number_than_the_manifest_is_told(tmp_path: Path) -> None:
    state(tmp_path, FRAGMENT)
    assert deletions.miscounted(tmp_path) == []  # there is no list
    listed(tmp_path, "3-7-300.bin", roaring((0, [1, 5])))
    assert deletions.miscounted(tmp_path) == []
    path = listed(tmp_path, "3-7-300.bin", roaring((0, [1, 5, 8])))
    assert deletions.miscounted(tmp_path) == [3]
    listed(tmp_path, path.name, roaring((0, [1, 1_000])))  # beyond the fragment's rows
    assert [wrong for wrong, _, _ in deletions.wrong_lists(tmp_path)] == [path]


def test_a_list_that_lance_could_not_read_is_emptied_once(tmp_path: Path) -> None:
    error = RuntimeError(f"lance error: a wrong list, {deletions.FOLDER}/{BITMAP}")
    assert deletions.forget(tmp_path, RuntimeError("lance error: something else")) is None
    assert deletions.forget(tmp_path, error) == tmp_path / deletions.FOLDER / BITMAP
    assert list(deletions.wrong_lists(tmp_path)) == []
    assert deletions.forget(tmp_path, error) is None  # it is not what is wrong
