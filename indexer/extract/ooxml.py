"""What Word, PowerPoint and Excel files have in common: relations between parts, and metadata.

Owns ``_rels`` and ``docProps``; what the parts say is read by the formats' own modules. Names are
compared without their namespaces, which differ between the two editions of the standard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.errors import WorldError
from indexer.extract.base import Metadata
from indexer.extract.package import resolve
from indexer.extract.xml_events import parse

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indexer.extract.package import Package

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_FIRST_DATE = "1980-01-01"  # what programs write that know of no time; office files are younger
_MAX_RELATIONS = 200_000


@dataclass(frozen=True, slots=True)
class Relation:
    """A reference from one part to another: the last word of its type, and the part's name."""

    id: str
    kind: str
    part: str


class Relations:
    """What a part refers to. Parts outside the file are left out.

    Args:
        package: The file.
        part: The name of the part, "" for the file as a whole.
    """

    def __init__(self, package: Package, part: str = "") -> None:
        folder, _, name = part.rpartition("/")
        self._base = part
        self._found: dict[str, Relation] = {}
        relations = f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels"
        if relations in package:
            parse(package.chunks(relations), self, package.budget)

    def part(self, identifier: str) -> str:
        """Return the name of the part that an identifier stands for, or ""."""
        found = self._found.get(identifier)
        return found.part if found else ""

    def of_kind(self, *kinds: str) -> Iterator[str]:
        """Yield the names of all parts of some kinds."""
        for relation in self._found.values():
            if relation.kind in kinds:
                yield relation.part

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        target = attributes.get("Target", "")
        outside = attributes.get("TargetMode") == "External"
        if name != "Relationship" or outside or len(self._found) >= _MAX_RELATIONS:
            return
        kind = attributes.get("Type", "").rpartition("/")[2]
        identifier = attributes.get("Id", "")
        self._found[identifier] = Relation(identifier, kind, resolve(self._base, target))

    def end(self, name: str) -> None:
        """Nothing ends here."""

    def text(self, data: str) -> None:
        """Relations have no text."""


def with_references(name: str) -> str:
    """Name elements and attributes, those that refer to relations apart: ``r:id``."""
    namespace, _, plain = name.rpartition(" ")
    return f"r:{plain}" if namespace.endswith("/relationships") else plain


def main_part(package: Package, usual: str) -> str:
    """Return the name of the part that the document begins with."""
    for part in Relations(package).of_kind("officeDocument"):
        if part in package:
            return part
    return usual


def core_properties(package: Package) -> Metadata:
    """Return what the file says about itself; a damage here costs nothing."""
    found = _Properties()
    try:
        for part in Relations(package).of_kind("core-properties"):
            parse(package.chunks(part), found, package.budget)
    except WorldError as error:
        if error.code != "unreadable":
            raise
    values = found.values
    return Metadata(
        values.get("title", ""),
        values.get("creator", ""),
        plausible_date(values.get("created", "")),
    )


def plausible_date(text: str) -> str:
    """Return the date that a time begins with, "" for the zeros of clocks that were never set."""
    date = _DATE.match(text.strip())
    return date[0] if date and date[0] > _FIRST_DATE else ""


class _Properties:
    """Collects the text of simple elements by their names."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self._current = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        self._current = name
        self.values.setdefault(name, "")

    def end(self, name: str) -> None:
        self.values[name] = " ".join(self.values.get(name, "").split())[:500]
        self._current = ""

    def text(self, data: str) -> None:
        if self._current and len(self.values[self._current]) < 2_000:
            self.values[self._current] += data


def plain_paragraphs(package: Package, part: str) -> list[str]:
    """Return the paragraphs of a part of which only the text matters: a diagram, a comment."""
    found = _Paragraphs()
    parse(package.chunks(part), found, package.budget)
    return [text for text in (" ".join(text.split()) for text in found.texts) if text]


class _Paragraphs:
    """Collects the text of ``t`` and ``text`` elements, a paragraph for each ``p`` around them."""

    def __init__(self) -> None:
        self.texts: list[str] = [""]
        self._depth = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        if name in ("t", "text"):
            self._depth += 1
        elif name == "p":
            self.texts.append("")

    def end(self, name: str) -> None:
        if name in ("t", "text"):
            self._depth -= 1
        if name in ("p", "text"):
            self.texts.append("")

    def text(self, data: str) -> None:
        if self._depth:
            self.texts[-1] += data
