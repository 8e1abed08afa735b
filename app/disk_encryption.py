"""Finds out, without special rights, whether the disk that holds a folder is encrypted.

Linux names the mounted file system and the devices below it in files that everybody may read. The
answer is "no" only if all devices of the disk are known; otherwise it is "not known".
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

MOUNTS, BLOCK_DEVICES = Path("/proc/self/mountinfo"), Path("/sys/dev/block")
ELSEWHERE = {
    "win32": "not known: Windows tells it under BitLocker, or Device encryption, in its settings",
    "darwin": "not known: macOS tells it under FileVault in its settings",
}
# File systems that encrypt each file, as the kernel names them.
_ENCRYPTED_FOLDERS = ("fuse.gocryptfs", "fuse.cryfs", "fuse.encfs", "ecryptfs")
# File systems that may span several disks; the table of mounts names only one of them.
_OF_SEVERAL = ("btrfs", "bcachefs")
# The prefix that cryptsetup gives to encrypted devices; devices that it verifies have another.
_MAPPED = re.compile(r"CRYPT-(LUKS1|LUKS2|PLAIN|LOOPAES|TCRYPT|BITLK|FVAULT2)-")


def look(
    folder: Path, mounts: Path = MOUNTS, devices: Path = BLOCK_DEVICES
) -> tuple[bool | None, str]:
    """Return whether the disk of ``folder`` is encrypted (None: not known), and a sentence."""
    if sys.platform != "linux":
        return None, ELSEWHERE.get(sys.platform, "not known on this system")
    from indexer.files.scanner import mount_of, parse_mounts  # late, for a quick start

    try:
        mount = mount_of(os.fsencode(folder), list(parse_mounts(mounts.read_bytes())))
        if mount is None:
            return None, "not known: no mounted file system has the folder"
        kind, source = mount.kind, mount.source
        if kind in _ENCRYPTED_FOLDERS:
            return True, f"yes: the folder is mounted by {kind.removeprefix('fuse.')}"
        number = Path(source).stat().st_rdev if source.startswith("/") else 0
        device = devices / f"{os.major(number)}:{os.minor(number)}"
        found = number and _is_encrypted(device.resolve(strict=True))
    except (OSError, ValueError) as error:
        return None, f"not known: {error}"
    if not number:
        return None, f"not known: {kind} is on no disk of this machine that it names"
    if found and kind in _OF_SEVERAL:
        return None, f"not known: {source} is encrypted, but {kind} may have other disks"
    if found:
        return True, f"yes: {source}"
    return False, f"no encryption found below {source}"


def _is_encrypted(device: Path) -> bool:
    """Return whether a device is encrypted, or all devices below it are."""
    name = device / "dm" / "uuid"
    if name.exists() and _MAPPED.match(name.read_text(encoding="ascii")):
        return True
    # The devices below a partition are listed in the folder of its whole device.
    whole = device.parent if (device / "partition").exists() else device
    if whole != device and _is_encrypted(whole):
        return True
    below = whole / "slaves"
    found = list(below.iterdir()) if below.is_dir() else []
    return bool(found) and all(_is_encrypted(each.resolve(strict=True)) for each in found)
