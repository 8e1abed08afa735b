"""Finds documents that no file needs any more, and queues files that must be read again.

It is used at the end of a run, after an update of the extractor, and in repair.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from indexer.catalog.states import derive, queue_quietly

if TYPE_CHECKING:
    from indexer.database import Database

_OUTDATED = """
fixed_state = '' AND content IN (SELECT id FROM contents WHERE extractor_version < ?)
"""
_COUNT_OUTDATED = f"SELECT count(*) FROM files WHERE {_OUTDATED}"  # a constant
_ORPHANS_LEFT = """
SELECT doc FROM docs WHERE NOT EXISTS (SELECT 1 FROM contents c JOIN files f
    ON f.content = c.id OR f.next_content = c.id WHERE c.doc = docs.doc) ORDER BY doc
"""
_LOST_CONTENTS = """
content IS NULL AND next_content IS NULL AND pending = 0 AND fixed_state = '' AND code = ''
"""
_FILES_WITHOUT = f"SELECT id FROM files WHERE {_LOST_CONTENTS}"  # a constant
# The prefix of a document's text_id if the same extractor version must read it again.
READ_AGAIN = "again: "


class Upkeep:
    """Maintenance of one catalog's documents."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def orphans(self) -> list[int]:
        """Return the documents that no file needs any more.

        Call this with an empty queue, because a file that a scan found at another path is bound to
        its document only when it is read. Delete the documents in the store, then call ``forget``.
        """
        self._db.change(
            "DELETE FROM contents WHERE id NOT IN "
            "(SELECT content FROM files WHERE content IS NOT NULL "
            "UNION SELECT next_content FROM files WHERE next_content IS NOT NULL)"
        )
        return self._db.column(
            "SELECT doc FROM docs WHERE doc NOT IN "
            "(SELECT doc FROM contents WHERE doc IS NOT NULL) ORDER BY doc"
        )

    def outdated(self, extractor_version: int) -> int:
        """Count the files that an older extractor read."""
        return int(self._db.value(_COUNT_OUTDATED, extractor_version))

    def requeue_outdated(self, extractor_version: int) -> int:
        """Queue files that an older extractor read; their state and text stay until then."""
        with self._db.write() as connection:
            return queue_quietly(connection, _OUTDATED, extractor_version)

    def orphans_left(self) -> list[int]:
        """Return the documents that no file has and that are not deleted yet."""
        return self._db.column(_ORPHANS_LEFT)

    def files_without_contents(self) -> list[int]:
        """Return the files that are marked as read but have no row of contents."""
        return self._db.column(_FILES_WITHOUT)

    def requeue_without_contents(self) -> int:
        """Queue the files of ``files_without_contents``."""
        files = self.files_without_contents()
        with self._db.write() as connection:
            for file in files:
                connection.execute("UPDATE files SET pending = 1 WHERE id = ?", (file,))
                derive(connection, "id = ?", file)
        return len(files)

    def to_be_read_again(self) -> list[int]:
        """Return the documents that ``read_again`` has queued and that were not read since."""
        prefix = "SELECT doc FROM docs WHERE substr(text_id, 1, ?) = ?"
        return self._db.column(prefix, len(READ_AGAIN), READ_AGAIN)

    def read_again(self, docs: Collection[int]) -> int:
        """Queue documents to be read again; they stay searchable and keep their vectors.

        Returns the number of queued files.
        """
        queued = 0
        with self._db.write() as connection:
            for doc in docs:
                connection.execute(
                    "UPDATE docs SET text_id = ? || text_id WHERE doc = ? "
                    "AND substr(text_id, 1, ?) <> ?",
                    (READ_AGAIN, doc, len(READ_AGAIN), READ_AGAIN),
                )
                connection.execute(
                    "UPDATE contents SET extractor_version = -doc WHERE doc = ?", (doc,)
                )
                having = "content IN (SELECT id FROM contents WHERE doc = ?)"
                queued += queue_quietly(connection, having, doc)
        return queued
