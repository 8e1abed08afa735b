"""Writes small OLE files: enough of the format for a mail of Outlook."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

_SECTOR = 512
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_NONE = 0xFFFFFFFF
# Shorter streams would go into a stream of their own.
_LEAST_BYTES = 4096

Tree = Mapping[str, "bytes | Tree"]


@dataclass
class _Entry:
    name: str
    kind: int
    data: bytes = b""
    child: int = _NONE
    right: int = _NONE
    start: int = _END


def ole_file(tree: Tree) -> bytes:
    """An OLE file with the given streams, in the given storages."""
    entries = [_Entry("Root Entry", 5)]
    entries[0].child = _add(entries, tree)
    body = b""
    chains: list[int] = []
    for entry in entries:
        if entry.kind == 2:
            entry.start = len(chains)
            body += _padded(entry.data)
            _chain(chains, len(_padded(entry.data)) // _SECTOR)
    directory = len(chains)
    listed = b"".join(map(_written, entries))
    listed += bytes(-len(listed) % _SECTOR)
    _chain(chains, len(listed) // _SECTOR)
    tables = 1
    while tables * 128 < len(chains) + tables:
        tables += 1
    first = len(chains)
    chains += [_FAT] * tables
    chains += [_FREE] * (tables * 128 - len(chains))
    table = struct.pack(f"<{len(chains)}L", *chains)
    return _header(directory, first, tables) + body + listed + table


def _add(entries: list[_Entry], tree: Tree) -> int:
    """Append what stands in a storage, each entry to the right of the one before."""
    first = before = _NONE
    for name, content in tree.items():
        at = len(entries)
        if isinstance(content, bytes):
            entries.append(_Entry(name, 2, content.ljust(_LEAST_BYTES, b"\x00")))
        else:
            entries.append(_Entry(name, 1))
            entries[at].child = _add(entries, content)
        if before == _NONE:
            first = at
        else:
            entries[before].right = at
        before = at
    return first


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _SECTOR)


def _chain(chains: list[int], sectors: int) -> None:
    chains += [len(chains) + i + 1 for i in range(sectors - 1)] + [_END]


def _written(entry: _Entry) -> bytes:
    name = entry.name.encode("utf-16-le")
    return (
        name.ljust(64, b"\x00")
        + struct.pack("<HBBLLL", len(name) + 2, entry.kind, 1, _NONE, entry.right, entry.child)
        + bytes(36)
        + struct.pack("<LQ", entry.start if entry.kind == 2 else 0, len(entry.data))
    )


def _header(directory: int, table: int, tables: int) -> bytes:
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    head += struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<LLLLL", 0, tables, directory, 0, _LEAST_BYTES)
    head += struct.pack("<LLLL", _END, 0, _END, 0)
    places = [table + i for i in range(tables)] + [_FREE] * (109 - tables)
    return head + struct.pack("<109L", *places)
