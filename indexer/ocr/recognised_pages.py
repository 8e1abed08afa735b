"""The recognised pages of one file, as a child reads them from the cache.

Owns read-only access; a cache that is missing, damaged or locked for long counts as empty. All
pages are loaded before the file is opened, because the reader of the file is then confined to it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.ocr.cache_file import FILE_NAME
from indexer.ocr.layer import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from indexer.ocr.hocr import RecognisedLine

_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class RecognisedPage:
    """The recognised lines of a page, or why there are none."""

    lines: tuple[RecognisedLine, ...] = ()
    reason: str = ""


_NOTHING = RecognisedPage()


@dataclass(frozen=True, slots=True)
class RecognisedPages:
    """The recognised pages of one file from the cache, by page number from 1."""

    pages: Mapping[int, tuple[bytes | None, str]] = field(default_factory=dict)

    @classmethod
    def load(cls, library: Path | None, size: int, content: Callable[[], str]) -> RecognisedPages:
        """Take the pages of a file from the cache.

        Args:
            library: The folder of the library, None if there is none.
            size: Of the file, in bytes.
            content: Gives the hash of its bytes; only asked for files that may have such pages.
        """
        try:
            with _open(library) as connection:
                if connection is None or not _may_be_known(connection, size):
                    return cls()
                rows = connection.execute(
                    "SELECT page, words, reason FROM pages JOIN contents c ON c.id = content "
                    "WHERE c.content_id = ?",
                    (content(),),
                )
                return cls({page: (words, reason) for page, words, reason in rows})
        except (sqlite3.Error, OSError):
            return cls()

    def page(self, number: int) -> RecognisedPage:
        """Return what was recognised on a page."""
        words, reason = self.pages.get(number, (None, ""))
        if words is None:
            return RecognisedPage((), reason) if reason else _NOTHING
        return RecognisedPage(tuple(unpack(words)))


def _open(library: Path | None) -> contextlib.AbstractContextManager[sqlite3.Connection | None]:
    path = None if library is None else library / FILE_NAME
    if path is None or not path.exists():
        return contextlib.nullcontext()
    address = f"{path.absolute().as_uri()}?mode=ro"
    return contextlib.closing(sqlite3.connect(address, uri=True, timeout=_WAIT_S))


def _may_be_known(connection: sqlite3.Connection, size: int) -> bool:
    found = connection.execute("SELECT 1 FROM contents WHERE size = ? LIMIT 1", (size,))
    return found.fetchone() is not None
