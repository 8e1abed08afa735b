"""Decodes text files, in sections, and the bytes of pages and mails.

Newlines are not translated, so that offsets are those of the decoded file. A file may be in two
encodings, like a log that several programs wrote. Lines that are not UTF-8 beside lines that are
get an encoding of their own, and a damaged byte costs only itself.

Labels are read as browsers read them (the WHATWG's Encoding Standard): the label of a small
character set means the larger set that replaced it. A text without a label is judged by its bytes,
Unicode by its structure, others by ``chardet``, whose guess is weighed with the expected languages.
"""

from __future__ import annotations

import codecs
import json
import re
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from indexer.extract.base import check_size
from indexer.text.view import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from chardet import DetectionDict


# The mark of UTF-32-LE begins with that of UTF-16-LE, so it comes first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
ISO_2022_JP, EUC_JP, UTF_7 = "iso2022_jp", "euc_jp", "utf-7"
# "supersets" maps Python's name of a labelled encoding to its superset, and "labels" maps labels
# that Python does not know, without "x-", to encodings.
_FILE = Path(__file__).resolve().parents[3] / "resources" / "encodings.json"
_NAMES: dict[str, dict[str, str]] = json.loads(_FILE.read_text("utf-8"))
_SUPERSETS, _LABELS = _NAMES["supersets"], _NAMES["labels"]


def known_encoding(label: str) -> str:
    """Return the codec that a browser takes for a label, "" for Unicode or an unknown label.

    Unicode shows in the bytes, so a text without signs of it is mislabelled as Unicode.
    """
    label = label.strip().strip("\"'").lower()
    plain = label.removeprefix("x-")
    for name in (label, plain, _LABELS.get(plain, ""), plain.removeprefix("unicode-1-1-")):
        try:
            found = codecs.lookup(name).name
            "".encode(found)
        except (LookupError, ValueError):
            continue  # some codecs are not text encodings
        if found.startswith("utf") and found != UTF_7:
            return ""
        return _SUPERSETS.get(found, found)
    return ""


_ZERO_RUNS = re.compile(rb"(?:\x00{4})+")
_WIDE_SAMPLE_BYTES = 8_192
_ORDINARY = 0.9
_FEWEST = 4  # characters
# Letters and signs. Ideographs and Korean syllables are judged by their frequency instead.
_ALPHABETS = re.compile(
    "[\t\n\r\x0c -~\xa0-\u02df\u0370-\u0587\u0590-\u074f\u0900-\u0dff\u0e00-\u0eff\u10a0-\u10ff"
    "\u1e00-\u1fff\u2010-\u205f\u20a0-\u20bf\u3000-\u30ff\uff01-\uff9f]"
)
# The lead bytes of common characters, by encoding.
_COMMON = (("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6), ("euc_jp", 0xB0, 0xCF),
           ("euc_kr", 0xB0, 0xC8))  # fmt: skip


def wide_encoding(data: bytes) -> str:
    """Return the UTF-16 or UTF-32 codec of bytes without a mark, "" if they are in neither."""
    sample = _ZERO_RUNS.sub(b"", data[:_WIDE_SAMPLE_BYTES])  # padding says nothing
    zeros = [sample[i::4].count(0) for i in range(4)]
    if min(zeros[2:]) * 4 > len(sample) * 0.7:
        return "utf-32-le"
    if min(zeros[:2]) * 4 > len(sample) * 0.7:
        return "utf-32-be"
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if max(even, odd) * 4 > len(sample) and min(even, odd) * 20 < len(sample):
        return "utf-16-le" if odd > even else "utf-16-be"
    best = max(("utf-16-le", "utf-16-be"), key=lambda name: _ordinary(sample, name))
    return best if _ordinary(sample, best) >= _ORDINARY else ""


def _ordinary(sample: bytes, encoding: str) -> float:
    """Return the share of characters that are letters, signs or common ideographs."""
    text = sample.decode(encoding, "replace")
    ordinary = sum(_ALPHABETS.match(char) is not None or is_common(char) for char in text)
    return ordinary / len(text) if len(text) >= _FEWEST else 0.0


def is_common(char: str) -> bool:
    """Whether a character is a common ideograph or syllable of Chinese, Japanese or Korean."""
    encoded = ((char.encode(name, "ignore"), low, high) for name, low, high in _COMMON)
    return any(len(data) == 2 and low <= data[0] <= high for data, low, high in encoded)


# Encodings of texts without a label, beside Unicode. Others are only in specialists' archives.
_CANDIDATES = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874",
    "iso8859-2", "koi8-u", "cp1258", "cp866", "cp932", "euc-jp", "cp949", "gb18030", "big5hkscs",
    "iso8859-5", "mac-roman", "mac-cyrillic", "cp437", "cp850", "cp852",
)  # fmt: skip
# From old PCs and Macintoshes. Other encodings read their letters as signs within words.
_SYSTEM = ("cp437", "cp850", "cp852")
_RARE_FACTORS = dict.fromkeys((*_SYSTEM, "mac-roman", "mac-cyrillic", "iso8859-5"), 0.6)
DOUBLE_BYTES = frozenset({"cp932", EUC_JP, "cp949", "gb18030", "big5hkscs"})
_EXPECTED_FACTOR, _ICELANDIC_FACTOR = 2.0, 0.7
_FACTORS = _RARE_FACTORS | {"cp1252": 1.25}  # by far the most frequent
# Words with letters that are not Latin, to find those in two scripts, which are misread.
_FOREIGN_LETTERS = re.compile("[A-Za-z]*[\u0370-\u0e7f][A-Za-z\u0370-\u0e7f]*")
_LATIN_LETTER = re.compile("[A-Za-z]")
# Signs within words, which are misread letters.
_ODD_SIGNS = re.compile(
    r"[\xa8\xac\xaf\xb1\xb2\xb3\xb8\xb9\xbc-\xbe](?=[^\W\d_])"
    r"|(?<=[^\W\d_])[\xa2-\xa9\xab-\xb6\xb8-\xbf\xd7\xf7](?=[^\W\d_])"
    r"|(?<=[^\W\d_])[\u0192\u02c6\u02dc\u201a-\u2022\u2026-\u203a\u2122\u2200-\u25ff](?=[^\W\d_])"
    r"|[\x80-\x9f\ufffd]|(?<=[^\W\d_])[\u02c6\u02dc\u2021](?!\w)"
)
_LONGER_WORD = re.compile(r"[^\W\d_]{3,}")
_ODD_FACTOR = 0.2
_expected: ContextVar[frozenset[str]] = ContextVar("expected", default=frozenset())


@contextmanager
def languages_expected(languages: Collection[str]) -> Iterator[None]:
    """Judge texts by the languages (ISO 639-1) of the documents beside them."""
    token = _expected.set(frozenset(languages))
    try:
        yield
    finally:
        _expected.reset(token)


def detect_legacy(sample: bytes, *, system: bool = False) -> str:
    """Return the most likely codec of bytes that are not Unicode.

    With ``system`` it may be a codec in which only the systems of old PCs write names.
    """
    import chardet  # loads models of 1.5 MB

    found = chardet.detect_all(
        sample,
        ignore_threshold=True,
        compat_names=False,
        include_encodings=_CANDIDATES,
    )
    names = {known_encoding(one["encoding"] or ""): one for one in reversed(found)}
    factors = _FACTORS | dict.fromkeys(_SYSTEM, 1.0) if system else _FACTORS

    def weight(name: str) -> float:
        return _weighed(sample, name, names[name]) * factors.get(name, 1.0)

    return max(names, key=weight, default="") or "cp1252"


def _weighed(sample: bytes, name: str, guess: DetectionDict) -> float:
    """Return the confidence of a guess, weighed with the expected languages and odd signs."""
    weight = guess["confidence"]
    if guess["language"] in _expected.get():
        weight *= _EXPECTED_FACTOR
    elif guess["language"] == "is":  # Turkish texts look like Icelandic
        weight *= _ICELANDIC_FACTOR
    text = decode_as(sample, name) if name else ""
    words = _FOREIGN_LETTERS.findall(text)
    mixed = sum(_LATIN_LETTER.search(word) is not None for word in words)
    odd = _ODD_SIGNS.search(text) is not None or any(map(_is_misread, _LONGER_WORD.findall(text)))
    return weight * (_ODD_FACTOR if odd or mixed * 2 > len(words) else 1.0)


def _is_misread(word: str) -> bool:
    """Return whether a word has an accented capital before small letters, as in "fŠllige"."""
    return not word.isascii() and any(
        letter.isupper() and not letter.isascii() and after.islower()
        for letter, after in pairwise(word[1:])
    )


# Escape sequences of Japanese mail, which has only ASCII bytes.
_JAPANESE = re.compile(rb"\x1b\$[@B]")
_SHIFTS = re.compile(rb"\x1b(\$[@B]|\$\([DO-Q]|\([BJIH]|\$A|\$\(C|\.[AF])")
_PAIRS = re.compile(rb"[\xa1-\xfe]{2}")
_RARE = re.compile(rb"(\x8f[\xa1-\xfe]{2})")  # of JIS X 0212
_EUC_UNITS = re.compile(rb"\x8e[\xa1-\xdf]|[\xa1-\xfe]{2}")


def decode_as(data: bytes, encoding: str) -> str:
    """Decode bytes, with U+FFFD for bytes that stand for no character.

    Japanese encodings include the characters added by NEC and IBM, which Python's lack.
    """
    if encoding == EUC_JP:
        return "".join(
            piece.decode(EUC_JP, "replace")
            if piece.startswith(b"\x8f")
            else _EUC_UNITS.sub(_shifted, piece).decode("cp932", "replace")
            for piece in _RARE.split(data)
        )
    if encoding != ISO_2022_JP:
        return data.decode(encoding, "replace")
    text, *rest = _SHIFTS.split(data)
    shown = [text.decode("ascii", "replace")]
    for shift, piece in zip(rest[::2], rest[1::2], strict=True):
        if shift in (b"$B", b"$@"):
            high = piece.translate(_HIGH)
            shown.append(_PAIRS.sub(_shifted, high).decode("cp932", "replace"))
        elif shift == b"(I":
            shown.append(piece.translate(_HIGH).decode("cp932", "replace"))
        elif shift in (b"(B", b"(J", b"(H"):
            shown.append(piece.decode("ascii", "replace"))
        else:
            shown.append((b"\x1b" + shift + piece).decode("iso2022_jp_ext", "replace"))
    return "".join(shown)


_HIGH = bytes(byte | 0x80 if 0x21 <= byte <= 0x7E else byte for byte in range(256))


def _shifted(found: re.Match[bytes]) -> bytes:
    """Convert a character of EUC-JP to Shift_JIS as in cp932."""
    unit = found[0]
    if unit[0] == 0x8E:  # a narrow katakana
        return unit[1:]
    row, cell = unit[0] - 0xA1, unit[1] - 0xA1
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    if row % 2:
        return bytes((lead, cell + 0x9F))
    return bytes((lead, cell + 0x40 + (cell >= 63)))


MARK = "\ufeff"
_READ_BYTES = 1 << 18
_LONGEST_LINE = 1 << 20
_SAMPLE_BYTES = 1 << 16
# Most files are one section, and larger ones need only the memory of one section.
SECTION_CHARS = 1 << 17
# Control characters and tabs, which are rare in text of single bytes.
_ODD_BYTES = (b"\x03", b"\x04", b"\x05", b"\x06", b"\x09", b"\x0e")
_ZERO = str.maketrans("\x00", " ")


class Encoding(Struct, frozen=True):
    """The codec of a text, and a codec for its ``stray`` lines that are not UTF-8, "" for none."""

    name: str
    stray: str = ""

    @property
    def is_wide(self) -> bool:
        """Whether characters have two or four bytes, so that a line end is not a single byte."""
        return self.name.startswith(("utf-16", "utf-32"))

    def decode(self, data: bytes) -> str:
        """Decode bytes that consist of whole lines."""
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
    """Count the characters outside ASCII that are valid UTF-8, and the damaged ones."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return sum(char > "\x7f" for char in text) - bad, bad


class _Survey(Struct):
    """Statistics of the lines of a text. ``bad`` has some that are not UTF-8."""

    good: int = 0
    wrong: int = 0
    good_lines: int = 0
    size: int = 0
    bad: list[bytes] = field(default_factory=list)
    japanese: bool = False

    def add(self, data: bytes) -> None:
        if data.isascii():
            self.japanese = self.japanese or _JAPANESE.search(data) is not None
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
        """Return the encoding. ``declared`` is the codec of its label."""
        if not (self.good or self.wrong):
            named = declared in (ISO_2022_JP, UTF_7, "hz", "iso2022_kr")
            return Encoding(declared if named else ISO_2022_JP if self.japanese else "utf-8")
        if not self.wrong:
            return Encoding("utf-8")
        if declared and self.good <= 2 * self.wrong:
            return Encoding(declared)
        legacy = detect_legacy(b"\n".join(self.bad), system=system)
        # Single bytes are rarely UTF-8 by chance, but double bytes may be.
        single = legacy not in DOUBLE_BYTES
        mixed = self.good + single > self.wrong or (self.good_lines > 0 and single)
        return Encoding("utf-8", legacy) if mixed else Encoding(legacy)


def find_encoding(
    head: bytes, lines: Iterable[bytes], label: str = "", *, system: bool = False
) -> Encoding:
    """Return the encoding of a text, given its first bytes, its lines in pieces, and its label.

    ``system`` is as in ``detect_legacy``.
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return Encoding(encoding)
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
    """Decode the bytes of a page, a mail or a part, given the label of its encoding, if any."""
    encoding = find_encoding(data, (data,), label)
    if encoding.is_wide or encoding.name == "utf-8-sig":
        text = data.decode(encoding.name, "replace")
    else:
        text = encoding.decode(data)
    return without_surrogates(text).translate(_ZERO)


class TextFile(Struct, frozen=True):
    """A text file whose encoding is known."""

    path: Path
    encoding: Encoding

    def sections(self, target: int = SECTION_CHARS) -> Iterator[str]:
        """Yield the text in sections of about ``target`` characters.

        Sections end at an empty line, else at the end of a line. Joined by line feeds they are the
        decoded file, including a byte order mark of UTF-8, with spaces for zero bytes.
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
    """Detect a text file's encoding by its byte order mark, as Unicode, or by its letters.

    Raises ``empty`` or ``too_large``; ``OSError`` if the file cannot be read.
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
    """Yield a file in pieces that end with a line, or inside a line that is too long."""
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
    """Return the offset of the newline after a full section, -1 to read more."""
    if len(text) < 2 * target:
        return -1
    half = target // 2
    empty_line = max(text.rfind("\n\n", half, target), text.rfind("\n\r\n", half, target))
    if empty_line >= 0:
        return empty_line
    line_end = text.rfind("\n", 0, target)
    return line_end if line_end >= 0 else text.find("\n", target)
