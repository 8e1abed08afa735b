"""Scans roots, or parts: locates the root, collects rules, walks, and updates the catalog.

The folder at a root's path counts as the root only if it is the same folder or has known files,
since with an empty mount point every file would count as deleted. One scan is applied at a time,
even while files are read. A volume is identified by the UUID of its file system, by the serial
number on Windows, or by the share of a network drive.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from msgspec import Struct, field

from indexer.api.formats import BY_EXTENSION
from indexer.catalog.records import Root, ScanCounts
from indexer.catalog.roots import below, join
from indexer.database import signed
from indexer.files.excludes import EntryClassifier, Excludes
from indexer.files.walk import Entries, RootWalk, ScanRules, ignore_folder

if TYPE_CHECKING:
    from indexer.api.progress import CancelToken
    from indexer.catalog.catalog import Catalog
    from indexer.config import EngineConfig


# File systems without events for changes by other machines.
_NETWORK = frozenset({
    "9p", "acfs", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "drvfs", "fuse.davfs2",
    "fuse.gvfsd-fuse", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "gfs2", "gpfs",
    "lustre", "ncpfs", "nfs", "nfs3", "nfs4", "ocfs2", "osxfuse", "prl_fs", "remote", "smb2",
    "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs", "webdav",
})  # fmt: skip
# File systems of Linux that report the blocks of a file. sshfs and others report 0.
_COUNTING = frozenset({"btrfs", "ext2", "ext3", "ext4", "f2fs", "tmpfs", "xfs"})
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(rb"\\([0-7]{3})")
_GET_FS_UUID = 0x80111500  # FS_IOC_GETFSUUID: one byte of length, sixteen of UUID


class Mount(Struct, frozen=True):
    """A mounted file system; ``inner`` is the folder of it that is mounted at ``point``.

    ``device`` is the number of its volume on Linux, "8:1".
    """

    point: bytes
    inner: bytes
    kind: str
    source: str
    device: str = ""


class Location(Struct, frozen=True):
    """The location of a folder, independent of the mount point.

    ``volume`` is "" if the volume has no identity. ``volume_path`` is the folder's path on the
    volume, ``inode`` its inode.
    """

    volume: str = ""
    volume_path: bytes = b""
    inode: int = 0


def mounts() -> list[Mount]:
    """List the mounts of this machine."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return list(parse_mounts(_MOUNTS.read_bytes()))
    found = psutil.disk_partitions(all=True)
    return [Mount(os.fsencode(part.mountpoint), b"/", part.fstype, part.device) for part in found]


def parse_mounts(table: bytes) -> Iterator[Mount]:
    """Read the mounts in a file such as ``/proc/self/mountinfo``."""
    for line in table.splitlines():
        before, _, after = line.partition(b" - ")
        fields, rest = before.split(b" "), after.split(b" ")
        if len(fields) > 4 and len(rest) > 1:
            inner, point = (_plain(fields[at]) for at in (3, 4))
            kind, source = os.fsdecode(rest[0]), os.fsdecode(_plain(rest[1]))
            yield Mount(point, inner, kind, source, os.fsdecode(fields[2]))


def counting_volumes() -> frozenset[int]:
    """The volumes of this machine whose block counts are reliable; Linux only."""
    devices = [each.device for each in mounts() if each.device and each.kind in _COUNTING]
    return frozenset(os.makedev(*map(int, device.split(":"))) for device in devices)


def _plain(field: bytes) -> bytes:
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 8)]), field)


def mount_of(path: bytes, known: Sequence[Mount]) -> Mount | None:
    """Find the mount of a path, with links resolved."""
    real = os.path.realpath(path)
    # Of several mounts at one point, the last one is visible.
    holding = [mount for mount in known if below(mount.point, real) is not None]
    return max(reversed(holding), key=lambda mount: len(mount.point), default=None)


def reports_changes(path: bytes) -> bool:
    """Return whether the system reports all changes under a path.

    It does not on network drives, which other machines may change.
    """
    if sys.platform == "win32" and path.startswith(b"\\\\"):
        return False
    known = mounts()
    real = os.path.realpath(path)
    own = mount_of(path, known)
    inner = [mount for mount in known if below(real, mount.point)]
    return not any(each.kind.lower() in _NETWORK for each in (own, *inner) if each is not None)


def location_of(path: bytes) -> Location | None:
    """Return the location of a folder; None if it is not accessible."""
    with contextlib.suppress(OSError):
        found, real = os.stat(path), os.path.realpath(path)
        mount = mount_of(path, mounts())
        if mount is None:
            return Location("", b"", found.st_ino)
        inside = join(mount.inner, below(mount.point, real) or b"")
        return Location(_identity(mount, found.st_dev), inside, found.st_ino)
    return None


def find_location(place: Location) -> Iterator[bytes]:
    """Return the present paths of a location, if its volume is mounted."""
    if not place.volume:
        return
    for mount in mounts():
        inside = below(mount.inner, place.volume_path)
        if inside is None:
            continue
        path = join(mount.point, inside)
        with contextlib.suppress(OSError):
            device = os.stat(mount.point).st_dev
            if _identity(mount, device) == place.volume and os.path.isdir(path):
                yield path


def _identity(mount: Mount, device: int) -> str:
    if sys.platform == "win32":
        return f"serial:{device:x}"  # on Windows, the volume's serial number
    if mount.kind in _NETWORK:
        return f"{mount.kind}:{mount.source}"
    identity = _uuid_asked(mount.point) or _uuid_listed(mount.source)
    return f"uuid:{identity}" if identity else ""


def _uuid_asked(point: bytes) -> str:
    """Query the UUID by ioctl, which needs Linux 6.9."""
    if sys.platform != "linux":
        return ""
    import fcntl

    answer = bytearray(17)
    try:
        descriptor = os.open(point, os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        fcntl.ioctl(descriptor, _GET_FS_UUID, answer)
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    uuid = bytes(answer[1 : 1 + min(answer[0], 16)])
    return uuid.hex() if any(uuid) else ""


def _uuid_listed(source: str) -> str:
    """Look up the UUID in udev's list of devices."""
    if not source.startswith("/dev/"):
        return ""
    device = Path(source).resolve()
    with contextlib.suppress(OSError):
        for link in Path("/dev/disk/by-uuid").iterdir():
            if link.resolve() == device:
                return link.name.replace("-", "").lower()
    return ""


# The folders on a new volume.
_NOTHING = frozenset({b"lost+found", b"System Volume Information", b"$RECYCLE.BIN"})


def locate_root(catalog: Catalog, root: Root) -> Root | None:
    """Find a root, store its location, and update its path if its volume has another one.

    Returns None if it is unreachable.
    """
    here = location_of(root.path)
    if here is not None and _is_same(catalog, root, here):
        return _record(catalog, root, here)
    for path in find_location(Location(root.volume, root.volume_path, root.inode)):
        there = location_of(path)
        if path != root.path and there is not None and catalog.roots.relocate(root.id, path):
            return _record(catalog, root, there)
    return None


def in_place(root: Root) -> bool:
    """Return whether the folder at a root's path is the one of the last scan. This is cheap."""
    try:
        return signed(os.stat(root.path).st_ino) == root.inode
    except OSError:
        return False


def _record(catalog: Catalog, root: Root, place: Location) -> Root:
    found = place.volume, place.volume_path, signed(place.inode)
    if (root.volume, root.volume_path, root.inode) != found:
        catalog.roots.set_location(root.id, place.volume, place.volume_path, place.inode)
    return catalog.roots.root_by_id(root.id)


def _is_same(catalog: Catalog, root: Root, here: Location) -> bool:
    if root.inode == 0 or (root.volume, root.inode) == (here.volume, signed(here.inode)):
        return True
    known = catalog.files.sizes(root.id)
    if not known or any(_has(join(root.path, path), size) for path, size in known):
        return True
    # The person has made the folder again, with other files.
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
    """Combine the settings, the root's patterns and the other roots. ``root`` may be new."""
    known = catalog.roots.all()
    others = {
        other.path: "another_root"
        for other in known
        if other.path != root.path and not other.file_name
    }
    library = os.fsencode(config.library.resolve())
    return ScanRules(
        excludes=Excludes((*config.exclude, *root.patterns), hidden=config.hidden),
        classifier=EntryClassifier(
            {extension: known.name for extension, known in BY_EXTENSION.items()},
            config.limits.largest_bytes,
            counting_volumes(),
            config.limits.by_format,
        ),
        skipped={**others, library: "own_library"},
        roots=[other.path for other in known],
        owned=frozenset(
            join(other.path, other.file_name)
            for other in known
            if other.file_name and other.id != root.id
        ),
    )


class Scanner(Struct):
    """Scans the roots of one library. Thread-safe.

    ``on_enter`` is passed to each ``RootWalk``; ``exclusive`` is held while a scan is applied.
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
        """Scan whole roots; ``seen`` is called with the number of entries and may raise to stop.

        Raises ``Cancelled``; applied changes stay. The token is checked at every folder.
        """
        with self.exclusive:
            return self._apply([(root, None) for root in roots], token, seen)

    def scan_entries(
        self,
        entries: Mapping[int, Mapping[bytes, Collection[bytes]]],
        token: CancelToken | None = None,
    ) -> list[ScanCounts]:
        """Scan single entries of roots, by root id; a root that was never scanned is scanned whole.

        Raises ``Cancelled``; what was applied so far stays.
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
        located = [(locate_root(self.catalog, root), root, entries) for root, entries in chosen]
        walks = []
        for found, root, entries in located:
            if found is None:
                self.catalog.roots.set_online(root.id, online=False)
                continue
            # A root may have changed anywhere while it was offline.
            partial = entries if root.online and found.path == root.path else None
            rules = rules_for(found, self.catalog, self.config)
            walk = RootWalk(found, rules, token, only=partial, on_enter=self.on_enter)
            walks.append((found.id, walk))
        counts = iter(self.catalog.scans.apply(walks, seen))
        return [
            ScanCounts(offline=True) if found is None else next(counts)
            for found, _root, _entries in located
        ]
