"""The tokens of Rich Text Format: groups, control words, text.

Owns the syntax: escapes, encodings by font, binary data, and fallback characters after Unicode
ones, which are skipped. It must not know the meaning of other control words.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    rb"(?P<open>\{)|(?P<close>\})|\\'(?P<hex>[0-9a-fA-F]{2})"
    rb"|\\(?P<word>[a-zA-Z]{1,32})(?P<value>-?\d{1,10})? ?|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<text>[^\\{}\r\n]+)|(?P<skip>[\r\n\\])",
    re.DOTALL,
)
# Encodings by the character set of a font (``fcharset``).
_CHARSETS = {
    0: "cp1252", 1: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab",
    134: "gb18030", 136: "big5", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255",
    178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437",
}  # fmt: skip
MAX_DEPTH = 5_000
_MAX_FONTS = 10_000


class RtfTokenKind(Enum):
    """The kinds of tokens."""

    OPEN = auto()
    CLOSE = auto()
    WORD = auto()
    SIGN = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class RtfToken:
    """One token: a brace, a control word with its number, a control symbol, or text."""

    kind: RtfTokenKind
    text: str = ""
    value: int | None = None


@dataclass(slots=True)
class _State:
    """The state of a group."""

    font: int = -1
    skip: int = 1  # fallback characters after a Unicode character (``uc``)


class RtfTokens:
    """Reads the tokens of a file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._encoding = "cp1252"
        self._fonts: dict[int, str] = {}
        self._state = _State()
        self._stack: list[_State] = []
        self._to_skip = 0
        self._bytes = bytearray()
        self._high = 0  # the first half of a surrogate pair

    def __iter__(self) -> Iterator[RtfToken]:
        at = 0
        while (found := _TOKEN.match(self._data, at)) is not None:
            at = found.end()
            kind = found.lastgroup
            if kind == "hex":
                self._byte(bytes.fromhex(found["hex"].decode()))
            elif kind == "text":
                self._byte(found["text"])
            elif kind != "skip":
                yield from self._flush()
                if found["word"] == b"bin":
                    at += max(int(found["value"] or 0), 0)
                else:
                    yield from self._control(found)
        yield from self._flush()

    def _control(self, found: re.Match[bytes]) -> Iterator[RtfToken]:
        if found["open"]:
            if len(self._stack) < MAX_DEPTH:
                self._stack.append(_State(self._state.font, self._state.skip))
            self._to_skip = 0
            yield RtfToken(RtfTokenKind.OPEN)
        elif found["close"]:
            if self._stack:
                self._state = self._stack.pop()
            self._to_skip = 0
            yield RtfToken(RtfTokenKind.CLOSE)
        elif found["sign"]:
            if self._to_skip:
                self._to_skip -= 1
            else:
                yield RtfToken(RtfTokenKind.SIGN, found["sign"].decode("latin-1"))
        else:
            value = int(found["value"]) if found["value"] else None
            yield from self._word(found["word"].decode(), value)

    def _word(self, word: str, value: int | None) -> Iterator[RtfToken]:
        if word == "u":
            yield from self._unicode((value or 0) & 0xFFFF)
            return
        if word == "uc":
            self._state.skip = min(max(value or 0, 0), 100)
        elif word == "f":
            self._state.font = value or 0
        elif word == "fcharset" and len(self._fonts) < _MAX_FONTS:
            self._fonts[self._state.font] = _CHARSETS.get(value or 0, self._encoding)
        elif word in ("ansicpg", "cpg"):
            self._set_page(value or 1252, of_font=word == "cpg")
        elif word == "mac":
            self._encoding = "mac_roman"
        elif word in ("pc", "pca"):
            self._encoding = "cp437" if word == "pc" else "cp850"
        yield RtfToken(RtfTokenKind.WORD, word, value)

    def _set_page(self, number: int, *, of_font: bool) -> None:
        try:
            name = codecs.lookup("utf-8" if number == 65001 else f"cp{number}").name
        except LookupError:
            return
        if of_font and len(self._fonts) < _MAX_FONTS:
            self._fonts[self._state.font] = name
        elif not of_font:
            self._encoding = name

    def _unicode(self, unit: int) -> Iterator[RtfToken]:
        """Yield the character of a UTF-16 code unit."""
        self._to_skip = self._state.skip
        if 0xD800 <= unit < 0xDC00:
            self._high = unit
            return
        if 0xDC00 <= unit < 0xE000:
            high, self._high = self._high, 0
            code = 0x10000 + ((high - 0xD800) << 10) + unit - 0xDC00 if high else 0xFFFD
            yield RtfToken(RtfTokenKind.TEXT, chr(code))
        elif unit:
            yield RtfToken(RtfTokenKind.TEXT, chr(unit))

    def _byte(self, data: bytes) -> None:
        skipped = min(self._to_skip, len(data))
        self._to_skip -= skipped
        self._bytes += data[skipped:]

    def _flush(self) -> Iterator[RtfToken]:
        if self._bytes:
            data, self._bytes = bytes(self._bytes), bytearray()
            encoding = self._fonts.get(self._state.font, self._encoding)
            text = data.decode(encoding, "replace").replace("\x00", "")
            if text:
                yield RtfToken(RtfTokenKind.TEXT, text)
