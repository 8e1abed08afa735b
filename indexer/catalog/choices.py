"""A person's choices for a library: folders with patterns, collections, corrections, pace.

A separate file beside the catalog keeps a copy of them. If a catalog is made anew because the
former one was damaged, lost or of an earlier layout, it begins with this copy. Everything else in
the catalog can be made again from the documents.
"""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

from indexer.api.json_files import put_aside
from indexer.api.private_files import small_file, write_file

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from indexer.database import Database

CHOICES_NAME = "choices.json"
COLLECTIONS = "collections"  # the key of collections in ``meta``
CORRECTIONS = "corrections"  # the key of corrected titles, authors and years, by path
ASKED = "asked"  # the key of the counts of questions by day and language
#: A key of ``meta`` that exists while a library of an earlier layout is read again.
REBUILDING = "rebuilding"
# Keys of ``meta``; ``indexer.throttle`` owns those of the pace.
_FACTS = (COLLECTIONS, CORRECTIONS, ASKED, "speed", "paused", REBUILDING)


def read_choice(connection: sqlite3.Connection, key: str) -> str:
    """The value of a key of ``meta``, "" for a missing key."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


def write_choice(connection: sqlite3.Connection, key: str, value: str) -> None:
    """Set the value of a key of ``meta``, inside the caller's transaction."""
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


class Choices:
    """The choices of one catalog and their copy."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._path = database.path.with_name(CHOICES_NAME)
        self._saved = ""
        with contextlib.suppress(OSError, ValueError):
            if database.refusal is None:
                put_aside(self._path)
            self._saved = small_file(self._path).decode("utf-8")

    def save_choices(self) -> None:
        """Write the copy if it differs. Failures are ignored, as the catalog has the choices."""
        if self._db.refusal is None:
            with contextlib.suppress(OSError):
                self._saved = save_copy(self._db.reader(), self._path, self._saved)

    def restore_choices(self) -> None:
        """Add choices from the copy that the catalog lacks."""
        try:
            kept: dict[str, Any] = json.loads(small_file(self._path))
            roots = [
                (os.fsencode(one["path"]), os.fsencode(one["file_name"]), one["patterns"])
                for one in kept["roots"]
            ]
            facts = [(key, kept[key]) for key in _FACTS if isinstance(kept.get(key), str)]
        except (OSError, ValueError, KeyError, TypeError):
            return
        with self._db.write() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO roots (path, file_name, patterns) VALUES (?, ?, ?)", roots
            )
            connection.executemany("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", facts)


def save_copy(
    catalog: sqlite3.Connection, path: Path, saved: str = "", *, rebuilding: bool = False
) -> str:
    """Write a catalog's choices to a file, unless it has them; return its content.

    ``saved`` is the file's former content; ``rebuilding`` says whether the library will be read
    again. Raises ``OSError`` if it cannot be written.
    """
    rows = catalog.execute("SELECT path, file_name, patterns FROM roots ORDER BY path, file_name")
    roots = [
        {"path": os.fsdecode(root), "file_name": os.fsdecode(name), "patterns": patterns}
        for root, name, patterns in rows
    ]
    facts = catalog.execute("SELECT key, value FROM meta").fetchall()
    kept = {key: value for key, value in facts if key in _FACTS}
    if rebuilding:
        kept[REBUILDING] = "yes"
    if (text := json.dumps({"roots": roots, **kept})) != saved:
        write_file(path, text)
    return text
