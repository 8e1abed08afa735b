"""Updates the catalog from a walk: new, changed, moved and vanished files.

A walked root, or some entries of it, are compared with the catalog. A file is unchanged if its
size, time and identity are. A new path with the identity of a known file (moved or hard-linked)
inherits the content and is not read again; therefore rows are inserted under all roots before any
is deleted. The row of a missing file is deleted only if its root and volume were reachable. This
module must not touch the disk: the walk does.

Files may be read during a scan; two scans must not run at once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from indexer.api.types import FileState
from indexer.catalog.followed import following
from indexer.catalog.queue import next_priority
from indexer.catalog.records import FoundFolder, ScanCounts
from indexer.catalog.states import TRANSIENT_CODES, derive
from indexer.database import signed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from indexer.catalog.records import FoundFile
    from indexer.catalog.roots import Roots
    from indexer.database import Database


INSERT = """
INSERT INTO files (id, root, folder, name, extension, format, size, mtime_ns, volume, inode,
                   fixed_state, state, code, detail, pending, size_class, priority)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
"""
# A file that is unreachable keeps its document; one that became another kind of entry does not.
_CHANGE = f"""
UPDATE files SET format = ?, size = ?, mtime_ns = ?, volume = ?, inode = ?, fixed_state = ?,
    state = ?, code = ?, detail = ?, pending = ?, size_class = ?, priority = max(priority, ?),
    volume_missing = 0, in_flight = 0, attempts = 0, crashes = 0,
    content = CASE WHEN ? IN ('', '{FileState.PLACEHOLDER}', '{FileState.FAILED}') THEN content
    ELSE NULL END
WHERE id = ?
"""  # built from constants
# Events report one hard link of a changed file. The other links have the same inode.
CHANGE_OTHER_NAMES = f"""
UPDATE files SET size = g.size, mtime_ns = g.mtime_ns, size_class = g.class, code = '', detail = '',
    state = '{FileState.QUEUED}', pending = 1, priority = max(files.priority, g.priority),
    volume_missing = 0, in_flight = 0, attempts = 0, crashes = 0
FROM (SELECT ? size, ? mtime_ns, ? class, ? inode, ? volume, ? id, ? priority) AS g
WHERE files.inode = g.inode AND files.volume = g.volume AND fixed_state = '' AND files.id <> g.id
    AND (files.size <> g.size OR files.mtime_ns <> g.mtime_ns)
"""  # built from constants


# Up to this many names are selected row by row; for more, the whole folder is read.
FEW = 200
_ROWS = (
    "SELECT id, name, size, mtime_ns, volume, inode, fixed_state, format, code, volume_missing "
    "FROM files WHERE folder = ?"
)


class ScanTally(Struct):
    """The results of a scan so far."""

    generation: int
    priority: int = 0  # the priority of new and changed files
    seen: int = 0
    new: int = 0
    changed: int = 0
    known: int = 0
    volumes: set[int] = field(default_factory=set)  # the volumes of the walked folders
    renumbered: set[int] = field(default_factory=set)  # former numbers of mounted volumes
    gone: dict[int, tuple[bytes, int]] = field(default_factory=dict)  # file → path, volume
    walked: set[bytes] = field(default_factory=set)  # folders
    partial: list[bytes] = field(default_factory=list)  # entries of a partial scan


def folder_id(connection: sqlite3.Connection, root: int, path: bytes, generation: int) -> int:
    """Return the id of a folder, inserting it if missing; mark it as visited by this scan."""
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
    """Return the fixed_state, state, code, detail, pending and size_class of an entry."""
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
    # The volume number and inodes of a drive may change when it is mounted again.
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
        connection.execute(_CHANGE, (*stat, *values, tally.priority, values[0], file))
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
    """Return the rows of a folder, or of some names in it, by name."""
    if names is None or len(names) > FEW:
        rows = {row[1]: row for row in connection.execute(_ROWS, (folder,))}
        return rows if names is None else {name: rows[name] for name in names & rows.keys()}
    single = [connection.execute(_ROWS + " AND name = ?", (folder, name)) for name in names]
    return {row[1]: row for found in single for row in found}


def unvisited(
    connection: sqlite3.Connection, root: int, tally: ScanTally, *, whole: bool
) -> list[tuple[int, bytes]]:
    """Return the folders that a walk should have visited but did not, with their paths."""
    if whole:
        return connection.execute(
            "SELECT id, path FROM folders WHERE root = ? AND generation <> ?",
            (root, tally.generation),
        ).fetchall()
    found = []
    for path in tally.partial:
        # In the order of characters, "0" follows "/".
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


BATCH_ENTRIES = 2000
BATCH_SECONDS = 1.0

# A new path of a known file inherits its content, or the failure of its bytes, but no failure that
# the next scan retries. CROSS makes the planner begin with the few new rows.
_KNOWN = f"""
SELECT t.content, t.code, t.detail, t.attempts, t.crashes, n.id
FROM files AS n CROSS JOIN files AS t
WHERE n.id >= ? AND n.fixed_state = '' AND n.inode <> 0 AND t.id <> n.id
  AND t.inode = n.inode AND t.volume = n.volume AND t.fixed_state = '' AND t.pending = 0
  AND t.size = n.size AND t.mtime_ns = n.mtime_ns AND t.format = n.format
  AND (t.content IS NOT NULL OR t.code <> '')
  AND t.code NOT IN ({", ".join(f"'{code}'" for code in sorted(TRANSIENT_CODES))})
GROUP BY n.id
"""  # built from constants
# New names of a known file that has changed since. No event reports its known name.
_CHANGED_UNDER_NEW_NAME = """
SELECT n.size, n.mtime_ns, n.size_class, n.inode, n.volume, n.id
FROM files AS n CROSS JOIN files AS t JOIN roots r ON r.id = t.root
WHERE n.id >= ? AND n.fixed_state = '' AND n.inode <> 0 AND t.id < ?
  AND t.inode = n.inode AND t.volume = n.volume AND t.fixed_state = '' AND NOT t.volume_missing
  AND r.state = 'online' AND (t.size <> n.size OR t.mtime_ns <> n.mtime_ns)
GROUP BY n.inode, n.volume
"""
_COPY_KNOWN = """
UPDATE files SET content = ?, code = ?, detail = ?, attempts = ?, crashes = ?, pending = 0
WHERE id = ?
"""


class Walk(Protocol):
    """A walk over a root. Iterate it once, then read its properties."""

    @property
    def only(self) -> Mapping[bytes, frozenset[bytes]] | None:
        """The entries of a partial walk, by folder; None for a whole walk."""

    @property
    def reachable(self) -> bool:
        """Whether the root was reachable from the start to the end of the walk."""

    @property
    def unread(self) -> Mapping[bytes, str]:
        """The folders below the root that could not be listed completely, and a code for each."""

    def __iter__(self) -> Iterator[FoundFolder]: ...


NamesHook = Callable[["sqlite3.Connection", Sequence[tuple[int, bytes, bytes]]], None]


class Scans:
    """Applies walks to one catalog.

    ``index_names`` is called with (file, folder, name) of new files, inside the transaction.
    """

    def __init__(self, database: Database, roots: Roots, index_names: NamesHook) -> None:
        self._db = database
        self._roots = roots
        self._index_names = index_names
        # Ids of files are not reused while this process runs, since a reader may still be working
        # on a file whose row was deleted.
        self._last = 0

    def apply(
        self, walks: Sequence[tuple[int, Walk]], seen: Callable[[int], None] = lambda _count: None
    ) -> list[ScanCounts]:
        """Update roots from walks over them, which this iterates.

        Rows are committed in batches during the walks, so that reading can start. Missing files are
        deleted at the end. A stopped scan loses nothing, and a partial walk does not change other
        entries. ``seen`` is called after each batch with the number of entries so far; it may raise
        to stop.
        """
        tallies: list[ScanTally] = []
        for root, walk in walks:
            before = sum(tally.seen for tally in tallies)

            def add_seen(count: int, before: int = before) -> None:
                seen(before + count)

            tallies.append(self._walk(root, walk, add_seen))
        return [
            self._close(root, walk, tally)
            for (root, walk), tally in zip(walks, tallies, strict=True)
        ]

    def from_known_folders(
        self, root: int, entries: Mapping[bytes, Collection[bytes]]
    ) -> dict[bytes, set[bytes]]:
        """Replace entries of unknown folders by the topmost unknown folder above them.

        Names are grouped by their known folder; the result is empty if the root was never walked.
        """
        with self._db.read() as connection:

            def known(folder: bytes) -> bool:
                found = "SELECT 1 FROM folders WHERE root = ? AND path = ?"
                return connection.execute(found, (root, folder)).fetchone() is not None

            found: dict[bytes, set[bytes]] = {}
            for folder, names in entries.items():
                at, wanted = folder, set(names)
                while at and not known(at):
                    at, _, name = at.rpartition(b"/")
                    wanted = {name}
                found.setdefault(at, set()).update(wanted)
            return found if known(b"") else {}

    def _walk(self, root: int, walk: Walk, seen: Callable[[int], None]) -> ScanTally:
        if walk.only is None:
            with self._db.write() as connection:
                connection.execute(
                    "UPDATE roots SET generation = generation + 1 WHERE id = ?", (root,)
                )
        tally = ScanTally(
            self._db.value("SELECT generation FROM roots WHERE id = ?", root, default=0)
        )
        if walk.only is not None:  # the person is probably working on these files now
            with self._db.read() as connection:
                tally.priority = next_priority(connection)
        batch: list[FoundFolder] = []
        entries, since = 0, time.monotonic()
        for folder in walk:
            batch.append(folder)
            entries += len(folder.entries) + 1
            if entries >= BATCH_ENTRIES or time.monotonic() - since > BATCH_SECONDS:
                self._apply_batch(root, batch, tally)
                seen(tally.seen)
                batch, entries, since = [], 0, time.monotonic()
        if walk.reachable:
            self._apply_batch(root, batch, tally)
        return tally

    def _close(self, root: int, walk: Walk, tally: ScanTally) -> ScanCounts:
        if not walk.reachable:
            self._roots.set_online(root, online=False)
            return ScanCounts(seen=tally.seen, offline=True)
        self._roots.set_online(root, online=True)
        removed = self._finish(root, tally, walk)
        return ScanCounts(tally.seen, tally.new, tally.changed, tally.known, removed)

    def _apply_batch(self, root: int, batch: Sequence[FoundFolder], tally: ScanTally) -> None:
        if not batch:
            return
        with self._db.write() as connection:
            highest = connection.execute("SELECT coalesce(max(id), 0) FROM files").fetchone()[0]
            first = max(highest, self._last) + 1
            new: list[tuple[int, bytes, bytes]] = []
            changed = tally.changed
            for folder in batch:
                tally.seen += len(folder.entries)
                tally.volumes.add(signed(folder.volume))
                self._compare(connection, root, folder, tally, new, first)
            tally.new += len(new)
            self._last = max(self._last, first + len(new) - 1)
            if new or tally.changed > changed:
                self._db.mark_files_changed()
            if new:
                known = connection.execute(_KNOWN, (first,)).fetchall()
                connection.executemany(_COPY_KNOWN, known)
                tally.known += len(known)
                derive(connection, "id >= ? AND pending = 0 AND fixed_state = ''", first)
                linked = connection.execute(_CHANGED_UNDER_NEW_NAME, (first, first)).fetchall()
                others = [(*values, tally.priority) for values in linked]
                connection.executemany(CHANGE_OTHER_NAMES, others)
                self._index_names(connection, new)

    def _compare(
        self,
        connection: sqlite3.Connection,
        root: int,
        folder: FoundFolder,
        tally: ScanTally,
        new: list[tuple[int, bytes, bytes]],
        first: int,
    ) -> None:
        number = folder_id(connection, root, folder.path, tally.generation)
        rows = rows_of(connection, number, folder.names)
        inserts = []
        for entry in folder.entries:
            row = rows.pop(entry.name, None)
            if row is None:
                file = first + len(new)
                new.append((file, folder.path, entry.name))
                inserts.append(insert_values(file, root, number, entry, tally.priority))
            else:
                # A partial walk may visit an entry twice.
                tally.gone.pop(row[0], None)
                update(connection, row, entry, tally)
        connection.executemany(INSERT, inserts)
        prefix = folder.path + b"/" if folder.path else b""
        tally.walked.add(folder.path)
        tally.partial.extend(prefix + name for name in folder.names or ())
        tally.gone.update({row[0]: (prefix + row[1], row[4]) for row in rows.values()})

    def _finish(self, root: int, tally: ScanTally, walk: Walk) -> int:
        unread, whole = walk.unread, walk.only is None
        with self._db.write() as connection:
            stale = unvisited(connection, root, tally, whole=whole)
            kept = {folder for folder, path in stale if inside(path, unread)}
            for folder, path in stale:
                if folder in kept:
                    continue
                rows = connection.execute(
                    "SELECT id, volume FROM files WHERE folder = ?", (folder,)
                )
                tally.gone.update({file: (path, volume) for file, volume in rows})
            removed = self._drop(connection, tally, unread)
            if removed:
                self._db.mark_files_changed()
            connection.executemany(
                "DELETE FROM folders WHERE id = ? AND path <> x'' "
                "AND NOT EXISTS (SELECT 1 FROM files WHERE folder = folders.id)",
                [(folder,) for folder, _ in stale],
            )
            for path, code in unread.items():
                insert_unlisted(connection, root, path, code)
        return removed

    def _drop(
        self, connection: sqlite3.Connection, tally: ScanTally, unread: Mapping[bytes, str]
    ) -> int:
        # A folder that could not be listed has a row with volume 0: see ``insert_unlisted``.
        there = tally.volumes | tally.renumbered | {0}
        gone = [file for file, (path, _) in tally.gone.items() if path not in unread]
        lost = [file for file in gone if tally.gone[file][1] not in there]
        removed = set(gone).difference(lost)
        with following(connection, removed):
            connection.executemany("DELETE FROM files WHERE id = ?", [(file,) for file in removed])
        connection.executemany(
            "UPDATE files SET volume_missing = 1, state = ? WHERE id = ?",
            [(FileState.OFFLINE, file) for file in lost],
        )
        return len(removed)
