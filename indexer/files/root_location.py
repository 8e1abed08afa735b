"""Locates a root: at its path, at another mount point, or unreachable.

Owns deciding whether the folder at a root's path is that root. An empty mount point is not, since
every file would count as deleted; nor is another volume, unless the known files are on it. It must
not walk.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from indexer.catalog.database import signed
from indexer.catalog.roots import join
from indexer.files.volumes import Location, find, location_of

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Root

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
