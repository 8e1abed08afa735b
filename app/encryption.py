"""The encryption of the library: what is stored in it, where its key is, and when it is locked.

``indexer.vault`` encrypts a folder. This module decides what else of the person's goes into it (the
window's files, the log, temporary files), where its passphrase may be kept, and who locks it again.
It also finds out whether the system encrypts the disk.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from app import logs, paths
from indexer.api.errors import WorldError
from indexer.api.private_files import LibraryLock
from indexer.api.system_keyring import SERVICE, store_password, system_keyring
from indexer.vault import convert, mounting
from indexer.vault.place import (
    LOG,
    TEMPORARY,
    WINDOW,
    State,
    VaultPlace,
    is_alive,
    is_encrypted,
    is_locked,
    place_of,
)

if TYPE_CHECKING:
    from app.settings import Settings

log = logging.getLogger(__name__)


def follow(library: Path) -> None:
    """Make this process keep the window's files and log in the library, if they belong there."""
    try:
        inside = is_encrypted(library)
    except WorldError:
        inside = True  # its state is unknown, so nothing is written outside it
    folders = {name: library / name for name in (WINDOW, LOG)}
    # After decryption the window's files stay in the library.
    if not inside:
        with contextlib.suppress(OSError):  # the library may belong to somebody else
            folders = {
                name: path for name, path in folders.items() if name == WINDOW and path.is_dir()
            }
    paths.use_inside(folders)


def state(library: Path) -> str:
    """Return a few words that say whether a library is encrypted."""
    try:
        if not is_encrypted(library):
            return "no"
    except WorldError as error:
        return error.message
    return "yes, unlocked" if is_alive(place_of(library)) else "yes, locked"


def open_library(library: Path, settings: Settings) -> None:
    """Finish or undo what was interrupted, and unlock a library by the passphrase in the keyring.

    When this process ends, it locks the library again unless another process has it open.
    Raises ``vault_locked``, and what ``put_right`` raises.
    """
    place = place_of(library)
    if not place.folder.is_dir():
        return
    put_right(library)
    if place.state() is None:
        return
    if not is_alive(place):
        passphrase = kept_passphrase(place)
        if passphrase is None:
            raise WorldError("vault_locked", library=str(library))
        unlock_here(library, passphrase, settings)
    use_temporary(library)


def put_right(library: Path) -> None:
    """Undo or finish what was interrupted; see ``convert.put_right``."""
    convert.put_right(place_of(library), _shared().values())
    follow(library)


def use_temporary(library: Path) -> None:
    """Keep temporary files, such as unpacked documents, in an encrypted library."""
    folder = place_of(library).open / TEMPORARY
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
    tempfile.tempdir = str(folder)


def unlock(library: Path, passphrase: str, settings: Settings) -> None:
    """Unlock a library. Raises ``vault_passphrase`` or ``vault_unavailable``."""
    place = place_of(library)
    with place.alone():
        mounting.unlock(place, passphrase, lock_after_s(library, settings))
    follow(library)


def unlock_here(
    library: Path, passphrase: str, settings: Settings, *, keyring: bool = False
) -> None:
    """Unlock a library until this process ends and no other has it open.

    Raises what ``unlock`` raises; ``no_keyring``, if no keyring can keep the passphrase.
    """
    unlock(library, passphrase, settings)
    atexit.register(lock_if_unused, library)
    if keyring:
        keep_passphrase(place_of(library), passphrase)
    use_temporary(library)


def lock_after_s(library: Path, settings: Settings) -> int:
    """Return the seconds without use after which a library is locked; 0 means never."""
    minutes = settings["lock_after_min"]
    return 60 * minutes if isinstance(minutes, int) and is_encrypted(library) else 0


def lock(library: Path) -> None:
    """Lock a library even if it is in use. Raises ``vault_unavailable``, if unmounting fails."""
    logs.stop()
    tempfile.tempdir = None
    mounting.lock(place_of(library))


def lock_if_unused(library: Path) -> None:
    """Lock a library unless a process has it open."""
    try:
        if not is_encrypted(library) or is_locked(library):
            return
        LibraryLock.acquire(library).release()
        lock(library)
    except WorldError as error:
        if error.code != "library_locked":
            log.warning("the library was not locked: %s", error.message)


def encrypt(library: Path, passphrase: str, *, keyring: bool = False) -> None:
    """Encrypt a library with the window's files and the log; it is locked afterwards.

    Raises what ``convert.encrypt`` raises; ``no_keyring``, if no keyring can keep the passphrase.
    """
    place = place_of(library)
    logs.stop()
    mounting.check_passphrase(passphrase)
    if keyring:
        keep_passphrase(place, passphrase)
    convert.encrypt(place, passphrase, _shared(), keyring=keyring)
    follow(library)


def decrypt(library: Path, passphrase: str | None) -> None:
    """Decrypt a library, with the passphrase from the keyring by default.

    Raises what ``convert.decrypt`` raises; ``vault_passphrase``, if there is no passphrase.
    """
    place = place_of(library)
    known = passphrase or kept_passphrase(place)
    if known is None:
        raise WorldError("vault_passphrase", library=str(library))
    logs.stop()
    tempfile.tempdir = None
    kept = place.in_keyring
    convert.decrypt(place, known)
    if kept:
        _forget_passphrase(place)
    follow(library)


def remove(library: Path) -> int:
    """Delete an encrypted library, locked or not, with its key, without which it is unreadable.

    Returns the bytes that were freed; 0 if the library is not encrypted. Raises ``library_locked``
    while an engine has it open.
    """
    if not is_encrypted(library):
        return 0
    place = place_of(library)
    if is_alive(place):
        LibraryLock.acquire(library).release()
    lock(library)
    if place.in_keyring:
        _forget_passphrase(place)
    return convert.remove(place)


def keep_passphrase(place: VaultPlace, passphrase: str) -> None:
    """Have the keyring of the system keep a passphrase. Raises ``no_keyring``."""
    with contextlib.suppress(Exception):  # each backend raises its own, which may quote secrets
        backend = system_keyring()
        if backend is not None and store_password(backend, str(place.folder), passphrase):
            if place.state() is State.ENCRYPTED:
                place.write(State.ENCRYPTED, keyring=True)
            return
    raise WorldError("no_keyring")


def kept_passphrase(place: VaultPlace) -> str | None:
    """Return the passphrase of a library that is in the keyring; None without one."""
    if place.in_keyring:
        with contextlib.suppress(Exception):  # as above
            if (backend := system_keyring()) is not None:
                return backend.get_password(SERVICE, str(place.folder)) or None
    return None


def _forget_passphrase(place: VaultPlace) -> None:
    with contextlib.suppress(Exception):  # as above
        if (backend := system_keyring()) is not None:
            backend.delete_password(SERVICE, str(place.folder))


def _shared() -> dict[str, Path]:
    """Return the folders that go into an encrypted library, by their names there."""
    return {WINDOW: paths.shared_window_folder(), LOG: paths.shared_log_folder()}


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


def disk_encryption(
    folder: Path, mounts: Path = MOUNTS, devices: Path = BLOCK_DEVICES
) -> tuple[bool | None, str]:
    """Return whether the disk of ``folder`` is encrypted (None: not known), and a sentence.

    It needs no special rights: Linux names the mounted file system and the devices below it in
    files that everybody may read. The answer is "no" only if all devices of the disk are known.
    """
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
