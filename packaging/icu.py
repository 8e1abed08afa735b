"""Removes unused items from ICU's data, which comes as a shared library of 32 MB.

This module knows the format of such a library: one symbol, and after it a table of contents with
the names and places of the items. Two copies of ICU come with the wheels: Qt's and icu4py's.
"""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from command import run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# icu4py finds words of every language (``indexer.text.sentences``) by rules and dictionaries.
_BREAKING = re.compile(r"brkitr/|(root|res_index|pool)\.res$|nfkc\.nrm$|ulayout\.icu$")
# Qt sorts names by the rules of most languages; it has its own data for dates and numbers.
_SORTING = re.compile(r"coll/(root\.res|ucadata\.icu|res_index\.res|pool\.res)$|root\.res$")
# The libraries in a frozen tree, and the items of each that stay.
KEPT = {"icu4py.libs/libicudata*": _BREAKING, "PySide6/Qt/lib/libicudata.so.*": _SORTING}
_LOAD, _NAME_AND_PLACE = 1, struct.Struct("<II")
_SOURCE = """.section .rodata
.globl {name}
.type {name}, @object
.balign 16
{name}: .incbin "{data}"
.size {name}, . - {name}
.section .note.GNU-stack, "", @progbits
"""


def shrink(folder: Path) -> None:
    """Shrink the libraries named in ``KEPT`` below a folder.

    Raises:
        SystemExit: If one cannot be read or compiled again.
    """
    for pattern, kept in KEPT.items():
        for library in [each for each in folder.glob(pattern) if not each.is_symlink()]:
            shrink_library(library, kept)


def shrink_library(library: Path, kept: re.Pattern[str]) -> None:
    """Replace a library by one with only the items whose names (``coll/root.res``) match."""
    name, package = _package(library)
    head, items = unpacked(package)
    wanted = {key: item for key, item in items.items() if kept.match(key.partition("/")[2])}
    soname = re.search(r"\[(.+)\]", run("readelf", "-d", library, capture=True).split("SONAME")[1])
    data, source = library.with_name("icu.dat"), library.with_name("icu.s")
    data.write_bytes(packed(head, wanted))
    source.write_text(_SOURCE.format(name=name, data=data), "utf-8")
    given = soname[1] if soname else library.name
    run("cc", "-shared", "-nostdlib", f"-Wl,-soname={given}", "-o", library, source)
    data.unlink()
    source.unlink()


def unpacked(package: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return the header of a package, and its items by name."""
    (size,) = struct.unpack_from("<H", package)
    (count,) = struct.unpack_from("<I", package, size)
    table = [_NAME_AND_PLACE.unpack_from(package, size + 4 + 8 * each) for each in range(count)]
    ends = [place for _, place in table[1:]] + [len(package) - size]
    items = {}
    for (named, place), end in zip(table, ends, strict=True):
        name = package[size + named : package.index(b"\0", size + named)].decode("ascii")
        items[name] = package[size + place : size + end]
    return package[:size], items


def packed(head: bytes, items: Mapping[str, bytes]) -> bytes:
    """Return a package of items, sorted by name; each begins at a multiple of 16 bytes."""
    names = [name.encode("ascii") + b"\0" for name in sorted(items)]
    texts = 4 + _NAME_AND_PLACE.size * len(names)
    at = texts + sum(map(len, names))
    table = struct.pack("<I", len(names))
    for name in names:
        at += -(len(head) + at) % 16
        table += _NAME_AND_PLACE.pack(texts, at)
        texts += len(name)
        at += len(items[name[:-1].decode("ascii")])
    result = bytearray(head + table + b"".join(names))
    for item in sorted(items):
        result += bytes(-len(result) % 16) + items[item]
    return bytes(result)


def _package(library: Path) -> tuple[str, bytes]:
    """Return the name of the package's symbol, and all bytes from there on in its segment."""
    found = re.search(r"(\w+) \w (icudt\d+_dat)", run("nm", "-D", library, capture=True))
    content = library.read_bytes()
    (table,) = struct.unpack_from("<Q", content, 0x20)
    size, count = struct.unpack_from("<HH", content, 0x36)
    for each in range(count if found else 0):
        kind, _, offset, address, _, length = struct.unpack_from(
            "<IIQQQQ", content, table + size * each
        )
        symbol = int(found[1], 16) if found else 0
        if kind == _LOAD and address <= symbol < address + length:
            begin = offset + symbol - address
            return found[2] if found else "", content[begin : offset + length]
    raise SystemExit(f"{library} has no data of ICU")
