"""Embedding spaces: which exist, which one is active, and which documents each holds.

Owns the rows of spaces and the state of each document in a space: ``partial`` (some vectors may
exist), ``writing`` (being embedded), ``crashed`` (embedding it crashed the engine too often) or
``done``. It must not know vectors or models.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from indexer.catalog.records import Space, Totals
from indexer.catalog.states import FOR_MEMORY, MAX_CRASHES, UNEXPLAINED, derive, derive_docs
from indexer.database import CachedValues

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from indexer.database import Database

_PREVIOUS = "previous_space"


class Spaces:
    """The embedding spaces of one catalog."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._totals = CachedValues[Totals](database, database.version_read)

    def add(self, key: str, record: Mapping[str, Any]) -> Space:
        """Add a space, or return the one that has this key."""
        with self._db.write() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO spaces (key, record, added_ns) VALUES (?, ?, ?)",
                (key, json.dumps(dict(record)), time.time_ns()),
            )
        return next(space for space in self.all() if space.key == key)

    def all(self) -> list[Space]:
        rows = self._db.rows("SELECT id, key, active, record FROM spaces ORDER BY id")
        return [Space(row[0], row[1], bool(row[2]), json.loads(row[3])) for row in rows]

    def searchable(self) -> list[Space]:
        """Return the spaces that searches may use: all but those of token vectors."""
        return [space for space in self.all() if not space.of_tokens]

    def of_tokens(self) -> Space | None:
        """Return the space of a late-interaction model's token vectors."""
        return next((space for space in self.all() if space.of_tokens), None)

    def active(self) -> Space | None:
        """Return the space that searches use."""
        return next((space for space in self.all() if space.active), None)

    def activate(self, space: int) -> None:
        """Make a space the active one, and derive the states of all files."""
        with self._db.write() as connection:
            changed = connection.execute(
                "UPDATE spaces SET active = (id = ?) WHERE active <> (id = ?)", (space, space)
            ).rowcount
            if changed:
                derive(connection, "content IS NOT NULL")

    def switch(self, space: int) -> None:
        """Activate a space and store which was active before, in one transaction."""
        with self._db.write(durable=True) as connection:
            connection.execute(
                "INSERT INTO meta (key, value) SELECT ?, id FROM spaces WHERE active AND id <> ? "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (_PREVIOUS, space),
            )
            self.activate(space)

    def previous(self) -> Space | None:
        """Return the space that was active before the last switch, if it still exists."""
        kept = self._db.value("SELECT value FROM meta WHERE key = ?", _PREVIOUS)
        return next((space for space in self.all() if str(space.id) == kept), None)

    def remove(self, space: int) -> None:
        """Delete a space, its marks and the vectors of names in it."""
        with self._db.write() as connection:
            connection.execute("DELETE FROM spaces WHERE id = ?", (space,))
            derive(connection, "content IS NOT NULL")

    def pending(self, space: int, limit: int, after: int = 0) -> list[tuple[int, int]]:
        """Return documents whose vectors are missing or unfinished, in ascending order.

        Those that crashed the engine too often are left out.

        Returns:
            ``(doc, passages)`` with ``doc > after``.
        """
        return self._db.rows(
            "SELECT d.doc, d.passages FROM docs d LEFT JOIN doc_spaces v "
            "ON v.doc = d.doc AND v.space = ? WHERE d.passages_state = 'done' AND d.doc > ? "
            "AND (v.state IS NULL OR v.state NOT IN ('done', 'crashed')) ORDER BY d.doc LIMIT ?",
            space,
            after,
            limit,
        )

    def suspects(self, space: int) -> list[int]:
        """Return the pending documents that were being embedded when the engine crashed."""
        rows = self._db.rows(
            "SELECT doc FROM doc_spaces WHERE space = ? AND state <> 'done' "
            "AND state <> 'crashed' AND crashes > 0 ORDER BY doc",
            space,
        )
        return [row[0] for row in rows]

    def recover(self, *, blame: int = 0) -> int:
        """Reset the documents that were being embedded when a run ended.

        Args:
            blame: Added to their crash counters; see ``ReadingQueue.recover``.

        Returns:
            How many reached ``MAX_CRASHES`` and are not embedded any more.
        """
        with self._db.write() as connection:
            connection.execute(
                "UPDATE doc_spaces SET state = 'partial', "
                "crashes = max(crashes + ?, ?) WHERE state = 'writing'",
                # How much the model needs does not depend on the document.
                (0, UNEXPLAINED) if blame == FOR_MEMORY else (blame, 0),
            )
            rows = connection.execute(
                "UPDATE doc_spaces SET state = 'crashed' "
                "WHERE state = 'partial' AND crashes >= ? RETURNING doc",
                (MAX_CRASHES,),
            ).fetchall()
            for (doc,) in rows:
                derive_docs(connection, "doc = ?", doc)
        return len(rows)

    def begin(self, doc: int, space: int) -> bool:
        """Mark a document as being embedded.

        Returns:
            Whether an interrupted run may have written some of its vectors.
        """
        with self._db.write() as connection:
            row = connection.execute(
                "SELECT state FROM doc_spaces WHERE doc = ? AND space = ?", (doc, space)
            ).fetchone()
            connection.execute(
                "INSERT INTO doc_spaces (doc, space, state) VALUES (?, ?, 'writing') "
                "ON CONFLICT (doc, space) DO UPDATE SET state = 'writing' WHERE state <> 'done'",
                (doc, space),
            )
        return row is not None

    def finish(self, doc: int, space: int, embedded: int) -> None:
        """Mark a document's vectors as complete in the store."""
        with self._db.write() as connection:
            connection.execute(
                "INSERT INTO doc_spaces (doc, space, state, embedded) VALUES (?, ?, 'done', ?) "
                "ON CONFLICT (doc, space) DO UPDATE SET state = 'done', "
                "embedded = excluded.embedded, crashes = 0",
                (doc, space, embedded),
            )
            derive_docs(connection, "doc = ?", doc)

    def expected(self, space: int) -> dict[int, int]:
        """Return the number of vectors of each document marked as done, to check the store."""
        rows = self._db.rows(
            "SELECT doc, embedded FROM doc_spaces WHERE space = ? AND state = 'done'", space
        )
        return {doc: embedded for doc, embedded in rows}  # noqa: C416  # typed

    def reopen(self, docs: Collection[int], space: int) -> None:
        """Mark documents as pending again, because the store has lost some of their vectors."""
        with self._db.write() as connection:
            for doc in docs:
                connection.execute(
                    "UPDATE doc_spaces SET state = 'partial', embedded = 0 "
                    "WHERE doc = ? AND space = ?",
                    (doc, space),
                )
                derive_docs(connection, "doc = ?", doc)

    def totals(self, space: int | None = None) -> Totals:
        """Return the totals of the library in a space, by default in the active one.

        Cached until the next commit, since every query reads them.
        """
        return self._totals.get(space, lambda: self._add_up(space))

    def _add_up(self, space: int | None) -> Totals:
        counts = self._db.rows(
            "SELECT count(*), coalesce(sum(passages), 0), coalesce(sum(characters), 0), "
            "coalesce(sum(pages), 0) FROM docs WHERE passages_state = 'done'"
        )[0]
        embedded = self._db.value(
            "SELECT coalesce(sum(embedded), 0) FROM doc_spaces WHERE state = 'done' "
            "AND space = coalesce(?, (SELECT id FROM spaces WHERE active))",
            space,
        )
        queued = self._db.value("SELECT count(*) FROM files WHERE pending > 0 AND fixed_state = ''")
        return Totals(counts[0], counts[1], embedded, counts[2], counts[3], queued)
