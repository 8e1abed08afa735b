"""What the styles and the numbering of a Word document say about its paragraphs.

Owns ``styles.xml`` and ``numbering.xml``: which paragraphs are headings, captions or entries of a
table of contents, and the numbers that Word writes in front of them, by which contracts are cited.
It must not know the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from indexer.extract.xml_events import parse
from indexer.types import BlockKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.extract.package import Package

# The title of the document is level 1, so that headings begin below it.
_BELOW_TITLE = 1
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop)\s*([1-9])$", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|table of figures|verzeichnis|index)\s*\d?$", re.IGNORECASE)
_LEVEL_NUMBER = re.compile(r"%([1-9])")
_MAX_ANCESTORS = 20
_MAX_STYLES = 50_000
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Role:
    """What a paragraph is, and which list numbers it."""

    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    numbering: str = ""
    depth: int = 0


@dataclass(slots=True)
class _Style:
    name: str = ""
    based_on: str = ""
    outline: int = -1
    numbering: str = ""
    depth: int = -1


class Styles:
    """The styles of a document, by their identifiers."""

    def __init__(self) -> None:
        self._styles: dict[str, _Style] = {}
        self._roles: dict[str, Role] = {"": Role()}
        self._current = _Style()

    def read(self, package: Package, part: str) -> None:
        parse(package.chunks(part), self, package.budget)

    def role(self, identifier: str) -> Role:
        """Return the role that a style gives its paragraphs."""
        if identifier not in self._roles:
            self._roles[identifier] = self._settle(identifier)
        return self._roles[identifier]

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        value = attributes.get("val", "")
        if name == "style":
            self._current = _Style()
            if len(self._styles) < _MAX_STYLES:
                self._styles[attributes.get("styleId", "")] = self._current
        elif name == "name":
            self._current.name = value
        elif name == "basedOn":
            self._current.based_on = value
        elif name == "outlineLvl":
            self._current.outline = number(value)
        elif name == "numId":
            self._current.numbering = value
        elif name == "ilvl":
            self._current.depth = number(value)

    def end(self, name: str) -> None:
        """Nothing ends here."""

    def text(self, data: str) -> None:
        """Styles have no text."""

    def _settle(self, identifier: str) -> Role:
        """Walk up the ancestors of a style until one says what it is."""
        role, numbering, depth = Role(), "", -1
        for _ in range(_MAX_ANCESTORS):
            style = self._styles.get(identifier)
            if style is None:
                break
            numbering = numbering or style.numbering
            depth = style.depth if depth < 0 else depth
            if role.kind is BlockKind.PARAGRAPH:
                role = _role_of(style)
            identifier = style.based_on
        return replace(role, numbering=numbering, depth=max(depth, 0))


def _role_of(style: _Style) -> Role:
    name = style.name.strip()
    if name.lower() == "title":
        return Role(BlockKind.HEADING, 1)
    if found := _HEADING.match(name):
        return Role(BlockKind.HEADING, int(found[1]) + _BELOW_TITLE)
    if 0 <= style.outline < 9:
        return heading(style.outline)
    if _CONTENTS.match(name):
        return Role(BlockKind.FURNITURE)
    if name.lower() == "caption":
        return Role(BlockKind.CAPTION)
    return Role()


def heading(outline: int) -> Role:
    """Return the role of a paragraph of an outline level, 0 being the highest."""
    return Role(BlockKind.HEADING, outline + 1 + _BELOW_TITLE)


def number(text: str, otherwise: int = -1) -> int:
    """Read a small whole number; whatever else stands there is ``otherwise``."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else otherwise


@dataclass(slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    pattern: str = ""


@dataclass(slots=True)
class _List:
    """An abstract list, or a use of one with levels of its own."""

    levels: dict[int, _Level] = field(default_factory=dict)
    abstract: str = ""


class Numbering:
    """The lists of a document, and how far each has counted."""

    def __init__(self) -> None:
        self._abstract: dict[str, _List] = {}
        self._uses: dict[str, _List] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._list = _List()
        self._level = _Level()

    def read(self, package: Package, part: str) -> None:
        parse(package.chunks(part), self, package.budget)

    def label(self, numbering: str, depth: int) -> str:
        """Count one more paragraph of a list, and return what Word writes in front of it."""
        use = self._uses.get(numbering)
        if use is None:
            return ""
        depth = min(max(depth, 0), 8)
        counts = self._counts.setdefault(use.abstract, {})
        counts[depth] = counts.get(depth, self._of(use, depth).start - 1) + 1
        for deeper in [level for level in counts if level > depth]:
            del counts[deeper]
        level = self._of(use, depth)
        if level.form in ("bullet", "none"):
            return ""

        def shown(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            value = counts.get(at, self._of(use, at).start)
            return _written(value, self._of(use, at).form)

        return _LEVEL_NUMBER.sub(shown, level.pattern)[:40].strip()

    def _of(self, use: _List, depth: int) -> _Level:
        inherited = self._abstract.get(use.abstract, use)
        return use.levels.get(depth) or inherited.levels.get(depth) or _Level()

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        value = attributes.get("val", "")
        if name == "abstractNum":
            self._list = self._abstract[attributes.get("abstractNumId", "")] = _List()
        elif name == "num":
            self._list = self._uses[attributes.get("numId", "")] = _List()
        elif name == "abstractNumId":
            self._list.abstract = value
        elif name == "lvl":
            self._level = _Level()
            self._list.levels[number(attributes.get("ilvl", ""), 0)] = self._level
        elif name == "start":
            self._level.start = number(value, 1)
        elif name == "numFmt":
            self._level.form = value
        elif name == "lvlText":
            self._level.pattern = value

    def end(self, name: str) -> None:
        """Nothing ends here."""

    def text(self, data: str) -> None:
        """Lists have no text."""


def _written(value: int, form: str) -> str:
    """Write the number of a paragraph the way its list does."""
    if form in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (value - 1) % 26) * min((value - 1) // 26 + 1, 5)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman") and 0 < value < 4000:
        roman, rest = "", value
        for worth, sign in _ROMAN:
            roman += sign * (rest // worth)
            rest %= worth
        return roman.upper() if form == "upperRoman" else roman
    return f"{value:02d}" if form == "decimalZero" else str(value)
