"""LaTeX documents: the printed text, with sections, lists, tables, captions and notes.

Nothing is executed: macros that a file defines are not expanded, and included files are separate
documents. Unknown commands are removed and their arguments kept, as most commands print them. The
symbols come from pylatexenc, but not the parser, which takes minutes for 120 bytes of open
brackets, fails at two hundred nested braces, and reads 90 kB a second.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from indexer.api.types import BlockKind
from indexer.extract.base import MAX_ITEM_CHARS, Metadata
from indexer.extract.page_writer import DecodedSource, PageWriter

TOKEN = re.compile(
    r"(?P<comment>%[^\n]*(?:\n(?![ \t]*\n)[ \t]*)?)"
    r"|\\(?P<word>[a-zA-Z@]+)\*?[ \t]*"
    r"|\\(?P<sign>.)"
    r"|(?P<blank>\n[ \t\r]*\n\s*)"
    r"|(?P<open>\{)|(?P<close>\})"
    r"|(?P<math>\$\$?)"
    r"|(?P<amp>&)"
    r"|(?P<text>[^\\%{}$&\n]+|\n)"
    r"|(?P<lone>\\)",
    re.DOTALL,
)
_FILE = Path(__file__).resolve().parents[3] / "resources" / "tex.json"
_COMMANDS = json.loads(_FILE.read_text("utf-8"))
HEADINGS: dict[str, int] = _COMMANDS["headings"]
# Commands and environments whose arguments are not text, with the number of arguments.
SILENT: dict[str, int] = _COMMANDS["silent"]
WITH_ARGUMENT: dict[str, int] = _COMMANDS["with_argument"]
FIELDS = frozenset({"title", "author", "date"})
SILENT_ENVIRONMENTS, TABLES, LISTS = (
    frozenset(_COMMANDS[name]) for name in ("silent_environments", "tables", "lists")
)
# Environments whose content is not TeX.
VERBATIM = frozenset(_COMMANDS["verbatim"])
_COMBINING: dict[str, str] = _COMMANDS["accents"]
# Symbols that pylatexenc lacks or maps to other characters.
_OWN: dict[str, str] = _COMMANDS["symbols"]


def symbol_of(command: str) -> str:
    """Return the character that a command prints, "" if it is not a known symbol."""
    return _OWN.get(command) or _symbols().get(command, "")


@lru_cache(maxsize=1)
def _symbols() -> dict[str, str]:
    from pylatexenc.latex2text import get_default_latex_context_db

    specs: Any = get_default_latex_context_db().iter_macro_specs()
    texts = {spec.macroname: spec.simplify_repl for spec in specs}
    functions = {name: f"{name} " for name, text in texts.items() if text == name}
    # Longer texts are templates with arguments, or the current date.
    return functions | {
        name: text for name, text in texts.items() if isinstance(text, str) and len(text) == 1
    }


def accented(accent: str, letter: str) -> str:
    """Put an accent on a letter."""
    return unicodedata.normalize("NFC", letter + _COMBINING.get(accent, ""))


def typeset(text: str) -> str:
    """Replace ASCII characters by the signs that TeX prints for them."""
    if "-" in text:
        text = text.replace("---", "—").replace("--", "–")
    if "`" in text or "'" in text:
        text = text.replace("``", "“").replace("''", "”").replace("`", "‘")
    return text.replace("~", "\xa0")


_OPTION = re.compile(
    r"[ \t]*\n?[ \t]*\[[^\[\]{}\n]{0,2000}(?:\{[^{}]{0,500}\}[^\[\]{}\n]{0,500})?\]"
)
_DOCUMENT = re.compile(r"(?m)^(?:[^%\n]|\\%)*?\\begin\s*\{document\}")
_NOTES = frozenset({"footnote", "footnotetext", "endnote", "thanks"})
_BREAKS = frozenset({"par", "newpage", "clearpage", "maketitle", "bigskip", "medskip"})
_MAX_DEPTH = 2_000


class _TexGroup(Struct):
    """Text between braces: its role, and its parts so far."""

    role: str  # heading, note, caption, silent, accent, begin, end, field; "" for mere braces
    value: str
    parts: list[str]  # shared with the group around it if the role is ""
    silent: bool = False


class TexReader:
    """Reads the tokens of a document and writes its blocks."""

    def __init__(self, text: str, writer: PageWriter) -> None:
        self.fields: dict[str, str] = {}
        self._text = text
        self._writer = writer
        self._at = 0
        begun = _DOCUMENT.search(text)
        self._body = begun.end() if begun else 0
        self._groups = [_TexGroup("", "", [])]
        self._roles = 0  # open groups with a role
        self._pending: list[tuple[str, str]] = []  # roles and values of the next groups
        self._accent = ""
        self._notes: list[str] = []
        self._environments: list[str] = []
        self._item = False
        self._cells: list[str] = []

    def read(self, count: int) -> bool:
        """Read some tokens, and return whether there are more."""
        for _ in range(count):
            found = TOKEN.match(self._text, self._at)
            if found is None:
                while self._roles:
                    self._close()
                self._paragraph()
                return False
            self._at = found.end()
            self._handle(found)
        return True

    def _handle(self, found: re.Match[str]) -> None:
        kind = found.lastgroup
        text = found[0]
        if kind == "open":
            self._open()
        elif kind == "close":
            self._close()
        elif kind == "word":
            self._word(found["word"])
        elif kind == "sign":
            self._sign(found["sign"])
        elif kind == "blank":
            self._paragraph()
        elif kind == "amp":
            self._cell()
        elif kind == "text":
            self._plain(typeset(text))

    @property
    def _silent(self) -> bool:
        in_preamble = self._at <= self._body and not self._roles
        drawn = self._environments and self._environments[-1] in SILENT_ENVIRONMENTS
        return in_preamble or bool(drawn) or self._groups[-1].silent

    def _plain(self, text: str) -> None:
        if text.strip():
            self._pending.clear()
        if self._accent and text.lstrip():
            text = text.lstrip()
            text = accented(self._accent, text[0]) + text[1:]
            self._accent = ""
        if self._groups[-1].role in ("begin", "end") or not self._silent:
            self._groups[-1].parts.append(text)

    def _open(self) -> None:
        if len(self._groups) > _MAX_DEPTH:
            return
        around = self._groups[-1]
        if self._accent:
            role, value, self._accent = "accent", self._accent, ""
        else:
            role, value = self._pending.pop(0) if self._pending else ("", "")
        silent = around.silent or role == "silent"
        self._groups.append(_TexGroup(role, value, [] if role else around.parts, silent))
        self._roles += role != ""

    def _close(self) -> None:
        if len(self._groups) == 1:
            return
        group = self._groups.pop()
        if not group.role:
            if self._text[self._at : self._at + 1] == "{":
                group.parts.append(" ")  # between two arguments
            return
        self._roles -= 1
        self._finish_group(group, "".join(group.parts))

    def _finish_group(self, group: _TexGroup, text: str) -> None:
        """Apply a command to the text of its argument."""
        if group.role in ("heading", "caption"):
            self._paragraph()
            if self._at > self._body:
                kind = BlockKind.HEADING if group.role == "heading" else BlockKind.CAPTION
                self._writer.add_block(_folded(text), kind, int(group.value or 0))
        elif group.role == "note":
            self._notes.append(text)
        elif group.role == "field":
            self.fields.setdefault(group.value, text)
            if group.value == "title":
                self._writer.add_block(_folded(text), BlockKind.HEADING, 1)
        elif group.role == "begin":
            self._begin(text.strip())
        elif group.role == "end":
            self._end(text.strip())
        elif group.role == "accent":
            self._groups[-1].parts.append(accented(group.value, text[:1] or " ") + text[1:])

    def _word(self, name: str) -> None:
        self._pending.clear()
        plain = name.rstrip("*")
        if plain in _COMBINING:
            self._accent = plain
        elif plain not in SILENT and (sign := symbol_of(plain)):
            self._plain(sign)
        elif plain in ("begin", "end"):
            self._pending = [(plain, "")]
        elif plain in ("item", "bibitem"):
            self._paragraph()
            self._item = True
            key = [("silent", "")] if plain == "bibitem" else []
            self._arguments(key, keep_option=plain == "item")
        elif plain in _BREAKS:
            self._paragraph()
        elif plain in ("def", "let", "gdef", "edef"):
            end = self._text.find("{", self._at)
            if 0 <= end - self._at < 200:
                self._at = end
                self._pending = [("silent", "")]
        else:
            self._arguments(_roles(plain))

    def _arguments(self, roles: list[tuple[str, str]], *, keep_option: bool = False) -> None:
        """Set the roles of the next groups, after an option in brackets."""
        option = _OPTION.match(self._text, self._at)
        if option is not None:
            self._at = option.end()
            if keep_option:
                self._plain(option[0].strip()[1:-1] + " ")
        self._pending = list(roles)

    def _sign(self, sign: str) -> None:
        if sign in _COMBINING:
            self._accent = sign
        elif sign == "\\" and self._in_table:
            self._row()
        else:
            self._plain(symbol_of(sign))

    @property
    def _in_table(self) -> bool:
        return bool(self._environments) and self._environments[-1] in TABLES

    def _begin(self, name: str) -> None:
        plain = name.rstrip("*")
        self._paragraph()
        if plain in VERBATIM:
            self._verbatim(name)
            return
        if len(self._environments) < 1_000:
            self._environments.append(plain)
        self._arguments([("silent", "")] * WITH_ARGUMENT.get(plain, int(plain in TABLES)))

    def _end(self, name: str) -> None:
        plain = name.rstrip("*")
        if self._in_table and plain in TABLES:
            self._row()
            self._writer.end_table()
        else:
            self._paragraph()
        if plain in self._environments[-20:]:
            while self._environments and self._environments.pop() != plain:
                pass
        self._item = self._item and plain not in LISTS

    def _verbatim(self, name: str) -> None:
        """Write the source of an environment as code."""
        ending = f"\\end{{{name}}}"
        end = self._text.find(ending, self._at)
        end = len(self._text) if end < 0 else end
        option = _OPTION.match(self._text, self._at)
        start = option.end() if option and option.end() <= end else self._at
        if name.rstrip("*") not in ("comment", "filecontents") and self._at > self._body:
            self._writer.add_block(self._text[start:end], BlockKind.CODE)
        self._at = min(end + len(ending), len(self._text))

    def _cell(self) -> None:
        if self._in_table:
            self._cells.append(self._flushed())
        else:
            self._plain(" ")

    def _row(self) -> None:
        self._cells.append(self._flushed())
        self._writer.add_row(self._cells)
        self._cells = []

    def _flushed(self) -> str:
        """Remove and return the current text outside all groups."""
        text = _folded("".join(self._groups[0].parts))
        self._groups[0].parts.clear()
        return text

    def _paragraph(self) -> None:
        """End the current paragraph. Inside an argument an empty line is a space."""
        if self._roles or self._in_table:
            self._groups[-1].parts.append(" ")
            return
        text = self._flushed()
        point = self._item and len(text) <= MAX_ITEM_CHARS
        self._writer.add_block(text, BlockKind.LIST_ITEM if point else BlockKind.PARAGRAPH)
        notes, self._notes = self._notes, []
        for note in notes:
            self._writer.add_block(_folded(note))


def _roles(command: str) -> list[tuple[str, str]]:
    """Return the roles of a command's arguments, which are text if it is unknown."""
    if command in HEADINGS:
        return [("heading", str(HEADINGS[command]))]
    if command in FIELDS:
        return [("field", command)]
    if command in _NOTES:
        return [("note", "")]
    if command == "caption":
        return [("caption", "")]
    return [("silent", "")] * SILENT.get(command, 0)


def _folded(text: str) -> str:
    return " ".join(text.split())


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TOKENS_A_STRETCH = 20_000


class TexSource(DecodedSource):
    """An open LaTeX document."""

    limit = "markup_bytes"

    def write_pages(self, writer: PageWriter) -> Iterator[None]:
        text = self.text.replace("\r\n", "\n")
        reader = TexReader(text, writer)
        while reader.read(_TOKENS_A_STRETCH):
            yield
        fields = {name: _folded(value)[:500] for name, value in reader.fields.items()}
        date = _DATE.match(fields.get("date", ""))
        self.metadata = Metadata(
            fields.get("title", ""), fields.get("author", ""), date[0] if date else ""
        )


open_source = TexSource.open_source
