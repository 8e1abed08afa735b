"""A SQLite file for several threads: each has a connection, one may write, readers never wait.

In WAL mode every thread reads the last committed state while another writes. With ``synchronous``
NORMAL a commit survives any end of the process, kill -9 included, without an fsync; a power cut may
roll back the last commits, whole and in order, and recovery redoes that work. A transaction that
must survive a power cut passes ``durable``.

On a read-only file system SQLite cannot create the WAL's files. If the WAL holds commits, the file
is opened with ``mode=ro``, else as ``immutable``; the library lock ensures that it is.

Errors of the file system, such as a full disk, are recognised in the errors of SQLite, LanceDB and
tantivy.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import struct
import sys
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import Struct

from indexer import faults
from indexer.api.errors import LecternError, WorldError
from indexer.api.private_files import DISK_FULL, file_identity, is_full
from indexer.api.status import TableSize

_MASK = (1 << 63) - 1
_HEADER = struct.Struct(">60xi4xI")  # user_version and application_id in SQLite's header
_MAGIC = b"SQLite format 3\x00"

# SQLite's error codes by the code of the error that is raised.
_FULL = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
_CLOSED = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
# LanceDB and tantivy report errors of the system only as text that contains the errno.
_OS_ERROR = re.compile(r"(?:os error |Os \{ code: )(\d+)")
_WINDOWS = sys.platform == "win32"
# A missing file; Windows has another code for a missing folder.
_MISSING = {2, 3} if _WINDOWS else {errno.ENOENT}
_DENIED = {5} if _WINDOWS else {errno.EACCES, errno.EPERM}
_DISK_FULL = {39, 112, errno.ENOSPC} if _WINDOWS else DISK_FULL
# A file shrinks once more than this share of its pages is free.
_FREE_SHARE, _FREE_PAGES = 0.2, 1_024
#: The error codes of damaged files.
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def signed(value: int) -> int:
    """Convert an unsigned inode or volume number to SQLite's signed 64 bits."""
    return value & _MASK


class Layout(Struct, frozen=True):
    """The tables of a kind of file.

    Attributes:
        name: The file's name in messages, such as "catalog".
        application_id: The number in the file's header that identifies the kind of file.
        version: The version of the tables; a file of an earlier version is not opened.
        script: Creates the tables in an empty file.
        cache_kib: SQLite's cache of each connection.
    """

    name: str
    application_id: int
    version: int
    script: str
    cache_kib: int = 8192


class Database:
    """An open SQLite file. The library lock keeps other processes away.

    Args:
        path: The file; created if missing, readable by its owner only.
        layout: Its tables.
        refusal: Why the file is read-only; ``write`` raises it. None if it is writable.

    Raises ``library_newer``, ``library_damaged``, ``library_unwritable``, ``disk_full``,
    ``read_error`` or ``library_older``.
    """

    def __init__(self, path: Path, layout: Layout, refusal: LecternError | None = None) -> None:
        self.path = path
        self.layout = layout
        self.refusal = refusal
        self._local = threading.local()
        self._writing = threading.RLock()
        self._open: list[sqlite3.Connection] = []
        self._closed = False
        self.files_version = 0  # incremented when files, folders or their documents change
        self.version = 0  # incremented by every commit
        #: Whether this call created the file.
        self.is_new = False
        if (found := version_of(path, layout)) is not None:
            _check_version(path, layout, found)
        self._address: Path | str = path
        if refusal is not None:
            self._address = _read_only_address(path)
        else:
            _create(path, layout)
            self._file = file_identity(path)
        try:
            with self._translated():
                self._make_tables(self.reader())
        except BaseException:
            self.close()  # an open transaction would lock the file
            raise

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        """Create the tables of an empty file, in one transaction, and check the version."""
        if self.refusal is None:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # works only in an empty file
            connection.execute("PRAGMA journal_mode = WAL")
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version or self.refusal is not None:
            _check_version(self.path, self.layout, version)
            return
        # executescript commits an open transaction first, so BEGIN is part of the script.
        connection.executescript(
            f"BEGIN IMMEDIATE; {self.layout.script}; "
            f"PRAGMA application_id = {self.layout.application_id};"
            f"PRAGMA user_version = {self.layout.version}"
        )
        faults.reached("tables-making", self.layout.name)
        connection.execute("COMMIT")
        # ``version_of`` reads the header from the file itself, not from the WAL.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.is_new = True

    def reader(self) -> sqlite3.Connection:
        """Return this thread's connection. Inside ``write`` it sees uncommitted rows."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            self._local.connection = connection
        return connection

    @property
    def in_write(self) -> bool:
        """Whether this thread runs a block of ``write``."""
        return getattr(self._local, "depth", 0) > 0

    @contextmanager
    def write(self, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        """Run the block in one transaction; a nested block joins the outer one.

        Args:
            durable: fsync the commit, so that it survives a power cut. Ignored in a nested block.

        Raises the errors of the constructor, the refusal, or ``library_moved`` if the file is no
        longer at its path.
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
                # The store writes by path, so its rows went to whatever is there now.
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
        """Run the block's queries in one read transaction, or in that of an enclosing ``write``."""
        with self._translated():
            connection = self.reader()
            if connection.in_transaction:
                yield connection
                return
            # The version is taken first, so the rows are of this version or a later one.
            self._local.seen = self.version, self.files_version
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                self._local.seen = None
                connection.execute("COMMIT")

    def version_read(self) -> int:
        """The rows that this thread reads are of this version or a later one."""
        return self._seen()[0]

    def files_version_read(self) -> int:
        """The files in the rows that this thread reads are of this version or a later one."""
        return self._seen()[1]

    def _seen(self) -> tuple[int, int]:
        seen: tuple[int, int] | None = getattr(self._local, "seen", None)
        return (self.version, self.files_version) if seen is None else seen

    def mark_files_changed(self) -> None:
        """Invalidate what readers have cached about files. Called inside ``write``."""
        self._local.places = True

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of one query on this thread's connection."""
        with self._translated():
            return self.reader().execute(sql, values).fetchall()

    def column(self, sql: str, *values: Any) -> list[Any]:
        """Return the first column of the rows of one query."""
        return [row[0] for row in self.rows(sql, *values)]

    def value(self, sql: str, *values: Any, default: Any = None) -> Any:
        """Return the first column of the first row, or ``default`` when there is none."""
        with self._translated():
            row = self.reader().execute(sql, values).fetchone()
        return default if row is None else row[0]

    def change(self, sql: str, *values: Any) -> int:
        """Run one statement in a write transaction, and return how many rows it changed."""
        with self.write() as connection:
            return connection.execute(sql, values).rowcount

    def size(self, rows: int) -> TableSize:
        """Return ``rows`` with the bytes of the file and its log, and the bytes in use."""
        free, pages = self._free_pages()
        page = int(self.value("PRAGMA page_size"))
        log = self.path.with_name(f"{self.path.name}-wal")
        logged = log.stat().st_size if log.exists() else 0
        return TableSize(rows, pages * page + logged, (pages - free) * page)

    def shrink(self) -> bool:
        """Return free pages to the file system if there are many; return whether it did so."""
        free, pages = self._free_pages()
        if free < max(_FREE_PAGES, _FREE_SHARE * pages):
            return False
        with self.write() as connection:
            connection.execute("PRAGMA incremental_vacuum").fetchall()
        return True

    def problems(self) -> list[str]:
        """The problems that SQLite's own check finds in the file."""
        try:
            said = [str(row[0]) for row in self.rows("PRAGMA integrity_check(100)")]
        except LecternError as error:
            return [error.message]
        return [] if said == ["ok"] else said

    def _free_pages(self) -> tuple[int, int]:
        return int(self.value("PRAGMA freelist_count")), int(self.value("PRAGMA page_count"))

    def close(self) -> None:
        """Close the connections of all threads; idempotent."""
        with self._writing:
            self._closed = True
            while self._open:
                self._open.pop().close()
            self._local = threading.local()

    def _check_place(self) -> None:
        try:
            moved = file_identity(self.path) != self._file
        except (FileNotFoundError, NotADirectoryError):
            moved = True
        except OSError:  # SQLite reports the drive's error when it opens the file
            return
        if moved:
            raise WorldError("library_moved", library=str(self.path.parent))

    def _connect(self) -> sqlite3.Connection:
        if self._closed:
            raise sqlite3.ProgrammingError(f"the {self.layout.name} is closed")
        connection = sqlite3.connect(
            self._address,
            uri=self.refusal is not None,
            timeout=30,
            isolation_level=None,
            check_same_thread=False,
        )
        self._open.append(connection)  # closed even if the file is not a database
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA cache_size = -{self.layout.cache_kib}")
        connection.execute("PRAGMA wal_autocheckpoint = 4000")  # 16 MB, for few fsyncs
        connection.execute("PRAGMA journal_size_limit = 67108864")
        return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            known = _world_error(error, self.path, self.layout)
            if known is None:
                raise
            raise known from error


def _world_error(error: sqlite3.Error, path: Path, layout: Layout) -> LecternError | None:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        return None
    primary = code & 0xFF
    library = str(path.parent)
    failed = primary in _CLOSED or primary == sqlite3.SQLITE_IOERR
    if code in _FULL or primary in _FULL or (failed and is_full(path.parent)):
        return _full(path, layout)
    if primary in _CLOSED:
        return WorldError("library_unwritable", library=library)
    if primary == sqlite3.SQLITE_IOERR:
        return WorldError("read_error", reason=f"{path.name}: {error}")
    if primary in DAMAGED:
        return WorldError("library_damaged", library=library, reason=str(error))
    return None


def _full(path: Path, layout: Layout) -> WorldError:
    return WorldError("disk_full", needed=f"what the {layout.name} needs", path=str(path.parent))


def version_of(path: Path, layout: Layout) -> int | None:
    """Read the version of the tables from the file's header; None if there are no tables yet.

    SQLite is not used, as opening the file would create the WAL's files. Raises ``library_damaged``
    if the file has another layout, or ``library_unwritable``.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER.size)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WorldError("library_unwritable", library=str(path.parent)) from error
    if not head:
        return None
    if len(head) < _HEADER.size or not head.startswith(_MAGIC):
        raise WorldError("library_damaged", library=str(path.parent), reason="not_a_catalog")
    version, application = _HEADER.unpack(head)
    if application not in {0, layout.application_id}:
        raise WorldError("library_damaged", library=str(path.parent), reason="not_ours")
    return int(version) or None


def _check_version(path: Path, layout: Layout, found: int) -> None:
    library, known = str(path.parent), layout.version
    if found > known:
        raise WorldError("library_newer", library=library, found=found, known=known)
    if found < known:
        raise WorldError("library_older", library=library)


def _read_only_address(path: Path) -> str:
    log = path.with_name(f"{path.name}-wal")
    unchanging = not log.exists() or log.stat().st_size == 0
    return f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if unchanging else ''}"


def _create(path: Path, layout: Layout) -> None:
    # SQLite would create the file readable by others; the WAL's files inherit its mode.
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as error:
        if error.errno in DISK_FULL:
            raise _full(path, layout) from error
        raise WorldError("library_unwritable", library=str(path.parent)) from error


def is_whole(path: Path) -> bool:
    """Whether a file passes SQLite's integrity check."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchall() == [("ok",)])
    except sqlite3.Error:
        return False


def remove_database(path: Path) -> None:
    """Delete a database file and the files that SQLite keeps beside it."""
    for suffix in ("-wal", "-shm", ""):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


V = TypeVar("V")


_MOST_CACHED = 32  # values such as the documents of a filter


class CachedValues(Generic[V]):
    """A cache of values that were read from the catalog, which is valid for one version of it."""

    def __init__(self, database: Database, seen: Callable[[], int]) -> None:
        """``seen`` returns the current version, of the whole catalog or of its files."""
        self._db = database
        self._seen = seen
        self._known: dict[Hashable, tuple[int, V]] = {}  # at most _MOST_CACHED entries

    def get(self, key: Hashable, read: Callable[[], V]) -> V:
        """Return the value of a key; it is read again if the catalog has changed since.

        Callers share the value and must not change it. Nothing is cached inside a write
        transaction, which may be rolled back.
        """
        if self._db.in_write:
            return read()
        # The version is taken before the rows are read, so they are of this version or a later one.
        version = self._seen()
        known = self._known.get(key)
        if known is None or known[0] < version:
            if len(self._known) >= _MOST_CACHED:
                self._known = {}
            known = self._known[key] = (version, read())
        return known[1]


def errno_of(error: BaseException) -> int | None:
    """The errno of the system error behind an error, if there is one."""
    found = _OS_ERROR.search(str(error))
    if found is not None:
        return int(found[1])
    return error.errno if isinstance(error, OSError) else None


def system_error(error: BaseException, path: Path) -> WorldError | None:
    """Return the error to raise if the system is the cause, None if the bytes are.

    Args:
        error: An error of LanceDB, tantivy or Python.
        path: The folder that was used.
    """
    code = errno_of(error)
    if code is None or code in _MISSING | _DISK_FULL:
        return None
    if code in _DENIED:
        return WorldError("path_denied", path=str(path))
    return WorldError("read_error", reason=f"error {code}" if _WINDOWS else os.strerror(code))


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Translate errors of writing below a folder.

    Raises ``disk_full``, or the result of ``system_error``.
    """
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        if errno_of(error) not in _DISK_FULL:
            raise system_error(error, path) or error from error
        raise WorldError("disk_full", needed="what the store needs", path=str(path)) from error
