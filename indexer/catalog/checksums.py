"""The checksum of each document's rows in the store, by which damaged rows are found.

Owns storing the sums, in the transaction that marks the rows as complete. It must not know how
they are computed (``indexer.store.checksums``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.catalog.upkeep import READ_AGAIN

if TYPE_CHECKING:
    from indexer.catalog.database import Database


class Checksums:
    """The checksums of one catalog. Store each in the transaction of its completion mark."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def note_passages(self, doc: int, total: int) -> None:
        with self._db.write() as connection:
            connection.execute("UPDATE docs SET passages_checksum = ? WHERE doc = ?", (total, doc))

    def passages(self) -> dict[int, int]:
        """Return the checksums of passages, without documents that are queued for reading again."""
        rows = self._db.rows(
            "SELECT doc, passages_checksum FROM docs WHERE passages_checksum IS NOT NULL "
            "AND passages_state = 'done' AND substr(text_id, 1, ?) <> ?",
            len(READ_AGAIN),
            READ_AGAIN,
        )
        return {doc: total for doc, total in rows}  # noqa: C416  # typed
