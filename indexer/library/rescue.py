"""Makes a damaged library one that can be opened, from all of it that can still be read.

Owns what is done while no engine has the library: tables whose list of files is unreadable go back
to an earlier one or are dropped, and the catalog is copied row by row into a new one. What is lost
with that is found by ``indexer.library.recovery`` at the next open, and read again. The damaged
catalog is kept beside the new one. It must not know how documents are read.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import sqlite3
from typing import TYPE_CHECKING, Any

from indexer.api.lock import LibraryLock
from indexer.catalog.catalog import Catalog
from indexer.catalog.docs import RESERVED
from indexer.catalog.migrations import RENAMED_COLUMNS, RENAMED_TABLES, RENAMED_VALUES
from indexer.library.library import CATALOG_NAME, LANCE_NAME
from indexer.library.recovery import unknown_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

log = logging.getLogger(__name__)

#: What the damaged catalog is called from then on.
KEPT_NAME = f"{CATALOG_NAME}.damaged"
_NEW_NAME = f"{CATALOG_NAME}.new"
_SIDE_FILES = ("-wal", "-shm")
# Made anew when the documents are read again; half of it would be worse than none.
_DERIVED = frozenset(
    {"lexicon_terms", "lexicon_stems", "lexicon_segments", "lexicon_chunks", "lexicon_pending",
     "lexicon_deleted"}
)  # fmt: skip
# Parents before children.
_COPIED = (
    "meta", "roots", "names", "folders", "docs", "contents", "files", "spaces", "doc_spaces",
    "earlier_docs", "name_vectors",
)  # fmt: skip
_BLOCK = 500


def rescue(library: Path) -> list[str]:
    """Make a library openable again.

    Returns:
        What was done, a sentence each; nothing if nothing was needed.

    Raises:
        WorldError: ``library_locked``, ``library_newer``, or ``disk_full``.
    """
    with LibraryLock.acquire(library, "lectern repair"):
        return [*_catalog(library), *_tables(library / LANCE_NAME)]


def _catalog(library: Path) -> Iterator[str]:
    path = library / CATALOG_NAME
    if not path.exists() or _is_whole(path):
        return
    new = library / _NEW_NAME
    _remove(new)
    with contextlib.closing(Catalog(new)) as catalog:
        copied, lost = _copy(path, catalog)
        catalog.roots.restore()
        _make_consistent(catalog)
        if lost & _DERIVED:
            _forget_words(catalog)
        else:
            catalog.lexicon.mark_deleted(unknown_words(catalog))
        _name_files(catalog)
        with contextlib.suppress(sqlite3.Error):
            catalog.db.reader().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = library / KEPT_NAME
    _remove(kept)
    path.rename(kept)
    for suffix in _SIDE_FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    new.rename(path)
    yield (
        f"The catalog was damaged. {copied:,} rows of it are in a new one; the damaged one is "
        f"kept as {kept.name}."
    )


def _is_whole(path: Path) -> bool:
    """Whether SQLite can read all of the file and finds nothing wrong."""
    try:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            rows = connection.execute("PRAGMA integrity_check(1)").fetchall()
            return bool(rows == [("ok",)])
    except sqlite3.Error:
        return False


def _copy(path: Path, catalog: Catalog) -> tuple[int, set[str]]:
    """Copy what can be read; gives how many rows, and the tables that are not whole."""
    total, lost = 0, set()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as old:
        writer = catalog.db.reader()
        writer.execute("PRAGMA foreign_keys = OFF")
        for table in (*_COPIED, *sorted(_DERIVED)):
            reader = _Reader(old, *_older_names(old, table))
            columns = [row[1] for row in writer.execute(f"PRAGMA table_info({table})")]
            columns = [column for column in columns if reader.has(column)]
            with catalog.write() as connection:
                for rows in reader.blocks(columns):
                    marks = ", ".join("?" * len(columns))
                    connection.executemany(
                        f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({marks})",
                        rows,
                    )
                    total += len(rows)
            if reader.damaged:
                lost.add(table)
                log.error("the catalog has lost rows of %s", table)
        with catalog.write() as connection:
            for statement in RENAMED_VALUES.split(";"):
                connection.execute(statement)
        writer.execute("PRAGMA foreign_keys = ON")
    return total, lost


def _older_names(old: sqlite3.Connection, table: str) -> tuple[str, dict[str, str]]:
    """Return a table's name in a catalog of any version, and its columns there by those of today.

    The columns are empty where they cannot be read.
    """
    for before, now in RENAMED_TABLES:
        with contextlib.suppress(sqlite3.Error):
            if now == table and list(old.execute(f"PRAGMA table_info({before})")):
                table = before
    with contextlib.suppress(sqlite3.Error):
        there = [row[1] for row in old.execute(f"PRAGMA table_info({table})")]
        renamed = {before: now for where, before, now in RENAMED_COLUMNS if where == table}
        return table, {renamed.get(column, column): column for column in there}
    return table, {}


class _Reader:
    """Reads a table of a damaged file, past what cannot be read."""

    def __init__(
        self, connection: sqlite3.Connection, table: str, columns: Mapping[str, str]
    ) -> None:
        self._connection = connection
        self._table = table
        self._columns = columns
        self.damaged = False

    def has(self, column: str) -> bool:
        """Whether a column of today was there, as far as can be read."""
        return not self._columns or column in self._columns

    def blocks(self, columns: list[str]) -> Iterator[list[tuple[Any, ...]]]:
        """The rows, some at a time."""
        wanted = ", ".join(self._columns.get(column, column) for column in columns)
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
        """By the key, which is the first column, up to where something is damaged."""
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
                # Past the page that cannot be read, in strides that grow.
                at = max(at, 0) + step
                step *= 2

    def _read(self, sql: str, *values: int) -> tuple[list[tuple[Any, ...]], bool]:
        """Return the rows up to where something is damaged, and whether nothing is."""
        rows: list[tuple[Any, ...]] = []
        try:
            for row in self._connection.execute(sql, values):
                rows.append(row)  # noqa: PERF402  # those before an error stay
        except sqlite3.Error:
            self.damaged = True
            return rows, False
        return rows, True


def _make_consistent(catalog: Catalog) -> None:
    """Cut what points at rows that are gone, and queue the files whose contents are."""
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
    """Do to rows whose parent is gone what deleting it would have done."""
    for table in _COPIED:
        for key in connection.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            parent, column, action = key[2], key[3], key[6]
            done = "DELETE FROM {}" if action == "CASCADE" else f"UPDATE {{}} SET {column} = NULL"
            there = f"SELECT {'doc' if parent == 'docs' else 'id'} FROM {parent}"
            connection.execute(f"{done.format(table)} WHERE {column} NOT IN ({there})")


def _forget_words(catalog: Catalog) -> None:
    """Have all documents read again for their words; their vectors stay."""
    with catalog.write() as connection:
        for table in sorted(_DERIVED):
            connection.execute(f"DELETE FROM {table}")
    catalog.upkeep.read_again(catalog.docs.expected())


def _name_files(catalog: Catalog) -> None:
    """Make the index of names anew."""
    with catalog.write() as connection:
        connection.execute("DELETE FROM file_words")
        rows = connection.execute(
            "SELECT f.id, d.path, f.name FROM files f JOIN folders d ON d.id = f.folder"
        ).fetchall()
        catalog.lexicon.files.add(connection, rows)


def _tables(lance: Path) -> Iterator[str]:
    from indexer.store import damage, deletions, disk, runtime

    if not lance.is_dir():
        return
    database = runtime.connect(lance, 1, runtime.cache_bytes(lance))
    for path in sorted(lance.glob("*.lance")):
        lists = sorted((path / "_versions").glob("*.manifest"), key=lambda one: one.stat().st_mtime)
        given_up = 0
        emptied: list[Path] = []
        while lists:
            try:
                opened = database.open_table(path.stem)
                damage.blocks(opened)
                deletions.recount(opened, deletions.fragments_of(emptied))
                break
            except BaseException as error:  # a panic of Lance is no Exception
                if not damage.may_be_damage(error):
                    raise disk.system_error(error, path) or error from error
                if (without := deletions.forget(path, error)) is not None:
                    emptied.append(without)
                    yield f"A list of deleted rows of {path.stem} is made anew."
                    continue
                with disk.open_errors(lance):
                    lists[-1].read_bytes()  # it is not the system that keeps it from us
                lists.pop().unlink()
                given_up += 1
        if not lists:
            shutil.rmtree(path)
            yield f"The table {path.stem} could not be read at all; it is made anew."
        elif given_up:
            yield f"The table {path.stem} is back to what it was {given_up} commits ago."


def _remove(path: Path) -> None:
    for suffix in ("", *_SIDE_FILES):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
