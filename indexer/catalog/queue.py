"""The durable queue of files to read, and the failures of reading.

It owns the pending marks of files, and the failures of files and contents. The queue is a column of
the table of files. After a crash ``recover`` queues the files that were being read.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from indexer.catalog.records import QueuedFile
from indexer.catalog.roots import join
from indexer.catalog.states import (
    CONTENT_CODES,
    FAULT,
    FOR_MEMORY,
    MAX_CRASHES,
    PASSING_CODES,
    UNEXPLAINED,
    Stamp,
    derive,
    derive_docs,
    queue_quietly,
    state_of_code,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Mapping

    from indexer.api.types import FileState
    from indexer.database import Database

# A transient failure is retried with exponential back-off. Besides, each scan of the folder queues
# the file.
BACK_OFF_S, BACK_OFF_FACTOR, MAX_TRIES = 2.0, 4.0, 7
S_NS = 1_000_000_000

_READY = """
f.pending > 0 AND f.fixed_state = '' AND NOT f.volume_missing AND r.state = 'online'
AND (f.pending = 1 OR f.due_ns <= ?)
"""
# Prioritised files come first, those of the latest request or change before others. Then come small
# files, so that the first documents are searchable soon, and the newest of a size class.
_NEXT = f"""
SELECT f.id, r.path, d.path, f.name, f.format, f.size, f.mtime_ns, f.volume, f.inode, f.priority
FROM files f JOIN folders d ON d.id = f.folder JOIN roots r ON r.id = f.root
WHERE {_READY} AND f.in_flight = 0
    AND f.id NOT IN (SELECT value FROM json_each(?)) AND (f.crashes > 0) = ? AND f.priority > ?
ORDER BY f.priority DESC, f.size_class, f.mtime_ns DESC LIMIT ?
"""  # built from constants
_WAITING = f"FROM files f JOIN roots r ON r.id = f.root WHERE {_READY}"
_RETRY = """
UPDATE files SET pending = 1, in_flight = 0, crashes = 0, attempts = 0, code = '', detail = '',
    priority = ?
WHERE id = ? AND fixed_state = ''
"""
# One above the highest priority in the queue.
_NEXT_PRIORITY = "SELECT coalesce(max(priority), 0) + 1 FROM files WHERE pending > 0"
# The failure recorded for the bytes is deleted too, since linking the file would restore it.
_DELETE_FAILED_CONTENTS = """
DELETE FROM contents WHERE state <> '' AND id IN (SELECT content FROM files WHERE id = ?)
"""
# The document is read and embedded again; its vectors are kept.
_RESET_CRASHES = """
UPDATE doc_spaces SET state = 'partial', crashes = 0 WHERE state = 'crashed' AND doc IN
(SELECT c.doc FROM files f JOIN contents c ON c.id = f.content WHERE f.id = ?) RETURNING doc
"""
_SET_ASIDE = """
SELECT id FROM files WHERE code = 'crashed_engine' UNION
SELECT f.id FROM files f JOIN contents c ON c.id = f.content
JOIN doc_spaces v ON v.doc = c.doc WHERE v.state = 'crashed'
"""
_COPIES = """
SELECT id FROM files WHERE fixed_state = '' AND content IN
(SELECT c.id FROM contents c JOIN files f ON f.content = c.id WHERE f.id = ? AND c.state <> '')
"""
_OUTDATED = """
fixed_state = '' AND content IN (SELECT id FROM contents WHERE extractor_version < ?)
"""
_COUNT_OUTDATED = f"SELECT count(*) FROM files WHERE {_OUTDATED}"  # a constant
_LOST_CONTENTS = """
content IS NULL AND next_content IS NULL AND pending = 0 AND fixed_state = '' AND code = ''
"""
_FILES_WITHOUT = f"SELECT id FROM files WHERE {_LOST_CONTENTS}"  # a constant
# The prefix of a document's text_id if the same extractor version must read it again.
_READ_AGAIN = "again: "


def next_priority(connection: sqlite3.Connection) -> int:
    """Return a priority above that of all queued files."""
    return int(connection.execute(_NEXT_PRIORITY).fetchone()[0])


class ReadingQueue:
    """The files waiting to be read."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def take(
        self,
        limit: int,
        without: Iterable[int] = (),
        *,
        suspects: bool = False,
        above: int = -1,
    ) -> list[QueuedFile]:
        """Take the next files from the queue. A file is returned once until it is released.

        Files ``without`` are left out, as they are still being read although they changed and are
        queued again. So are files whose priority is not above ``above``. ``suspects`` takes only
        files that were being read when an engine crashed; by default only the others are taken.
        """
        taken = json.dumps(list(without))
        with self._db.write() as connection:
            values = (time.time_ns(), taken, suspects, above, limit)
            rows = connection.execute(_NEXT, values).fetchall()
            connection.executemany(
                "UPDATE files SET in_flight = 1 WHERE id = ?", [(row[0],) for row in rows]
            )
        return [
            QueuedFile(row[0], join(row[1], row[2], row[3]), row[4], Stamp(*row[5:9]), *row[9:])
            for row in rows
        ]

    def started(self, file: int, *, alone: bool = False) -> None:
        """Mark a taken file as being read, so that a crash counts against it.

        ``alone`` says whether nothing else is read meanwhile and there is room in memory.
        """
        with self._db.write() as connection:
            connection.execute(
                "UPDATE files SET in_flight = ?, attempts = attempts + 1, priority = 0, due_ns = 0 "
                "WHERE id = ?",
                (3 if alone else 2, file),
            )

    def prioritise(self, roots: Collection[int]) -> None:
        """Move the files of some roots to the front of the queue, in the usual order."""
        listed = json.dumps(list(roots))
        with self._db.write() as connection:
            # If no other root has queued files, priorities would not change the order.
            others = connection.execute(
                "SELECT 1 FROM files WHERE pending > 0 AND fixed_state = '' "
                "AND root NOT IN (SELECT value FROM json_each(?)) LIMIT 1",
                (listed,),
            ).fetchone()
            if others is not None:
                top = next_priority(connection)
                connection.execute(
                    "UPDATE files SET priority = ? WHERE pending > 0 "
                    "AND root IN (SELECT value FROM json_each(?))",
                    (top, listed),
                )

    def release(self, files: Collection[int]) -> None:
        """Return taken files to the queue unread."""
        with self._db.write() as connection:
            connection.executemany(
                "UPDATE files SET in_flight = 0 WHERE id = ?", [(file,) for file in files]
            )

    def waiting(self) -> int:
        """Count the queued files, including taken ones."""
        return int(self._db.value(f"SELECT count(*) {_WAITING}", time.time_ns()))

    def available(self) -> tuple[int, int]:
        """Count the queued files that are not taken, and their bytes."""
        sums = f"SELECT count(*), coalesce(sum(f.size), 0) {_WAITING} AND f.in_flight = 0"
        files, size = self._db.rows(sums, time.time_ns())[0]
        return files, size

    def fail(
        self,
        file: int,
        code: str,
        detail: Mapping[str, Any] | None = None,
        *,
        content: tuple[str, str, int] | None = None,
        taken: bool = False,
    ) -> FileState:
        """Record why a file could not be read, and remove it from the queue.

        Args:
            file: The file.
            code: A key of ``indexer.api.errors.CODES``.
            detail: The values of the placeholders in the code's sentence.
            content: ``(content_id, format, extractor_version)`` if the bytes are known. A failure
                caused by the bytes then applies to all copies of them.
            taken: Whether the file was taken to be read. If it has changed and was queued again
                since, the failure belongs to the earlier bytes and is not recorded.
        """
        detail_json = json.dumps(dict(detail)) if detail else ""
        with self._db.write() as connection:
            if taken and not self._is_taken(connection, file):
                return state_of_code(code)
            values: tuple[object, ...] = (code, detail_json)
            if content is not None and code in CONTENT_CODES:
                connection.execute(
                    "UPDATE files SET content = ? WHERE id = ?",
                    (_failed_content(connection, content, code, detail_json), file),
                )
                values = ("", "")
            # Without ``content`` the file keeps its earlier document, which stays searchable.
            due = self._next_try(connection, file) if code in PASSING_CODES else 0
            connection.execute(
                "UPDATE files SET code = ?, detail = ?, next_content = NULL, pending = ?, "
                "due_ns = ?, attempts = attempts + (in_flight = 1), in_flight = 0, "
                "crashes = max(crashes, ?) WHERE id = ?",
                (*values, 2 if due else 0, due, code == "reader_killed", file),
            )
            derive(connection, "id = ?", file)
        return state_of_code(code)

    @staticmethod
    def _is_taken(connection: sqlite3.Connection, file: int) -> bool:
        row = connection.execute("SELECT in_flight FROM files WHERE id = ?", (file,)).fetchone()
        return row is not None and row[0] > 0

    def next_due_ns(self) -> int | None:
        """Return the time of the next retry, in nanoseconds since 1970; None if there is none."""
        due: int | None = self._db.value(
            "SELECT min(due_ns) FROM files WHERE due_ns > 0 AND pending = 2 AND fixed_state = ''"
        )
        return due

    @staticmethod
    def _next_try(connection: sqlite3.Connection, file: int) -> int:
        """Return the time of the retry of a file that is about to fail, 0 for none."""
        row = connection.execute(
            "SELECT attempts + (in_flight = 1) FROM files WHERE id = ?", (file,)
        ).fetchone()
        tries = max(1, row[0]) if row else MAX_TRIES
        if tries >= MAX_TRIES:
            return 0
        return time.time_ns() + int(BACK_OFF_S * BACK_OFF_FACTOR ** (tries - 1) * S_NS)

    def retry(self, *, files: Collection[int] = (), states: Collection[FileState] = ()) -> int:
        """Queue files again, chosen by their ids or by their states.

        Copies of a file whose bytes could not be read are queued with it.
        """
        with self._db.write() as connection:
            chosen = set(files)
            for state in states:
                found = connection.execute("SELECT id FROM files WHERE state = ?", (state,))
                chosen.update(row[0] for row in found)
            for file in list(chosen):
                chosen.update(self.copies(file))
            connection.executemany(_DELETE_FAILED_CONTENTS, [(file,) for file in chosen])
            top = next_priority(connection)
            queued = connection.executemany(_RETRY, [(top, file) for file in chosen]).rowcount
            for file in chosen:
                for (doc,) in connection.execute(_RESET_CRASHES, (file,)).fetchall():
                    derive_docs(connection, "doc = ?", doc)
                derive(connection, "id = ?", file)
        return queued

    def copies(self, file: int) -> list[int]:
        """Return this file and its copies, if their bytes could not be read."""
        return self._db.column(_COPIES, file)

    def requeue_all(self, root: int) -> int:
        """Queue all readable files of a root, even unchanged ones; their states stay until then."""
        with self._db.write() as connection:
            return queue_quietly(connection, "root = ? AND fixed_state = ''", root)

    def outdated(self, extractor_version: int) -> int:
        """Count the files that an older extractor read."""
        return int(self._db.value(_COUNT_OUTDATED, extractor_version))

    def requeue_outdated(self, extractor_version: int) -> int:
        """Queue files that an older extractor read; their state and text stay until then."""
        with self._db.write() as connection:
            return queue_quietly(connection, _OUTDATED, extractor_version)

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
        return self._db.column(prefix, len(_READ_AGAIN), _READ_AGAIN)

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
                    (_READ_AGAIN, doc, len(_READ_AGAIN), _READ_AGAIN),
                )
                connection.execute(
                    "UPDATE contents SET extractor_version = -doc WHERE doc = ?", (doc,)
                )
                having = "content IN (SELECT id FROM contents WHERE doc = ?)"
                queued += queue_quietly(connection, having, doc)
        return queued

    def set_aside(self) -> list[int]:
        """Return the files that crashed the engine too often."""
        return self._db.column(_SET_ASIDE)

    def recover(self, *, blame: int = 0) -> list[int]:
        """Requeue the files that were in flight when the last run ended.

        Returns the unfinished documents, which may have rows in the store. Delete these rows, then
        call ``docs.forget``.

        If the engine crashed, the files that were being read are suspects. They are read first and
        one at a time, so that the next crash identifies one. A file whose crash counter reaches
        ``MAX_CRASHES`` fails and is not retried. ``blame`` is added to the counters of files being
        read, 0 after a regular end; or it is ``FOR_MEMORY``.
        """
        with self._db.write() as connection:
            if blame == FOR_MEMORY:
                connection.execute(
                    "UPDATE files SET crashes = CASE in_flight WHEN 3 THEN crashes + ? "
                    "ELSE max(crashes, ?) END WHERE in_flight >= 2",
                    (FAULT, UNEXPLAINED),
                )
            else:
                connection.execute(
                    "UPDATE files SET crashes = crashes + ? WHERE in_flight >= 2", (blame,)
                )
            connection.execute("UPDATE files SET in_flight = 0 WHERE in_flight > 0")
            suspects = connection.execute(
                "SELECT id FROM files WHERE crashes >= ? AND pending > 0", (MAX_CRASHES,)
            ).fetchall()
            for (file,) in suspects:
                self.fail(file, "crashed_engine")
            docs = connection.execute(
                "SELECT doc FROM docs WHERE passages_state <> 'done' ORDER BY doc"
            ).fetchall()
        return [row[0] for row in docs]


def _failed_content(
    connection: sqlite3.Connection, content: tuple[str, str, int], code: str, detail: str
) -> int:
    row = connection.execute(
        "INSERT INTO contents (content_id, format, extractor_version, state, code, detail) "
        "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (content_id, format, extractor_version) "
        "DO UPDATE SET state = excluded.state, code = excluded.code, detail = excluded.detail, "
        "doc = NULL RETURNING id",
        (*content, state_of_code(code), code, detail),
    ).fetchone()
    derive(connection, "content = ?", row[0])
    return int(row[0])
