"""E-books in the EPUB format: each file of the reading order a page, named by the contents list.

Owns the container, the list of files and the list of contents; chapters are HTML and read as such
(``html``). Nothing outside the book is ever fetched, no script is run. Books locked by copy
protection say so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.errors import WorldError
from indexer.extract.base import Metadata, RawPage
from indexer.extract.html import parse_markup, read_tree
from indexer.extract.package import Package, resolve
from indexer.extract.page_writer import SALVAGEABLE, PageWriter
from indexer.extract.xml_events import parse
from indexer.types import OutlineEntry

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from indexer.extract.base import Limits

_DATE = re.compile(r"\d{4}(?:-\d{2}){0,2}(?!\d)")  # books may be older than computers
_MAX_FILES = 50_000
_MAX_ENTRIES = 20_000
_MAX_DEPTH = 12
_FIELDS = {"title": "title", "creator": "author", "date": "created"}
_CHAPTERS = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "image/svg+xml")
# Fonts are scrambled by these two, so that they are of no use outside the book.
_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


class EpubSource:
    """An open book."""

    def __init__(self, package: Package) -> None:
        self._package = package
        book = _read_book(package)
        self._chapters = [part for part in book.spine() if part in package]
        self._check_protection()
        self.page_count = len(self._chapters)
        fields = {name: " ".join(text.split())[:500] for name, text in book.fields.items()}
        date = _DATE.match(fields.get("created", ""))
        self.metadata = Metadata(
            fields.get("title", ""),
            fields.get("author", ""),
            date[0] if date else "",
        )
        self.outline = _outline(package, book, self._chapters)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(self._package.budget)
        for number, part in enumerate(self._chapters, 1):
            writer.page = number
            if number in skip:
                yield RawPage(number, "", unreadable="stops_reader")
                continue
            try:
                data = self._package.read(part, self._package.budget.limits.markup_bytes)
                tree = parse_markup(data, xml=True)
                tree.strip_tags(["rt", "rp"])  # how signs are read, between the signs
                writer.append(*read_tree(tree))
            except WorldError as error:
                if error.code not in SALVAGEABLE:
                    raise
                yield RawPage(number, "", unreadable=error.reason)
                continue
            yield from writer.finish()

    def close(self) -> None:
        self._package.close()

    def _check_protection(self) -> None:
        if "META-INF/encryption.xml" not in self._package:
            return
        locked = _Locked()
        parse(self._package.chunks("META-INF/encryption.xml"), locked, self._package.budget)
        chapters = {part.casefold() for part in self._chapters}
        if chapters & {part.casefold() for part in locked.parts}:
            raise WorldError("copy_protected")


@dataclass(slots=True)
class _Item:
    part: str
    media: str
    properties: str


@dataclass(slots=True)
class _Book:
    """Collects what the package file says."""

    base: str
    fields: dict[str, str] = field(default_factory=dict)
    items: dict[str, _Item] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    contents: str = ""
    _field: str = ""

    def spine(self) -> Iterator[str]:
        """Yield the chapters in reading order."""
        seen: set[str] = set()
        for identifier in self.order:
            item = self.items.get(identifier)
            if item is not None and item.part not in seen and item.media in (*_CHAPTERS, ""):
                seen.add(item.part)
                yield item.part

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name in _FIELDS and _FIELDS[name] not in self.fields:
            self._field = _FIELDS[name]
            self.fields[self._field] = ""
        elif name == "item" and len(self.items) < _MAX_FILES:
            part = resolve(self.base, attributes.get("href", ""))
            media, properties = attributes.get("media-type", ""), attributes.get("properties", "")
            self.items[attributes.get("id", "")] = _Item(part, media, properties)
        elif name == "spine":
            self.contents = attributes.get("toc", "")
        elif name == "itemref" and len(self.order) < _MAX_FILES:
            self.order.append(attributes.get("idref", ""))

    def end(self, name: str) -> None:
        if name in _FIELDS:
            self._field = ""

    def text(self, data: str) -> None:
        if self._field and len(self.fields[self._field]) < 2_000:
            self.fields[self._field] += data


def _read_book(package: Package) -> _Book:
    container = _Container()
    if "META-INF/container.xml" in package:
        parse(package.chunks("META-INF/container.xml"), container, package.budget)
    root = container.root or next((n for n in package.names() if n.lower().endswith(".opf")), "")
    if not root:
        raise WorldError("unreadable", reason="parts_unknown")
    book = _Book(root)
    parse(package.chunks(root), book, package.budget)
    return book


class _Container:
    """Finds the package file."""

    def __init__(self) -> None:
        self.root = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "rootfile" and not self.root:
            self.root = attributes.get("full-path", "")

    def end(self, name: str) -> None:
        """Nothing ends here."""

    def text(self, data: str) -> None:
        """The container has no text."""


class _Locked:
    """Collects the parts that are encrypted in earnest."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._method = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "EncryptionMethod":
            self._method = attributes.get("Algorithm", "")
        elif name == "CipherReference" and self._method not in _FONT_SCRAMBLING:
            self.parts.append(resolve("", attributes.get("URI", "")))

    def end(self, name: str) -> None:
        """Nothing ends here."""

    def text(self, data: str) -> None:
        """Nothing is said in words."""


def _outline(package: Package, book: _Book, chapters: list[str]) -> tuple[OutlineEntry, ...]:
    """Return the list of contents; a damage there costs no chapter."""
    places = {part.casefold(): number for number, part in enumerate(chapters, 1)}
    try:
        for item in book.items.values():
            if "nav" in item.properties.split() and item.part in package:
                data = package.read(item.part, package.budget.limits.markup_bytes)
                return tuple(_navigation(parse_markup(data, xml=True), item.part, places))
        item = book.items.get(book.contents, _Item("", "", ""))
        if item.part in package:
            listed = _Ncx(item.part, places)
            parse(package.chunks(item.part), listed, package.budget)
            return tuple(listed.entries)
    except WorldError as error:
        if error.code not in ("unreadable", "too_large"):
            raise
    return ()


def _navigation(tree: Any, base: str, places: Mapping[str, int]) -> Iterator[OutlineEntry]:
    """Yield the entries of a list of contents in HTML: links in lists in lists."""
    lists = [nav for nav in tree.css("nav") if "toc" in (nav.attributes.get("epub:type") or "")]
    for link in lists[0].css("a")[:_MAX_ENTRIES] if lists else ():
        title = " ".join((link.text() or "").split())[:300]
        page = places.get(resolve(base, link.attributes.get("href") or "").casefold())
        if title and page:
            yield OutlineEntry(_list_depth(link), title, page)


def _list_depth(node: Any) -> int:
    depth = 0
    for _ in range(4 * _MAX_DEPTH):
        node = node.parent
        if node is None or node.tag == "nav":
            break
        depth += node.tag == "ol"
    return max(depth, 1)


class _Ncx:
    """Collects the entries of the older kind of contents list."""

    def __init__(self, base: str, places: Mapping[str, int]) -> None:
        self.entries: list[OutlineEntry] = []
        self._base = base
        self._places = places
        self._depth = 0
        self._label: list[str] = []
        self._reading = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "navPoint":
            self._depth += 1
            self._label = []
        elif name == "text":
            self._reading = self._depth > 0
        elif name == "content" and self._depth:
            title = " ".join("".join(self._label).split())[:300]
            page = self._places.get(resolve(self._base, attributes.get("src", "")).casefold())
            if title and page and len(self.entries) < _MAX_ENTRIES:
                self.entries.append(OutlineEntry(min(self._depth, _MAX_DEPTH), title, page))

    def end(self, name: str) -> None:
        if name == "navPoint":
            self._depth -= 1
        elif name == "text":
            self._reading = False

    def text(self, data: str) -> None:
        if self._reading:
            self._label.append(data)


def open_source(path: Path, password: str | None, limits: Limits) -> EpubSource:  # noqa: ARG001
    """Open a book (``indexer.extract.base.Opener``)."""
    package = Package(path, limits)
    try:
        return EpubSource(package)
    except BaseException:
        package.close()
        raise
