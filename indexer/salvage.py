"""Copies the rows of a damaged SQLite file that can still be read into a new one."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from indexer.database import Database, Layout, remove_database

log = logging.getLogger(__name__)

_BLOCK = 500
_LAST = (1 << 63) - 1


def copy_readable_rows(damaged: Path, made: Database, tables: Sequence[str]) -> int:
    """Copy all readable rows of some tables; return their number.

    Args:
        damaged: The file.
        made: A new one.
        tables: The tables to copy, parents of foreign keys before their children.
    """
    total = 0
    with contextlib.closing(sqlite3.connect(damaged, isolation_level=None)) as old:
        # Without this setting SQLite refuses a truncated file.
        with contextlib.suppress(sqlite3.Error):
            old.execute("PRAGMA writable_schema = ON")
        writer = made.reader()
        writer.execute("PRAGMA foreign_keys = OFF")
        for table in tables:
            reader = _DamagedTable(old, table)
            columns = [row[1] for row in writer.execute(f"PRAGMA table_info({table})")]
            marks = ", ".join("?" * len(columns))
            insert = f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({marks})"
            with made.write() as connection:
                for rows in reader.blocks(columns):
                    total += _insert(connection, insert, rows)
            if reader.damaged:
                log.error("the %s has lost rows of %s", made.layout.name, table)
        writer.execute("PRAGMA foreign_keys = ON")
    return total


def _insert(connection: sqlite3.Connection, insert: str, rows: list[tuple[Any, ...]]) -> int:
    """Insert rows and return their number; rows that damage has made invalid are skipped."""
    try:
        connection.executemany(insert, rows)
        return len(rows)
    except sqlite3.IntegrityError:
        count = 0
        for row in rows:
            with contextlib.suppress(sqlite3.IntegrityError):
                connection.execute(insert, row)
                count += 1
        return count


class _DamagedTable:
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
        """Yield rows from the start and from the end of the table, each up to the damage."""
        for order in ("", " DESC"):
            rows, whole = self._read(f"SELECT {wanted} FROM {self._table} ORDER BY 1{order}")
            yield rows
            if whole:
                return

    def _by_rowid(self, wanted: str) -> Iterator[list[tuple[Any, ...]]]:
        sql = f"SELECT rowid, {wanted} FROM {self._table} WHERE rowid >= ? ORDER BY rowid LIMIT ?"
        newest, whole = self._read(f"SELECT rowid FROM {self._table} ORDER BY rowid DESC LIMIT 1")
        last = newest[0][0] if newest else -1 if whole else _LAST
        at = -_LAST
        while at <= last:
            rows, whole = self._read(sql, at, _BLOCK)
            if not whole:  # the error hid the row before the damage
                rows += self._read(sql, rows[-1][0] + 1 if rows else at, 1)[0]
            if rows:
                yield [row[1:] for row in rows]
                at = rows[-1][0] + 1
            if whole and len(rows) < _BLOCK:
                return
            if not whole:
                at = self._after_damage(sql, at, last)

    def _after_damage(self, sql: str, at: int, last: int) -> int:
        """Find by bisection the first rowid from which rows can be read again."""
        before, step = max(at, 0), 1
        while before + step <= last and not self._read(sql, before + step, 1)[1]:
            step *= 2
        readable = min(before + step, last + 1)
        while readable - before > 1:
            middle = (before + readable) // 2
            if self._read(sql, middle, 1)[1]:
                readable = middle
            else:
                before = middle
        return readable

    def _read(self, sql: str, *values: int) -> tuple[list[tuple[Any, ...]], bool]:
        """Return the rows up to the first damage, and whether all rows could be read."""
        rows: list[tuple[Any, ...]] = []
        try:
            for row in self._connection.execute(sql, values):
                rows.append(row)  # noqa: PERF402  # keeps the rows before an error
        except sqlite3.Error:
            self.damaged = True
            return rows, False
        return rows, True


def copy_damaged_database(
    path: Path, layout: Layout, tables: Sequence[str], tidied: str = ""
) -> Path:
    """Copy what can be read of a damaged file into a new one beside it, then run ``tidied`` there.

    ``tidied`` is a script of SQL. Returns the path of the new file.
    """
    new = path.with_name(f"{path.name}.new")
    remove_database(new)
    with contextlib.closing(Database(new, layout)) as made:
        copy_readable_rows(path, made, tables)
        with made.write() as connection:
            for statement in tidied.split(";"):
                connection.execute(statement)
    return new


def replace_database(new: Path, path: Path) -> None:
    """Replace a database file by another, and delete the files that SQLite keeps beside it."""
    remove_database(path)
    new.rename(path)
