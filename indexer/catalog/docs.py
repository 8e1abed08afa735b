"""Documents: one per text, however many files hold it, and which are completely written.

Owns the mapping from a file's bytes to its document, and the completion marks: the store commits
first, the mark here follows, so a kill in between leaves no incomplete document marked. It must
not know the store.
"""

from __future__ import annotations

import datetime as dt
import json
import time
from typing import TYPE_CHECKING

import numpy as np

from indexer.catalog.names import add_title
from indexer.catalog.records import Begun, DocRow
from indexer.catalog.states import derive
from indexer.database import CachedValues, signed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from indexer.api.types import DocumentInfo
    from indexer.catalog.states import Stamp
    from indexer.database import Database

# Ids reserved by one durable transaction: after a power cut the store may have the passages of a
# document whose row is lost, and no other text may get its id.
RESERVED = 256

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
# The ends of 64 bits of nanoseconds, in seconds.
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

    def link(
        self, file: int, content_id: str, stamp: Stamp, file_format: str, extractor_version: int
    ) -> bool:
        """Bind a file to bytes that this version of the extractor has read before.

        Args:
            file: The file.
            content_id: The hash of its bytes.
            stamp: The file's size and times when it was hashed.
            file_format: The format by the file's name.
            extractor_version: Of the extractor that would read them.

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
        """Bind a file to the document of its text, making it if the text is new.

        If passages are to be written, delete the document's rows in the store, write them, then
        call ``finish_passages``. Until then the file stays in flight.

        Args:
            file: The file that was read.
            content_id: The hash of its bytes.
            stamp: The file's size and times when it was hashed.
            info: The metadata that extraction found.
            title_used: The title that is embedded with each passage.
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
            # Keyed by the format of the name, as in ``link``.
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

        Args:
            docs: The documents.
            failed: A file that is not queued, as its failure is recorded next; queued, it would be
                read again without end.
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

    def get(self, docs: Iterable[int], *, labels: bool = False) -> dict[int, DocRow]:
        """Return documents by id, with the labels of their pages or not; unknown ids are left out.

        Thousands of documents are asked for at once, and the labels of a book are long.
        """
        rows = self._db.rows(
            f"SELECT {_DOC_COLUMNS}, {'labels' if labels else _NONE} FROM docs "
            "WHERE doc IN (SELECT value FROM json_each(?))",
            json.dumps([int(doc) for doc in docs]),
        )
        found = ((*row, tuple(json.loads(labels or "[]"))) for *row, labels in rows)
        return {row[0]: DocRow(*row) for row in found}

    def earlier(self, doc: int) -> list[int]:
        """Return the documents that the same file held before, the latest first."""
        return [row[0] for row in self._db.rows(_EARLIER, doc)]

    def known(self) -> NDArray[np.int32]:
        """Return the ids of all documents, ascending; the store must not hold any other."""
        rows = self._db.rows("SELECT doc FROM docs ORDER BY doc")
        return np.fromiter((row[0] for row in rows), np.int32, len(rows))

    def expected(self) -> dict[int, int]:
        """Return the number of passages of each written document, to check the store against."""
        rows = self._db.rows("SELECT doc, passages FROM docs WHERE passages_state = 'done'")
        return {doc: passages for doc, passages in rows}  # noqa: C416  # typed

    def languages(self) -> dict[str, int]:
        """Count the written documents by language; "" is unknown. Cached, for every query."""
        return dict(self._languages.get(None, self._count_languages))

    def _count_languages(self) -> dict[str, int]:
        rows = self._db.rows(
            "SELECT language, count(*) FROM docs WHERE passages_state = 'done' GROUP BY language"
        )
        return {language: count for language, count in rows}  # noqa: C416  # typed

    def _reserve(self) -> None:
        with self._db.write(durable=True) as connection:
            first = self._reserved_row(connection)
        # Set after the commit, which is what fails on a full disk.
        self._next, self._reserved = first, first + RESERVED

    @staticmethod
    def _reserved_row(connection: sqlite3.Connection) -> int:
        row = connection.execute("SELECT value FROM meta WHERE key = 'docs_reserved'").fetchone()
        first = int(row[0]) if row else 1
        connection.execute(
            "INSERT INTO meta (key, value) VALUES ('docs_reserved', ?) "
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (str(first + RESERVED),),
        )
        return first

    def _insert(self, connection: sqlite3.Connection, info: DocumentInfo, title_used: str) -> int:
        if self._next >= self._reserved:
            self._next = self._reserved_row(connection)
            self._reserved = self._next + RESERVED
        doc = self._next
        self._next += 1
        connection.execute(
            "INSERT INTO docs (doc, text_id, title_used, title, author, created, language, "
            "labels, pages, characters, sent_first_ns, sent_last_ns, added_ns) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
                *map(_noon, info.sent),
                time.time_ns(),
            ),
        )
        add_title(connection, doc, info.title, info.language)
        return doc


def _noon(day: str) -> int | None:
    """Noon of an ISO date in local time, in nanoseconds since 1970; None for what is no date."""
    try:
        noon = dt.datetime.combine(dt.date.fromisoformat(day), dt.time(12)).timestamp()
    except (OverflowError, OSError, ValueError):
        return None
    return int(noon) * 1_000_000_000 if abs(noon) < _LATEST_S else None


def _stamp(connection: sqlite3.Connection, file: int, stamp: Stamp) -> None:
    connection.execute(
        "UPDATE files SET size = ?, mtime_ns = ?, volume = ?, inode = ? WHERE id = ?",
        (stamp.size, stamp.mtime_ns, signed(stamp.volume), signed(stamp.inode), file),
    )


def _finalise(connection: sqlite3.Connection, where: str, value: int) -> None:
    """Bind files to their upcoming content, and take those in flight off the queue.

    A file that changed again while it was read is no longer in flight and stays queued. One whose
    state was fixed meanwhile, as by an exclude pattern, keeps that state.
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
        derive(connection, "id = ?", file)
