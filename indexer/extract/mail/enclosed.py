"""Reads formats in which mail programs enclose text: signed mails, winmail.dat, uuencoded files.

A mail that is signed as a whole (S/MIME) is a CMS structure around the mail. Outlook's winmail.dat
(MS-OXTNEF) has the body and the attachments. Programs before MIME wrote files into the text.
"""

from __future__ import annotations

import binascii
import re
import struct
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from indexer.extract.embedded.attachments import charged
from indexer.extract.mail.message import Html, InlinePart, Mail, attached
from indexer.extract.plain.decode import decoded, known_encoding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.extract.embedded.attachments import Attachment

SIGNED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
ENCLOSING = SIGNED | {"application/ms-tnef", "application/vnd.ms-tnef"}
_SIGNED_DATA = bytes.fromhex("2a864886f70d010702")
_OCTETS, _SEQUENCE, _IDENTIFIER, _CONTENT = 0x04, 0x30, 0x06, 0xA0
_END = b"\0\0"  # ends a value without a length
_MAX_DEPTH = 20
_MAX_FILES = 200


def signed_content(data: bytes) -> bytes:
    """Return the signed content of a CMS structure (RFC 5652), b"" if encrypted or damaged."""
    try:
        kind, content = _values(next(_values(memoryview(data)))[1])
        if kind[1] != _SIGNED_DATA:
            return b""
        signed = next(_values(content[1]))[1]
        inner = next(value for tag, value in _values(signed) if tag == _SEQUENCE)
        shown = [value for tag, value in _values(inner) if tag == _CONTENT]
        return b"".join(map(_octets, shown))
    except (ValueError, IndexError, StopIteration):
        return b""


def _values(data: memoryview, depth: int = 0) -> Iterator[tuple[int, memoryview]]:
    """Yield the tags and contents of values in BER, also of those with an indefinite length.

    The contents are views, as copying the rest for each of a million values would take minutes.

    Raises ``ValueError`` or ``IndexError`` if the values are cut off, ``ValueError`` also if they
    are nested too deeply.
    """
    at = 0
    while at < len(data) and bytes(data[at : at + 2]) != _END:
        start, end, after = _bounds(data, at, depth)
        if end > len(data):
            raise ValueError("a value is cut off")
        yield data[at], data[start:end]
        at = after


def _bounds(data: memoryview, at: int, depth: int) -> tuple[int, int, int]:
    """Return where the content of a value starts and ends, and where the next value starts."""
    if depth > _MAX_DEPTH:
        raise ValueError("values are nested too deeply")
    start, length = at + 2, data[at + 1]
    if length == 0x80:  # values up to two zero bytes
        end = start
        while bytes(data[end : end + 2]) != _END:
            _, _, end = _bounds(data, end, depth + 1)
        return start, end, end + 2
    if length & 0x80:
        size = length & 0x7F
        length, start = int.from_bytes(data[start : start + size]), start + size
    return start, start + length, start + length


def _octets(data: memoryview, depth: int = 0) -> bytes:
    """Join the strings of bytes in a value."""
    if depth > _MAX_DEPTH:
        raise ValueError("values are nested too deeply")
    return b"".join(
        value if tag == _OCTETS else _octets(value, depth + 1) for tag, value in _values(data)
    )


_UU = re.compile(
    r"^begin [0-7]{3,4} ([^\r\n]{1,200})\r?\n((?:[ -`][^\r\n]{0,90}\r?\n)*)end[ \t]*\r?$\n?",
    re.MULTILINE,
)


# What OpenPGP puts around a signed text.
_SIGNED = re.compile(
    r"^-----BEGIN PGP SIGNED MESSAGE-----\r?\n(?:Hash: [^\r\n]*\r?\n)*\s*"
    r"|^-----BEGIN PGP SIGNATURE-----.*?(?:^-----END PGP SIGNATURE-----[ \t\r]*\n?|\Z)",
    re.MULTILINE | re.DOTALL,
)


def without_encoded(text: str) -> tuple[str, list[Attachment | InlinePart]]:
    """Return a text without its signature and uuencoded files, and the files as attachments."""
    found = [
        attached(file[1], "", partial(charged, [from_uu(file[2].encode())]), shown=False)
        for file in _UU.finditer(text)
    ]
    return _SIGNED.sub("", _UU.sub("", text) if found else text), found[:_MAX_FILES]


def from_uu(lines: bytes) -> bytes:
    """Decode uuencoded lines, without damaged ones and the first and last line of the file."""
    parts = []
    for line in filter(None, lines.splitlines()):
        with suppress(binascii.Error):
            parts.append(binascii.a2b_uu(line))
    return b"".join(parts)


_TNEF = 0x223E9F78
_ATTRIBUTE = struct.Struct("<BII")
_BODY, _PROPERTIES, _PAGE = 0x800C, 0x9003, 0x9007
_NEW_FILE, _TITLE, _DATA, _FILE_PROPERTIES = 0x9002, 0x8010, 0x800F, 0x9005
_PLAIN, _HTML, _LONG_NAME = 0x1000, 0x1013, 0x3707
# Bytes of each type of property with a fixed length. The others have counts.
_FIXED = {2: 4, 3: 4, 4: 4, 5: 8, 6: 8, 7: 8, 0xA: 4, 0xB: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_COUNTED = frozenset({0xD, 0x1E, 0x1F, 0x102})
_MANY = 0x1000


def outlook_parts(data: bytes) -> Mail:
    """Return the body and the attachments in a winmail.dat, up to its first damage."""
    mail = Mail()
    charset, name, content = "cp1252", "", b""
    for kind, value in (*_attributes(data), (_NEW_FILE, b"")):
        if kind == _PAGE and len(value) >= 4:
            charset = known_encoding(f"cp{int.from_bytes(value[:4], 'little')}") or charset
        elif kind == _PROPERTIES:
            mail.bodies += _body(_properties(value), charset)
        elif kind == _BODY and not mail.bodies:
            mail.bodies.append(decoded(value.rstrip(b"\0"), charset))
        elif kind == _TITLE:
            name = name or decoded(value.rstrip(b"\0"), charset)
        elif kind == _DATA:
            content = value
        elif kind == _FILE_PROPERTIES:
            name = _string(_properties(value).get(_LONG_NAME, (0, b"")), charset) or name
        elif kind == _NEW_FILE:
            if content and len(mail.attached) < _MAX_FILES:
                pieces = partial(charged, [content])
                mail.attached.append(attached(name or "?", "", pieces, shown=False))
            name, content = "", b""
    return mail


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 6
    while int.from_bytes(data[:4], "little") == _TNEF and at + _ATTRIBUTE.size <= len(data):
        _, kind, length = _ATTRIBUTE.unpack_from(data, at)
        at += _ATTRIBUTE.size
        yield kind & 0xFFFF, data[at : at + length]
        at += length + 2  # and a checksum


def _properties(data: bytes) -> dict[int, tuple[int, bytes]]:
    """Return the types and values of properties by their numbers, without those that have names."""
    found: dict[int, tuple[int, bytes]] = {}
    try:
        at = 4
        for _ in range(int.from_bytes(data[:4], "little")):
            kind, number = struct.unpack_from("<HH", data, at)
            at += 4
            if number >= 0x8000:
                (named,) = struct.unpack_from("<I", data, at + 16)
                at += 24
                if named:
                    at += -(-int.from_bytes(data[at - 4 : at], "little") // 4) * 4
            count, plain = 1, kind & ~_MANY
            if kind & _MANY or plain in _COUNTED:
                (count,) = struct.unpack_from("<I", data, at)
                at += 4
            for _ in range(count):
                size = _FIXED.get(plain, 0)
                if plain in _COUNTED:
                    (size,) = struct.unpack_from("<I", data, at)
                    at += 4
                elif not size:
                    return found
                found.setdefault(number, (plain, data[at : at + size]))
                at += -(-size // 4) * 4
    except struct.error:
        pass
    return found


def _body(properties: dict[int, tuple[int, bytes]], charset: str) -> list[str | Html]:
    if _HTML in properties:
        return [Html(properties[_HTML][1].rstrip(b"\0"), charset)]
    if text := _string(properties.get(_PLAIN, (0, b"")), charset):
        return [text]
    return []


def _string(value: tuple[int, bytes], charset: str) -> str:
    kind, data = value
    text = data.decode("utf-16-le", "replace") if kind == 0x1F else decoded(data, charset)
    return text.rstrip("\0 ")
