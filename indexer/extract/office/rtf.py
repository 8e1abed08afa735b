"""Rich Text Format: paragraphs, headings, lists, tables, footnotes.

striprtf, the library for this format, returns bare text: it loses notes and comments, headings,
list items and cells, and keeps deleted and hidden text. Pictures, embedded objects and field codes
are skipped, and the results of fields are read.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind
from indexer.extract.base import Metadata, check_size
from indexer.extract.numerals import lowered, raised
from indexer.extract.office.symbols import TABLES
from indexer.extract.office.xml import PAGE_NUMBER
from indexer.extract.page_writer import PageWriter, WrittenSource

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.config import Limits

_TOKEN = re.compile(
    rb"(?P<open>\{)|(?P<close>\})|\\'(?P<hex>[0-9a-fA-F]{2})"
    rb"|\\(?P<word>[a-zA-Z]{1,32})(?P<value>-?\d{1,10})? ?|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<text>[^\\{}\r\n]+)|(?P<skip>[\r\n\\])",
    re.DOTALL,
)
# Encodings by the character set of a font (``fcharset``).
_CHARSETS: dict[str, str] = TABLES["charsets"]
MAX_DEPTH = 5_000
_MAX_FONTS = 10_000


class RtfToken(Struct, frozen=True):
    """One token. Its kind is the group's name in ``_TOKEN``: open, close, word, sign or text."""

    kind: str
    text: str = ""
    value: int | None = None  # the number of a control word


class _State(Struct):
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
            yield RtfToken("open")
        elif found["close"]:
            if self._stack:
                self._state = self._stack.pop()
            self._to_skip = 0
            yield RtfToken("close")
        elif found["sign"]:
            if self._to_skip:
                self._to_skip -= 1
            else:
                yield RtfToken("sign", found["sign"].decode("latin-1"))
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
            self._fonts[self._state.font] = _CHARSETS.get(str(value or 0), self._encoding)
        elif word in ("ansicpg", "cpg"):
            self._set_page(value or 1252, of_font=word == "cpg")
        elif word == "mac":
            self._encoding = "mac_roman"
        elif word in ("pc", "pca"):
            self._encoding = "cp437" if word == "pc" else "cp850"
        yield RtfToken("word", word, value)

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
            yield RtfToken("text", chr(code))
        elif unit:
            yield RtfToken("text", chr(unit))

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
                yield RtfToken("text", text)


_SILENT = frozenset(TABLES["silent"])
_ASIDE_BREAKS = {"par": "\n", "cell": "\t", "row": "\n"}
_ASIDE = frozenset({"footnote", "annotation", "shptxt"})  # written after their paragraph
_MARGINS = frozenset({
    f"{end}{pages}" for end in ("header", "footer") for pages in ("", "l", "r", "f")
})  # fmt: skip
_DESTINATIONS = {"fldinst": "field", "stylesheet": "styles", "info": "info"}
_KNOWN_EXTRAS = frozenset({"annotation", "shptxt", "fldrslt", "result", "shp", "shpinst"})
# Fields with text in their instructions, which are words with their reading, and blanks to fill in.
_FIELD = re.compile(r"\s*(?:EQ\b.*\\o.*[,;]([^,;()]*)\)\s*|MACROBUTTON\s+\S+\s+(.*))$", re.DOTALL)
_MAX_FIELD = 1_000
_BULLET = "o"  # in a typewriter font
# The name and the value of a shape's property.
_PROPERTY = frozenset({"sn", "sv"})
_WORDS_OF_SHAPES = "gtextUNICODE"
_SIGNS = {
    "tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "bullet": "•", "endash": "–", "emdash": "—", "emspace": "\u2003", "enspace": "\u2002",
    "lbr": "\n", "softline": "\n",
}  # fmt: skip
_POSITIONS = {"super": 1, "up": 1, "sub": -1, "dn": -1, "nosupersub": 0, "plain": 0}
_ESCAPED = {"~": "\xa0", "_": "\u2011", "-": "\xad", "{": "{", "}": "}", "\\": "\\"}
_HEADING = re.compile(r"\s*(?:heading|überschrift|titre|título|titolo)\s*([1-9])\b", re.IGNORECASE)
_TITLE = re.compile(r"\s*title\s*;?$", re.IGNORECASE)
_INFO = frozenset({"title", "author"})
_STARTS = (b"{\\rtf", b"{\\urtf")
_MAX_STYLES = 10_000
_BELOW_TITLE = 1
_TOKENS_A_STRETCH = 50_000


class _RtfGroup(Struct):
    """The state of a group up to its closing brace."""

    destination: str = "body"  # body, aside, silent, style, or a field of the metadata
    hidden: bool = False
    fresh: bool = False  # at the start, where a destination may be set
    ignorable: bool = False
    position: int = 0  # above the line (1), on it (0), below it (-1)


class RtfSource(WrittenSource[bytes]):
    """An open RTF file."""

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        reader = _RtfReader(writer)
        for count, token in enumerate(RtfTokens(self._file)):
            reader.handle(token)
            if count % _TOKENS_A_STRETCH == 0:
                self.budget.spend_elements(_TOKENS_A_STRETCH)
                yield
        reader.end()
        self.metadata = reader.metadata()


class _RtfReader:
    """Converts tokens to paragraphs."""

    def __init__(self, writer: PageWriter) -> None:
        self._writer = writer
        self._group = _RtfGroup()
        self._stack: list[_RtfGroup] = []
        self._texts: dict[str, list[str]] = {"body": [], "aside": [], "style": [], "margin": []}
        self._margins: dict[str, None] = {}
        self._notes: list[str] = []
        self._levels: dict[int, int] = {}
        self._style = 0
        self._level = 0
        self._listed = False
        self._in_table = False
        self._cells: list[str] = []
        self._cell = ""  # keeps an unclosed cell when the table ends
        self._date: dict[str, int] = {}

    def handle(self, token: RtfToken) -> None:
        if token.kind == "open":
            self._stack.append(self._group)
            self._group = replace(self._group, fresh=True, ignorable=False)
        elif token.kind == "close":
            self._close()
        elif token.kind == "text":
            self._write(token.text)
        elif token.kind == "sign":
            self._sign(token.text)
        else:
            self._word(token.text, token.value)
        if token.kind != "open" and token.text != "*":
            self._group.fresh = False

    def metadata(self) -> Metadata:
        title, author = (
            " ".join("".join(self._texts.get(k, ())).split()) for k in ("title", "author")
        )
        year, month, day = (self._date.get(key, 0) for key in ("yr", "mo", "dy"))
        known = 1980 < year < 3000 and 0 < month <= 12 and 0 < day <= 31
        return Metadata(title[:500], author[:500], f"{year}-{month:02d}-{day:02d}" if known else "")

    def end(self) -> None:
        """Write the rest, even if the file ends in a table."""
        if self._in_table:
            self._end_row("".join(self._texts["body"]))
            self._texts["body"] = []
        self.end_paragraph()
        for text in self._margins:
            self._writer.add_block(text, BlockKind.BOILERPLATE)

    def end_paragraph(self) -> None:
        """Write the current paragraph and the notes in it."""
        text = "".join(self._texts["body"])
        self._texts["body"] = []
        if self._in_table:
            self._texts["body"] = [text.strip(), " "] if text.strip() else []
        else:
            self._write_paragraph(text)
        notes, self._notes = self._notes, []
        for note in notes:
            self._writer.add_block(note)

    def _write_paragraph(self, text: str) -> None:
        """Write a paragraph outside of tables, after ending an unclosed row."""
        if self._cells or self._cell:
            text = text[len(self._cell) :]
            self._end_row(self._cell)
        text = text.strip()
        if text and self._level:
            self._writer.add_block(text, BlockKind.HEADING, self._level)
        else:
            self._writer.add_block(
                text, BlockKind.LIST_ITEM if self._listed else BlockKind.PARAGRAPH
            )

    def _end_row(self, last: str = "") -> None:
        self._writer.add_row([*self._cells, last])
        self._cells, self._cell = [], ""

    def _close(self) -> None:
        ended = self._group
        self._group = self._stack.pop() if self._stack else _RtfGroup()
        if ended.destination == "aside" != self._group.destination:
            self._notes.append("".join(self._texts["aside"]).strip())
            self._texts["aside"] = []
        elif ended.destination == "margin" != self._group.destination:
            text = "".join(self._texts["margin"]).strip()
            self._texts["margin"] = []
            if not PAGE_NUMBER.match(text):
                self._margins.setdefault(text)
        elif ended.destination == "label" != self._group.destination:
            label = "".join(self._texts.pop("label", ())).strip()
            if label != _BULLET and any(map(str.isalnum, label)):
                self._write(f"{label} ")
        elif ended.destination in ("field", "sp") and ended.destination != self._group.destination:
            self._instructions(ended.destination)
        elif ended.destination == "style" and self._group.destination == "styles":
            name = "".join(self._texts["style"])
            self._texts["style"] = []
            self._learn(name)

    def _instructions(self, kind: str) -> None:
        """Write the text in the instructions of a field or the properties of a shape."""
        field, name, value = (
            "".join(self._texts.pop(key, ()))[:_MAX_FIELD] for key in ("field", "sn", "sv")
        )
        if kind == "sp" and name == _WORDS_OF_SHAPES:
            self._notes.append(value)
        elif kind == "field" and (found := _FIELD.match(field)):
            self._write((found[1] or found[2]).strip())

    def _learn(self, name: str) -> None:
        if len(self._levels) >= _MAX_STYLES:
            return
        if found := _HEADING.match(name):
            self._levels[self._style] = int(found[1]) + _BELOW_TITLE
        elif _TITLE.match(name):
            self._levels[self._style] = 1

    def _write(self, text: str) -> None:
        if self._group.hidden or self._group.destination == "silent":
            return
        position = self._group.position
        shown = raised(text) if position > 0 else lowered(text) if position < 0 else text
        self._texts.setdefault(self._group.destination, []).append(shown)

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self._group.ignorable = True
        elif sign in "\r\n":
            self._break()
        elif sign in _ESCAPED:
            self._write(_ESCAPED[sign])

    def _word(self, word: str, value: int | None) -> None:
        if self._group.fresh and self._set_destination(word):
            return
        if self._group.destination == "styles" and word in ("s", "ds", "cs", "ts"):
            self._group.destination = "style" if word == "s" else "silent"
            self._style = value or 0
        elif self._group.destination == "style":
            pass
        elif word in _SIGNS:
            self._write(_SIGNS[word])
        elif word in ("v", "deleted"):
            self._group.hidden = value != 0
        elif word in _POSITIONS:
            self._group.position = _POSITIONS[word] * (value != 0)
            self._group.hidden &= word != "plain"
        elif self._group.destination == "created":
            self._date[word] = value or 0
        elif self._group.destination == "body":
            self._layout(word, value)
        elif word in _ASIDE_BREAKS:
            self._write(_ASIDE_BREAKS[word])

    def _set_destination(self, word: str) -> bool:
        """Set the group's destination if the word is one, and return whether it is."""
        group = self._group
        if word in _MARGINS and group.destination == "body":
            group.destination = "margin"
        elif word in _ASIDE and (group.destination == "body" or word == "shptxt"):
            group.destination = "aside"
        elif word in _DESTINATIONS:
            group.destination = _DESTINATIONS[word]
        elif word == "sp" or (word in _PROPERTY and group.destination == "sp"):
            group.destination = word
        elif group.destination == "info":
            group.destination = (
                word if word in _INFO else "created" if word == "creatim" else "silent"
            )
        elif word in ("listtext", "pntext"):
            group.destination = "label"
            self._listed = True
        elif word in _SILENT or (group.ignorable and word not in _KNOWN_EXTRAS):
            group.destination = "silent"
        else:
            return False
        return True

    def _layout(self, word: str, value: int | None) -> None:
        if word in ("par", "sect", "page"):
            self._break()
        elif word == "pard":
            if self._in_table:
                self._cell = "".join(self._texts["body"])
            self._level, self._listed, self._in_table = 0, False, False
        elif word == "intbl":
            self._in_table = True
        elif word == "s":
            self._level = self._levels.get(value or 0, 0)
        elif word == "outlinelevel" and value is not None and 0 <= value < 9:
            self._level = self._level or value + 1 + _BELOW_TITLE
        elif word == "ls":
            self._listed = True
        else:
            self._table(word)

    def _table(self, word: str) -> None:
        if word in ("cell", "nestcell"):
            self._cells.append("".join(self._texts["body"]))
            self._texts["body"], self._cell = [], ""
        elif word == "row" or (word == "trowd" and self._cells):  # the row may be unclosed
            self._end_row()
        elif word == "trowd" and not self._in_table:
            self.end_paragraph()

    def _break(self) -> None:
        if self._group.destination != "body":
            self._write("\n")
            return
        self.end_paragraph()


def open_source(path: Path, password: str | None, limits: Limits) -> RtfSource:
    """Open an RTF file (``indexer.extract.base.Opener``)."""
    check_size(path, limits.text_bytes)
    data = path.read_bytes()
    if not data[:100].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_STARTS):
        raise WorldError("unreadable", reason="not_rich_text")
    return RtfSource(data, limits)
