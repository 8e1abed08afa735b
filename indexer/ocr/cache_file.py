"""The SQLite file of the page cache: creating, opening, migrating, and its transactions.

Owns one file in the library, apart from the catalog because it is only a cache: children read it
while the engine writes it, and a damaged one is replaced. It must not know the queries.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from indexer import faults
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

FILE_NAME = "recognised-pages.sqlite"
_OLD_NAME = "scans.sqlite"  # of libraries before catalog version 7
# SQLite's rollback journal.
SIDE_NAME = f"{FILE_NAME}-journal"
_WAIT_S = 10.0
_VERSION = 2

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


class CacheFile:
    """The file of one library, opened at its first use. Thread-safe."""

    def __init__(self, library: Path, *, writable: bool) -> None:
        self.path = library / FILE_NAME
        self._writable = writable
        if writable:
            _rename_old(library)
        self._lock = threading.RLock()
        self._open: sqlite3.Connection | None = None

    def close(self) -> None:
        """Close the connection, if it is open."""
        with self._lock:
            if self._open is not None:
                self._open.close()
            self._open = None

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
        # SQLite would create it readable by others.
        with contextlib.suppress(OSError):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(
            self.path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
        )
        try:
            # Unlike a WAL, this mode needs no files that readers in other processes would have to
            # create.
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

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock, self._translated():
            if self._open is None and not self.path.exists():
                return []
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Run the block in one transaction; a nested block joins the outer one."""
        with self._lock, self._translated():
            connection = self._connection
            if connection.in_transaction:
                yield connection
            else:
                # Rolled back unless the block succeeds.
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
    """Rename the file of an older library, atomically."""
    old = library / _OLD_NAME
    if not old.exists():
        return
    with contextlib.suppress(sqlite3.Error):
        connection = sqlite3.connect(old, timeout=_WAIT_S)
        # The journal is found by the file's name, so it is rolled back before.
        with contextlib.closing(connection):
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    faults.reached("page-cache-renaming")
    with contextlib.suppress(OSError):
        old.with_name(f"{_OLD_NAME}-journal").unlink(missing_ok=True)
        old.replace(library / FILE_NAME)
        faults.reached("page-cache-renamed")
