"""Reads the parts that OpenDocument texts, presentations and spreadsheets share.

The content is read in pieces (a paragraph, a row, a slide), each a small lxml tree. Each kind of
document has a ``Body`` that handles them. Tracked deletions are not read. odfdo, the library for
this format, needs 344 MB of a child's 350 MB for 20,000 rows of ten cells. It also expands a row
that is repeated a million times, reads nothing of a damaged file, and loses text with ruby.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from lxml import etree
from msgspec import Struct, field
from selectolax.lexbor import LexborHTMLParser

from indexer.api.errors import WorldError
from indexer.api.types import BlockKind
from indexer.extract.base import Metadata, RawPage, about, check_size
from indexer.extract.document import Budget
from indexer.extract.embedded.attachments import named
from indexer.extract.embedded.office_objects import OfficeObjects
from indexer.extract.markup.mathml import formula
from indexer.extract.numerals import lowered, raised
from indexer.extract.office.package import (
    PackageSource,
    ZipPackage,
    is_packed,
    opened,
    packed_chunks,
)
from indexer.extract.office.xml import PAGE_NUMBER, plausible_date, read_pieces, whole_number
from indexer.extract.page_writer import SALVAGEABLE, PageWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from indexer.config import Limits

PARAGRAPHS = frozenset({"text:p", "text:h"})
# Elements that have no text of the document.
SKIPPED = frozenset({
    "text:note-citation", "text:ruby-text", "text:tracked-changes", "office:forms",
    "text:bibliography-configuration", "text:variable-decls", "text:sequence-decls", "dc:creator",
    "dc:date", "meta:creator-initials", "office:event-listeners",
    "text:index-title-template", "presentation:date-time-decl", "presentation:footer-decl",
    "presentation:header-decl", "table:tracked-changes", "office:scripts", "office:meta",
    "office:settings", "office:styles", "office:master-styles",
})  # fmt: skip
DESCRIPTIONS = frozenset({"svg:title", "svg:desc"})  # of pictures
FORMULA = "math:math"  # only in a document in one file
_NOTES = frozenset({"text:note", "office:annotation"})
_SIGNS = {"text:tab": "\t", "text:line-break": "\n"}
_SPACE = re.compile(r"[ \t\r\n]+")
_MAX_SPACES = 100
_SPACES = {
    prefix: f"urn:oasis:names:tc:opendocument:xmlns:{word}:1.0"
    for prefix, word in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style",
        "presentation": "presentation", "meta": "meta", "manifest": "manifest",
        "svg": "svg-compatible", "chart": "chart",
    }.items()
} | {"dc": "http://purl.org/dc/elements/1.1/", "xlink": "http://www.w3.org/1999/xlink",
       "math": "http://www.w3.org/1998/Math/MathML"}  # fmt: skip
_PREFIXES = {space: prefix for prefix, space in _SPACES.items()}


@lru_cache(maxsize=4096)
def short(tag: object) -> str:
    """Return a tag with its namespace's usual prefix, such as ``text:p``; "" for an entity."""
    if not isinstance(tag, str):
        return ""
    space, _, plain = tag.removeprefix("{").rpartition("}")
    return f"{_PREFIXES.get(space, '')}:{plain}"


def attribute(element: Any, name: str, otherwise: str = "") -> str:
    """Return an attribute by its name with the usual prefix, such as ``text:style-name``."""
    return str(element.get(_full(name), otherwise))


@lru_cache(maxsize=256)
def _full(name: str) -> str:
    prefix, _, plain = name.partition(":")
    return f"{{{_SPACES[prefix]}}}{plain}"


_DRAWN = tuple(map(_full, ("draw:object", "draw:object-ole")))
_MATH_PREFIX = re.compile(rb"(</?)math:")  # older files write elements with this prefix


class Paragraph(Struct):
    """A paragraph or heading, with its notes, comments and drawings."""

    text: str = ""
    notes: list[str] = field(default_factory=list)
    drawn: list[Any] = field(default_factory=list)
    page_breaks: int = 0


# How to write the text of character styles above or below the line, by style.
Positions = dict[str, "Callable[[str], str]"]
_ON_THE_LINE: Positions = {}


def position(style: Any) -> Callable[[str], str] | None:
    """Return how to write the text of a style if it is superscript or subscript."""
    for properties in style.iterchildren("{*}text-properties"):
        place = attribute(properties, "style:text-position").split("%")[0].strip().lower()
        if place.startswith("sub") or (place.startswith("-") and place.strip("-0")):
            return lowered
        if place.startswith("super") or place.split(" ")[0].strip("0").isdigit():
            return raised
    return None


def read_paragraph(element: Any, positions: Positions = _ON_THE_LINE) -> Paragraph:
    """Read the text, notes and drawings of a paragraph."""
    found = Paragraph()
    parts: list[str] = []
    _collect(element, parts, found, positions)
    found.text = "".join(parts).strip()
    return found


def texts(element: Any, positions: Positions = _ON_THE_LINE) -> Iterator[str]:
    """Yield the paragraphs inside an element, each followed by its notes."""
    for child in element:
        name = short(child.tag)
        if name in PARAGRAPHS:
            found = read_paragraph(child, positions)
            for drawn in found.drawn:
                yield from texts(drawn, positions)
            if found.text:
                yield found.text
            yield from found.notes
        elif name in DESCRIPTIONS or name == FORMULA:
            yield from filter(None, (label(child),))
        elif name not in SKIPPED:
            yield from texts(child, positions)


def label(element: Any) -> str:
    """Return a formula or the description of a picture as a line."""
    if short(element.tag) == FORMULA:
        return _formula(etree.tostring(element))
    return " ".join((element.text or "").split())


def _collect(element: Any, parts: list[str], found: Paragraph, positions: Positions) -> None:
    _add(element.text, parts)
    for child in element:
        name = short(child.tag)
        if name in _SIGNS:
            parts.append(_SIGNS[name])
        elif name == "text:s":
            parts.append(" " * min(whole_number(attribute(child, "text:c"), 1), _MAX_SPACES))
        elif name in _NOTES:
            found.notes += texts(child, positions)
        elif name == "text:soft-page-break":
            found.page_breaks += 1
        elif name.startswith("draw:"):
            found.drawn.append(child)
        elif name == "text:span" and (write := positions.get(attribute(child, "text:style-name"))):
            inside: list[str] = []
            _collect(child, inside, found, positions)
            parts.append(write("".join(inside)))
        elif name not in SKIPPED:
            _collect(child, parts, found, positions)
        _add(child.tail, parts)


def _add(text: str | None, parts: list[str]) -> None:
    # White space is collapsed as in HTML; significant spaces and tabs are elements.
    if text:
        text = _SPACE.sub(" ", text)
        parts.append(text.lstrip(" ") if parts and parts[-1].endswith(" ") else text)


_CONTENT, _STYLES, _META = "content.xml", "styles.xml", "meta.xml"
_MANIFEST = "META-INF/manifest.xml"
_KIND = "application/vnd.oasis.opendocument."
_DOCUMENTS = frozenset(_KIND + what for what in ("text", "presentation", "spreadsheet", "graphics"))
_CHART, _FORMULA = f"{_KIND}chart", f"{_KIND}formula"
_FOLDERS = _DOCUMENTS | {_CHART, _FORMULA}
_OLE = "application/vnd.sun.star.oleobject"
_CHARTS = frozenset({"office:document-content", "office:body", "office:chart"})
_MAX_FORMULA_BYTES = 1024**2

_MARGINS = frozenset({
    f"style:{end}{pages}" for end in ("header", "footer") for pages in ("", "-left", "-first")
})  # fmt: skip
_UNFILLED = re.compile(r"[\W0]*$")  # fields of heads and feet: "??? (???)", "00/00/0000"
_STYLE_PARTS = frozenset({
    "office:document-styles", "office:styles", "office:master-styles", "style:master-page",
})  # fmt: skip


class FlatPackage(ZipPackage):
    """The content and the metadata of a document in one file of XML (.fodt, .fods, .fodp)."""

    def __init__(self, path: Path, limits: Limits) -> None:
        check_size(path, limits.package_bytes)
        self.budget = Budget(limits)
        self._path = path

    def __contains__(self, name: str) -> bool:
        return name in (_CONTENT, _META)

    def names(self) -> Iterator[str]:
        return iter(())

    def chunks(self, name: str) -> Iterator[bytes]:
        for data in packed_chunks(self._path, "", self.budget):
            self.budget.spend_bytes(len(data))
            yield data

    def close(self) -> None:
        """Do nothing, as no file stays open."""


class Body:
    """Writes the content of one kind of document, piece by piece.

    ``open`` has the elements that are too large to be pieces. An element is a piece if all its
    ancestors are open.
    """

    open: ClassVar[frozenset[str]] = frozenset({
        "office:document-content", "office:document", "office:body",
    })  # fmt: skip

    def __init__(self, writer: PageWriter) -> None:
        self.writer = writer
        self._margins: dict[str, None] = {}  # texts of heads and feet

    def handle(self, piece: Any) -> None:
        """Write a piece, or end an open element after its last piece."""
        raise NotImplementedError

    def learn_style(self, style: Any) -> None:
        """Note a style, or the head or foot of a page, before the first piece."""
        if short(style.tag) in _MARGINS:
            numbered = next(style.iter("{*}page-number"), None) is not None
            for text in texts(style):
                if not (numbered and PAGE_NUMBER.match(text)):
                    self._margins.setdefault(text)

    def finish(self) -> None:
        """Write the heads and feet of pages, which are among the styles."""
        for text in self._margins:
            if not _UNFILLED.match(text):
                self.writer.add_block(text, BlockKind.BOILERPLATE)


class OdfSource(PackageSource):
    """An open text, presentation or spreadsheet."""

    def __init__(self, package: ZipPackage, body: Callable[[PageWriter], Body]) -> None:
        super().__init__(package)
        self._body = body
        self.metadata = _metadata(package)

    def _pages(self, writer: PageWriter, skip: Collection[int]) -> Iterator[RawPage]:
        body = self._body(writer)
        kinds = dict(_objects(self._package))
        pages: dict[str, int] = {}  # by the paths of the objects on them
        damage = self._learn_styles(body)
        try:
            for piece in _pieces(self._package, _CONTENT, body.open):
                body.handle(piece)
                for drawn in piece.iter(*_DRAWN) if kinds else ():
                    path = attribute(drawn, "xlink:href").removeprefix("./").rstrip("/")
                    pages.setdefault(path, writer.page)
                yield from writer.completed()
        finally:
            self.page_count = writer.page
        body.finish()
        if damage is not None:
            raise damage
        yield from writer.finish()
        places = {path: pages.get(path, writer.page) for path in kinds}
        yield from self._objects(kinds, places, writer)

    def _learn_styles(self, body: Body) -> WorldError | None:
        """Read the styles; return their damage, if any, to be raised after the text."""
        try:
            if _STYLES in self._package:
                for style in _pieces(self._package, _STYLES, _STYLE_PARTS):
                    body.learn_style(style)
        except WorldError as error:
            return error
        return None

    def _objects(
        self, kinds: dict[str, str], pages: dict[str, int], writer: PageWriter
    ) -> Iterator[RawPage]:
        """Yield the embedded objects, given their kinds, in the order of their pages."""
        objects = OfficeObjects(self._package, writer, self.on_page)
        for path in sorted(kinds, key=pages.__getitem__):
            writer.page = pages[path]
            if kinds[path] in (_CHART, _FORMULA):
                yield from self._drawn(path, kinds[path], writer)
            elif kinds[path] == _OLE:
                yield from objects.objects([path])
            else:
                yield from objects.folder(f"{path}/", kinds[path])

    def _drawn(self, path: str, kind: str, writer: PageWriter) -> Iterator[RawPage]:
        """Yield a chart or a formula as a part, since only parts may follow later pages."""
        reason = ""
        try:
            if kind == _FORMULA:
                writer.add_block(
                    _formula(self._package.read(f"{path}/{_CONTENT}", _MAX_FORMULA_BYTES))
                )
            else:
                for piece in _pieces(self._package, f"{path}/{_CONTENT}", _CHARTS):
                    if short(piece.tag) == "chart:chart":
                        _write_chart(piece, writer)
        except WorldError as error:
            if error.code not in SALVAGEABLE or self._package.budget.spent:
                raise
            reason = error.reason
        yield from named(writer.abandon(), path)
        if reason:
            yield RawPage(writer.page, "", unreadable=reason, part=path)


def _formula(content: bytes) -> str:
    """Return a formula (MathML) in one line, written as in web pages."""
    found = LexborHTMLParser(_MATH_PREFIX.sub(rb"\1", content)).css_first("math")
    return formula(found) if found is not None else ""


def _write_chart(chart: Any, writer: PageWriter) -> None:
    """Write the titles of a chart and its axes, then its values as a table."""
    for title in chart.iter(_full("chart:title"), _full("chart:subtitle")):
        writer.add_block(" ".join(texts(title)))
    for row in chart.iter(_full("table:table-row")):
        writer.add_row([" ".join(texts(cell)) for cell in row])
    writer.end_table()


def open_odf(
    body: Callable[[PageWriter], Body], path: Path, password: str | None, limits: Limits
) -> OdfSource:
    """Open a document whose content is written by ``body`` (``indexer.extract.base.Opener``).

    Raises ``needs_password`` if its parts are encrypted, and what ``ZipPackage`` raises.
    """

    def source(package: ZipPackage) -> OdfSource:
        if _is_encrypted(package):
            raise WorldError("needs_password")
        if _CONTENT not in package:
            raise WorldError("unreadable", reason="no_text_part")
        return OdfSource(package, body)

    return opened((ZipPackage if is_packed(path) else FlatPackage)(path, limits), source)


def _pieces(package: ZipPackage, part: str, containers: frozenset[str]) -> Iterator[Any]:
    """Yield the elements of a part whose ancestors are all containers; see ``read_pieces``."""
    chunks = package.chunks(part)
    return read_pieces(chunks, package.budget, containers, lambda element: short(element.tag))


def _is_encrypted(package: ZipPackage) -> bool:
    entries = _manifest(package)
    return any(short(each.tag) == "manifest:encryption-data" for one in entries for each in one)


def _objects(package: ZipPackage) -> Iterator[tuple[str, str]]:
    """Yield the paths and types of the objects in the manifest."""
    for entry in _manifest(package):
        path = attribute(entry, "manifest:full-path")
        kind = attribute(entry, "manifest:media-type")
        is_folder = path.endswith("/") and path != "/"
        if kind == _OLE or (is_folder and kind in _FOLDERS):
            yield path.rstrip("/"), kind


def _manifest(package: ZipPackage) -> Iterator[Any]:
    if _MANIFEST in package:
        yield from _pieces(package, _MANIFEST, frozenset({"manifest:manifest"}))


def _metadata(package: ZipPackage) -> Metadata:
    """Return the metadata, up to its first damage."""
    values: dict[str, str] = {}
    if _META in package:
        containers = frozenset({"office:document-meta", "office:document", "office:meta"})
        try:
            for field in _pieces(package, _META, containers):
                if short(field.tag).startswith("office:"):
                    break  # the next part of a document in one file
                text = "".join(field.itertext())[:2_000]
                name, text = short(field.tag), " ".join(text.split())
                more = name == "meta:keyword" and name in values
                values[name] = f"{values[name]}, {text}" if more else values.get(name, text)
        except WorldError as error:
            if error.code != "unreadable":
                raise
    author = values.get("meta:initial-creator", "") or values.get("dc:creator", "")
    created = plausible_date(values.get("meta:creation-date", ""))
    names = {"subject": "dc:subject", "keywords": "meta:keyword", "description": "dc:description"}
    wrote = about(**{name: values.get(field, "") for name, field in names.items()})
    return Metadata(values.get("dc:title", "")[:500], author[:500], created, about=wrote)
