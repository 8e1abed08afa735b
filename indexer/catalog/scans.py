"""Taking in what a walk found: new, changed, moved and vanished files.

Owns the comparison of a walked root with the catalog. A file is unchanged when its size, its time
and its identity are; a new path with the identity of a known file (moved, or linked twice) takes
over what is known and is not read again. A file that is gone loses its row only when its root and
its volume could be reached. It must not touch the disk: the walk does that.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from indexer.catalog.compare import INSERT, Tally, folder_id, insert_values, update
from indexer.catalog.database import signed
from indexer.catalog.records import FoundFolder, ScanCounts
from indexer.catalog.states import derive
from indexer.types import FileState

if TYPE_CHECKING:
    import sqlite3

    from indexer.catalog.database import Database
    from indexer.catalog.roots import Roots

BATCH_ENTRIES = 2000
BATCH_SECONDS = 1.0

# A new path to a file that is known under another one takes over what is known of it. CROSS
# makes the planner start at the few new rows.
_KNOWN = """
SELECT t.content, t.code, t.detail, t.attempts, t.crashes, n.id
FROM files AS n CROSS JOIN files AS t
WHERE n.id >= ? AND n.verdict = '' AND n.inode <> 0 AND t.id <> n.id
  AND t.inode = n.inode AND t.volume = n.volume AND t.verdict = '' AND t.pending = 0
  AND t.size = n.size AND t.mtime_ns = n.mtime_ns AND t.format = n.format
  AND (t.content IS NOT NULL OR t.code <> '')
GROUP BY n.id
"""
_TAKE_OVER = """
UPDATE files SET content = ?, code = ?, detail = ?, attempts = ?, crashes = ?, pending = 0
WHERE id = ?
"""


class Walk(Protocol):
    """A walk over a root: iterate it once, then ask how it went."""

    @property
    def reachable(self) -> bool:
        """Whether the root was there from the beginning to the end."""

    @property
    def unread(self) -> Mapping[bytes, str]:
        """The folders below the root that could not be listed to the end, with a code each."""

    def __iter__(self) -> Iterator[FoundFolder]: ...


NamesHook = Callable[["sqlite3.Connection", Sequence[tuple[int, bytes, bytes]]], None]


class Scans:
    """Applies walks to one catalog.

    Args:
        database: The catalog's file.
        roots: Its roots.
        index_names: Called inside the transaction with (file, folder, name) of new files.
    """

    def __init__(self, database: Database, roots: Roots, index_names: NamesHook) -> None:
        self._db = database
        self._roots = roots
        self._index_names = index_names

    def apply(
        self, root: int, walk: Walk, seen: Callable[[int], None] = lambda _count: None
    ) -> ScanCounts:
        """Bring the rows of a root in line with a walk over it.

        Rows are committed in batches as the walk goes on, so that reading can start; what is gone
        is decided at the end. Stopping half-way loses nothing.

        Args:
            root: The root's id.
            walk: Not yet iterated.
            seen: Told the number of entries so far after each batch; may raise to stop.
        """
        with self._db.write() as connection:
            connection.execute("UPDATE roots SET scan = scan + 1 WHERE id = ?", (root,))
        tally = Tally(self._db.value("SELECT scan FROM roots WHERE id = ?", root, default=0))
        batch: list[FoundFolder] = []
        entries, since = 0, time.monotonic()
        for folder in walk:
            batch.append(folder)
            entries += len(folder.entries) + 1
            if entries >= BATCH_ENTRIES or time.monotonic() - since > BATCH_SECONDS:
                self._take(root, batch, tally)
                seen(tally.seen)
                batch, entries, since = [], 0, time.monotonic()
        if not walk.reachable:
            self._roots.set_online(root, online=False)
            return ScanCounts(seen=tally.seen, offline=True)
        self._take(root, batch, tally)
        self._roots.set_online(root, online=True)
        removed = self._finish(root, tally, walk.unread)
        return ScanCounts(tally.seen, tally.new, tally.changed, tally.known, removed)

    def _take(self, root: int, batch: Sequence[FoundFolder], tally: Tally) -> None:
        if not batch:
            return
        with self._db.write() as connection:
            first = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM files").fetchone()[0]
            new: list[tuple[int, bytes, bytes]] = []
            changed = tally.changed
            for folder in batch:
                tally.seen += len(folder.entries)
                tally.volumes.add(signed(folder.volume))
                self._compare(connection, root, folder, tally, new, first)
            tally.new += len(new)
            if new or tally.changed > changed:
                self._db.mark_places()
            if new:
                known = connection.execute(_KNOWN, (first,)).fetchall()
                connection.executemany(_TAKE_OVER, known)
                tally.known += len(known)
                derive(connection, "id >= ? AND pending = 0 AND verdict = ''", first)
                self._index_names(connection, new)

    def _compare(
        self,
        connection: sqlite3.Connection,
        root: int,
        folder: FoundFolder,
        tally: Tally,
        new: list[tuple[int, bytes, bytes]],
        first: int,
    ) -> None:
        number = folder_id(connection, root, folder.path, tally.generation)
        rows = {
            row[1]: row
            for row in connection.execute(
                "SELECT id, name, size, mtime_ns, volume, inode, verdict, format, code, lost "
                "FROM files WHERE folder = ?",
                (number,),
            )
        }
        inserts = []
        for entry in folder.entries:
            row = rows.pop(entry.name, None)
            if row is None:
                file = first + len(new)
                new.append((file, folder.path, entry.name))
                inserts.append(insert_values(file, root, number, entry))
            else:
                update(connection, row, entry, tally)
        connection.executemany(INSERT, inserts)
        prefix = folder.path + b"/" if folder.path else b""
        tally.gone.update({row[0]: (prefix + row[1], row[4]) for row in rows.values()})

    def _finish(self, root: int, tally: Tally, unread: Mapping[bytes, str]) -> int:
        with self._db.write() as connection:
            stale = connection.execute(
                "SELECT id, path FROM folders WHERE root = ? AND scan <> ?",
                (root, tally.generation),
            ).fetchall()
            kept = {folder for folder, path in stale if _inside(path, unread)}
            for folder, path in stale:
                if folder in kept:
                    continue
                rows = connection.execute(
                    "SELECT id, volume FROM files WHERE folder = ?", (folder,)
                )
                tally.gone.update({file: (path, volume) for file, volume in rows})
            removed = self._drop(connection, tally, unread)
            if removed:
                self._db.mark_places()
            connection.execute(
                "DELETE FROM folders WHERE root = ? AND scan <> ? "
                "AND id NOT IN (SELECT folder FROM files WHERE root = ?) AND path <> x''",
                (root, tally.generation, root),
            )
            for path, code in unread.items():
                _note_unread(connection, root, path, code)
            connection.execute(
                "UPDATE roots SET scanned_ns = ? WHERE id = ?", (time.time_ns(), root)
            )
        return removed

    def _drop(
        self, connection: sqlite3.Connection, tally: Tally, unread: Mapping[bytes, str]
    ) -> int:
        # A folder that could not be listed has a row without a volume: see _note_unread.
        there = tally.volumes | tally.renumbered | {0}
        gone = [file for file, (path, _) in tally.gone.items() if path not in unread]
        lost = [file for file in gone if tally.gone[file][1] not in there]
        removed = set(gone).difference(lost)
        connection.executemany("DELETE FROM files WHERE id = ?", [(file,) for file in removed])
        connection.executemany(
            "UPDATE files SET lost = 1, state = ? WHERE id = ?",
            [(FileState.OFFLINE, file) for file in lost],
        )
        return len(removed)


def _inside(path: bytes, folders: Mapping[bytes, str]) -> bool:
    return b"" in folders or any(
        path == folder or path.startswith(folder + b"/") for folder in folders
    )


def _note_unread(connection: sqlite3.Connection, root: int, path: bytes, code: str) -> None:
    """Give an unlisted folder a row of its own in the folder that holds it."""
    parent, _, name = path.rpartition(b"/")
    row = connection.execute(
        "SELECT id FROM folders WHERE root = ? AND path = ?", (root, parent)
    ).fetchone()
    if row is None or not name:
        return
    connection.execute(
        "INSERT OR IGNORE INTO files (root, folder, name, extension, format, size, mtime_ns, "
        "volume, inode, verdict, state, code, size_class) "
        "VALUES (?, ?, ?, '', '', 0, 0, 0, 0, ?, ?, ?, 0)",
        (root, row[0], name, FileState.FAILED, FileState.FAILED, code),
    )
