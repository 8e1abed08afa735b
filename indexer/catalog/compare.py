"""Compares single entries of a walked folder with their rows.

Owns the rule when a file is unchanged, and which columns a change resets. It must not know walks
as a whole: see ``indexer.catalog.scans``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.api.types import FileState
from indexer.catalog.states import TRANSIENT_CODES, derive
from indexer.database import signed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from indexer.catalog.records import FoundFile

INSERT = """
INSERT INTO files (id, root, folder, name, extension, format, size, mtime_ns, volume, inode,
                   fixed_state, state, code, detail, pending, size_class, priority)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
# An unreachable file keeps its document; one that became another kind of entry does not.
_CHANGE = f"""
UPDATE files SET format = ?, size = ?, mtime_ns = ?, volume = ?, inode = ?, fixed_state = ?,
    state = ?, code = ?, detail = ?, pending = ?, size_class = ?, priority = max(priority, ?),
    volume_missing = 0, in_flight = 0, attempts = 0, crashes = 0,
    content = CASE WHEN ?6 IN ('', '{FileState.PLACEHOLDER}', '{FileState.FAILED}') THEN content
    ELSE NULL END
WHERE id = ?
"""  # built from constants
# Events report one hard link of a changed file; the others share its inode.
CHANGE_OTHER_NAMES = f"""
UPDATE files SET size = ?1, mtime_ns = ?2, size_class = ?3, state = '{FileState.QUEUED}', code = '',
    detail = '', pending = 1, priority = max(priority, ?7), volume_missing = 0,
    in_flight = 0, attempts = 0, crashes = 0
WHERE inode = ?4 AND volume = ?5 AND fixed_state = '' AND id <> ?6
    AND (size <> ?1 OR mtime_ns <> ?2)
"""  # built from constants


# Up to this many names, rows are selected one by one; beyond, the whole folder's.
FEW = 200
_ROWS = (
    "SELECT id, name, size, mtime_ns, volume, inode, fixed_state, format, code, volume_missing "
    "FROM files WHERE folder = ?"
)


@dataclass(slots=True)
class ScanTally:
    """What a scan has found so far."""

    generation: int
    priority: int = 0  # of what is new or changed
    seen: int = 0
    new: int = 0
    changed: int = 0
    known: int = 0
    volumes: set[int] = field(default_factory=set)  # of the folders that were walked
    renumbered: set[int] = field(default_factory=set)  # old numbers of volumes found at their path
    gone: dict[int, tuple[bytes, int]] = field(default_factory=dict)  # file → path, volume
    walked: set[bytes] = field(default_factory=set)  # folders
    partial: list[bytes] = field(default_factory=list)  # entries of a partial scan


def folder_id(connection: sqlite3.Connection, root: int, path: bytes, generation: int) -> int:
    """Return the id of a folder, inserted if missing, and mark it as visited by this scan."""
    row = connection.execute(
        "INSERT INTO folders (root, path, generation) VALUES (?, ?, ?) "
        "ON CONFLICT (root, path) DO UPDATE SET generation = excluded.generation RETURNING id",
        (root, path, generation),
    ).fetchone()
    return int(row[0])


def insert_values(
    file: int, root: int, folder: int, entry: FoundFile, priority: int
) -> tuple[object, ...]:
    """Return the values of ``INSERT`` for an entry that has no row yet."""
    extension = entry.name.rpartition(b".")[2] if b"." in entry.name[1:] else b""
    return (
        file,
        root,
        folder,
        entry.name,
        extension.decode("utf-8", "replace").lower(),
        entry.format,
        entry.size,
        entry.mtime_ns,
        signed(entry.volume),
        signed(entry.inode),
        *_state_values(entry),
        priority,
    )


def _state_values(entry: FoundFile) -> tuple[object, ...]:
    """Return fixed_state, state, code, detail, pending and size class of an entry."""
    return (
        entry.state or "",
        entry.state or FileState.QUEUED,
        entry.code,
        json.dumps(dict(entry.detail)) if entry.detail else "",
        0 if entry.state else 1,
        (entry.size >> 16).bit_length(),
    )


def update(
    connection: sqlite3.Connection, row: tuple[object, ...], entry: FoundFile, tally: ScanTally
) -> None:
    """Update the row of a file from its entry."""
    file, _name, size, mtime_ns, volume, inode, fixed_state, file_format, code, volume_missing = row
    found_volume, found_inode = signed(entry.volume), signed(entry.inode)
    # Mounting a drive again may change its volume number and its inodes.
    same_file = inode == found_inode or volume != found_volume
    same = (size, mtime_ns, fixed_state, file_format) == (
        entry.size,
        entry.mtime_ns,
        entry.state or "",
        entry.format,
    )
    if volume != found_volume and isinstance(volume, int):
        tally.renumbered.add(volume)
    if not (same and same_file and (not entry.state or code == entry.code)):
        tally.changed += 1
        values = _state_values(entry)
        stat = (entry.format, entry.size, entry.mtime_ns, found_volume, found_inode)
        connection.execute(_CHANGE, (*stat, *values, tally.priority, file))
        if found_inode and not entry.state and (volume, inode) == (found_volume, found_inode):
            changed = (entry.size, entry.mtime_ns, values[-1], found_inode, found_volume)
            connection.execute(CHANGE_OTHER_NAMES, (*changed, file, tally.priority))
        return
    if (volume, inode) != (found_volume, found_inode) or volume_missing:
        connection.execute(
            "UPDATE files SET volume = ?, inode = ?, volume_missing = 0 WHERE id = ?",
            (found_volume, found_inode, file),
        )
        derive(connection, "id = ?", file)
    if code in TRANSIENT_CODES and not entry.state:
        connection.execute(
            "UPDATE files SET pending = 1, code = '', detail = '', state = ? WHERE id = ?",
            (FileState.QUEUED, file),
        )


def rows_of(
    connection: sqlite3.Connection, folder: int, names: frozenset[bytes] | None
) -> dict[bytes, tuple[Any, ...]]:
    """Return the rows of a folder, or those of some names in it, by name."""
    if names is None or len(names) > FEW:
        rows = {row[1]: row for row in connection.execute(_ROWS, (folder,))}
        return rows if names is None else {name: rows[name] for name in names & rows.keys()}
    single = [connection.execute(_ROWS + " AND name = ?", (folder, name)) for name in names]
    return {row[1]: row for found in single for row in found}


def unvisited(
    connection: sqlite3.Connection, root: int, tally: ScanTally, *, whole: bool
) -> list[tuple[int, bytes]]:
    """Return the folders that a walk should have visited and did not, with their paths."""
    if whole:
        return connection.execute(
            "SELECT id, path FROM folders WHERE root = ? AND generation <> ?",
            (root, tally.generation),
        ).fetchall()
    found = []
    for path in tally.partial:
        # "0" is the character after "/".
        found += connection.execute(
            "SELECT id, path FROM folders WHERE root = ? AND (path = ? OR (path > ? AND path < ?))",
            (root, path, path + b"/", path + b"0"),
        ).fetchall()
    return [(folder, path) for folder, path in found if path not in tally.walked]


def inside(path: bytes, folders: Mapping[bytes, str]) -> bool:
    """Return whether a path is one of some folders or below it."""
    return b"" in folders or any(
        path == folder or path.startswith(folder + b"/") for folder in folders
    )


def insert_unlisted(connection: sqlite3.Connection, root: int, path: bytes, code: str) -> None:
    """Insert a row for a folder that could not be listed, in its parent folder."""
    parent, _, name = path.rpartition(b"/")
    row = connection.execute(
        "SELECT id FROM folders WHERE root = ? AND path = ?", (root, parent)
    ).fetchone()
    if row is None or not name:
        return
    connection.execute(
        "INSERT OR IGNORE INTO files (root, folder, name, extension, format, size, mtime_ns, "
        "volume, inode, fixed_state, state, code, size_class) "
        "VALUES (?, ?, ?, '', '', 0, 0, 0, 0, ?, ?, ?, 0)",
        (root, row[0], name, FileState.FAILED, FileState.FAILED, code),
    )
