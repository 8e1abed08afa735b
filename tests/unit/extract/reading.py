"""Reads files for the tests of formats, page by page, and checks every block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.config import Limits
from indexer.extract import registry
from indexer.extract.document import pages_of

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.types import OutlineEntry
    from indexer.extract.base import Metadata, RawPage


@dataclass
class Read:
    """The pages and metadata of a file."""

    form: str
    pages: list[RawPage]
    count: int
    metadata: Metadata
    outline: tuple[OutlineEntry, ...]

    @property
    def text(self) -> str:
        return "\n".join(page.text for page in self.pages)

    @property
    def unreadable(self) -> list[int]:
        return [page.number for page in self.pages if page.unreadable]

    def blocks(self, page: int = 0) -> list[tuple[str, str]]:
        """Kinds and texts of the blocks of a page, or of all; headings have their level."""
        return [
            (f"{block.kind.value}{block.level or ''}", each.text[block.start : block.end])
            for each in self.pages
            for block in each.blocks
            if page in (0, each.number)
        ]


def read(path: Path, limits: Limits | None = None) -> Read:
    form = registry.identify(path)
    source = registry.opener(form)(path, None, limits or Limits())
    try:
        pages = list(pages_of(source))
        check(pages, source.page_count)
        return Read(form.name, pages, source.page_count, source.metadata, source.outline)
    finally:
        source.close()


def check(pages: list[RawPage], count: int) -> None:
    """Check that blocks are ordered ranges of their page, and that page numbers ascend.

    Parts, and reasons why pages are not whole, may follow all pages.
    """
    before = 1
    for page in pages:
        assert (1 if page.part or not page.text else before) <= page.number <= max(count, 1)
        before = page.number
        page.text.encode("utf-8")
        end = 0
        for block in page.blocks:
            assert end <= block.start < block.end <= len(page.text)
            end = block.end
