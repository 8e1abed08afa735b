"""Distinct names of files and folders, each embedded once and joined to documents at query time.

Owns the names, their vectors by space and the links from names to documents. A rename adds one
name and changes no passage. It must not know how a name is embedded or weighted.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.catalog import short_words
from indexer.catalog.cached import CachedValues

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.catalog.bindings import Bindings, Snapshot
    from indexer.database import Database

_MISSING = """
SELECT id, text FROM names n WHERE id > ? AND text <> '' AND NOT EXISTS
    (SELECT 1 FROM name_vectors v WHERE v.space = ? AND v.name = n.id)
ORDER BY id LIMIT ?
"""
# Without INDEXED BY the planner scans every non-empty file per batch.
_UNNAMED = (
    "SELECT id, name FROM files INDEXED BY files_unnamed WHERE stem IS NULL AND content IS NOT NULL"
)


@dataclass(frozen=True, slots=True)
class NameLinks:
    """Which name belongs to which document, one entry per pair.

    ``depth`` is 0 for the file's own name and 1 for the folder that holds it. ``docs`` are the
    documents that have a name, ascending, and ``owner`` the index there of the one of each pair.
    """

    name: NDArray[np.int32]
    doc: NDArray[np.int32]
    depth: NDArray[np.int8]
    docs: NDArray[np.int32]
    owner: NDArray[np.intp]


class Names:
    """The names of one catalog."""

    def __init__(self, database: Database, bindings: Bindings) -> None:
        self._db = database
        self._bindings = bindings
        self._links: tuple[Snapshot, NameLinks] | None = None
        self._embedded = CachedValues["NDArray[np.int32]"](database, database.files_version_read)

    def bind(self) -> int:
        """Assign name ids to the files and folders that got documents since the last call."""
        if not self._db.rows(_UNNAMED + " LIMIT 1"):
            return 0
        with self._db.write() as connection:
            files = [(stem_of(name), file) for file, name in connection.execute(_UNNAMED)]
            folders = connection.execute(
                "SELECT d.id, d.path, r.path FROM folders d JOIN roots r ON r.id = d.root "
                "WHERE d.name IS NULL AND d.id IN "
                "(SELECT folder FROM files INDEXED BY files_unnamed "
                "WHERE stem IS NULL AND content IS NOT NULL)"
            ).fetchall()
            named = [(name_of(path, root), folder) for folder, path, root in folders]
            connection.executemany(
                "INSERT OR IGNORE INTO names (text) VALUES (?)",
                [(text,) for text, _ in files + named],
            )
            short_words.add_names(connection)
            bound = "SET {} = (SELECT id FROM names WHERE text = ?) WHERE id = ?"
            connection.executemany("UPDATE files " + bound.format("stem"), files)
            connection.executemany("UPDATE folders " + bound.format("name"), named)
            self._db.mark_files_changed()
        return len(files)

    def missing(self, space: int, limit: int = 1000, after: int = 0) -> list[tuple[int, str]]:
        """Return names without a vector in a space, as ``(name, text)``; call ``bind`` first.

        Ids ascend with time; only those above ``after`` are returned.
        """
        return self._db.rows(_MISSING, after, space, limit)

    def store(self, space: int, names: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Store the vectors of names, one row each, as float16."""
        rows = [
            (space, name, vector.tobytes())
            for name, vector in zip(names, vectors.astype("<f2"), strict=True)
        ]
        with self._db.write() as connection:
            self._db.mark_files_changed()
            connection.executemany(
                "INSERT OR REPLACE INTO name_vectors (space, name, vector) VALUES (?, ?, ?)", rows
            )

    def embedded(self, space: int) -> NDArray[np.int32]:
        """Return the names that have a vector in a space, ascending; cached until files change."""
        return self._embedded.get(space, lambda: self._read_embedded(space))

    def _read_embedded(self, space: int) -> NDArray[np.int32]:
        rows = self._db.rows("SELECT name FROM name_vectors WHERE space = ? ORDER BY name", space)
        return np.fromiter((row[0] for row in rows), np.int32, len(rows))

    def vectors(
        self, space: int, names: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Return those of some names that have a vector in a space, and these, (k, dim).

        ``dim`` is 0 without any.
        """
        rows = self._db.rows(
            "SELECT name, vector FROM name_vectors JOIN json_each(?) ON name = value "
            "WHERE space = ? ORDER BY key",
            json.dumps(names.tolist()),
            space,
        )
        found = np.fromiter((row[0] for row in rows), np.int32, len(rows))
        joined = np.frombuffer(b"".join(row[1] for row in rows), "<f2")
        return found, joined.reshape(len(rows), -1 if rows else 0).astype(np.float32)

    def links(self) -> NameLinks:
        """Return the names of all searchable documents; cached until files change."""
        snapshot = self._bindings.snapshot()
        if self._links is not None and self._links[0] is snapshot:
            return self._links[1]
        folders = dict(self._db.rows("SELECT id, name FROM folders WHERE name IS NOT NULL"))
        used, inverse = np.unique(snapshot.folder, return_inverse=True)
        of_folder = np.array([folders.get(int(folder), 0) for folder in used], np.int32)[inverse]
        pairs = [
            np.stack([names, snapshot.doc, np.full(len(names), depth, np.int32)], axis=1)
            for depth, names in enumerate((snapshot.stem, of_folder))
        ]
        both = np.unique(np.concatenate(pairs), axis=0) if len(used) else np.zeros((0, 3), np.int32)
        both = both[both[:, 0] > 0]
        docs, owner = np.unique(both[:, 1], return_inverse=True)
        links = NameLinks(both[:, 0], both[:, 1], both[:, 2].astype(np.int8), docs, owner)
        self._links = snapshot, links
        return links

    def texts(self, names: Sequence[int]) -> dict[int, str]:
        """Return the texts of names."""
        rows = self._db.rows(
            "SELECT id, text FROM names WHERE id IN (SELECT value FROM json_each(?))",
            json.dumps([int(name) for name in names]),
        )
        return dict(rows)

    def last(self) -> int:
        """Return the greatest id of a name; ids ascend with time."""
        found: int = self._db.value("SELECT max(id) FROM names") or 0
        return found

    def prune(self) -> int:
        """Delete names that no file or folder has any more; part of maintenance."""
        with self._db.write() as connection:
            self._db.mark_files_changed()
            pruned = connection.execute(
                "DELETE FROM names WHERE id NOT IN "
                "(SELECT stem FROM files WHERE stem IS NOT NULL UNION "
                "SELECT name FROM folders WHERE name IS NOT NULL)"
            ).rowcount
            short_words.prune(connection)
            return pruned


def stem_of(name: bytes) -> str:
    """Return a file's name without its extension, as text."""
    text = name.decode("utf-8", "replace")
    head, _, tail = text.rpartition(".")
    return head if head and len(tail) <= 8 else text


def name_of(path: bytes, root: bytes) -> str:
    """Return the last component of a folder below a root, or of the root itself, as text."""
    if path:
        return path.rpartition(b"/")[2].decode("utf-8", "replace")
    return os.path.basename(root).decode("utf-8", "replace")
