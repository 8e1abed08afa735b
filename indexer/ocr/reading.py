"""What was recognised on the pages of one file, as a child reads it.

Owns reading the cache without ever writing it; a cache that is missing, damaged or being written
for long holds nothing. It must not know pages beyond their numbers.
"""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.ocr.cache import FILE_NAME
from indexer.ocr.layer import unpack

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.ocr.hocr import Line

_WAIT_S = 2.0


@dataclass(frozen=True, slots=True)
class Recognised:
    """What is known of a page: its lines, or why there are none."""

    lines: tuple[Line, ...] = ()
    reason: str = ""


_NOTHING = Recognised()


@dataclass(slots=True)
class RecognisedPages:
    """The recognised pages of one file.

    Args:
        library: The folder of the library, None if there is none.
        size: Of the file, in bytes.
        content: Gives the hash of its bytes; only asked for files that may have such pages.
    """

    library: Path | None
    size: int
    content: Callable[[], str]
    _content: str = ""

    def of(self, page: int) -> Recognised:
        """Give what was recognised on a page."""
        try:
            with self._open() as connection:
                if connection is None or not self._may_be_known(connection):
                    return _NOTHING
                row = connection.execute(
                    "SELECT words, reason FROM pages JOIN contents c ON c.id = content "
                    "WHERE c.content_id = ? AND page = ?",
                    (self._content, page),
                ).fetchone()
        except (sqlite3.Error, OSError):
            return _NOTHING
        if row is None:
            return _NOTHING
        words, reason = row
        return Recognised((), reason) if words is None else Recognised(tuple(unpack(words)))

    def _open(self) -> contextlib.AbstractContextManager[sqlite3.Connection | None]:
        path = None if self.library is None else self.library / FILE_NAME
        if path is None or not path.exists():
            return contextlib.nullcontext()
        address = f"{path.absolute().as_uri()}?mode=ro"
        return contextlib.closing(sqlite3.connect(address, uri=True, timeout=_WAIT_S))

    def _may_be_known(self, connection: sqlite3.Connection) -> bool:
        if not self._content:
            size = "SELECT 1 FROM contents WHERE size = ? LIMIT 1"
            if connection.execute(size, (self.size,)).fetchone() is None:
                return False
            self._content = self.content()
        return True
