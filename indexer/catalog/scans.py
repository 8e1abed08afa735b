"""Updates the catalog from a walk: new, changed, moved and vanished files.

Owns the comparison of a walked root, or of some entries of it, with the catalog. A file is
unchanged when its size, its time and its identity are; a new path with the identity of a known
file (moved, or hard-linked) inherits its content and is not read again. So rows are inserted under
all roots before any is deleted. The row of a missing file is deleted only if its root and its
volume were reachable. It must not touch the disk: the walk does that.

Files may be read during a scan; two scans must not run at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from indexer.api.types import FileState
from indexer.catalog.compare import (
    CHANGE_OTHER_NAMES,
    INSERT,
    ScanTally,
    folder_id,
    insert_unlisted,
    insert_values,
    inside,
    rows_of,
    unvisited,
    update,
)
from indexer.catalog.followed import following
from indexer.catalog.queue import next_priority
from indexer.catalog.records import FoundFolder, ScanCounts
from indexer.catalog.states import TRANSIENT_CODES, derive
from indexer.database import signed

if TYPE_CHECKING:
    import sqlite3

    from indexer.catalog.roots import Roots
    from indexer.database import Database

BATCH_ENTRIES = 2000
BATCH_SECONDS = 1.0

# A new path of a known file inherits its content, or the failure of its bytes; a failure that the
# next scan retries says nothing about the new path. CROSS makes the planner begin with the few new
# rows.
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
# Another name of a known file that was changed in the meantime: no event reports the known name.
_CHANGED_UNDER_NEW_NAME = """
SELECT n.size, n.mtime_ns, n.size_class, n.inode, n.volume, n.id
FROM files AS n CROSS JOIN files AS t JOIN roots r ON r.id = t.root
WHERE n.id >= ?1 AND n.fixed_state = '' AND n.inode <> 0 AND t.id < ?1
  AND t.inode = n.inode AND t.volume = n.volume AND t.fixed_state = '' AND NOT t.volume_missing
  AND r.state = 'online' AND (t.size <> n.size OR t.mtime_ns <> n.mtime_ns)
GROUP BY n.inode, n.volume
"""
_COPY_KNOWN = """
UPDATE files SET content = ?, code = ?, detail = ?, attempts = ?, crashes = ?, pending = 0
WHERE id = ?
"""


class Walk(Protocol):
    """A walk over a root: iterate it once, then read its properties."""

    @property
    def only(self) -> Mapping[bytes, frozenset[bytes]] | None:
        """The entries of a partial walk, by folder; None for a whole walk."""

    @property
    def reachable(self) -> bool:
        """Whether the root was reachable from the beginning to the end."""

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
        # Ids of files are not reused while this process runs: a reader may still be working on a
        # file whose row was deleted.
        self._last = 0

    def apply(
        self, root: int, walk: Walk, seen: Callable[[int], None] = lambda _count: None
    ) -> ScanCounts:
        """Update a root from a walk over it; see ``apply_all``."""
        return self.apply_all([(root, walk)], seen)[0]

    def apply_all(
        self, walks: Sequence[tuple[int, Walk]], seen: Callable[[int], None] = lambda _count: None
    ) -> list[ScanCounts]:
        """Update roots from walks over them.

        Rows are committed in batches during the walks, so that reading can start; missing files are
        deleted at the end. A stopped scan loses nothing.

        Args:
            walks: Walks that are not yet iterated, by the ids of their roots. A partial walk
                leaves other entries as they are.
            seen: Called with the number of entries so far after each batch; may raise to stop.
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
        """Replace entries of unknown folders by the name of their nearest known ancestor's child.

        Returns:
            Names by folders; empty if not even the root was ever walked.
        """
        with self._db.read() as connection:

            def known(folder: bytes) -> bool:
                return (
                    connection.execute(
                        "SELECT 1 FROM folders WHERE root = ? AND path = ?", (root, folder)
                    ).fetchone()
                    is not None
                )

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
        if walk.only is not None:  # the person is working on these files now
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
                linked = connection.execute(_CHANGED_UNDER_NEW_NAME, (first,)).fetchall()
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
            if whole:
                connection.execute(
                    "UPDATE roots SET scanned_ns = ? WHERE id = ?", (time.time_ns(), root)
                )
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
