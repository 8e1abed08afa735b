"""Brings the catalog to the current version of its schema.

Each step of ``migration_steps`` is one transaction. A library written by a newer version is refused
before SQLite opens the file. It must not know what the tables are used for.
"""

from __future__ import annotations

import sqlite3
import struct
from contextlib import suppress
from typing import TYPE_CHECKING

from indexer import faults
from indexer.api.errors import WorldError
from indexer.catalog.migration_steps import MIGRATIONS

if TYPE_CHECKING:
    from pathlib import Path

APPLICATION_ID = 0x4C656374  # "Lect", in the header of the file
_HEADER = struct.Struct(">60xi4xI")  # user_version and application_id in SQLite's header
_MAGIC = b"SQLite format 3\x00"
VERSION = len(MIGRATIONS)


def check_version(path: Path) -> None:
    """Refuse a file that this version must not open, by its header alone.

    Opening it with SQLite would already create the WAL's files.

    Raises:
        WorldError: ``library_newer``, ``library_damaged`` or ``library_unwritable``.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER.size)
    except FileNotFoundError:
        return
    except OSError as error:
        raise WorldError("library_unwritable", library=str(path.parent)) from error
    if not head:
        return
    if len(head) < _HEADER.size or not head.startswith(_MAGIC):
        raise WorldError("library_damaged", library=str(path.parent), reason="not_a_catalog")
    version, application = _HEADER.unpack(head)
    if application not in {0, APPLICATION_ID}:
        raise WorldError("library_damaged", library=str(path.parent), reason="not_ours")
    _refuse_newer(path, version)


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring an open catalog to ``VERSION``; each step is one transaction.

    Args:
        connection: In autocommit mode, with the library lock held.
        path: Where the catalog is, for messages.

    Raises:
        WorldError: ``library_newer``, before anything is written.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    _refuse_newer(path, version)
    for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
        # executescript commits an open transaction first, so BEGIN is part of the script.
        try:
            connection.executescript(
                f"BEGIN IMMEDIATE; {script}; PRAGMA application_id = {APPLICATION_ID};"
                f"PRAGMA user_version = {number}"
            )
            faults.reached("catalog-migrating")
            connection.execute("COMMIT")
            faults.reached("catalog-migrated")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    if version != VERSION:
        with suppress(sqlite3.Error):  # without room the file stays as large as it was
            connection.execute("VACUUM")
        # check_version reads the header from the file itself, not from the WAL.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def refuse_older(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a read-only catalog that would have to be migrated first.

    Raises:
        WorldError: ``library_older``, or ``library_newer``.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    _refuse_newer(path, version)
    if version < VERSION:
        raise WorldError("library_older", library=str(path.parent))


def _refuse_newer(path: Path, version: int) -> None:
    if version > VERSION:
        raise WorldError("library_newer", library=str(path.parent), found=version, known=VERSION)
