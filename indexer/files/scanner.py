"""Whole and partial scans of roots: locate the root, collect its rules, walk, apply to the catalog.

A folder at a root's path is that root only if it is the same folder, or has known files: an empty
mount point would make every file count as deleted. One scan at a time is applied, during reading
too.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.api.formats import BY_EXTENSION
from indexer.catalog.records import ScanCounts
from indexer.catalog.roots import join
from indexer.database import signed
from indexer.files.excludes import Excludes
from indexer.files.volumes import Location, find, location_of
from indexer.files.walk import RootWalk, ScanRules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from indexer.api.progress import CancelToken
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Root
    from indexer.config import EngineConfig
    from indexer.files.walk import Entries

# Folders on a newly created volume.
_NOTHING = frozenset({b"lost+found", b"System Volume Information", b"$RECYCLE.BIN"})


def locate(catalog: Catalog, root: Root) -> Root | None:
    """Find a root, store its location, and update its path if its volume is mounted elsewhere.

    Returns:
        The updated root; None if it is unreachable.
    """
    here = _location(root.path)
    if here is not None and _is_same(catalog, root, here):
        return _record(catalog, root, here)
    for path in find(Location(root.volume, root.volume_path, root.inode)):
        there = _location(path)
        if path != root.path and there is not None and catalog.roots.relocate(root.id, path):
            return _record(catalog, root, there)
    return None


def in_place(root: Root) -> bool:
    """Return whether the folder at a root's path is the one of the last scan; cheap."""
    try:
        return signed(os.stat(root.path).st_ino) == root.inode
    except OSError:
        return False


def _location(path: bytes) -> Location | None:
    try:
        return location_of(path)
    except OSError:
        return None


def _record(catalog: Catalog, root: Root, place: Location) -> Root:
    if (root.volume, root.volume_path, root.inode) != (
        place.volume,
        place.volume_path,
        signed(place.inode),
    ):
        catalog.roots.set_location(root.id, place.volume, place.volume_path, place.inode)
    return catalog.roots.get(root.id)


def _is_same(catalog: Catalog, root: Root, here: Location) -> bool:
    if root.inode == 0 or (root.volume, root.inode) == (here.volume, signed(here.inode)):
        return True
    known = catalog.files.sizes(root.id)
    if not known or any(_has(join(root.path, path), size) for path, size in known):
        return True
    # The person recreated it and put other files there.
    return here.volume == root.volume and not _empty(root.path)


def _has(path: bytes, size: int) -> bool:
    with contextlib.suppress(OSError):
        return os.lstat(path).st_size == size
    return False


def _empty(folder: bytes) -> bool:
    try:
        return all(name in _NOTHING or name.startswith(b".") for name in os.listdir(folder))
    except OSError:
        return True


def rules_for(root: Root, catalog: Catalog, config: EngineConfig) -> ScanRules:
    """Combine settings, the root's patterns and the other roots; ``root`` may be a new one."""
    known = catalog.roots.all()
    others = {
        other.path: "another_root"
        for other in known
        if other.path != root.path and not other.file_name
    }
    library = os.fsencode(config.library.resolve())
    return ScanRules(
        excludes=Excludes((*config.exclude, *root.patterns), hidden=config.hidden),
        formats={extension: known.name for extension, known in BY_EXTENSION.items()},
        max_bytes=config.limits.largest_bytes,
        max_bytes_of=config.limits.by_format,
        skipped={**others, library: "own_library"},
        roots=[other.path for other in known],
        owned=frozenset(
            join(other.path, other.file_name)
            for other in known
            if other.file_name and other.id != root.id
        ),
    )


def ignore_folder(_path: bytes, _whole: bool) -> None:  # noqa: FBT001  # a callback
    """The ``on_enter`` of a scanner without a watcher."""


def _enter(on_enter: Callable[[bytes, bool], None], whole: bool, path: bytes) -> None:  # noqa: FBT001  # a callback
    on_enter(path, whole)


@dataclass(slots=True)
class Scanner:
    """Scans the roots of one library. Thread-safe.

    ``on_enter`` is called with each folder before it is listed (see ``RootWalk``), and with whether
    more of the folder than a single file belongs to the library. ``exclusive`` is held while a scan
    is applied.
    """

    catalog: Catalog
    config: EngineConfig
    on_enter: Callable[[bytes, bool], None] = ignore_folder
    exclusive: threading.Lock = field(default_factory=threading.Lock)

    def scan(
        self,
        roots: Iterable[Root],
        token: CancelToken | None = None,
        seen: Callable[[int], None] = lambda _count: None,
    ) -> list[ScanCounts]:
        """Scan whole roots.

        Args:
            roots: The roots.
            token: Checked at every folder.
            seen: Called with the number of entries so far; may raise to stop.

        Raises:
            Cancelled: What was applied so far stays.
        """
        with self.exclusive:
            return self._apply([(root, None) for root in roots], token, seen)

    def scan_entries(
        self, entries: Mapping[int, Entries], token: CancelToken | None = None
    ) -> list[ScanCounts]:
        """Scan single entries of roots, given by root id; a root never scanned is scanned whole.

        Raises:
            Cancelled: What was applied so far stays.
        """
        with self.exclusive:
            known = {root.id: root for root in self.catalog.roots.all()}
            chosen: list[tuple[Root, Entries | None]] = []
            for root, wanted in entries.items():
                if root in known:
                    found = self.catalog.scans.from_known_folders(root, wanted)
                    names = {folder: frozenset(inside) for folder, inside in found.items()}
                    chosen.append((known[root], names or None))
            return self._apply(chosen, token, lambda _count: None)

    def _apply(
        self,
        chosen: Sequence[tuple[Root, Entries | None]],
        token: CancelToken | None,
        seen: Callable[[int], None],
    ) -> list[ScanCounts]:
        located = [(locate(self.catalog, root), root, entries) for root, entries in chosen]
        walks = []
        for found, root, entries in located:
            if found is None:
                self.catalog.roots.set_online(root.id, online=False)
                continue
            # A root that was offline may have changed anywhere.
            partial = entries if root.online and found.path == root.path else None
            rules = rules_for(found, self.catalog, self.config)
            on_enter = functools.partial(_enter, self.on_enter, not found.file_name)
            walks.append((found.id, RootWalk(found, rules, token, only=partial, on_enter=on_enter)))
        counts = iter(self.catalog.scans.apply_all(walks, seen))
        return [
            ScanCounts(offline=True) if found is None else next(counts)
            for found, _root, _entries in located
        ]
