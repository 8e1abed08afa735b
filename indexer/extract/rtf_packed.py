"""Rich text as Outlook packs it.

Owns the unpacking (the "LZFu" compression of MS-OXRTFCP). Pure.
"""

from __future__ import annotations

import struct

_DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript "
    rb"\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0" b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)  # fmt: skip
_HEADER = struct.Struct("<LL4sL")
_WINDOW = 4096


def unpack(data: bytes, limit: int) -> bytes:
    """Return rich text unpacked, as far as it can be read and at most ``limit`` bytes."""
    if len(data) < _HEADER.size:
        return b""
    _, size, kind, _ = _HEADER.unpack_from(data)
    body = data[_HEADER.size :]
    if kind == b"MELA":
        return body[: min(size, limit)]
    if kind != b"LZFu":
        return b""
    return _unpack(body, min(size, limit))


def _unpack(body: bytes, limit: int) -> bytes:
    window = bytearray(_DICTIONARY.ljust(_WINDOW, b"\x00"))
    write = len(_DICTIONARY)
    found = bytearray()
    at = 0
    while at < len(body) and len(found) < limit:
        control = body[at]
        at += 1
        for bit in range(8):
            if at >= len(body):
                return bytes(found[:limit])
            if not control >> bit & 1:
                chunk = body[at : at + 1]
                at += 1
                window[write % _WINDOW] = chunk[0]
                write += 1
                found += chunk
                continue
            reference = int.from_bytes(body[at : at + 2], "big")
            at += 2
            offset, length = reference >> 4, (reference & 0xF) + 2
            if offset == write % _WINDOW:
                return bytes(found[:limit])
            for step in range(length):
                byte = window[(offset + step) % _WINDOW]
                window[write % _WINDOW] = byte
                write += 1
                found.append(byte)
    return bytes(found[:limit])
