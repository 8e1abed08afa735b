"""The catalog's connections: one a thread, one writer at a time, readers that never wait.

Owns how SQLite is opened, how transactions nest, and how its failures become sentences. It must
not know any table.

Write-ahead logging lets every thread read the last committed state while another writes.
``synchronous`` is NORMAL: a commit then survives any end of the process, kill -9 included, and
costs no flush of the disk; only a power cut may take back the last commits, whole and in order,
and recovery does that work again. What must outlive a power cut too asks for ``durable``.

Where nothing may be written SQLite cannot make the files it keeps beside such a catalog. If there
is no log that holds commits, the file is read as one that never changes (``immutable``), which the
library lock makes true; if there is one, it is read with the index beside it (``mode=ro``).
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

# What SQLite reports, and what it means for the person.
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
_CLOSED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def signed(value: int) -> int:
    """Fold an unsigned identity of the file system into SQLite's 64 bits."""
    return value & _MASK


class Database:
    """A SQLite file shared by threads. The library lock keeps other processes away.

    Args:
        path: The file; made if it is missing, readable by its owner only.
        refusal: Why nothing may be written; ``write`` raises it. None if everything may.

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
        self.files_version = 0  # grows when files, their places or their documents change
        self.version = 0  # grows with every commit
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
        """Give this thread its connection. Inside ``write`` it sees what was just written."""
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
        """Make everything in the block one transaction; a block inside another joins it.

        Args:
            durable: Also outlive a power cut. Ignored in an inner block.

        Raises:
            WorldError: As the constructor does, or the refusal; ``library_moved``, if another
                file, or none, is at the path by now.
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
                # What the store wrote meanwhile went to this path.
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
        """Make all queries of the block see one state; inside ``write`` that of the writer."""
        with self._translated():
            connection = self.reader()
            if connection.in_transaction:
                yield connection
                return
            # Before the transaction: its rows are of this version or of a later one.
            self._local.seen = self.version, self.files_version
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                self._local.seen = None
                connection.execute("COMMIT")

    def version_read(self) -> int:
        """The version that this thread's rows are of, at least."""
        return self._seen()[0]

    def files_version_read(self) -> int:
        """The version of the places that this thread's rows are of, at least."""
        return self._seen()[1]

    def _seen(self) -> tuple[int, int]:
        seen: tuple[int, int] | None = getattr(self._local, "seen", None)
        return (self.version, self.files_version) if seen is None else seen

    def mark_files_changed(self) -> None:
        """Say, inside ``write``, that what readers keep about files is out of date."""
        self._local.places = True

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one query on this thread's connection."""
        with self._translated():
            return self.reader().execute(sql, values).fetchall()

    def value(self, sql: str, *values: Any, default: Any = None) -> Any:
        """Give the first column of the first row, or ``default`` when there is none."""
        with self._translated():
            row = self.reader().execute(sql, values).fetchone()
        return default if row is None else row[0]

    def close(self) -> None:
        """Close the connections of all threads; harmless when done twice."""
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
        except OSError:  # SQLite will say what is wrong with the drive
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
        connection.execute("PRAGMA wal_autocheckpoint = 4000")  # 16 MB: few flushes of the disk
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
    # SQLite would make it readable by others; its side files take over the mode we choose.
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        if error.errno in DISK_FULL:
            raise _full(path) from error
        raise WorldError("library_unwritable", library=str(path.parent)) from error
