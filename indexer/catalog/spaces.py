"""Embedding spaces: which exist, which one searches, and which documents each holds.

Owns the rows of spaces and the state of each document in a space: ``partial`` (some vectors may be
there), ``writing`` (the model is at it), ``crashed`` (the engine crashed at it too often) or
``done``. It must not know vectors or models.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from indexer.catalog.cached import CachedValues
from indexer.catalog.records import Space, Totals
from indexer.catalog.states import MAX_CRASHES, derive, derive_docs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from indexer.catalog.database import Database

_PREVIOUS = "previous_space"


class Spaces:
    """The embedding spaces of one catalog."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._totals = CachedValues[Totals](database, database.version_read)

    def add(self, key: str, record: Mapping[str, Any]) -> Space:
        """Add a space by its key, or give the one that has it already."""
        with self._db.write() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO spaces (key, record, added_ns) VALUES (?, ?, ?)",
                (key, json.dumps(dict(record)), time.time_ns()),
            )
        return next(space for space in self.all() if space.key == key)

    def all(self) -> list[Space]:
        rows = self._db.rows("SELECT id, key, active, record FROM spaces ORDER BY id")
        return [Space(row[0], row[1], bool(row[2]), json.loads(row[3])) for row in rows]

    def active(self) -> Space | None:
        """Give the space that searches use."""
        return next((space for space in self.all() if space.active), None)

    def activate(self, space: int) -> None:
        """Search in this space from now on; the states of all files follow."""
        with self._db.write() as connection:
            changed = connection.execute(
                "UPDATE spaces SET active = (id = ?) WHERE active <> (id = ?)", (space, space)
            ).rowcount
            if changed:
                derive(connection, "content IS NOT NULL")

    def switch(self, space: int) -> None:
        """Search in this space from now on, and remember the one before; one transaction."""
        with self._db.write(durable=True) as connection:
            connection.execute(
                "INSERT INTO meta (key, value) SELECT ?, id FROM spaces WHERE active AND id <> ? "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (_PREVIOUS, space),
            )
            self.activate(space)

    def previous(self) -> Space | None:
        """Give the space that was active before the last switch, if it is still there."""
        kept = self._db.value("SELECT value FROM meta WHERE key = ?", _PREVIOUS)
        return next((space for space in self.all() if str(space.id) == kept), None)

    def remove(self, space: int) -> None:
        """Forget a space, its marks and the vectors of names in it."""
        with self._db.write() as connection:
            connection.execute("DELETE FROM spaces WHERE id = ?", (space,))
            derive(connection, "content IS NOT NULL")

    def pending(self, space: int, limit: int, after: int = 0) -> list[tuple[int, int]]:
        """Give documents whose vectors are missing or unfinished, in ascending order.

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
        """Give the pending documents that the model was at when the engine crashed."""
        rows = self._db.rows(
            "SELECT doc FROM doc_spaces WHERE space = ? AND state <> 'done' "
            "AND state <> 'crashed' AND crashes > 0 ORDER BY doc",
            space,
        )
        return [row[0] for row in rows]

    def recover(self, *, blame: int = 0) -> int:
        """Reset the documents that the model was at when a run ended.

        Args:
            blame: Added to their crash counters; see ``ReadingQueue.recover``.

        Returns:
            How many are set aside with this.
        """
        with self._db.write() as connection:
            connection.execute(
                "UPDATE doc_spaces SET state = 'partial', crashes = crashes + ? "
                "WHERE state = 'writing'",
                (blame,),
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
        """Say that vectors of a document are being written.

        Returns:
            Whether some may be there already from a run that was interrupted.
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
        """Say that the store holds the vectors of all passages of a document."""
        with self._db.write() as connection:
            connection.execute(
                "INSERT INTO doc_spaces (doc, space, state, embedded) VALUES (?, ?, 'done', ?) "
                "ON CONFLICT (doc, space) DO UPDATE SET state = 'done', "
                "embedded = excluded.embedded, crashes = 0",
                (doc, space, embedded),
            )
            derive_docs(connection, "doc = ?", doc)

    def expected(self, space: int) -> dict[int, int]:
        """Give the number of vectors of each document marked as done, to check the store."""
        rows = self._db.rows(
            "SELECT doc, embedded FROM doc_spaces WHERE space = ? AND state = 'done'", space
        )
        return {doc: embedded for doc, embedded in rows}  # noqa: C416  # typed

    def reopen(self, docs: Collection[int], space: int) -> None:
        """Say that the store has lost vectors of some documents: they are pending again."""
        with self._db.write() as connection:
            for doc in docs:
                connection.execute(
                    "UPDATE doc_spaces SET state = 'partial', embedded = 0 "
                    "WHERE doc = ? AND space = ?",
                    (doc, space),
                )
                derive_docs(connection, "doc = ?", doc)

    def totals(self, space: int | None = None) -> Totals:
        """Add up the library, with the vectors of a space; of the active one, if none is given.

        Every query asks, so the sums are kept until something is written.
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
