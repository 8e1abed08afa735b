"""OpenDocument files: what texts, presentations and spreadsheets share.

Owns reading the content in pieces (a paragraph, a row, a slide), each a small lxml tree, and the
metadata; ``odf_text`` has the text of paragraphs, and each kind of document a ``Body`` that handles
its pieces. odfdo, the library for this format, needs 344 MB for 20,000 rows of ten cells, of the
350 of a child, expands a row that is repeated a million times, reads nothing of a damaged file, and
loses text with ruby.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from indexer.api.errors import WorldError
from indexer.extract.base import Metadata
from indexer.extract.office.odf_text import short
from indexer.extract.office.package import PackageSource, ZipPackage, opened
from indexer.extract.office.xml import plausible_date, read_pieces
from indexer.extract.page_writer import PageWriter, salvage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from indexer.config import Limits
    from indexer.extract.base import RawPage

_CONTENT, _META, _MANIFEST = "content.xml", "meta.xml", "META-INF/manifest.xml"


class Body:
    """Writes the content of one kind of document, piece by piece.

    Args:
        writer: Receives the text.

    Attributes:
        open: The elements that are too large to be pieces; an element is a piece if all its
            ancestors are among these.
    """

    open: ClassVar[frozenset[str]] = frozenset({"office:document-content", "office:body"})

    def __init__(self, writer: PageWriter) -> None:
        self.writer = writer

    def handle(self, piece: Any) -> None:
        """Write a piece, or end an open element, which has no pieces any more."""
        raise NotImplementedError

    def page_count(self) -> int:
        """The number of pages so far, at least 1."""
        raise NotImplementedError


class OdfSource(PackageSource):
    """An open text, presentation or spreadsheet."""

    def __init__(self, package: ZipPackage, body: Callable[[PageWriter], Body]) -> None:
        super().__init__(package)
        self._body = body
        self.metadata = _metadata(package)

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:  # one stream
        writer = PageWriter(self._package.budget)
        return salvage(self._pages(writer), writer)

    def _pages(self, writer: PageWriter) -> Iterator[RawPage]:
        body = self._body(writer)
        try:
            for piece in _pieces(self._package, _CONTENT, body.open):
                body.handle(piece)
                yield from writer.completed()
        finally:
            self.page_count = body.page_count()
        yield from writer.finish()


def open_odf(path: Path, limits: Limits, body: Callable[[PageWriter], Body]) -> OdfSource:
    """Open a document whose content is written by ``body``.

    Raises:
        WorldError: ``needs_password`` if its parts are encrypted, and those of ``ZipPackage``.
    """

    def source(package: ZipPackage) -> OdfSource:
        if _is_encrypted(package):
            raise WorldError("needs_password")
        if _CONTENT not in package:
            raise WorldError("unreadable", reason="no_text_part")
        return OdfSource(package, body)

    return opened(ZipPackage(path, limits), source)


def _pieces(package: ZipPackage, part: str, containers: frozenset[str]) -> Iterator[Any]:
    """Yield the elements of a part whose ancestors are all containers; see ``read_pieces``."""
    return read_pieces(package.chunks(part), package.budget, lambda tag: short(tag) in containers)


def _is_encrypted(package: ZipPackage) -> bool:
    if _MANIFEST not in package:
        return False
    entries = _pieces(package, _MANIFEST, frozenset({"manifest:manifest"}))
    return any(short(each.tag) == "manifest:encryption-data" for one in entries for each in one)


def _metadata(package: ZipPackage) -> Metadata:
    """Return the metadata; of a damaged part, what precedes the damage."""
    values: dict[str, str] = {}
    if _META in package:
        containers = frozenset({"office:document-meta", "office:meta"})
        try:
            for field in _pieces(package, _META, containers):
                text = "".join(field.itertext())[:2_000]
                values.setdefault(short(field.tag), " ".join(text.split())[:500])
        except WorldError as error:
            if error.code != "unreadable":
                raise
    author = values.get("meta:initial-creator", "") or values.get("dc:creator", "")
    created = plausible_date(values.get("meta:creation-date", ""))
    return Metadata(values.get("dc:title", ""), author, created)
