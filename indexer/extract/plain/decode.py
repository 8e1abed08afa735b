"""Decodes text files, in sections.

Newlines are not translated, so that offsets are those of the decoded file.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.extract.base import check_size

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# The mark of UTF-32-LE begins with that of UTF-16-LE, so it comes first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
MARK = "\ufeff"
_READ_BYTES = 1 << 18
_SAMPLE_BYTES = 1 << 16
# Most files are one section; larger ones need the memory of one section only.
SECTION_CHARS = 1 << 17
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")

# Common letters of legacy encodings. The encoding is chosen by their share among the non-ASCII
# characters, as general detectors are unreliable for short texts.
_LATIN = "àâäçèéêëîïôöùûüßñáíóúãõøåæœìò¿¡’‘“”«»–—…°"
_RANGES = {  # first and last code points of a script's letters
    "cp1255": (0x5D0, 0x5EA),
    "cp1251": (0x430, 0x451),
    "koi8_r": (0x430, 0x451),
    "cp1256": (0x621, 0x64A),
    "cp874": (0xE01, 0xE4E),
}
_LETTERS = {
    "cp1252": _LATIN,
    "cp1250": "ąćęłńóśźżčďěňřšťůžýáéíúöőüűäßăâîşţđ„”–",
    "cp1253": "αβγδεηθικλμνοπρσςτυφχωάέήίόύώ«»–",  # without ΰ and ξ, frequent in misread Russian
    "cp1254": "ğışçöüâîû’“”",
    "cp1257": "āčēģīķļņšūžąęėįųõäöü„“–",
}
# The lead bytes of common characters; misread text has many of the others.
_COMMON_LEAD_BYTES = {
    "gb18030": ("gb2312", 0xA1, 0xD7),
    "big5": ("big5", 0xA1, 0xC6),
    "cp949": ("euc_kr", 0xA1, 0xC8),
}
_JAPANESE = ("cp932", "euc_jp")
# With equal scores the first wins: Hebrew could also be Russian without six letters.
CANDIDATES = (
    "cp1252", "cp1255", "cp1251", "koi8_r", "cp1253", "cp1250", "cp1254", "cp1257", "cp1256",
    "cp874", *_JAPANESE, "cp949", "gb18030", "big5",
)  # fmt: skip
_GOOD = 0.75


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file whose encoding is known."""

    path: Path
    encoding: str

    def sections(self, target: int = SECTION_CHARS) -> Iterator[str]:
        """Yield the text in sections of about ``target`` characters.

        Sections end at an empty line, else at the end of a line. Joined by line feeds they are the
        decoded file, with the byte order mark of UTF-8.
        """
        encoding = self.encoding.removesuffix("-sig")
        decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
        pending = ""
        with self.path.open("rb") as file:
            while data := file.read(_READ_BYTES):
                pending += decoder.decode(data)
                while (end := _border(pending, target)) >= 0:
                    yield without_surrogates(pending[:end])
                    pending = pending[end + 1 :]
        yield without_surrogates(pending + decoder.decode(b"", final=True))


def open_text(path: Path, limit: int) -> TextFile:
    """Detect the encoding of a text file: by its byte order mark, as UTF-8, else by statistics.

    Raises:
        WorldError: ``empty`` or ``too_large``.
        OSError: If the file cannot be read.
    """
    check_size(path, limit)
    return TextFile(path, find_encoding(path))


def find_encoding(path: Path) -> str:
    """Return the name of the codec of a file."""
    with path.open("rb") as file:
        sample = file.read(_SAMPLE_BYTES)
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return encoding
    if b"\x00" in sample:
        return _wide_encoding(sample)
    if _is_utf8(path):
        return "utf-8"
    return detect_legacy(sample)


def encoding_of(data: bytes) -> str:
    """Return the name of the codec of some bytes."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    sample = data[:_SAMPLE_BYTES]
    if b"\x00" in sample:
        return _wide_encoding(sample)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return detect_legacy(sample)
    return "utf-8"


def _is_utf8(path: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while data := file.read(_READ_BYTES):
                decoder.decode(data)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _wide_encoding(sample: bytes) -> str:
    """Detect UTF-16 or UTF-32 without a byte order mark, by the positions of zero bytes."""
    zeros = [sample[i::4].count(0) for i in range(4)]
    if min(zeros[1:]) * 4 > len(sample) * 0.7:
        return "utf-32-le"
    if min(zeros[:3]) * 4 > len(sample) * 0.7:
        return "utf-32-be"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if max(even, odd) * 4 > len(sample):
        return "utf-16-le" if odd > even else "utf-16-be"
    return "utf-8"  # the text has a few zero characters


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


def detect_legacy(sample: bytes) -> str:
    """Return the most likely codec of the start of a text that is not UTF-8."""
    scores = [(_plausibility(sample, encoding), encoding) for encoding in CANDIDATES]
    best = max(scores, key=lambda pair: pair[0])
    if best[0] >= _GOOD:
        return best[1]
    return _general_guess(sample)


def _plausibility(sample: bytes, encoding: str) -> float:
    """Return the share of common letters among the non-ASCII characters, if it is so encoded."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError as error:
        if error.start < len(sample) - 4:  # else the sample ends within a character
            return 0.0
        text = sample[: error.start].decode(encoding)
    foreign = [char for char in text if char > "\x7f"]
    if not foreign:
        return 0.0
    known: dict[str, float] = {char: _weight(char, encoding) for char in set(foreign)}
    return sum(known[char] for char in foreign) / len(foreign)


def _weight(char: str, encoding: str) -> float:
    if encoding in _RANGES:
        first, last = _RANGES[encoding]
        # Lower than 1, as the bytes of Korean and Chinese are all Thai letters too.
        return (0.9 if encoding == "cp874" else 1.0) * (first <= ord(char) <= last)
    if encoding in _LETTERS:
        return float(char in _LETTERS[encoding])
    if encoding in _JAPANESE:
        kana = "\u3000" <= char <= "\u30ff"
        return 1.0 if kana else 0.9 * ("\u4e00" <= char <= "\u9fff")
    narrow, first, last = _COMMON_LEAD_BYTES[encoding]
    encoded = char.encode(narrow, "ignore")
    # Lower than 1, as Japanese and Korean texts use these characters too.
    return 0.95 * (len(encoded) == 2 and first <= encoded[0] <= last)


def _general_guess(sample: bytes) -> str:
    import charset_normalizer

    best = charset_normalizer.from_bytes(sample).best()
    return best.encoding if best is not None else "cp1252"
