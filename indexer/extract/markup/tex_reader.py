"""Converts the tokens of a LaTeX document to blocks.

Owns the effect of commands and environments; ``tex_syntax`` has the tables of commands and the
syntax. Groups are a stack, as they may be nested too deep for recursion.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.extract.base import MAX_ITEM_CHARS
from indexer.extract.markup.tex_syntax import (
    ACCENT_SYMBOLS,
    ACCENT_WORDS,
    FIELDS,
    HEADINGS,
    LISTS,
    SILENT,
    SILENT_ENVIRONMENTS,
    TABLES,
    TOKEN,
    VERBATIM,
    WITH_ARGUMENT,
    accented,
    symbol_of,
    typeset,
)

if TYPE_CHECKING:
    from indexer.extract.page_writer import PageWriter

_OPTION = re.compile(
    r"[ \t]*\n?[ \t]*\[[^\[\]{}\n]{0,2000}(?:\{[^{}]{0,500}\}[^\[\]{}\n]{0,500})?\]"
)
_DOCUMENT = re.compile(r"(?m)^(?:[^%\n]|\\%)*?\\begin\s*\{document\}")
_NOTES = frozenset({"footnote", "footnotetext", "endnote", "thanks"})
_BREAKS = frozenset({"par", "newpage", "clearpage", "maketitle", "bigskip", "medskip"})
_MAX_DEPTH = 2_000


@dataclass(slots=True)
class _TexGroup:
    """Text between braces: its role, and its parts so far."""

    role: str  # heading, note, caption, silent, accent, begin, end, field; "" for mere braces
    value: str
    parts: list[str]  # those of the group around it if the role is ""
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
        """Read some tokens; return whether there are more."""
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
            self._display(group, _folded(text))
        elif group.role == "note":
            self._notes.append(text)
        elif group.role == "field":
            self.fields.setdefault(group.value, text)
            if group.value == "title":
                self._writer.add(_folded(text), BlockKind.HEADING, 1)
        elif group.role == "begin":
            self._begin(text.strip())
        elif group.role == "end":
            self._end(text.strip())
        elif group.role == "accent":
            self._groups[-1].parts.append(accented(group.value, text[:1] or " ") + text[1:])

    def _display(self, group: _TexGroup, text: str) -> None:
        if self._at <= self._body:
            return
        if group.role == "heading":
            self._writer.add(text, BlockKind.HEADING, int(group.value))
        else:
            self._writer.add(text, BlockKind.CAPTION)

    def _word(self, name: str) -> None:
        self._pending.clear()
        plain = name.rstrip("*")
        if plain in ACCENT_WORDS:
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
            self._skip_definition()
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
        if sign in ACCENT_SYMBOLS:
            self._accent = sign
        elif sign == "\\" and self._in_table:
            self._row()
        else:
            self._plain(symbol_of(sign))

    def _skip_definition(self) -> None:
        end = self._text.find("{", self._at)
        if 0 <= end - self._at < 200:
            self._at = end
            self._pending = [("silent", "")]

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
        columns = 1 if plain in ("tabular", "longtable", "array", "supertabular", "tabu") else 0
        self._arguments([("silent", "")] * (WITH_ARGUMENT.get(plain, 0) or columns))

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
            self._writer.add(self._text[start:end], BlockKind.CODE)
        self._at = min(end + len(ending), len(self._text))

    def _cell(self) -> None:
        if self._in_table:
            self._cells.append(self._flushed())
        else:
            self._plain(" ")

    def _row(self) -> None:
        self._cells.append(self._flushed())
        self._writer.row(self._cells)
        self._cells = []

    def _flushed(self) -> str:
        """Remove and return the current text outside of all groups."""
        text = _folded("".join(self._groups[0].parts))
        self._groups[0].parts.clear()
        return text

    def _paragraph(self) -> None:
        """End the current paragraph; inside an argument an empty line is a space."""
        if self._roles or self._in_table:
            self._groups[-1].parts.append(" ")
            return
        text = self._flushed()
        point = self._item and len(text) <= MAX_ITEM_CHARS
        self._writer.add(text, BlockKind.LIST_ITEM if point else BlockKind.PARAGRAPH)
        notes, self._notes = self._notes, []
        for note in notes:
            self._writer.add(_folded(note))


def _roles(command: str) -> list[tuple[str, str]]:
    """Return the roles of the arguments of a command; those of unknown commands are text."""
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
