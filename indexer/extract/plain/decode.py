"""Decodes text files, in sections, and the bytes of pages and mails.

Newlines are not translated, so that offsets are those of the decoded file. A file may be in two
encodings, as logs are that several programs wrote: a line that is no UTF-8 beside lines that are is
decoded as what such lines are in, and a byte that is damaged costs that byte.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.extract.base import check_size
from indexer.extract.plain.encodings import (
    DOUBLE_BYTES,
    ISO_2022_JP,
    decode_as,
    detect_legacy,
    is_iso_2022_jp,
    known_encoding,
    marked_encoding,
    wide_encoding,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MARK = "\ufeff"
_READ_BYTES = 1 << 18
_LONGEST_LINE = 1 << 20
_SAMPLE_BYTES = 1 << 16
# Most files are one section; larger ones need the memory of one section only.
SECTION_CHARS = 1 << 17
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
# Control characters and tabs, of which text in single bytes has few.
_ODD_BYTES = (b"\x03", b"\x04", b"\x05", b"\x06", b"\x09", b"\x0e")
_ZERO = str.maketrans("\x00", " ")


@dataclass(frozen=True, slots=True)
class Encoding:
    """The codec of a text, and that of its lines that are no UTF-8, "" if all are one."""

    name: str
    stray: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether a character has two bytes or four, so that a line end is no single byte."""
        return self.name.startswith(("utf-16", "utf-32"))

    def decode(self, data: bytes) -> str:
        """Decode bytes that end with a line."""
        if not self.stray:
            return decode_as(data, self.name.removesuffix("-sig"))
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return "\n".join(map(self._line, data.split(b"\n")))

    def _line(self, line: bytes) -> str:
        good, bad = _count(line)
        return decode_as(line, self.stray if bad > good else "utf-8")


def _count(data: bytes) -> tuple[int, int]:
    """Count the characters outside ASCII that are UTF-8, and the damaged ones."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return sum(char > "\x7f" for char in text) - bad, bad


@dataclass(slots=True)
class _Survey:
    """What the lines of a text say of its encoding; ``bad`` are some that are no UTF-8."""

    good: int = 0
    wrong: int = 0
    good_lines: int = 0
    size: int = 0
    bad: list[bytes] = field(default_factory=list)
    japanese: bool = False

    def add(self, data: bytes) -> None:
        if data.isascii():
            self.japanese = self.japanese or is_iso_2022_jp(data)
            return
        try:
            self.good += len(data) - len(data.decode("utf-8"))
            self.good_lines += 1
        except UnicodeDecodeError:
            for line in data.split(b"\n"):
                self._add_line(line)

    def _add_line(self, line: bytes) -> None:
        if line.isascii():
            return
        good, wrong = _count(line)
        self.good, self.wrong = self.good + good, self.wrong + wrong
        self.good_lines += not wrong
        if wrong and self.size < _SAMPLE_BYTES:
            self.bad.append(line.replace(b"\x00", b"")[:_SAMPLE_BYTES])
            self.size += len(self.bad[-1])

    def encoding(self, declared: str, *, system: bool) -> Encoding:
        """Return the encoding; ``declared`` is the codec of a label."""
        if not (self.good or self.wrong):
            named = declared in (ISO_2022_JP, "hz", "iso2022_kr")
            return Encoding(declared if named else ISO_2022_JP if self.japanese else "utf-8")
        if not self.wrong:
            return Encoding("utf-8")
        if declared and self.good <= 2 * self.wrong:
            return Encoding(declared)
        legacy = detect_legacy(b"\n".join(self.bad), system=system)
        # A line of single bytes is hardly UTF-8 by chance, one of double bytes may be.
        single = legacy not in DOUBLE_BYTES
        mixed = self.good > self.wrong or (self.good_lines > 0 and single)
        return Encoding("utf-8", legacy) if mixed else Encoding(legacy)


def find_encoding(
    head: bytes, lines: Iterable[bytes], label: str = "", *, system: bool = False
) -> Encoding:
    """Return the encoding of a text by its first bytes, its lines in pieces, and its label.

    ``system`` is that of ``detect_legacy``.
    """
    if marked := marked_encoding(head):
        return Encoding(marked)
    odd = sum(map(head[:_READ_BYTES].count, _ODD_BYTES))
    if (odd * 5 > len(head) or 0 in head) and (wide := wide_encoding(head)):
        return Encoding(wide)
    survey = _Survey()
    for piece in lines:
        survey.add(piece)
        if survey.size >= _SAMPLE_BYTES:
            break
    if survey.wrong > survey.good and (wide := wide_encoding(head)):
        return Encoding(wide)
    return survey.encoding(known_encoding(label), system=system)


def decoded(data: bytes, label: str = "") -> str:
    """Decode the bytes of a page, a mail or a part, with the label of its encoding, if any."""
    encoding = find_encoding(data, (data,), label)
    if encoding.is_wide or encoding.name == "utf-8-sig":
        text = data.decode(encoding.name, "replace")
    else:
        text = encoding.decode(data)
    return without_surrogates(text).translate(_ZERO)


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file whose encoding is known."""

    path: Path
    encoding: Encoding

    def sections(self, target: int = SECTION_CHARS) -> Iterator[str]:
        """Yield the text in sections of about ``target`` characters.

        Sections end at an empty line, else at the end of a line. Joined by line feeds they are the
        decoded file, with the byte order mark of UTF-8, and with spaces for zero bytes.
        """
        pending = ""
        for text in self._decoded():
            pending += text.translate(_ZERO)
            while (end := _border(pending, target)) >= 0:
                yield without_surrogates(pending[:end])
                pending = pending[end + 1 :]
        yield without_surrogates(pending)

    def _decoded(self) -> Iterator[str]:
        if not self.encoding.is_wide:
            yield from map(self.encoding.decode, _lines(self.path))
            return
        decoder = codecs.getincrementaldecoder(self.encoding.name)(errors="replace")
        with self.path.open("rb") as file:
            while data := file.read(_READ_BYTES):
                yield decoder.decode(data)
        yield decoder.decode(b"", final=True)


def open_text(path: Path, limit: int) -> TextFile:
    """Detect the encoding of a text file: by its byte order mark, as Unicode, else by its letters.

    Raises:
        WorldError: ``empty`` or ``too_large``.
        OSError: If the file cannot be read.
    """
    check_size(path, limit)
    return TextFile(path, find_encoding(_head(path), _lines(path)))


def _head(path: Path) -> bytes:
    """Return the first bytes of a file that are not all zeros."""
    data = b""
    with path.open("rb") as file:
        while not data.strip(b"\x00") and (more := file.read(_READ_BYTES)):
            data = more
    return data


def _lines(path: Path) -> Iterator[bytes]:
    """Yield a file in pieces that end with a line, or before a character if a line is too long."""
    left = b""
    with path.open("rb") as file:
        while data := file.read(_READ_BYTES):
            data = left + data
            end = data.rfind(b"\n") + 1
            if not end and len(data) > _LONGEST_LINE:
                end = next((at for at in range(len(data) - 1, 0, -1) if data[at] < 0x80), len(data))
            left = data[end:]
            if end:
                yield data[:end]
    if left:
        yield left


def _border(text: str, target: int) -> int:
    """Return the offset of the newline after a full section, -1 if more must be read."""
    if len(text) < 2 * target:
        return -1
    half = target // 2
    empty_line = max(text.rfind("\n\n", half, target), text.rfind("\n\r\n", half, target))
    if empty_line >= 0:
        return empty_line
    line_end = text.rfind("\n", 0, target)
    return line_end if line_end >= 0 else text.find("\n", target)


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode, by U+FFFD."""
    return _LONE_SURROGATES.sub("\ufffd", text)
