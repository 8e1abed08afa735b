"""Volumes and their mount points. Read-only.

A volume is identified by the UUID of its file system, the serial number on Windows, or the share of
a network drive.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# File systems on which changes by other machines cause no events.
_NETWORK = frozenset({
    "9p", "acfs", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "drvfs", "fuse.davfs2",
    "fuse.gvfsd-fuse", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "gfs2", "gpfs",
    "lustre", "ncpfs", "nfs", "nfs3", "nfs4", "ocfs2", "osxfuse", "prl_fs", "remote", "smb2",
    "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs", "webdav",
})  # fmt: skip
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(rb"\\([0-7]{3})")
_GET_FS_UUID = 0x80111500  # FS_IOC_GETFSUUID: one byte of length, sixteen of UUID


@dataclass(frozen=True, slots=True)
class Mount:
    """One mounted file system; ``inner`` is its folder that is mounted at ``point``."""

    point: bytes
    inner: bytes
    kind: str
    source: str


@dataclass(frozen=True, slots=True)
class Location:
    """The location of a folder, independent of the mount point.

    ``volume`` is "" if the volume has no identity, ``volume_path`` is the folder's path on the
    volume, ``inode`` that of the folder.
    """

    volume: str = ""
    volume_path: bytes = b""
    inode: int = 0


def mounts() -> list[Mount]:
    """List the mounts of this machine."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return list(_parse(_MOUNTS.read_bytes()))
    found = psutil.disk_partitions(all=True)
    return [Mount(os.fsencode(part.mountpoint), b"/", part.fstype, part.device) for part in found]


def _parse(table: bytes) -> Iterator[Mount]:
    for line in table.splitlines():
        before, _, after = line.partition(b" - ")
        fields, rest = before.split(b" "), after.split(b" ")
        if len(fields) > 4 and len(rest) > 1:
            inner, point = (_plain(fields[at]) for at in (3, 4))
            yield Mount(point, inner, os.fsdecode(rest[0]), os.fsdecode(_plain(rest[1])))


def _plain(field: bytes) -> bytes:
    return _ESCAPED.sub(lambda match: bytes([int(match[1], 8)]), field)


def mount_of(path: bytes, known: Sequence[Mount]) -> Mount | None:
    """Find the mount that a path is on, links resolved."""
    real = os.path.realpath(path)
    # Of several mounts at one point, the last one is visible.
    holding = [mount for mount in known if _below(mount.point, real) is not None]
    return max(reversed(holding), key=lambda mount: len(mount.point), default=None)


def reports_changes(path: bytes) -> bool:
    """Return whether the system reports everything that changes under a path.

    It does not where another machine may change a network drive.
    """
    if sys.platform == "win32" and path.startswith(b"\\\\"):
        return False
    known = mounts()
    real = os.path.realpath(path)
    own = mount_of(path, known)
    inner = [mount for mount in known if _below(real, mount.point)]
    return not any(each.kind.lower() in _NETWORK for each in (own, *inner) if each is not None)


def location_of(path: bytes) -> Location:
    """Return the location of a folder.

    Raises:
        OSError: If ``path`` does not exist.
    """
    found = os.stat(path)
    real = os.path.realpath(path)
    mount = mount_of(path, mounts())
    if mount is None:
        return Location("", b"", found.st_ino)
    below = _below(mount.point, real) or b""
    return Location(_identity(mount, found.st_dev), _join(mount.inner, below), found.st_ino)


def find(place: Location) -> Iterator[bytes]:
    """Return the paths of a location now, if its volume is mounted."""
    if not place.volume:
        return
    for mount in mounts():
        below = _below(mount.inner, place.volume_path)
        if below is None:
            continue
        path = _join(mount.point, below)
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
    """Query the UUID by ioctl; Linux from 6.9 on."""
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


def _below(folder: bytes, path: bytes) -> bytes | None:
    """Return ``path`` relative to ``folder``; None if it is not below it."""
    if path == folder:
        return b""
    separator = os.fsencode(os.sep)
    prefix = folder if folder.endswith((separator, b"/")) else folder + separator
    return path[len(prefix) :] if path.startswith(prefix) else None


def _join(folder: bytes, below: bytes) -> bytes:
    return os.path.join(folder, below) if below else folder
