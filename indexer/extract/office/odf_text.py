"""The text of paragraphs in OpenDocument files, and short names of elements and attributes.

Owns white space, notes and drawings in a paragraph; it must not know the structure of documents.
Tracked deletions are not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from indexer.extract.office.xml import whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator

PARAGRAPHS = frozenset({"text:p", "text:h"})
# Elements without text of the document.
SKIPPED = frozenset({
    "text:note-citation", "text:ruby-text", "text:tracked-changes", "office:forms",
    "text:bibliography-configuration", "text:variable-decls", "text:sequence-decls", "svg:title",
    "svg:desc", "dc:creator", "dc:date", "meta:creator-initials", "office:event-listeners",
    "text:index-title-template", "presentation:date-time-decl", "presentation:footer-decl",
    "presentation:header-decl", "table:tracked-changes", "office:scripts",
})  # fmt: skip
_NOTES = frozenset({"text:note", "office:annotation"})
_SIGNS = {"text:tab": "\t", "text:line-break": "\n"}
_SPACE = re.compile(r"[ \t\r\n]+")
_MAX_SPACES = 100
_SPACES = {
    prefix: f"urn:oasis:names:tc:opendocument:xmlns:{word}:1.0"
    for prefix, word in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style",
        "presentation": "presentation", "meta": "meta", "manifest": "manifest",
        "svg": "svg-compatible",
    }.items()
} | {"dc": "http://purl.org/dc/elements/1.1/"}  # fmt: skip
_PREFIXES = {space: prefix for prefix, space in _SPACES.items()}


@lru_cache(maxsize=4096)
def short(tag: object) -> str:
    """Return a tag with the usual prefix of its namespace, ``text:p``; "" for an entity."""
    if not isinstance(tag, str):
        return ""
    space, _, plain = tag.removeprefix("{").rpartition("}")
    return f"{_PREFIXES.get(space, '')}:{plain}"


def attribute(element: Any, name: str, otherwise: str = "") -> str:
    """Return an attribute by its name with the usual prefix, ``text:style-name``."""
    return str(element.get(_full(name), otherwise))


@lru_cache(maxsize=256)
def _full(name: str) -> str:
    prefix, _, plain = name.partition(":")
    return f"{{{_SPACES[prefix]}}}{plain}"


@dataclass(slots=True)
class Paragraph:
    """A paragraph or heading.

    Attributes:
        text: Its text.
        notes: The paragraphs of the notes and comments in it.
        drawn: The drawings in it, which may have paragraphs.
        page_breaks: The number of page breaks in it.
    """

    text: str = ""
    notes: list[str] = field(default_factory=list)
    drawn: list[Any] = field(default_factory=list)
    page_breaks: int = 0


def read_paragraph(element: Any) -> Paragraph:
    """Read the text, notes and drawings of a paragraph."""
    found = Paragraph()
    parts: list[str] = []
    _collect(element, parts, found)
    found.text = "".join(parts).strip()
    return found


def texts(element: Any) -> Iterator[str]:
    """Yield the paragraphs inside an element, each followed by its notes."""
    for child in element:
        name = short(child.tag)
        if name in PARAGRAPHS:
            found = read_paragraph(child)
            for drawn in found.drawn:
                yield from texts(drawn)
            if found.text:
                yield found.text
            yield from found.notes
        elif name not in SKIPPED:
            yield from texts(child)


def _collect(element: Any, parts: list[str], found: Paragraph) -> None:
    _add(element.text, parts)
    for child in element:
        name = short(child.tag)
        if name in _SIGNS:
            parts.append(_SIGNS[name])
        elif name == "text:s":
            parts.append(" " * min(whole_number(attribute(child, "text:c"), 1), _MAX_SPACES))
        elif name in _NOTES:
            found.notes += texts(child)
        elif name == "text:soft-page-break":
            found.page_breaks += 1
        elif name.startswith("draw:"):
            found.drawn.append(child)
        elif name not in SKIPPED:
            _collect(child, parts, found)
        _add(child.tail, parts)


def _add(text: str | None, parts: list[str]) -> None:
    # White space is collapsed as in HTML; significant spaces and tabs are elements.
    if text:
        text = _SPACE.sub(" ", text)
        parts.append(text.lstrip(" ") if parts and parts[-1].endswith(" ") else text)
