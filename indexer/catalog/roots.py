"""The folders that the person added, and paths relative to them.

Roots may be nested: the inner one then owns its files, and the scan of the outer one skips it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.catalog.records import Root
from indexer.catalog.states import derive
from indexer.database import signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.catalog.choices import Choices
    from indexer.database import Database

_COLUMNS = "id, path, file_name, state, patterns, volume, volume_path, inode"


def normal(path: str | bytes | os.PathLike[str]) -> bytes:
    """Make a path absolute and comparable, as bytes, without following symbolic links."""
    return os.fsencode(os.path.abspath(path))  # unlike resolve, it follows no links


def join(folder: bytes, *parts: bytes) -> bytes:
    """Join a root's path with "/"-separated parts, using the system's separator."""
    relative = b"/".join(part for part in parts if part)
    own = relative.replace(b"/", os.fsencode(os.sep))
    return os.path.join(folder, own) if own else folder


def below(folder: bytes, path: bytes) -> bytes | None:
    """Return ``path`` relative to ``folder`` with "/" between components; None if it is outside."""
    if path == folder:
        return b""
    separator = os.fsencode(os.sep)
    prefix = folder if folder.endswith((separator, b"/")) else folder + separator
    if not path.startswith(prefix):
        return None
    return path[len(prefix) :].replace(separator, b"/")


class Roots:
    """The roots of one catalog."""

    def __init__(self, database: Database, choices: Choices) -> None:
        self._db = database
        self._choices = choices

    def add_root(self, path: str | bytes | os.PathLike[str]) -> Root:
        """Add a folder or a file that exists; adding it again changes nothing.

        Raises ``path_missing`` if there is nothing at ``path``.
        """
        whole = normal(path)
        if not os.path.lexists(whole):
            raise WorldError("path_missing", path=os.fsdecode(whole))
        file_name = b""
        if not os.path.isdir(whole):
            whole, file_name = os.path.split(whole)
        with self._db.write() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO roots (path, file_name) VALUES (?, ?)",
                (whole, file_name),
            )
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM roots WHERE path = ? AND file_name = ?",
                (whole, file_name),
            ).fetchone()
        self._choices.save_choices()
        return _root(row)

    def all(self) -> list[Root]:
        rows = self._db.rows(f"SELECT {_COLUMNS} FROM roots ORDER BY path, file_name")
        return [_root(row) for row in rows]

    def root_by_id(self, root: int) -> Root:
        """Return one root; ``KeyError`` if there is none with this id."""
        rows = self._db.rows(f"SELECT {_COLUMNS} FROM roots WHERE id = ?", root)
        if not rows:
            raise KeyError(root)
        return _root(rows[0])

    def find(self, path: str | bytes | os.PathLike[str]) -> tuple[Root, bytes] | None:
        """Return the innermost root above ``path`` and the path below it; None if there is none."""
        whole = normal(path)
        found: tuple[Root, bytes] | None = None
        for root in self.all():
            relative = below(root.path, whole)
            if relative is None or (root.file_name and relative != root.file_name):
                continue
            if found is None or len(relative) < len(found[1]) or root.file_name:
                found = root, relative
        return found

    def remove(self, root: int) -> None:
        """Delete a root and its files. Their documents stay until ``docs.orphans`` finds them."""
        with self._db.write() as connection:
            self._db.mark_files_changed()
            connection.execute("DELETE FROM roots WHERE id = ?", (root,))
        self._choices.save_choices()

    def relocate(self, root: int, path: str | bytes | os.PathLike[str]) -> bool:
        """Change the path of a root, unless another root has it. No file is read again."""
        with self._db.write() as connection:
            self._db.mark_files_changed()
            changed = connection.execute(
                "UPDATE OR IGNORE roots SET path = ? WHERE id = ?", (normal(path), root)
            ).rowcount
        self._choices.save_choices()
        return changed > 0

    def set_location(self, root: int, volume: str, volume_path: bytes, inode: int) -> None:
        """Store the location of a root, see ``indexer.files.scanner.Location``."""
        stored = "UPDATE roots SET volume = ?, volume_path = ?, inode = ? WHERE id = ?"
        self._db.change(stored, volume, volume_path, signed(inode), root)

    def set_patterns(self, root: int, patterns: Sequence[str]) -> None:
        """Set the include and exclude patterns of a root, effective from its next scan."""
        self._db.change("UPDATE roots SET patterns = ? WHERE id = ?", "\n".join(patterns), root)
        self._choices.save_choices()

    def set_online(self, root: int, *, online: bool) -> None:
        """Store whether a root is reachable, and derive the states of its files."""
        state = "online" if online else "offline"
        with self._db.write() as connection:
            changed = connection.execute(
                "UPDATE roots SET state = ? WHERE id = ? AND state <> ?", (state, root, state)
            ).rowcount
            if changed:
                derive(connection, "root = ?", root)


def _root(row: tuple[Any, ...]) -> Root:
    identity, path, file_name, state, patterns, *rest = row
    listed = tuple(patterns.split("\n")) if patterns else ()
    return Root(identity, path, file_name, state == "online", listed, *rest)
