"""Which pages show something and hold no text, and what was recognised on them.

Owns one SQLite file in the library, apart from the catalog: it only saves work, children read it
while the engine writes it, and if it is damaged it is made anew. Pages belong to bytes (a hash),
so that names, moves and copies cost nothing; what is kept says which engine and languages made it.
A page is written in one transaction, and every call is one. It must not know how text is
recognised or who asks for it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from indexer import faults
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

FILE_NAME = "recognised-pages.sqlite"
_OLD_NAME = "scans.sqlite"  # of libraries before catalog version 7
# What SQLite keeps beside it while it writes.
SIDE_NAME = f"{FILE_NAME}-journal"
_WAIT_S = 10.0
_VERSION = 2
# So often a page may stop the program before it is set aside.
MAX_STOPS = 2
# A document is read anew after so many of its pages, and then each time they have doubled.
_FIRST_PAGES = 32

_SCHEMA = f"""
CREATE TABLE contents (
    id INTEGER PRIMARY KEY,
    content_id TEXT NOT NULL UNIQUE,          -- the hash of the bytes
    size INTEGER NOT NULL,                    -- of the file
    fresh INTEGER NOT NULL DEFAULT 0,         -- pages that its text does not have yet
    last INTEGER NOT NULL DEFAULT 0           -- its turn is after all others
) STRICT;
CREATE INDEX contents_size ON contents (size);
CREATE TABLE pages (
    content INTEGER NOT NULL REFERENCES contents ON DELETE CASCADE,
    page INTEGER NOT NULL,
    made_by TEXT NOT NULL DEFAULT '',         -- engine and languages; '' before the first time
    words BLOB,                               -- see indexer.ocr.layer
    stops INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '',          -- why it was set aside
    PRIMARY KEY (content, page)
) STRICT, WITHOUT ROWID;
PRAGMA user_version = {_VERSION};
"""
_FROM_1 = f"""
ALTER TABLE contents ADD COLUMN last INTEGER NOT NULL DEFAULT 0;
PRAGMA user_version = {_VERSION};
"""
# What another engine read counts as not read, unless there is none to read it again.
_WAITS = "iif(?1 = '', made_by = '', made_by <> ?1)"
# Of the documents of which least is missing; image files are last, as there may be very many.
_NEXT = f"""
WITH waiting AS (
    SELECT p.content, p.page, count(*) OVER (PARTITION BY p.content) AS missing FROM pages p
    WHERE {_WAITS}
)
SELECT c.content_id, w.page FROM waiting w JOIN contents c ON c.id = w.content
WHERE c.content_id NOT IN (SELECT value FROM json_each(?2))
ORDER BY c.last, w.missing, w.content, w.page LIMIT 1
"""  # constants
_DUE = f"""
SELECT content_id FROM contents c WHERE fresh > 0 AND (
    NOT EXISTS (SELECT 1 FROM pages WHERE content = c.id AND {_WAITS})
    OR fresh >= max({_FIRST_PAGES}, (SELECT count(*) FROM pages
        WHERE content = c.id AND NOT {_WAITS}) - fresh))
"""  # constants
_FAILED = "words IS NULL AND reason <> ''"


@dataclass(frozen=True, slots=True)
class PageCounts:
    """How many pages are read, wait for it, or were set aside."""

    read: int = 0
    waiting: int = 0
    failed: int = 0


class PageCache:
    """The pages of one library. Thread-safe; one engine at a time has it.

    The file is made when the first page is noted. Any call may raise ``disk_full`` or
    ``library_unwritable``.

    Args:
        library: The folder of the library.
        writable: Whether anything may be written; if not, only what asks may be called.
    """

    def __init__(self, library: Path, *, writable: bool = True) -> None:
        self.path = library / FILE_NAME
        self._writable = writable
        if writable:
            _rename_old(library)
        self._lock = threading.RLock()
        self._open: sqlite3.Connection | None = None

    def add_pages(
        self, content_id: str, size: int, pages: Iterable[int], *, last: bool = False
    ) -> None:
        """Record which pages of a content hold no text of their own, perhaps none.

        Args:
            content_id: The hash of the bytes.
            size: Of the file.
            pages: Their numbers.
            last: Whether they are read after those of all others.
        """
        with self._write() as connection:
            connection.execute(
                "INSERT INTO contents (content_id, size, last) VALUES (?, ?, ?) "
                "ON CONFLICT (content_id) DO NOTHING",
                (content_id, size, last),
            )
            row = "SELECT id FROM contents WHERE content_id = ?"
            (content,) = connection.execute(row, (content_id,)).fetchone()
            connection.executemany(
                "INSERT OR IGNORE INTO pages (content, page) VALUES (?, ?)",
                [(content, page) for page in pages],
            )

    def next_page(self, made_by: str, without: Collection[str] = ()) -> tuple[str, int] | None:
        """Return the content and number of the page to recognise next, ``None`` if none waits.

        Args:
            made_by: Engine and languages; what others made counts as not read. "" for none.
            without: Bytes to leave out.
        """
        rows = self._rows(_NEXT, made_by, json.dumps(list(without)))
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def store(self, content_id: str, page: int, made_by: str, words: bytes) -> None:
        """Keep what was recognised on a page."""
        self._update(content_id, page, made_by, words, "")
        faults.reached("page-recognised")

    def record_stop(self, content_id: str, page: int, made_by: str, reason: str) -> bool:
        """Count a run that a page stopped; return whether the page is given up with this one."""
        with self._write() as connection:
            (stops,) = connection.execute(
                "UPDATE pages SET stops = stops + 1 WHERE page = ? AND content = "
                "(SELECT id FROM contents WHERE content_id = ?) RETURNING stops",
                (page, content_id),
            ).fetchone()
            if stops < MAX_STOPS:
                return False
            self.give_up(content_id, page, made_by, reason)
        return True

    def give_up(self, content_id: str, page: int, made_by: str, reason: str) -> None:
        """Record a page as failed for this engine and these languages."""
        self._update(content_id, page, made_by, None, reason)

    def due(self, made_by: str) -> list[str]:
        """Return the contents that are to be extracted again for their recognised pages."""
        return [row[0] for row in self._rows(_DUE, made_by)]

    def mark_published(self, content_id: str) -> None:
        """Record that a content will be extracted again."""
        with self._write() as connection:
            connection.execute("UPDATE contents SET fresh = 0 WHERE content_id = ?", (content_id,))

    def counts(self, made_by: str) -> PageCounts:
        """Count the pages of the library."""
        ((total, waiting, failed),) = self._rows(
            f"SELECT count(*), coalesce(sum({_WAITS}), 0), "  # constants
            f"coalesce(sum(NOT {_WAITS} AND {_FAILED}), 0) FROM pages",
            made_by,
        ) or [(0, 0, 0)]
        return PageCounts(total - waiting - failed, waiting, failed)

    def has_waiting(self, content_id: str, made_by: str) -> bool:
        """Whether pages of a content wait for recognition."""
        return bool(
            self._rows(
                "SELECT 1 FROM pages JOIN contents c ON c.id = content "
                f"WHERE c.content_id = ?2 AND {_WAITS} LIMIT 1",
                made_by,
                content_id,
            )
        )

    def content_ids(self) -> set[str]:
        """Return all contents with an entry."""
        return {row[0] for row in self._rows("SELECT content_id FROM contents")}

    def reset_failures(self, content_ids: Iterable[str]) -> None:
        """Give the pages of some bytes that were set aside another chance."""
        if not self.path.exists():
            return
        with self._write() as connection:
            connection.executemany(
                f"UPDATE pages SET made_by = '', stops = 0, reason = '' WHERE {_FAILED} "
                "AND content = (SELECT id FROM contents WHERE content_id = ?)",
                [(content_id,) for content_id in content_ids],
            )

    def delete(self, content_ids: Iterable[str]) -> None:
        """Delete the pages of contents that no file holds any more."""
        with self._write() as connection:
            connection.executemany(
                "DELETE FROM contents WHERE content_id = ?",
                [(content_id,) for content_id in content_ids],
            )

    def close(self) -> None:
        """Close the connection, if it is open."""
        with self._lock:
            if self._open is not None:
                self._open.close()
            self._open = None

    def _update(
        self, content_id: str, page: int, made_by: str, words: bytes | None, reason: str
    ) -> None:
        with self._write() as connection:
            # What an earlier engine read is better than nothing.
            connection.execute(
                "UPDATE pages SET made_by = ?, words = coalesce(?, words), stops = 0, reason = ? "
                "WHERE page = ? AND content = (SELECT id FROM contents WHERE content_id = ?)",
                (made_by, words, reason, page, content_id),
            )
            connection.execute(
                "UPDATE contents SET fresh = fresh + 1 WHERE content_id = ?", (content_id,)
            )

    @property
    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            try:
                self._open = self._connect()
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                log.warning("what was recognised on scanned pages is lost: %s", error)
                self.path.unlink(missing_ok=True)
                self._open = self._connect()
        return self._open

    def _connect(self) -> sqlite3.Connection:
        if not self._writable:
            address = f"{self.path.absolute().as_uri()}?mode=ro"
            return sqlite3.connect(address, uri=True, timeout=_WAIT_S, check_same_thread=False)
        # SQLite would make it readable by others.
        with contextlib.suppress(OSError):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(
            self.path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
        )
        try:
            # Readers in other processes need no file beside it, as a write-ahead log would be.
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                connection.executescript(f"BEGIN; {_SCHEMA} COMMIT")
            elif version == 1:
                connection.executescript(f"BEGIN; {_FROM_1} COMMIT")
            elif version != _VERSION:
                raise sqlite3.DatabaseError("it is of another version")
            connection.execute("SELECT 1 FROM pages, contents LIMIT 1").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock, self._translated():
            if self._open is None and not self.path.exists():
                return []
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        """Make the block one transaction; a block inside another joins it."""
        with self._lock, self._translated():
            connection = self._connection
            if connection.in_transaction:
                yield connection
            else:
                # Undone unless it comes to its end.
                connection.execute("BEGIN IMMEDIATE")
                with connection:
                    yield connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code == sqlite3.SQLITE_FULL:
                needed = "what was recognised on scanned pages"
                raise WorldError("disk_full", needed=needed, path=str(self.path.parent)) from error
            if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR}:
                raise WorldError("library_unwritable", library=str(self.path.parent)) from error
            raise


def _rename_old(library: Path) -> None:
    """Give the file of an older library its name of today; a kill leaves one or the other."""
    old = library / _OLD_NAME
    if not old.exists():
        return
    with contextlib.suppress(sqlite3.Error):
        connection = sqlite3.connect(old, timeout=_WAIT_S)
        # A journal goes by the file's name: what it would undo is undone before.
        with contextlib.closing(connection):
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    faults.reached("page-cache-renaming")
    with contextlib.suppress(OSError):
        old.with_name(f"{_OLD_NAME}-journal").unlink(missing_ok=True)
        old.replace(library / FILE_NAME)
        faults.reached("page-cache-renamed")
