"""What OpenDocument files have in common: containers, metadata, names and paragraphs.

Owns ``meta.xml``, the check for encryption, the short names of elements (``text:p``) and what
stands inside a paragraph; text documents, presentations and sheets add their own structure.
Deleted text that is kept for the record is never read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.errors import WorldError
from indexer.extract.base import Metadata
from indexer.extract.docx_styles import number
from indexer.extract.ooxml import plausible_date
from indexer.extract.package import Package
from indexer.extract.xml_events import parse

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from indexer.extract.base import Limits

CONTENT = "content.xml"
_SPACE = re.compile(r"[ \t\r\n]+")
_MAX_SPACES = 100
# What stands inside a paragraph and is no text of it.
_SKIPPED = frozenset({
    "text:note-citation", "text:ruby-text", "text:tracked-changes", "office:forms",
    "text:bibliography-configuration", "text:variable-decls", "text:sequence-decls", "svg:title",
    "svg:desc", "dc:creator", "dc:date", "meta:creator-initials", "office:event-listeners",
    "text:index-title-template", "presentation:date-time-decl", "presentation:footer-decl",
    "presentation:header-decl", "table:tracked-changes", "office:scripts",
})  # fmt: skip
_SIGNS = {"text:tab": "\t", "text:line-break": "\n"}


def short(name: str) -> str:
    """Name elements and attributes with the last word of their namespace: ``text:p``."""
    namespace, _, plain = name.rpartition(" ")
    word = namespace.removesuffix(":1.0").rstrip("/").rpartition(":")[2].rpartition("/")[2]
    return f"{'svg' if word == 'svg-compatible' else 'dc' if word == '1.1' else word}:{plain}"


def open_package(path: Path, limits: Limits) -> Package:
    """Open an OpenDocument file.

    Raises:
        WorldError: ``needs_password`` if its parts are encrypted, and all that ``Package`` raises.
    """
    package = Package(path, limits)
    try:
        if "META-INF/manifest.xml" in package:
            manifest = _Manifest()
            parse(package.chunks("META-INF/manifest.xml"), manifest, package.budget, short)
            if manifest.encrypted:
                raise WorldError("needs_password")
        if CONTENT not in package:
            raise WorldError("unreadable", reason="no_text_part")
    except BaseException:
        package.close()
        raise
    return package


def read_metadata(package: Package) -> Metadata:
    """Return what the file says about itself; a damage here costs nothing."""
    found = _Meta()
    if "meta.xml" in package:
        try:
            parse(package.chunks("meta.xml"), found, package.budget, short)
        except WorldError as error:
            if error.code != "unreadable":
                raise
    values = {name: " ".join(text.split())[:500] for name, text in found.values.items()}
    author = values.get("meta:initial-creator", "") or values.get("dc:creator", "")
    created = plausible_date(values.get("meta:creation-date", ""))
    return Metadata(values.get("dc:title", ""), author, created)


class _Manifest:
    """Looks for encrypted parts."""

    def __init__(self) -> None:
        self.encrypted = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        self.encrypted = self.encrypted or name == "manifest:encryption-data"

    def end(self, name: str) -> None:
        """Nothing ends here."""

    def text(self, data: str) -> None:
        """Manifests have no text."""


class _Meta:
    """Collects the text of the elements that say what the document is."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self._name = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        self._name = name

    def end(self, name: str) -> None:  # noqa: ARG002
        self._name = ""

    def text(self, data: str) -> None:
        if self._name and len(self.values.get(self._name, "")) < 2_000:
            self.values[self._name] = self.values.get(self._name, "") + data


@dataclass(slots=True)
class Paragraph:
    """A paragraph or heading under way; ``level`` is 0 for what is no heading."""

    level: int
    style: str
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Paragraphs:
    """Takes paragraphs out of the stream of events; formats override what they need.

    Footnotes and comments come right after the paragraph that they belong to, in which they stand.
    """

    def __init__(self) -> None:
        self._open: list[Paragraph] = []
        self._notes = 0
        self._skipping = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._skipping or name in _SKIPPED:
            self._skipping += 1
        elif name in ("text:p", "text:h"):
            level = number(attributes.get("text:outline-level", ""), 1) if name == "text:h" else 0
            self._open.append(Paragraph(level, attributes.get("text:style-name", "")))
        elif name in _SIGNS and self._open:
            self._open[-1].parts.append(_SIGNS[name])
        elif name == "text:s" and self._open:
            count = number(attributes.get("text:c", ""), 1)
            self._open[-1].parts.append(" " * min(count, _MAX_SPACES))
        elif name in ("text:note", "office:annotation"):
            self._notes += 1
        else:
            self.begin(name, attributes)

    def end(self, name: str) -> None:
        if self._skipping:
            self._skipping -= 1
        elif name in ("text:p", "text:h") and self._open:
            self._end_paragraph(self._open.pop())
        elif name in ("text:note", "office:annotation"):
            self._notes -= 1
        else:
            self.finish(name)

    def text(self, data: str) -> None:
        # White space is folded as in HTML: what is meant to be seen has elements of its own.
        if self._open and not self._skipping:
            parts = self._open[-1].parts
            data = _SPACE.sub(" ", data)
            parts.append(data.lstrip(" ") if parts and parts[-1].endswith(" ") else data)

    @property
    def inside_paragraph(self) -> bool:
        return bool(self._open)

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element began that is no part of a paragraph's text."""

    def finish(self, name: str) -> None:
        """Such an element ended."""

    def paragraph(self, text: str, level: int, style: str) -> None:
        """A paragraph ended; ``level`` is 0 for what is no heading."""
        raise NotImplementedError

    def _end_paragraph(self, paragraph: Paragraph) -> None:
        text = "".join(paragraph.parts).strip()
        if self._notes and self._open:
            if text:
                self._open[0].notes.append(text)
            self._open[0].notes += paragraph.notes
            return
        if text:
            self.paragraph(text, paragraph.level, paragraph.style)
        for note in paragraph.notes:
            self.paragraph(note, 0, "")
