"""E-books in EPUB format: each file of the reading order is a page.

The table of contents is the outline. Books with copy protection are refused. EbookLib, the library
for this format, reads all pictures and recordings of a book into memory, and fails if one is
missing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.api.types import OutlineEntry
from indexer.extract.base import Metadata, RawPage, about
from indexer.extract.markup.entries import field_text
from indexer.extract.markup.html import parse_markup, read_tree
from indexer.extract.office.package import PackageSource, ZipPackage, opened, resolve
from indexer.extract.office.xml import BOOK_DATE, one_line, read_whole
from indexer.extract.page_writer import PageWriter, read_each

if TYPE_CHECKING:
    from indexer.config import Limits

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_MAX_LIST_BYTES = 4 * 1024**2  # the tree of such a list takes up to 30 times as much
_MAX_ENTRIES = 20_000
_MAX_DEPTH, _MAX_FALLBACKS = 12, 5
_SERIES = ".//{*}meta[@name='calibre:series']"
_CHAPTERS = (
    "application/xhtml+xml", "text/html", "application/x-dtbook+xml", "image/svg+xml", "",
    "text/x-oeb1-document", "text/x-oeb-document", "text/xml", "application/xml",
)  # fmt: skip
_CHAPTER_NAME = re.compile(r"\.(?:x?html?|xht)$", re.IGNORECASE)
# The two algorithms that obfuscate fonts; the text is not encrypted by them.
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


class EpubSource(PackageSource):
    """An open book."""

    def __init__(self, package: ZipPackage) -> None:
        super().__init__(package)
        base = _package_document(package)
        book, self._damage = _read(package, base)
        items = {item.get("id", ""): item for item in book.iter("{*}item")}
        order = (_chapter_of(items, entry.get("idref", "")) for entry in book.iter("{*}itemref"))
        parts = (resolve(base, item.get("href", "")) for item in order if item is not None)
        self._chapters = [part for part in dict.fromkeys(parts) if part in package]
        if self._damage is not None and not self._chapters:
            raise self._damage
        if {part.casefold() for part in self._chapters} & set(_locked(package)):
            raise WorldError("copy_protected")
        self.page_count = len(self._chapters)
        date = BOOK_DATE.match(_text(book, "date"))
        wrote = about(
            subject=", ".join(one_line(each) for each in book.iter("{*}subject")),
            description=field_text(_text(book, "description", 2_000)),
            series=next((each.get("content", "") for each in book.iterfind(_SERIES)), ""),
        )
        self.metadata = Metadata(
            _text(book, "title"), _text(book, "creator"), date[0] if date else "", about=wrote
        )
        self.outline = _outline(package, base, book, items, self._chapters)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        writer = PageWriter(self._package.budget)
        yield from read_each(self.page_count, skip, writer, partial(self._chapter, writer))
        if self._damage is not None:
            yield RawPage(self.page_count, "", unreadable=self._damage.reason)

    def _chapter(self, writer: PageWriter, number: int) -> Iterator[None]:
        part = self._chapters[number - 1]
        tree = parse_markup(
            self._package.read(part, self._package.budget.limits.markup_bytes), xml=True
        )
        writer.append(*read_tree(tree))
        yield


def _chapter_of(items: Mapping[str, Any], name: str) -> Any | None:
    """Return an entry if it is text, else its fallback, or ``None`` if neither is text."""
    for _ in range(_MAX_FALLBACKS):
        item = items.get(name)
        if (
            item is None
            or item.get("media-type", "").strip().lower() in _CHAPTERS  # old and new types
            or _CHAPTER_NAME.search(item.get("href", "").partition("#")[0])
        ):
            return item
        name = item.get("fallback", "")
    return None


def _package_document(package: ZipPackage) -> str:
    """Return the name of the package document, which lists the files of the book."""
    if _CONTAINER in package:
        for entry in _read(package, _CONTAINER)[0].iter("{*}rootfile"):
            return str(entry.get("full-path", ""))
    for name in package.names():
        if name.lower().endswith(".opf"):
            return name
    raise WorldError("unreadable", reason="parts_unknown")


def _read(package: ZipPackage, part: str) -> tuple[Any, WorldError | None]:
    """Return the root of a part, and the error of its damage, if any.

    Raises ``WorldError`` if nothing of it can be read.
    """
    root, damage = read_whole(package.read(part, _MAX_LIST_BYTES))
    if root is None and damage is not None:
        raise damage
    return root, damage


def _text(root: Any, name: str, most: int = 500) -> str:
    """Return the text of the first element with a name."""
    # OEB 1 has "dc:Title".
    node = next(root.iter(f"{{*}}{name}", f"{{*}}{name.title()}"), None)
    return one_line(node)[:most] if node is not None else ""


def _locked(package: ZipPackage) -> Iterator[str]:
    """Yield the names of encrypted parts, but not of obfuscated fonts."""
    if _ENCRYPTION not in package:
        return
    for entry in _read(package, _ENCRYPTION)[0].iter("{*}EncryptedData"):
        methods = {each.get("Algorithm") for each in entry.iter("{*}EncryptionMethod")}
        if not methods.issubset(_FONT_OBFUSCATION):
            for part in entry.iter("{*}CipherReference"):
                yield resolve("", part.get("URI", "")).casefold()


def _outline(
    package: ZipPackage, base: str, book: Any, items: Mapping[str, Any], chapters: list[str]
) -> tuple[OutlineEntry, ...]:
    """Return the table of contents (EPUB 3 or 2), empty if it is damaged."""
    places = {part.casefold(): number for number, part in enumerate(chapters, 1)}
    newer = [item for item in items.values() if "nav" in item.get("properties", "").split()]
    older = [items.get(spine.get("toc", "")) for spine in book.iter("{*}spine")]
    try:
        for item, read in (*((i, _navigation) for i in newer), *((i, _ncx) for i in older)):
            part = resolve(base, item.get("href", "")) if item is not None else ""
            if part in package:
                found: list[OutlineEntry] = []
                for level, title, target in read(package, part):
                    page = places.get(resolve(part, target).casefold())
                    if title and page and len(found) < _MAX_ENTRIES:
                        found.append(OutlineEntry(min(level, _MAX_DEPTH), title[:300], page))
                return tuple(found)
    except WorldError as error:
        if error.code not in ("unreadable", "too_large"):
            raise
    return ()


def _navigation(package: ZipPackage, part: str) -> Iterator[tuple[int, str, str]]:
    """Yield level, title and target of the entries of an EPUB 3 table, which are nested links."""
    tree = parse_markup(package.read(part, _MAX_LIST_BYTES), xml=True)
    lists = [nav for nav in tree.css("nav") if "toc" in (nav.attributes.get("epub:type") or "")]
    for link in lists[0].css("a")[:_MAX_ENTRIES] if lists else ():
        title = " ".join((link.text() or "").split())
        yield _list_depth(link), title, link.attributes.get("href") or ""


def _list_depth(node: Any) -> int:
    depth = 0
    for _ in range(4 * _MAX_DEPTH):
        node = node.parent
        if node is None or node.tag == "nav":
            break
        depth += node.tag == "ol"
    return max(depth, 1)


def _ncx(package: ZipPackage, part: str) -> Iterator[tuple[int, str, str]]:
    """Yield level, title and target of the entries of an EPUB 2 table (NCX)."""
    for point in _read(package, part)[0].iter("{*}navPoint"):
        level = 1 + sum(1 for _ in point.iterancestors("{*}navPoint"))
        label, content = point.find("{*}navLabel"), point.find("{*}content")
        title = "" if label is None else one_line(label)
        yield level, title, "" if content is None else content.get("src", "")


def open_source(path: Path, password: str | None, limits: Limits) -> EpubSource:
    """Open a book (``indexer.extract.base.Opener``)."""
    return opened(ZipPackage(path, limits), EpubSource)
