"""A cache of pages with content but no text, and of their recognised text, in one SQLite file.

Pages are keyed by the hash of the file's bytes, so that renames, moves and copies cost nothing.
Each entry names the program and languages that made it. The cache is separate from the catalog:
children read it while the engine writes it, and a damaged cache is replaced.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from indexer import faults
from indexer.api.errors import WorldError
from indexer.ocr.layer import RecognisedLine, unpack

log = logging.getLogger(__name__)

FILE_NAME = "recognised-pages.sqlite"
# SQLite's rollback journal.
SIDE_NAME = f"{FILE_NAME}-journal"
_WAIT_S, _READ_WAIT_S = 10.0, 2.0
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


class CacheFile:
    """The cache file of a library, opened at its first use. Thread-safe."""

    def __init__(self, library: Path, *, writable: bool) -> None:
        self.path = library / FILE_NAME
        self._writable = writable
        self._lock = threading.RLock()
        self._open: sqlite3.Connection | None = None

    def close(self) -> None:
        """Close the connection if it is open."""
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
            return sqlite3.connect(address, uri=True, timeout=_READ_WAIT_S, check_same_thread=False)
        # SQLite would create the file readable by others.
        with contextlib.suppress(OSError):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(
            self.path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
        )
        try:
            # Unlike a WAL, this mode needs no files that readers in other processes must create.
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                connection.executescript(f"BEGIN; {_SCHEMA} COMMIT")
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


# A page that crashes this many runs counts as failed.
MAX_STOPS = 2
# A document is extracted again after this many recognised pages, and when their number doubles.
_FIRST_PAGES = 32

# The maker of text that another program or language would not change.
LASTING = "lasting"
# Text from another program counts as missing, unless there is no program now.
_GIVEN = "WITH given(own) AS (SELECT ?)"
_OWN = "(SELECT own FROM given)"
_WAITS = f"iif({_OWN} = '', made_by = '', made_by NOT IN ({_OWN}, '{LASTING}'))"
# Documents with the fewest missing pages come first, and image files last, as they may be many.
_NEXT = f"""
{_GIVEN}, waiting AS (
    SELECT p.content, p.page, count(*) OVER (PARTITION BY p.content) AS missing FROM pages p
    WHERE {_WAITS}
)
SELECT c.content_id, w.page FROM waiting w JOIN contents c ON c.id = w.content
WHERE c.content_id NOT IN (SELECT value FROM json_each(?))
ORDER BY c.last, w.missing, w.content, w.page LIMIT 1
"""  # constants
_DUE = f"""
{_GIVEN} SELECT content_id FROM contents c WHERE fresh > 0 AND (
    NOT EXISTS (SELECT 1 FROM pages WHERE content = c.id AND {_WAITS})
    OR fresh >= max({_FIRST_PAGES}, (SELECT count(*) FROM pages
        WHERE content = c.id AND NOT {_WAITS}) - fresh))
"""  # constants
_FAILED = "words IS NULL AND reason <> ''"


class PageCounts(Struct, frozen=True):
    """The numbers of pages that are recognised, waiting, or failed."""

    read: int = 0
    waiting: int = 0
    failed: int = 0


class PageCache:
    """The pages of one library. Thread-safe; used by one engine at a time.

    The file is created with the first page. Any call may raise ``disk_full`` or
    ``library_unwritable``. If it is not ``writable``, only methods that read may be called.
    """

    def __init__(self, library: Path, *, writable: bool = True) -> None:
        self._file = CacheFile(library, writable=writable)
        self.path = self._file.path

    def add_pages(
        self, content_id: str, size: int, pages: Iterable[int], *, last: bool = False
    ) -> None:
        """Record the pages of a content that have no text, which may be none.

        ``size`` is the size of the file. Pages with ``last`` are recognised after all others.
        """
        with self._file.write() as connection:
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
        """Return the content and number of the page to recognise next, ``None`` if no page waits.

        Text from other programs and languages than ``made_by`` ("" for none) counts as missing.
        """
        rows = self._file.rows(_NEXT, made_by, json.dumps(list(without)))
        return (str(rows[0][0]), int(rows[0][1])) if rows else None

    def store(self, content_id: str, page: int, made_by: str, words: bytes) -> None:
        """Store the recognised text of a page."""
        self._update(content_id, page, made_by, words, "")
        faults.reached("page-recognised")

    def record_stop(self, content_id: str, page: int, made_by: str, reason: str) -> bool:
        """Count a run that a page has crashed; return whether the page now counts as failed."""
        with self._file.write() as connection:
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
        """Record that a page failed with this program and these languages."""
        self._update(content_id, page, made_by, None, reason)

    def due(self, made_by: str) -> list[str]:
        """Return the contents to extract again because of their recognised pages."""
        return [row[0] for row in self._file.rows(_DUE, made_by)]

    def mark_published(self, content_id: str) -> None:
        """Record that a content will be extracted again."""
        with self._file.write() as connection:
            connection.execute("UPDATE contents SET fresh = 0 WHERE content_id = ?", (content_id,))

    def counts(self, made_by: str) -> PageCounts:
        """Count the pages of the library."""
        ((total, waiting, failed),) = self._file.rows(
            f"{_GIVEN} SELECT count(*), coalesce(sum({_WAITS}), 0), "  # constants
            f"coalesce(sum(NOT {_WAITS} AND {_FAILED}), 0) FROM pages",
            made_by,
        ) or [(0, 0, 0)]
        return PageCounts(total - waiting - failed, waiting, failed)

    def has_waiting(self, content_id: str, made_by: str) -> bool:
        """Whether pages of a content wait for recognition."""
        return bool(
            self._file.rows(
                f"{_GIVEN} SELECT 1 FROM pages JOIN contents c ON c.id = content "
                f"WHERE c.content_id = ? AND {_WAITS} LIMIT 1",
                made_by,
                content_id,
            )
        )

    def content_ids(self) -> set[str]:
        """Return all contents with an entry."""
        return {row[0] for row in self._file.rows("SELECT content_id FROM contents")}

    def reset_failures(self, content_ids: Iterable[str]) -> None:
        """Reset the failed pages of some contents."""
        if not self.path.exists():
            return
        with self._file.write() as connection:
            connection.executemany(
                f"UPDATE pages SET made_by = '', stops = 0, reason = '' WHERE {_FAILED} "
                "AND content = (SELECT id FROM contents WHERE content_id = ?)",
                [(content_id,) for content_id in content_ids],
            )

    def delete(self, content_ids: Iterable[str]) -> None:
        """Delete the pages of contents that no file has any more."""
        with self._file.write() as connection:
            connection.executemany(
                "DELETE FROM contents WHERE content_id = ?",
                [(content_id,) for content_id in content_ids],
            )

    def close(self) -> None:
        """Close the file if it is open."""
        self._file.close()

    def _update(
        self, content_id: str, page: int, made_by: str, words: bytes | None, reason: str
    ) -> None:
        with self._file.write() as connection:
            # Text from an earlier program is kept until it is replaced.
            connection.execute(
                "UPDATE pages SET made_by = ?, words = coalesce(?, words), stops = 0, reason = ? "
                "WHERE page = ? AND content = (SELECT id FROM contents WHERE content_id = ?)",
                (made_by, words, reason, page, content_id),
            )
            connection.execute(
                "UPDATE contents SET fresh = fresh + 1 WHERE content_id = ?", (content_id,)
            )


class RecognisedPage(Struct, frozen=True):
    """The recognised lines of a page, or why there are none; ``done`` after recognition."""

    lines: tuple[RecognisedLine, ...] = ()
    reason: str = ""
    done: bool = False


class RecognisedPages(Struct, frozen=True):
    """The recognised pages of a file from the cache, by page number from 1."""

    pages: Mapping[int, tuple[bytes | None, str]] = field(default_factory=dict)

    @classmethod
    def load(cls, library: Path | None, size: int, content: Callable[[], str]) -> RecognisedPages:
        """Load the pages of a file of this size from the cache in a library's folder.

        ``content`` returns the hash of its bytes, and is only called for files that may have such
        pages.
        """
        if library is None:
            return cls()
        with (
            contextlib.closing(CacheFile(library, writable=False)) as file,
            contextlib.suppress(sqlite3.Error, OSError, WorldError),
        ):
            if file.rows("SELECT 1 FROM contents WHERE size = ? LIMIT 1", size):
                rows = file.rows(
                    "SELECT page, words, reason FROM pages JOIN contents c ON c.id = content "
                    "WHERE c.content_id = ?",
                    content(),
                )
                return cls({page: (words, reason) for page, words, reason in rows})
        return cls()

    def page(self, number: int) -> RecognisedPage:
        """Return the recognised lines of a page, or why there are none."""
        words, reason = self.pages.get(number, (None, ""))
        if words is None:
            return RecognisedPage((), reason)
        return RecognisedPage(tuple(unpack(words)), done=True)
