"""The catalog's connections: one per thread, one writer at a time, readers that never wait.

Owns how SQLite is opened, how transactions nest, and which error its failures map to. It must not
know any table.

In WAL mode every thread reads the last committed state while another writes. With ``synchronous``
NORMAL a commit survives any end of the process, kill -9 included, without an fsync; a power cut may
roll back the last commits, whole and in order, and recovery redoes that work. A transaction that
must survive a power cut passes ``durable``.

On a read-only file system SQLite cannot create the WAL's files. Without a WAL that holds commits
the file is opened as ``immutable``, which the library lock makes true; with one, as ``mode=ro``.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from indexer.api.atomic import DISK_FULL, is_full
from indexer.api.errors import LecternError, WorldError
from indexer.catalog import migrations

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CACHE_KIB = 8192  # a connection
_MASK = (1 << 63) - 1

# SQLite's error codes, by the error they are reported as.
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
_CLOSED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def signed(value: int) -> int:
    """Convert an unsigned inode or volume number to SQLite's signed 64 bits."""
    return value & _MASK


class Database:
    """A SQLite file shared by threads. The library lock excludes other processes.

    Args:
        path: The file; created if missing, readable by its owner only.
        refusal: Why the file is read-only; ``write`` raises it. None if it is writable.

    Raises:
        WorldError: ``library_newer``, ``library_damaged``, ``library_unwritable``, ``disk_full``,
            ``read_error`` or, if it can only be read, ``library_older``.
    """

    def __init__(self, path: Path, refusal: LecternError | None = None) -> None:
        self.path = path
        self.refusal = refusal
        self._local = threading.local()
        self._writing = threading.RLock()
        self._open: list[sqlite3.Connection] = []
        self._closed = False
        self.files_version = 0  # incremented when files, folders or their documents change
        self.version = 0  # incremented by every commit
        migrations.check_version(path)
        self._address: Path | str = path
        if refusal is not None:
            self._address = _read_only_address(path)
            with self._translated():
                migrations.refuse_older(self.reader(), path)
            return
        _create(path)
        self._file = _identity(path)
        with self._translated():
            connection = self.reader()
            connection.execute("PRAGMA journal_mode = WAL")
            migrations.migrate(connection, path)

    def reader(self) -> sqlite3.Connection:
        """Return this thread's connection. Inside ``write`` it sees uncommitted rows."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            self._local.connection = connection
        return connection

    @property
    def in_write(self) -> bool:
        """Whether this thread is inside ``write``."""
        return getattr(self._local, "depth", 0) > 0

    @contextmanager
    def write(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """Run the block in one transaction; a nested block joins the outer one.

        Args:
            durable: fsync the commit, so that it survives a power cut. Ignored in a nested block.

        Raises:
            WorldError: As the constructor does, or the refusal; ``library_moved``, if another
                file, or none, is at the path now.
        """
        self.must_be_writable()
        with self._writing, self._translated():
            connection = self.reader()
            if self.in_write:
                yield connection
                return
            if durable:
                connection.execute("PRAGMA synchronous = FULL")
            self._check_place()
            connection.execute("BEGIN IMMEDIATE")
            self._local.depth = 1
            self._local.places = False
            try:
                yield connection
                # The store writes by path: its rows went to whatever is there now.
                self._check_place()
                connection.execute("COMMIT")
                self.version += 1
                self.files_version += self._local.places
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._local.depth = 0
                if durable:
                    connection.execute("PRAGMA synchronous = NORMAL")

    def must_be_writable(self) -> None:
        """Raise the refusal, if there is one."""
        if self.refusal is not None:
            raise WorldError(self.refusal.code, **self.refusal.detail)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Run the block's queries in one read transaction; inside ``write``, in the writer's."""
        with self._translated():
            connection = self.reader()
            if connection.in_transaction:
                yield connection
                return
            # Taken before the transaction, so its rows are at least of this version.
            self._local.seen = self.version, self.files_version
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                self._local.seen = None
                connection.execute("COMMIT")

    def version_read(self) -> int:
        """A lower bound of the version of the rows that this thread reads."""
        return self._seen()[0]

    def files_version_read(self) -> int:
        """A lower bound of the files' version of the rows that this thread reads."""
        return self._seen()[1]

    def _seen(self) -> tuple[int, int]:
        seen: tuple[int, int] | None = getattr(self._local, "seen", None)
        return (self.version, self.files_version) if seen is None else seen

    def mark_files_changed(self) -> None:
        """Invalidate, inside ``write``, what readers have cached about files."""
        self._local.places = True

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of one query on this thread's connection."""
        with self._translated():
            return self.reader().execute(sql, values).fetchall()

    def value(self, sql: str, *values: Any, default: Any = None) -> Any:
        """Return the first column of the first row, or ``default`` when there is none."""
        with self._translated():
            row = self.reader().execute(sql, values).fetchone()
        return default if row is None else row[0]

    def close(self) -> None:
        """Close the connections of all threads; idempotent."""
        with self._writing:
            self._closed = True
            while self._open:
                self._open.pop().close()
            self._local = threading.local()

    def _check_place(self) -> None:
        try:
            moved = _identity(self.path) != self._file
        except (FileNotFoundError, NotADirectoryError):
            moved = True
        except OSError:  # SQLite reports the drive's error when it opens the file
            return
        if moved:
            raise WorldError("library_moved", library=str(self.path.parent))

    def _connect(self) -> sqlite3.Connection:
        if self._closed:
            raise sqlite3.ProgrammingError("the catalog is closed")
        connection = sqlite3.connect(
            self._address,
            uri=self.refusal is not None,
            timeout=30,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        connection.execute("PRAGMA wal_autocheckpoint = 4000")  # 16 MB, for few fsyncs
        connection.execute("PRAGMA journal_size_limit = 67108864")
        self._open.append(connection)
        return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            known = _world_error(error, self.path)
            if known is None:
                raise
            raise known from error


def _identity(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_dev, found.st_ino


def _world_error(error: sqlite3.Error, path: Path) -> LecternError | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    primary = code & 0xFF
    library = str(path.parent)
    failed = primary in _CLOSED or primary == sqlite3.SQLITE_IOERR
    if code in _FULL or primary in _FULL or (failed and is_full(path.parent)):
        return _full(path)
    if primary in _CLOSED:
        return WorldError("library_unwritable", library=library)
    if primary == sqlite3.SQLITE_IOERR:
        return WorldError("read_error", reason=f"{path.name}: {error}")
    if primary in _DAMAGED:
        return WorldError("library_damaged", library=library, reason=str(error))
    return None


def _full(path: Path) -> WorldError:
    return WorldError("disk_full", needed="what the catalog needs", path=str(path.parent))


def _read_only_address(path: Path) -> str:
    log = path.with_name(f"{path.name}-wal")
    unchanging = not log.exists() or log.stat().st_size == 0
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if unchanging else ''}"


def _create(path: Path) -> None:
    # SQLite would create it readable by others; the WAL's files inherit its mode.
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        if error.errno in DISK_FULL:
            raise _full(path) from error
        raise WorldError("library_unwritable", library=str(path.parent)) from error
