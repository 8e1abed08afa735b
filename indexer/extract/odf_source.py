"""An OpenDocument file as a source of pages: what texts, presentations and sheets do alike.

Owns the way from an open package through the stream of its content to pages, and its closing. It
must not know the structure of any of the three; each brings a ``Body`` that writes its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.extract.odf import CONTENT, Paragraphs, open_package, read_metadata, short
from indexer.extract.page_writer import PageWriter, salvage
from indexer.extract.xml_events import feed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    from indexer.extract.base import Limits, RawPage
    from indexer.extract.package import Package
    from indexer.types import OutlineEntry


class Body(Paragraphs):
    """Writes the content of one kind of document, as its events come."""

    def page_count(self) -> int:
        """How many pages were begun so far, at least one."""
        raise NotImplementedError


class OdfSource:
    """An open document of any of the three kinds."""

    outline: tuple[OutlineEntry, ...] = ()

    def __init__(self, package: Package, body: Callable[[PageWriter], Body]) -> None:
        self._package = package
        self._body = body
        self.metadata = read_metadata(package)
        self.page_count = 1

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:  # noqa: ARG002  # one stream
        writer = PageWriter(self._package.budget)
        return salvage(self._pages(writer), writer)

    def close(self) -> None:
        self._package.close()

    def _pages(self, writer: PageWriter) -> Iterator[RawPage]:
        body = self._body(writer)
        try:
            for _ in feed(self._package.chunks(CONTENT), body, self._package.budget, short):
                yield from writer.take()
        finally:
            self.page_count = body.page_count()
        yield from writer.finish()


def open_odf(path: Path, limits: Limits, body: Callable[[PageWriter], Body]) -> OdfSource:
    """Open a document whose content ``body`` writes.

    Raises:
        WorldError: As ``odf.open_package`` does.
    """
    package = open_package(path, limits)
    try:
        return OdfSource(package, body)
    except BaseException:
        package.close()
        raise
