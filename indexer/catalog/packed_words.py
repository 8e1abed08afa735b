"""The words of short texts, packed by ``search.catalog_words``, to be made again at will.

Owns their table. It must not know what is packed, or how.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.catalog.database import Database


class PackedWords:
    """The packed words of one catalog."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def load(self, kind: str, version: int) -> tuple[int, bytes] | None:
        """Return the id of the last text and the bytes that were saved; None for others.

        Args:
            kind: What is packed.
            version: How it is packed.
        """
        rows = self._db.rows(
            "SELECT last, packed, checksum FROM packed_words WHERE kind = ? AND version = ?",
            kind,
            version,
        )
        for last, packed, checksum in rows:
            if zlib.crc32(packed) == checksum:
                return last, packed
        return None

    def save(self, kind: str, version: int, last: int, packed: bytes) -> None:
        """Keep packed words in place of those before."""
        with self._db.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO packed_words (kind, version, last, checksum, packed) "
                "VALUES (?, ?, ?, ?, ?)",
                (kind, version, last, zlib.crc32(packed), packed),
            )
