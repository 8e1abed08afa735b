"""Makes a library openable that SQLite or Lance refuse, from everything that is still readable.

Apart from ``repair``, which needs an open catalog: here a damaged catalog is copied row by row into
a new one, since no other file knows the documents on drives that are not connected, and the damaged
one is kept beside it. ``indexer.store.tables`` does the same for the store. ``recovery`` finds what
is missing at the next opening. It must not know how documents are read.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from typing import TYPE_CHECKING, Any

from indexer.api.lock import LibraryLock
from indexer.catalog.catalog import Catalog
from indexer.catalog.docs import RESERVED
from indexer.database import is_whole, remove_database
from indexer.library.library import CATALOG_NAME, LANCE_NAME
from indexer.store import texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

#: The new name of the damaged catalog.
KEPT_NAME = f"{CATALOG_NAME}.damaged"
_NEW_NAME = f"{CATALOG_NAME}.new"
# In the order of foreign keys: parents before children.
_COPIED = (
    "meta", "roots", "names", "folders", "docs", "contents", "files", "spaces", "doc_spaces",
    "earlier_docs", "name_vectors",
)  # fmt: skip
_BLOCK = 500


def rescue(library: Path) -> list[str]:
    """Make a library openable again.

    Returns:
        A sentence for each change; empty if the library is openable.

    Raises:
        WorldError: ``library_locked``, ``library_newer``, or ``disk_full``.
    """
    with LibraryLock.acquire(library, "lectern repair"):
        from indexer.store.tables import make_openable

        return [
            *_catalog(library),
            *texts.make_openable(library / texts.TEXTS_NAME),
            *make_openable(library / LANCE_NAME),
        ]


def _catalog(library: Path) -> Iterator[str]:
    path = library / CATALOG_NAME
    if not path.exists() or is_whole(path):
        return
    new = library / _NEW_NAME
    remove_database(new)
    with contextlib.closing(Catalog(new)) as catalog:
        copied = _copy(path, catalog)
        catalog.choices.restore_choices()
        _make_consistent(catalog)
        _name_files(catalog)
        with contextlib.suppress(sqlite3.Error):
            catalog.db.reader().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = library / KEPT_NAME
    remove_database(kept)
    path.rename(kept)
    remove_database(path)
    new.rename(path)
    yield (
        f"The catalog was damaged. {copied:,} rows of it are in a new one; the damaged one is "
        f"kept as {kept.name}."
    )


def _copy(path: Path, catalog: Catalog) -> int:
    """Copy all readable rows; return their number."""
    total = 0
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as old:
        writer = catalog.db.reader()
        writer.execute("PRAGMA foreign_keys = OFF")
        for table in _COPIED:
            reader = _Reader(old, table)
            columns = [row[1] for row in writer.execute(f"PRAGMA table_info({table})")]
            with catalog.write() as connection:
                for rows in reader.blocks(columns):
                    marks = ", ".join("?" * len(columns))
                    connection.executemany(
                        f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({marks})",
                        rows,
                    )
                    total += len(rows)
            if reader.damaged:
                log.error("the catalog has lost rows of %s", table)
        writer.execute("PRAGMA foreign_keys = ON")
    return total


class _Reader:
    """Reads a table of a damaged file, skipping unreadable pages."""

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._connection = connection
        self._table = table
        self.damaged = False

    def blocks(self, columns: list[str]) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows in blocks."""
        wanted = ", ".join(columns)
        return self._by_rowid(wanted) if self._has_rowid() else self._from_both_ends(wanted)

    def _has_rowid(self) -> bool:
        try:
            self._connection.execute(f"SELECT rowid FROM {self._table} LIMIT 0")
        except sqlite3.OperationalError:
            return False
        except sqlite3.Error:
            self.damaged = True
        return True

    def _from_both_ends(self, wanted: str) -> Iterator[list[tuple[Any, ...]]]:
        """Yield rows by the key, the first column, ascending and descending up to the damage."""
        for order in ("", " DESC"):
            rows, whole = self._read(f"SELECT {wanted} FROM {self._table} ORDER BY 1{order}")
            yield rows
            if whole:
                return

    def _by_rowid(self, wanted: str) -> Iterator[list[tuple[Any, ...]]]:
        sql = f"SELECT rowid, {wanted} FROM {self._table} WHERE rowid >= ? ORDER BY rowid LIMIT ?"
        newest, whole = self._read(f"SELECT rowid FROM {self._table} ORDER BY rowid DESC LIMIT 1")
        last = newest[0][0] if newest else -1 if whole else 1 << 31
        at, step = -(1 << 62), 1
        while at <= last:
            rows, whole = self._read(sql, at, _BLOCK)
            if rows:
                yield [row[1:] for row in rows]
                at, step = rows[-1][0] + 1, 1
            if whole and len(rows) < _BLOCK:
                return
            if not whole:
                # Skip the unreadable page, in strides that double.
                at = max(at, 0) + step
                step *= 2

    def _read(self, sql: str, *values: int) -> tuple[list[tuple[Any, ...]], bool]:
        """Return the rows up to the first damage, and whether there is none."""
        rows: list[tuple[Any, ...]] = []
        try:
            for row in self._connection.execute(sql, values):
                rows.append(row)  # noqa: PERF402  # keeps the rows before an error
        except sqlite3.Error:
            self.damaged = True
            return rows, False
        return rows, True


def _make_consistent(catalog: Catalog) -> None:
    """Remove references to lost rows, and queue the files whose contents are lost."""
    with catalog.write() as connection:
        _cut_references(connection)
        connection.execute("DELETE FROM contents WHERE doc IS NULL AND state = ''")
        _cut_references(connection)
        last = connection.execute("SELECT coalesce(max(doc), 0) FROM docs").fetchone()[0]
        known = connection.execute("SELECT value FROM meta WHERE key = 'docs_reserved'").fetchone()
        reserved = max(int(known[0]) if known else 1, last + 1) + RESERVED
        connection.execute(
            "INSERT OR REPLACE INTO meta (key, value) VALUES ('docs_reserved', ?)", (str(reserved),)
        )
    catalog.upkeep.requeue_without_contents()


def _cut_references(connection: sqlite3.Connection) -> None:
    """Apply the ON DELETE action of each foreign key whose parent row is missing."""
    for table in _COPIED:
        for key in connection.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            parent, column, action = key[2], key[3], key[6]
            done = "DELETE FROM {}" if action == "CASCADE" else f"UPDATE {{}} SET {column} = NULL"
            there = f"SELECT {'doc' if parent == 'docs' else 'id'} FROM {parent}"
            connection.execute(f"{done.format(table)} WHERE {column} NOT IN ({there})")


def _name_files(catalog: Catalog) -> None:
    """Rebuild the full-text index of file names."""
    with catalog.write() as connection:
        connection.execute("DELETE FROM file_words")
        rows = connection.execute(
            "SELECT f.id, d.path, f.name FROM files f JOIN folders d ON d.id = f.folder"
        ).fetchall()
        catalog.file_names.add(connection, rows)
