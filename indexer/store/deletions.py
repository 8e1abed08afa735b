"""The data files of a table's newest version, by which derived files know whether they hold.

Goes with the derived files of words.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The end of a manifest: the offset of its message, two versions, the magic. Numbers of protobuf
# fields: fragments in the message; id and data files in a fragment; the name of a data file.
_END = struct.Struct("<QHH4s")
_FRAGMENTS, _ID, _FILES, _FILE_NAME = 2, 1, 2, 1


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
