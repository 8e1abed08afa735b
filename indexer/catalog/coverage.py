"""The coverage list in pages, sorted by any column, filtered by state, root and words of paths.

This module selects and sorts files; ``indexer.catalog.files`` reads their rows. Read-only.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from indexer.catalog.bindings import fold
from indexer.catalog.roots import below, join, normal
from indexer.catalog.states import SET_ASIDE_CODES
from indexer.database import CachedValues, Database

if TYPE_CHECKING:
    from indexer.api.requests import Order
    from indexer.api.types import FileRow, FileState
    from indexer.catalog.docs import Docs
    from indexer.catalog.files import Files
    from indexer.catalog.records import DocRow

_FROM = (
    " FROM roots r CROSS JOIN folders d CROSS JOIN files f WHERE d.root = r.id AND f.folder = d.id"
)
_PATH = "r.path, r.file_name, d.path, f.name"
_ORDERS = {
    "path": _PATH,
    "name": f"lower(CAST(f.name AS TEXT)), {_PATH}",
    "state": f"f.state, {_PATH}",
    "size": f"f.size DESC, {_PATH}",
    "modified": f"f.mtime_ns DESC, {_PATH}",
    # Documents are numbered in the order in which they are read. Files without a title are last.
    **{
        column: f"(SELECT lower(nullif(t.{column}, '')) FROM contents c JOIN docs t "
        f"ON t.doc = c.doc WHERE c.id = f.content) NULLS LAST, {_PATH}"
        for column in ("title", "author")
    },
    "read": f"(SELECT c.doc FROM contents c WHERE c.id = f.content) DESC, {_PATH}",
}
# Files that are searchable by words but crashed the model.
_CRASHED = """
SELECT count(*) FROM doc_spaces v JOIN contents c ON c.doc = v.doc JOIN files f ON f.content = c.id
WHERE v.state = 'crashed' AND v.space = (SELECT id FROM spaces WHERE active)
    AND f.state = 'failed' AND f.code = ''
"""


class CoverageFilter(Struct, frozen=True):
    """Conditions on listed files; ``None`` and "" do not filter. ``folder`` is below the root."""

    state: FileState | None = None
    root: int | None = None
    text: str = ""
    folder: bytes = b""


class Coverage:
    """The coverage list of one catalog."""

    def __init__(self, database: Database, files: Files, docs: Docs) -> None:
        self._db = database
        self._files = files
        self._docs = docs
        self._totals = CachedValues[int](database, database.version_read)

    def page(self, chosen: CoverageFilter, order: Order, offset: int, limit: int) -> list[FileRow]:
        """List files."""
        where, values = self._where(chosen)
        listed = f"SELECT f.id{_FROM}{where} ORDER BY {_ORDERS[order]} LIMIT ? OFFSET ?"
        ids = self._db.column(listed, *values, limit, offset)
        rows = self._files.files_by_id(ids)
        return [rows[file] for file in ids if file in rows]

    def total(self, chosen: CoverageFilter) -> int:
        """Count the files that ``page`` lists; cached unless the filter has words."""
        where, values = self._where(chosen)
        if chosen.text:
            return int(self._db.value(f"SELECT count(*){_FROM}{where}", *values))
        count = f"SELECT count(*) FROM files f WHERE 1{where}"
        return self._totals.get(chosen, lambda: int(self._db.value(count, *values)))

    def subfolders(self, root: int, folder: bytes) -> dict[bytes, tuple[int, bool]]:
        """Count the files in each folder directly below one; return also whether it has folders."""
        above = folder + b"/" if folder else b""
        found: dict[bytes, tuple[int, bool]] = {}
        for path, files in self._db.rows(
            "SELECT d.path, count(*) FROM folders d JOIN files f ON f.folder = d.id "
            "WHERE d.root = ? AND substr(d.path, 1, ?) = ? GROUP BY d.id ORDER BY d.path",
            root,
            len(above),
            above,
        ):
            name, deeper, _ = path[len(above) :].partition(b"/")
            if name:
                before, has_folders = found.get(name, (0, False))
                found[name] = before + files, has_folders or bool(deeper)
        return found

    def sizes(self) -> dict[int, int]:
        """Return the bytes of the files under each root."""
        return dict(self._db.rows("SELECT root, sum(size) FROM files GROUP BY root"))

    def set_aside(self) -> int:
        """Count the files that are no longer retried because they crashed a process."""
        codes = ",".join(f"'{code}'" for code in sorted(SET_ASIDE_CODES))
        return int(
            self._db.value(
                f"SELECT count(*) FROM files WHERE state = 'failed' AND code IN ({codes})"
            )
        ) + int(self._db.value(_CRASHED))

    def document(self, path: str | os.PathLike[str]) -> tuple[FileRow, str, DocRow | None] | None:
        """Return a file's row, its format and its document; the last is None if not searchable."""
        known = self._files.at(path)
        if known is None:
            return None
        file, row = known
        form = str(self._db.value("SELECT format FROM files WHERE id = ?", file, default=""))
        doc = self._files.doc_of(file)
        document = None if doc is None else self._docs.docs_by_id([doc]).get(doc)
        return row, form, document

    def holds(self, path: str | bytes | os.PathLike[str]) -> bool:
        """Whether the path is in a root or a root is below it."""
        return bool(self._inside(normal(path)))

    def under(self, path: str | bytes | os.PathLike[str], states: Sequence[FileState]) -> list[int]:
        """Return the files under a folder that are in one of some states."""
        found = (
            f"SELECT f.id{_FROM} AND r.id = ? AND f.state IN ({','.join('?' * len(states))}) "
            "AND (? = x'' OR d.path = ? OR substr(d.path, 1, ?) = ?)"
        )
        return [
            file
            for root, folder in self._inside(normal(path))
            for file in self._db.column(
                found, root, *states, folder, folder, len(folder) + 1, folder + b"/"
            )
        ]

    def read_before(self, path: str | bytes | os.PathLike[str]) -> dict[bytes, tuple[int, int]]:
        """Return the size and time of the files under a path that need not be read again."""
        return {
            join(root, folder, name): (size, mtime_ns)
            for number, _ in self._inside(normal(path))
            for root, folder, name, size, mtime_ns in self._db.rows(
                f"SELECT r.path, d.path, f.name, f.size, f.mtime_ns{_FROM} "
                "AND r.id = ? AND f.pending = 0 AND f.fixed_state = ''",
                number,
            )
        }

    def page_bytes(self) -> dict[str, float]:
        """Return the mean bytes of a page by format, for formats with enough pages."""
        return dict(
            self._db.rows(
                "SELECT f.format, sum(f.size) * 1.0 / sum(c.pages) FROM files f "
                "JOIN contents c ON c.id = f.content WHERE c.pages > 0 GROUP BY f.format "
                "HAVING sum(c.pages) >= 100"
            )
        )

    def _inside(self, path: bytes) -> list[tuple[int, bytes]]:
        """Return the roots that overlap a path, each with the path below it, b"" for the root."""
        found = []
        for number, root, file_name in self._db.rows("SELECT id, path, file_name FROM roots"):
            relative = below(root, path)
            if below(path, join(root, file_name)) is not None:
                found.append((number, b""))
            elif relative is not None and not file_name:
                found.append((number, relative))
        return found

    def _where(self, chosen: CoverageFilter) -> tuple[str, list[Any]]:
        conditions: list[str] = []
        values: list[Any] = []
        for column, value in (("f.state", chosen.state), ("f.root", chosen.root)):
            if value is not None:
                conditions.append(f" AND {column} = ?")
                values.append(value)
        if chosen.folder:
            inside = chosen.folder + b"/"
            conditions.append(
                " AND f.folder IN (SELECT id FROM folders WHERE root = f.root "
                "AND (path = ? OR substr(path, 1, ?) = ?))"
            )
            values += [chosen.folder, len(inside), inside]
        wanted = fold(chosen.text).split()
        if wanted:
            folders: dict[tuple[bytes, bytes], str] = {}

            def holds(root: bytes, folder: bytes, name: bytes) -> bool:
                inside = folders.get((root, folder))
                if inside is None:
                    inside = folders[root, folder] = _folded(join(root, folder))
                path = f"{inside}/{_folded(name)}"
                return all(word in path for word in wanted)

            self._db.reader().create_function("path_holds", 3, holds)
            conditions.append(" AND path_holds(r.path, d.path, f.name)")
        return "".join(conditions), values


def _folded(path: bytes) -> str:
    """Fold a path for comparing; ASCII, the usual case, needs no normalisation."""
    return os.fsdecode(path).lower() if path.isascii() else fold(os.fsdecode(path))
