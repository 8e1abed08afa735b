"""Queries on files: lists by path, the files of a document, counts by state.

Read-only.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from indexer.api.types import FileRow, FileState
from indexer.catalog.records import DocumentFile
from indexer.catalog.roots import join

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.catalog.roots import Roots
    from indexer.database import Database

_ROW = """
SELECT r.path, d.path, f.name, f.size, f.mtime_ns, f.state,
       CASE WHEN f.code <> '' THEN f.code WHEN c.code <> '' THEN c.code
       WHEN v.state = 'crashed' THEN 'crashed_engine' ELSE '' END,
       iif(f.code <> '', f.detail, c.detail), f.attempts, c.pages, c.bad_pages, t.title, t.author,
       t.language, f.id
FROM roots r CROSS JOIN folders d CROSS JOIN files f LEFT JOIN contents c ON c.id = f.content
LEFT JOIN docs t ON t.doc = c.doc
LEFT JOIN doc_spaces v ON v.doc = c.doc AND v.space = (SELECT id FROM spaces WHERE active)
WHERE d.root = r.id AND f.folder = d.id
"""
# Without CROSS the planner may begin with the table of files.
_ROW_BY_ID = (
    _ROW.replace("CROSS JOIN", "JOIN")  # no values are inserted
    + "AND f.id IN (SELECT value FROM json_each(?))"
)
_BY_DOCUMENT = """
SELECT c.doc, f.id, r.path, d.path, f.name, f.state, f.size, f.mtime_ns, f.format
FROM contents c JOIN files f ON f.content = c.id JOIN folders d ON d.id = f.folder
JOIN roots r ON r.id = f.root
WHERE c.doc IN (SELECT value FROM json_each(?))
ORDER BY f.state = 'offline', r.path, d.path, f.name
"""


class Files:
    """Read access to the files of one catalog."""

    def __init__(self, database: Database, roots: Roots) -> None:
        self._db = database
        self._roots = roots

    def at(self, path: str | bytes | os.PathLike[str]) -> tuple[int, FileRow] | None:
        """Return the file at a path, with its number; None if the catalog has none there."""
        found = self._roots.find(path)
        if found is None:
            return None
        folder, _, name = found[1].rpartition(b"/")
        rows = self._db.rows(
            _ROW + " AND r.id = ? AND d.path = ? AND f.name = ?", found[0].id, folder, name
        )
        return (rows[0][-1], _file_row(rows[0])) if rows else None

    def files_by_id(self, files: Iterable[int]) -> dict[int, FileRow]:
        """Return files by id; unknown ids are left out."""
        wanted = json.dumps([int(file) for file in files])
        rows = self._db.rows(_ROW_BY_ID, wanted)
        return {row[-1]: _file_row(row) for row in rows}

    def doc_of(self, file: int) -> int | None:
        """Return the document a file holds."""
        doc: int | None = self._db.value(
            "SELECT c.doc FROM files f JOIN contents c ON c.id = f.content WHERE f.id = ?", file
        )
        return doc

    def by_document(self, docs: Iterable[int]) -> dict[int, list[DocumentFile]]:
        """Return every file of some documents, reachable ones first, sorted by path."""
        found: dict[int, list[DocumentFile]] = {}
        wanted = json.dumps([int(doc) for doc in docs])
        for doc, file, root, folder, name, state, *facts in self._db.rows(_BY_DOCUMENT, wanted):
            relative = os.fsdecode(join_relative(folder, name))
            path, above = os.fsdecode(join(root, folder, name)), os.fsdecode(root)
            place = DocumentFile(file, path, above, relative, FileState(state), *facts)
            found.setdefault(doc, []).append(place)
        return found

    def sizes(self, root: int) -> list[tuple[bytes, int]]:
        """Return the paths below a root, and sizes, of its files that can be read."""
        rows = self._db.rows(
            "SELECT d.path, f.name, f.size FROM files f JOIN folders d ON d.id = f.folder "
            "WHERE f.root = ? AND f.fixed_state = '' ORDER BY f.id",
            root,
        )
        return [(join_relative(folder, name), size) for folder, name, size in rows]

    def counts(self, root: int | None = None) -> dict[FileState, int]:
        """Count files by state, under one root or all."""
        condition = "" if root is None else "WHERE root = ?"
        values = () if root is None else (root,)
        rows = self._db.rows(
            f"SELECT state, count(*) FROM files {condition} GROUP BY state", *values
        )
        return {FileState(state): count for state, count in rows}


def join_relative(folder: bytes, name: bytes) -> bytes:
    """Join a folder below a root with a name."""
    return folder + b"/" + name if folder else name


def _file_row(row: tuple[Any, ...]) -> FileRow:
    root, folder, name, size, mtime_ns, state, code, detail, attempts, pages, bad, *more = row
    title, author, language, _file = more
    return FileRow(
        path=os.fsdecode(join(root, folder, name)),
        root=os.fsdecode(root),
        file=os.fsdecode(join_relative(folder, name)),
        size=size,
        mtime_ns=mtime_ns,
        state=FileState(state),
        code=code or "",
        detail=detail or "",
        attempts=attempts,
        pages=pages or 0,
        bad_pages=tuple(json.loads(bad)) if bad else (),
        title=title or "",
        author=author or "",
        language=language or "",
    )
