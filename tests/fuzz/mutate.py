"""Spoils files, the same way for the same seed: bytes of any, parts of those that are packages."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_ODD_NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF)
_ODD_TEXTS = (
    b"&#0;", b"&x;", b"]]>", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"\xff\xfe", b"\x00", b"%s%n",
    b"../../../etc/passwd", b"99999999999999999999", b"-1", b"NaN", b"<a>" * 500, b"{" * 500,
    b"\\'", b"\\u-1?", b"\\bin99999 ", b"\xed\xa0\x80", b"\r\n\r\n", b"--XX", b"=?x?b?=?=",
)  # fmt: skip


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Return a spoilt copy."""
    if data.startswith(b"PK\x03\x04") and chance.random() < 0.7:
        packed = _mutate_package(data, chance)
        if packed:
            return packed
    return _mutate_bytes(data, chance)


def _mutate_bytes(data: bytes, chance: random.Random) -> bytes:
    spoilt = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        if not spoilt:
            break
        chance.choice(_MUTATIONS)(spoilt, chance)
    return bytes(spoilt)


def _flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(1, 8)):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _number(data: bytearray, chance: random.Random) -> None:
    width = chance.choice((1, 2, 4))
    at = chance.randrange(len(data))
    number = chance.choice(_ODD_NUMBERS) & ((1 << 8 * width) - 1)
    data[at : at + width] = number.to_bytes(width, "little")


def _cut(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data))
    del data[at : at + chance.randint(1, max(1, len(data) // 4))]


def _end(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def _repeat(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data))
    piece = data[at : at + chance.randint(1, 64)]
    data[at:at] = piece * chance.choice((1, 2, 50))


def _insert(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data))
    data[at:at] = chance.choice(_ODD_TEXTS)


def _swap(data: bytearray, chance: random.Random) -> None:
    length = chance.randint(1, 32)
    one, other = chance.randrange(len(data)), chance.randrange(len(data))
    data[one : one + length], data[other : other + length] = (
        data[other : other + length],
        data[one : one + length],
    )


_MUTATIONS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    _flip, _number, _cut, _end, _repeat, _insert, _swap,
)  # fmt: skip


def _mutate_package(data: bytes, chance: random.Random) -> bytes:
    """Spoil one part of a zip file and pack it again; nothing for one that cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            parts = {name: file.read(name) for name in file.namelist()[:200]}
    except (zipfile.BadZipFile, zlib.error, ValueError, RuntimeError, NotImplementedError):
        return b""
    texts = [name for name in parts if name.endswith(("xml", "rels", "html", "opf", "ncx"))]
    if not texts:
        return b""
    name = chance.choice(texts)
    if chance.random() < 0.1:
        del parts[name]
    else:
        parts[name] = _mutate_bytes(parts[name], chance)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for each, content in parts.items():
            method = zipfile.ZIP_STORED if each == "mimetype" else zipfile.ZIP_DEFLATED
            file.writestr(zipfile.ZipInfo(each, (2021, 1, 1, 0, 0, 0)), content, method)
    return made.getvalue()
