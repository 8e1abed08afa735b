"""The styles and the numbering of a Word document.

Owns which paragraphs are headings, captions or entries of a table of contents, and the numbers that
Word displays before them, by which contracts are cited. It must not know the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from indexer.api.types import BlockKind
from indexer.extract.numerals import written_number
from indexer.extract.office.xml import attribute, local, whole_number

# The title of the document is level 1, so headings begin at level 2.
_BELOW_TITLE = 1
_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop)\s*([1-9])$", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|table of figures|verzeichnis|index)\s*\d?$", re.IGNORECASE)
_LEVEL_NUMBER = re.compile(r"%([1-9])")
_MAX_ANCESTORS = 20


@dataclass(frozen=True, slots=True)
class ParagraphRole:
    """The kind of a paragraph, and the list that numbers it.

    ``numbering`` and ``depth`` are "" and -1 if they are not defined.
    """

    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    numbering: str = ""
    depth: int = -1


class WordStyles:
    """The styles of a document, by their identifiers.

    Args:
        root: The styles part, ``None`` if there is none.
    """

    def __init__(self, root: Any = None) -> None:
        styles = () if root is None else root.iterchildren("{*}style")
        self._styles = {attribute(style, "styleId"): style for style in styles}
        self._roles = {"": ParagraphRole()}

    def role(self, properties: Any) -> ParagraphRole:
        """Return the role of a paragraph with the given properties (``pPr``), or ``None``."""
        own = _own_role(properties)
        identifier = _value(properties, "pStyle")
        if identifier not in self._roles:
            self._roles[identifier] = self._inherited(identifier)
        style = self._roles[identifier]
        kind = own if style.kind is BlockKind.PARAGRAPH else style
        return ParagraphRole(
            kind.kind,
            kind.level,
            own.numbering or style.numbering,
            own.depth if own.depth >= 0 else style.depth,
        )

    def _inherited(self, identifier: str) -> ParagraphRole:
        """Return the role of a style, from its nearest ancestors that define one."""
        role = ParagraphRole()
        for _ in range(_MAX_ANCESTORS):
            style = self._styles.get(identifier)
            if style is None:
                # Without a styles part the built-in styles apply, whose ids are their names.
                return role if self._styles else _named(identifier) or role
            own = _own_role(style.find("{*}pPr"))
            if role.kind is BlockKind.PARAGRAPH:
                named = _named(_value(style, "name").strip()) or own
                role = replace(role, kind=named.kind, level=named.level)
            role = replace(role, numbering=role.numbering or own.numbering)
            if role.depth < 0:
                role = replace(role, depth=own.depth)
            identifier = _value(style, "basedOn")
        return role


def _own_role(properties: Any) -> ParagraphRole:
    """Return the role by a paragraph's own properties, without its style."""
    if properties is None:
        return ParagraphRole()
    list_of = properties.find("{*}numPr")
    numbering, depth = _value(list_of, "numId"), whole_number(_value(list_of, "ilvl"))
    outline = whole_number(_value(properties, "outlineLvl"))
    if 0 <= outline < 9:
        return ParagraphRole(BlockKind.HEADING, outline + 1 + _BELOW_TITLE, numbering, depth)
    return ParagraphRole(numbering=numbering, depth=depth)


def _named(name: str) -> ParagraphRole | None:
    """Return the role by the name of a style, if it is known."""
    if name.lower() == "title":
        return ParagraphRole(BlockKind.HEADING, 1)
    if found := _HEADING.match(name):
        return ParagraphRole(BlockKind.HEADING, int(found[1]) + _BELOW_TITLE)
    if _CONTENTS.match(name):
        return ParagraphRole(BlockKind.FURNITURE)
    return ParagraphRole(BlockKind.CAPTION) if name.lower() == "caption" else None


def _value(parent: Any, name: str) -> str:
    """Return the value of a child element, "" if it is missing."""
    child = None if parent is None else parent.find(f"{{*}}{name}")
    return "" if child is None else attribute(child)


@dataclass(slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    pattern: str = ""


@dataclass(slots=True)
class _List:
    """An abstract list, or an instance of one, which may override levels."""

    levels: dict[int, _Level] = field(default_factory=dict)
    abstract: str = ""


class WordNumbering:
    """The lists of a document, and their counters.

    Args:
        root: The numbering part, ``None`` if there is none.
    """

    def __init__(self, root: Any = None) -> None:
        self._abstract: dict[str, _List] = {}
        self._uses: dict[str, _List] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for element in () if root is None else root:
            if local(element) == "abstractNum":
                self._abstract[attribute(element, "abstractNumId")] = _list(element)
            elif local(element) == "num":
                self._uses[attribute(element, "numId")] = _list(element)

    def label(self, numbering: str, depth: int) -> str:
        """Count a paragraph of a list, and return the label that Word displays before it."""
        use = self._uses.get(numbering)
        if use is None:
            return ""
        depth = min(max(depth, 0), 8)
        counts = self._counts.setdefault(use.abstract, {})
        counts[depth] = counts.get(depth, self._level(use, depth).start - 1) + 1
        for deeper in [level for level in counts if level > depth]:
            del counts[deeper]
        level = self._level(use, depth)
        if level.form in ("bullet", "none"):
            return ""

        def shown(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            value = counts.get(at, self._level(use, at).start)
            return written_number(value, self._level(use, at).form)

        return _LEVEL_NUMBER.sub(shown, level.pattern)[:40].strip()

    def _level(self, use: _List, depth: int) -> _Level:
        inherited = self._abstract.get(use.abstract, use)
        return use.levels.get(depth) or inherited.levels.get(depth) or _Level()


def _list(element: Any) -> _List:
    """Read an abstract list or an instance."""
    levels = {
        whole_number(attribute(level, "ilvl"), 0): _Level(
            whole_number(_value(level, "start"), 1),
            _value(level, "numFmt") or "decimal",
            _value(level, "lvlText"),
        )
        for level in element.iter("{*}lvl")
    }
    return _List(levels, _value(element, "abstractNumId"))
