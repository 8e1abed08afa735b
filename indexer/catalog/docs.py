"""Documents, one per text, and embedding spaces with the documents that are complete in each.

This module owns the mapping from a file's bytes to its document, and the completion marks. The
store commits before a mark is set here, so a kill in between leaves no incomplete document marked.
It also owns the spaces, which one is active, and the state of each document in each space:
``partial`` (some vectors may exist), ``writing`` (being embedded), ``crashed`` (embedding it
crashed the engine too often) or ``done``.
"""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.catalog.choices import read_choice, write_choice
from indexer.catalog.names import add_title, correct_document
from indexer.catalog.records import Begun, DocRow, Space, Totals
from indexer.catalog.states import FOR_MEMORY, MAX_CRASHES, UNEXPLAINED, derive, derive_docs
from indexer.database import CachedValues, signed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

    from indexer.api.types import DocumentInfo
    from indexer.arrays import Int32s, Mask
    from indexer.catalog.states import Stamp
    from indexer.database import Database

# One durable transaction reserves this many ids. After a power cut the store may have passages of a
# document whose row is lost, and no other text may get its id.
RESERVED = 256
RESERVED_UNTIL = "docs_reserved"  # the key of ``meta`` with the first id that is not reserved

_DOC_COLUMNS = (
    "doc, text_id, title_used, title, author, created, language, pages, characters, passages, "
    "coalesce(sent_last_ns, 0)"
)

_NONE = "''"

_INSERT_EARLIER = """
INSERT INTO earlier_docs (doc, earlier)
SELECT ?, c.doc FROM files f JOIN contents c ON c.id = f.content
WHERE f.id = ? AND c.doc IS NOT NULL
"""
_ORPHANS_LEFT = """
SELECT doc FROM docs WHERE NOT EXISTS (SELECT 1 FROM contents c JOIN files f
    ON f.content = c.id OR f.next_content = c.id WHERE c.doc = docs.doc) ORDER BY doc
"""
# The largest time in seconds whose nanoseconds fit 64 bits.
_LATEST_S = 2**63 // 10**9
# How many earlier texts are followed, for files edited again before their text was embedded.
_EARLIER_TEXTS = 4
_EARLIER = f"""
WITH RECURSIVE chain (doc, depth) AS (
    SELECT earlier, 1 FROM earlier_docs WHERE doc = ?
    UNION SELECT e.earlier, depth + 1 FROM chain JOIN earlier_docs e ON e.doc = chain.doc
    WHERE depth < {_EARLIER_TEXTS}
) SELECT doc FROM chain ORDER BY depth
"""  # built from a constant


class Docs:
    """The documents of one catalog."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._next = 0
        self._reserved = 0
        self._languages = CachedValues[dict[str, int]](database, database.files_version_read)
        self._mailed = CachedValues[dict[int, "NDArray[np.str_]"]](
            database, database.files_version_read
        )

    def link(
        self, file: int, content_id: str, stamp: Stamp, file_format: str, extractor_version: int
    ) -> bool:
        """Bind a file to its bytes if this version of the extractor has read them before.

        The stamp is that of the hashed file, and the format that of its name.

        Returns:
            Whether these bytes were read before, so that the file need not be read.
        """
        with self._db.write() as connection:
            row = connection.execute(
                "SELECT c.id FROM contents c LEFT JOIN docs d ON d.doc = c.doc "
                "WHERE c.content_id = ? AND c.format = ? AND c.extractor_version = ? "
                "AND (c.state <> '' OR d.passages_state = 'done')",
                (content_id, file_format, extractor_version),
            ).fetchone()
            if row is None:
                return False
            self._db.mark_files_changed()
            _stamp(connection, file, stamp)
            connection.execute(
                "UPDATE files SET next_content = ?, in_flight = 1 WHERE id = ?", (row[0], file)
            )
            _finalise(connection, "id = ?", file)
        return True

    def begin(
        self, file: int, content_id: str, stamp: Stamp, info: DocumentInfo, *, title_used: str
    ) -> Begun:
        """Bind a file that was read to the document of its text, which is made if the text is new.

        If passages have to be written, delete the document's rows in the store, write the passages,
        and call ``finish_passages``. Until then the file stays in flight. ``title_used`` is the
        title that is embedded with each passage.
        """
        if not self._db.in_write and self._next >= self._reserved:
            self._reserve()
        bad = json.dumps(list(info.bad_pages)) if info.bad_pages else ""
        with self._db.write() as connection:
            row = connection.execute(
                "SELECT doc, passages_state FROM docs WHERE text_id = ?", (info.text_id,)
            ).fetchone()
            doc, state = row or (self._insert(connection, info, title_used), "none")
            if row is None:
                connection.execute(_INSERT_EARLIER, (doc, file))
            # The key has the format of the name, as in ``link``.
            named = connection.execute("SELECT format FROM files WHERE id = ?", (file,)).fetchone()
            promised = named[0] if named else info.format
            content = connection.execute(
                "INSERT INTO contents (content_id, format, extractor_version, doc, pages, "
                "bad_pages, detail) VALUES (?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (content_id, format, extractor_version) DO UPDATE SET "
                "doc = excluded.doc, state = '', code = '', detail = excluded.detail, "
                "pages = excluded.pages, bad_pages = excluded.bad_pages RETURNING id",
                (content_id, promised, info.extractor_version, doc, info.pages, bad, info.lost),
            ).fetchone()[0]
            _stamp(connection, file, stamp)
            connection.execute("UPDATE files SET next_content = ? WHERE id = ?", (content, file))
            if state == "none":
                connection.execute(
                    "UPDATE docs SET passages_state = 'writing' WHERE doc = ?", (doc,)
                )
            elif state == "done":
                self._db.mark_files_changed()
                _finalise(connection, "next_content = ?", content)
        return Begun(doc, write_passages=state == "none")

    def finish_passages(self, doc: int, passages: int) -> None:
        """Mark a document's passages as complete in the store: it is searchable by words."""
        with self._db.write() as connection:
            self._db.mark_files_changed()
            connection.execute(
                "UPDATE docs SET passages_state = 'done', passages = ? WHERE doc = ?",
                (passages, doc),
            )
            contents = connection.execute("SELECT id FROM contents WHERE doc = ?", (doc,))
            for (content,) in contents.fetchall():
                _finalise(connection, "next_content = ?", content)

    def forget(self, docs: Collection[int], *, failed: int = 0) -> None:
        """Delete documents whose rows the store has deleted; files that need them are queued.

        The file ``failed`` is not queued, as its failure is recorded next; it would be read
        endlessly.
        """
        with self._db.write() as connection:
            self._db.mark_files_changed()
            for doc in docs:
                files = connection.execute(
                    "SELECT f.id FROM contents c JOIN files f "
                    "ON f.content = c.id OR f.next_content = c.id WHERE c.doc = ?",
                    (doc,),
                ).fetchall()
                connection.execute("DELETE FROM contents WHERE doc = ?", (doc,))
                connection.execute("DELETE FROM docs WHERE doc = ?", (doc,))
                for (file,) in files:
                    connection.execute(
                        "UPDATE files SET in_flight = 0, pending = 1 "
                        "WHERE id = ? AND code = '' AND content IS NULL AND id != ?",
                        (file, failed),
                    )
                    derive(connection, "id = ?", file)

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

    def orphans_left(self) -> list[int]:
        """Return the documents that no file has and that are not deleted yet."""
        return self._db.column(_ORPHANS_LEFT)

    def docs_by_id(self, docs: Iterable[int], *, labels: bool = False) -> dict[int, DocRow]:
        """Return documents by id, on demand with page labels; unknown ids are left out.

        Labels are optional, as a book has many and thousands of documents may be requested.
        """
        rows = self._db.rows(
            f"SELECT {_DOC_COLUMNS}, {'labels' if labels else _NONE} FROM docs "
            "WHERE doc IN (SELECT value FROM json_each(?))",
            json.dumps([int(doc) for doc in docs]),
        )
        found = ((*row, tuple(json.loads(labels or "[]"))) for *row, labels in rows)
        return {row[0]: DocRow(*row) for row in found}

    def labelled(self, labels: Iterable[str]) -> dict[int, frozenset[int]]:
        """Return, by document, the pages that have one of some printed labels.

        The labels are in small letters and not equal to the number of their sheet.
        """
        wanted = set(labels)
        rows = self._db.rows(
            "SELECT doc, labels FROM docs WHERE labels <> '' AND EXISTS "
            "(SELECT 1 FROM json_each(?) WHERE instr(lower(labels), value))",
            json.dumps([json.dumps(label, ensure_ascii=False) for label in wanted]),
        )
        found = (
            (
                doc,
                {at for at, label in enumerate(json.loads(printed), 1) if label.lower() in wanted},
            )
            for doc, printed in rows
        )
        return {doc: frozenset(pages) for doc, pages in found if pages}

    def unsent(self, first: str, last: str) -> dict[int, Mask]:
        """Return masks of the mails of each mailbox that were sent outside a range of ISO days.

        Only the first ``MAX_LABELS`` mails are known. Days are cached, as every query reads them.
        """
        known = self._mailed.get(None, self._read_mailed)
        return {doc: (days < first) | (days > last) for doc, days in known.items()}

    def _read_mailed(self) -> dict[int, NDArray[np.str_]]:
        rows = self._db.rows(
            "SELECT DISTINCT d.doc, d.labels FROM docs d JOIN contents c ON c.doc = d.doc "
            "WHERE c.format = 'mbox' AND d.labels <> ''"
        )
        return {doc: np.array(json.loads(days), "U10") for doc, days in rows}

    def earlier(self, doc: int) -> list[int]:
        """Return the documents that the same file held before, the latest first."""
        return self._db.column(_EARLIER, doc)

    def known(self) -> Int32s:
        """Return the ids of all documents, ascending; the store must not hold any other."""
        return np.array(self._db.column("SELECT doc FROM docs ORDER BY doc"), np.int32)

    def expected(self) -> dict[int, int]:
        """Return the number of passages of each written document, to check the store against."""
        return dict(self._db.rows("SELECT doc, passages FROM docs WHERE passages_state = 'done'"))

    def languages(self) -> dict[str, int]:
        """Count the written documents by language; "" is unknown. Cached, as every query asks."""
        done = "SELECT language, count(*) FROM docs WHERE passages_state = 'done' GROUP BY language"
        return dict(self._languages.get(None, lambda: dict(self._db.rows(done))))

    def _reserve(self) -> None:
        with self._db.write(durable=True) as connection:
            first = self._reserved_row(connection)
        # Set after the commit, which fails on a full disk.
        self._next, self._reserved = first, first + RESERVED

    @staticmethod
    def _reserved_row(connection: sqlite3.Connection) -> int:
        first = int(read_choice(connection, RESERVED_UNTIL) or 1)
        write_choice(connection, RESERVED_UNTIL, str(first + RESERVED))
        return first

    def _insert(self, connection: sqlite3.Connection, info: DocumentInfo, title_used: str) -> int:
        if self._next >= self._reserved:
            self._next = self._reserved_row(connection)
            self._reserved = self._next + RESERVED
        doc = self._next
        self._next += 1
        connection.execute(
            "INSERT INTO docs (doc, text_id, title_used, title, author, created, language, "
            "labels, pages, characters, sent_first_ns, sent_last_ns) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                doc,
                info.text_id,
                title_used,
                info.title,
                info.author,
                info.created,
                info.language,
                json.dumps(info.labels, ensure_ascii=False) if info.labels else "",
                info.pages,
                info.characters,
                *map(noon, info.sent),
            ),
        )
        add_title(connection, doc, info.title, info.language)
        return doc


def noon(day: str) -> int | None:
    """Noon of an ISO date in local time, in nanoseconds since 1970; None if it is not a date."""
    try:
        at = dt.datetime.combine(dt.date.fromisoformat(day), dt.time(12)).timestamp()
    except (OverflowError, OSError, ValueError):
        return None
    return int(at) * 1_000_000_000 if abs(at) < _LATEST_S else None


def _stamp(connection: sqlite3.Connection, file: int, stamp: Stamp) -> None:
    connection.execute(
        "UPDATE files SET size = ?, mtime_ns = ?, volume = ?, inode = ? WHERE id = ?",
        (stamp.size, stamp.mtime_ns, signed(stamp.volume), signed(stamp.inode), file),
    )


def _finalise(connection: sqlite3.Connection, where: str, value: int) -> None:
    """Bind files to their next content, and remove files in flight from the queue.

    A file that changed while it was read is no longer in flight and stays queued. A file whose
    state was fixed meanwhile, for example by an exclude pattern, keeps that state.
    """
    connection.execute(
        f"UPDATE files SET next_content = NULL WHERE {where} AND fixed_state <> ''", (value,)
    )
    rows = connection.execute(
        "UPDATE files SET content = next_content, next_content = NULL, code = '', detail = '', "
        "pending = CASE WHEN in_flight > 0 THEN 0 ELSE pending END, in_flight = 0, "
        f"crashes = 0, attempts = 0 WHERE {where} AND next_content IS NOT NULL RETURNING id",
        (value,),
    ).fetchall()
    for (file,) in rows:
        correct_document(connection, file)
        derive(connection, "id = ?", file)


_PREVIOUS = "previous_space"


class Spaces:
    """The embedding spaces of one catalog."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._totals = CachedValues[Totals](database, database.version_read)

    def add_space(self, key: str, record: Mapping[str, Any]) -> Space:
        """Add a space, or return the one that has this key."""
        made = "INSERT OR IGNORE INTO spaces (key, record) VALUES (?, ?)"
        self._db.change(made, key, json.dumps(dict(record)))
        return next(space for space in self.all() if space.key == key)

    def all(self) -> list[Space]:
        rows = self._db.rows("SELECT id, key, active, record FROM spaces ORDER BY id")
        return [Space(row[0], row[1], bool(row[2]), json.loads(row[3])) for row in rows]

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
        """Activate a space and store the one that was active before, in one transaction."""
        with self._db.write(durable=True) as connection:
            connection.execute(
                "INSERT INTO meta (key, value) SELECT ?, id FROM spaces WHERE active AND id <> ? "
                "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (_PREVIOUS, space),
            )
            self.activate(space)

    def previous(self) -> Space | None:
        """Return the space that was active before the last switch, if it exists and is not now."""
        kept = self._db.value("SELECT value FROM meta WHERE key = ?", _PREVIOUS)
        others = (space for space in self.all() if not space.active)
        return next((space for space in others if str(space.id) == kept), None)

    def remove(self, space: int) -> None:
        """Delete a space, its marks and the vectors of names in it."""
        with self._db.write() as connection:
            connection.execute("DELETE FROM spaces WHERE id = ?", (space,))
            derive(connection, "content IS NOT NULL")

    def pending(self, space: int, limit: int) -> list[tuple[int, int]]:
        """Return ``(doc, passages)`` of documents with missing or unfinished vectors, ascending.

        Documents that crashed the engine too often are left out.
        """
        return self._db.rows(
            "SELECT d.doc, d.passages FROM docs d LEFT JOIN doc_spaces v "
            "ON v.doc = d.doc AND v.space = ? WHERE d.passages_state = 'done' "
            "AND (v.state IS NULL OR v.state NOT IN ('done', 'crashed')) ORDER BY d.doc LIMIT ?",
            space,
            limit,
        )

    def suspects(self, space: int) -> list[int]:
        """Return the pending documents that were being embedded when the engine crashed."""
        return self._db.column(
            "SELECT doc FROM doc_spaces WHERE space = ? AND state <> 'done' "
            "AND state <> 'crashed' AND crashes > 0 ORDER BY doc",
            space,
        )

    def recover(self, *, blame: int = 0) -> None:
        """Reset the documents that were being embedded when a run ended.

        ``blame`` is added to their crash counters, see ``ReadingQueue.recover``. Documents that
        reach ``MAX_CRASHES`` are no longer embedded.
        """
        with self._db.write() as connection:
            connection.execute(
                "UPDATE doc_spaces SET state = 'partial', "
                "crashes = max(crashes + ?, ?) WHERE state = 'writing'",
                # The memory that the model needs does not depend on the document.
                (0, UNEXPLAINED) if blame == FOR_MEMORY else (blame, 0),
            )
            rows = connection.execute(
                "UPDATE doc_spaces SET state = 'crashed' "
                "WHERE state = 'partial' AND crashes >= ? RETURNING doc",
                (MAX_CRASHES,),
            ).fetchall()
            for (doc,) in rows:
                derive_docs(connection, "doc = ?", doc)

    def begin(self, doc: int, space: int) -> bool:
        """Mark a document as being embedded; return whether it may have some vectors already."""
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
        done = "SELECT doc, embedded FROM doc_spaces WHERE space = ? AND state = 'done'"
        return dict(self._db.rows(done, space))

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
        return Totals(counts[0], counts[1], embedded, counts[2], counts[3])
