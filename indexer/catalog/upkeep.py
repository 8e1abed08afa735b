"""Documents that nothing needs any more, and files that are to be read again.

Owns how both are found and queued, for the end of a run, a newer extractor, and repairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.catalog.states import derive

if TYPE_CHECKING:
    from collections.abc import Collection

    from indexer.catalog.database import Database

_OUTDATED = """
fixed_state = '' AND content IN (SELECT id FROM contents WHERE extractor_version < ?)
"""
_COUNT_OUTDATED = f"SELECT count(*) FROM files WHERE {_OUTDATED}"  # a constant
_REQUEUE_OUTDATED = f"UPDATE files SET pending = 2 WHERE pending = 0 AND {_OUTDATED}"
_ORPHANS_LEFT = """
SELECT doc FROM docs WHERE NOT EXISTS (SELECT 1 FROM contents c JOIN files f
    ON f.content = c.id OR f.next_content = c.id WHERE c.doc = docs.doc) ORDER BY doc
"""
_LOST_CONTENTS = """
content IS NULL AND next_content IS NULL AND pending = 0 AND fixed_state = '' AND code = ''
"""
_FILES_WITHOUT = f"SELECT id FROM files WHERE {_LOST_CONTENTS}"  # a constant
# Stands before the name of a text that is to be read again though no version has changed.
READ_AGAIN = "again: "


class Upkeep:
    """The upkeep of one catalog's documents."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def orphans(self) -> list[int]:
        """Give the documents that no file needs any more.

        Ask once the queue is empty: what a scan found elsewhere is bound to its document only
        when its turn comes. Delete them in the store, then call ``forget``.
        """
        with self._db.write() as connection:
            connection.execute(
                "DELETE FROM contents WHERE id NOT IN "
                "(SELECT content FROM files WHERE content IS NOT NULL "
                "UNION SELECT next_content FROM files WHERE next_content IS NOT NULL)"
            )
        rows = self._db.rows(
            "SELECT doc FROM docs WHERE doc NOT IN "
            "(SELECT doc FROM contents WHERE doc IS NOT NULL) ORDER BY doc"
        )
        return [row[0] for row in rows]

    def outdated(self, extractor_version: int) -> int:
        """Count the files that an older extractor read."""
        return int(self._db.value(_COUNT_OUTDATED, extractor_version))

    def requeue_outdated(self, extractor_version: int) -> int:
        """Queue quietly what an older extractor read; the old text is searched until then."""
        with self._db.write() as connection:
            return connection.execute(_REQUEUE_OUTDATED, (extractor_version,)).rowcount

    def orphans_left(self) -> list[int]:
        """Give the documents that no file holds, and that wait to be dropped."""
        return [row[0] for row in self._db.rows(_ORPHANS_LEFT)]

    def files_without_contents(self) -> list[int]:
        """Give the files that count as read though nothing is known of their contents."""
        return [row[0] for row in self._db.rows(_FILES_WITHOUT)]

    def requeue_without_contents(self) -> int:
        """Queue these files again."""
        files = self.files_without_contents()
        with self._db.write() as connection:
            for file in files:
                connection.execute("UPDATE files SET pending = 1 WHERE id = ?", (file,))
                derive(connection, "id = ?", file)
        return len(files)

    def read_again(self, docs: Collection[int]) -> int:
        """Have documents read again quietly; they answer until then and keep their vectors.

        Returns:
            How many files were queued.
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
                queued += connection.execute(
                    "UPDATE files SET pending = 2 WHERE pending = 0 AND content IN "
                    "(SELECT id FROM contents WHERE doc = ?)",
                    (doc,),
                ).rowcount
        return queued
