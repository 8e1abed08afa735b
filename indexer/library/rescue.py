"""Rebuilds a library that SQLite refuses to open from everything that is still readable.

``repair`` needs an open catalog. Here a damaged catalog is copied row by row into a new one, since
no other file lists the documents on drives that are not connected. The damaged one is kept beside
it. Texts and vectors are copied in the same way. At the next opening ``recovery`` finds the
documents that are missing.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from indexer.api.private_files import LibraryLock
from indexer.catalog.catalog import Catalog
from indexer.catalog.choices import read_choice, write_choice
from indexer.catalog.docs import RESERVED, RESERVED_UNTIL
from indexer.catalog.names import add_names, add_title
from indexer.database import is_whole, remove_database
from indexer.library.library import CATALOG_NAME, INDEX_NAME
from indexer.salvage import copy_readable_rows, replace_database
from indexer.store import texts, vectors

#: The new name of the damaged catalog.
KEPT_NAME = f"{CATALOG_NAME}.damaged"
_NEW_NAME = f"{CATALOG_NAME}.new"
# The order follows foreign keys: parents before children.
_COPIED = (
    "meta", "roots", "names", "folders", "docs", "contents", "files", "spaces", "doc_spaces",
    "earlier_docs", "name_vectors",
)  # fmt: skip


def rescue(library: Path) -> list[str]:
    """Make a library openable again.

    Returns a sentence for each change; empty if the library is openable. Raises ``library_locked``,
    ``library_newer``, or ``disk_full``.
    """
    with LibraryLock.acquire(library, "lectern repair"):
        files = vectors.vector_files(library / INDEX_NAME)
        return [
            *_catalog(library),
            *texts.make_openable(library / texts.TEXTS_NAME),
            *(said for path in files for said in vectors.make_openable(path)),
        ]


def _catalog(library: Path) -> Iterator[str]:
    path = library / CATALOG_NAME
    if not path.exists() or is_whole(path):
        return
    new = library / _NEW_NAME
    remove_database(new)
    with contextlib.closing(Catalog(new)) as catalog:
        copied = copy_readable_rows(path, catalog.db, _COPIED)
        catalog.choices.restore_choices()
        _make_consistent(catalog)
        _name_files(catalog)
        with contextlib.suppress(sqlite3.Error):
            catalog.db.reader().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    kept = library / KEPT_NAME
    replace_database(path, kept)
    replace_database(new, path)
    yield (
        f"The catalog was damaged. {copied:,} rows of it are in a new one; the damaged one is "
        f"kept as {kept.name}."
    )


def _make_consistent(catalog: Catalog) -> None:
    """Remove references to lost rows, and queue the files whose contents are lost."""
    with catalog.db.write() as connection:
        _cut_references(connection)
        connection.execute("DELETE FROM contents WHERE doc IS NULL AND state = ''")
        _cut_references(connection)
        last = connection.execute("SELECT coalesce(max(doc), 0) FROM docs").fetchone()[0]
        known = int(read_choice(connection, RESERVED_UNTIL) or 1)
        write_choice(connection, RESERVED_UNTIL, str(max(known, last + 1) + RESERVED))
    catalog.queue.requeue_without_contents()


def _cut_references(connection: sqlite3.Connection) -> None:
    """Apply the ON DELETE action of each foreign key whose parent row is missing."""
    for table in _COPIED:
        for key in connection.execute(f"PRAGMA foreign_key_list({table})").fetchall():
            parent, column, action = key[2], key[3], key[6]
            done = "DELETE FROM {}" if action == "CASCADE" else f"UPDATE {{}} SET {column} = NULL"
            there = f"SELECT {'doc' if parent == 'docs' else 'id'} FROM {parent}"
            connection.execute(f"{done.format(table)} WHERE {column} NOT IN ({there})")


def _name_files(catalog: Catalog) -> None:
    """Rebuild the full-text index of file names, and the words of names and titles."""
    with catalog.db.write() as connection:
        for table in ("name_words", "title_words", "file_words"):
            connection.execute(f"DELETE FROM {table}")
        add_names(connection)
        for doc in connection.execute("SELECT doc, title, language FROM docs").fetchall():
            add_title(connection, *doc)
        rows = connection.execute(
            "SELECT f.id, d.path, f.name FROM files f JOIN folders d ON d.id = f.folder"
        ).fetchall()
        catalog.file_names.index_names(connection, rows)
