"""Temporary folders for documents that must be converted or decrypted before they are read.

They are in the scratch folder of the child (``indexer.confine.process``), which is removed with it.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from indexer.api.types import OutlineEntry
    from indexer.extract.base import Metadata, PageSource, RawPage

PREFIX = "document-"


def folder() -> tempfile.TemporaryDirectory[str]:
    """Make a folder that only its owner may read."""
    return tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)


class ScratchSource:
    """A document in a temporary folder, which is removed when it is closed."""

    def __init__(self, source: PageSource, made_in: tempfile.TemporaryDirectory[str]) -> None:
        self._source = source
        self._folder = made_in

    @property
    def page_count(self) -> int:
        return self._source.page_count

    @property
    def metadata(self) -> Metadata:
        return self._source.metadata

    @property
    def outline(self) -> tuple[OutlineEntry, ...]:
        return self._source.outline

    def pages(self, skip: Collection[int] = ()) -> Iterator[RawPage]:
        return self._source.pages(skip)

    def close(self) -> None:
        try:
            self._source.close()
        finally:
            self._folder.cleanup()
