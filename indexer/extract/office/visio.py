"""Visio drawings: each page is read as a page, with its name as heading, then its shapes' text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.extract.office.ooxml import OfficePackage, OfficeSource
from indexer.extract.office.package import opened
from indexer.extract.office.xml import attribute, one_line
from indexer.extract.page_writer import PageWriter, read_each

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from indexer.config import Limits
    from indexer.extract.base import RawPage


class VisioSource(OfficeSource):
    """An open drawing."""

    def _pages(self, writer: PageWriter, skip: Collection[int]) -> Iterator[RawPage]:
        package = self._package
        pages = [
            (attribute(page, "Name"), package.part(part, attribute(relation, "id")))
            for part in package.related(package.main, "pages")[:1]
            for page in package.elements(part, "Page")
            for relation in page.iterchildren("{*}Rel")
        ]
        self.page_count = len(pages)
        yield from read_each(len(pages), skip, writer, partial(self._page, writer, pages))

    def _page(
        self, writer: PageWriter, pages: list[tuple[str, str]], number: int
    ) -> Iterator[None]:
        name, part = pages[number - 1]
        root, damage = self._package.tree(part)
        writer.add_block(name, BlockKind.HEADING, 1)
        for text in () if root is None else root.iter("{*}Text"):
            writer.add_block(one_line(text))
        yield
        if damage is not None:
            raise damage


def open_source(path: Path, password: str | None, limits: Limits) -> VisioSource:
    """Open a drawing (``indexer.extract.base.Opener``)."""
    return opened(OfficePackage(path, limits, "visio/document.xml", "no_text_part"), VisioSource)
