"""Encrypts and decrypts an existing library. A killed conversion is undone or finished.

A copy is made, synced to the disk, read again and compared. Then one write of the record makes it
the library, and only then the original is removed. At the next start ``put_right`` does what the
record says is left to do. Tests kill the process at each step of ``ENCRYPTING`` and ``DECRYPTING``.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from indexer import faults
from indexer.api.errors import WorldError
from indexer.api.private_files import (
    HOLDER_NAME,
    LOCK_NAME,
    LibraryLock,
    check_room,
    library_errors,
)
from indexer.confine.process import check, libc, remove_folder
from indexer.vault.mounting import check_passphrase, check_possible, lock, make, working_mount
from indexer.vault.place import OPEN, TEMPORARY, State, VaultPlace, mounted_device, sync_folder

#: The names of the steps in their order. Each name is reached when its step is done.
ENCRYPTING = (
    "vault-begun", "vault-made", "vault-copied", "vault-compared", "vault-committed",
    "vault-set-aside", "vault-linked", "vault-removed",
)  # fmt: skip
DECRYPTING = (
    "plain-begun", "plain-copied", "plain-compared", "plain-committed", "plain-unlinked",
    "plain-placed", "plain-removed",
)  # fmt: skip
# Files with an engine's address and locks, which are not valid in a copy.
_LEFT_OUT = frozenset({"engine.json", LOCK_NAME, HOLDER_NAME})
_MADE_BEFORE = "gocryptfs.conf"  # written before anything is copied
# The bytes that a file may take beyond its size, for encryption or whole blocks, and a reserve.
_MORE_PER_FILE, _MORE = 8 << 10, 32 << 20
_OWNER = 0o700


def encrypt(
    place: VaultPlace,
    passphrase: str,
    also: Mapping[str, Path],
    *,
    keyring: bool = False,
) -> None:
    """Encrypt a library, which is locked afterwards.

    Args:
        place: The place of a library that no engine has open.
        passphrase: The passphrase from which the key is derived.
        also: Folders that are moved into the library, by their names there.
        keyring: Whether the passphrase is in the keyring.

    Raises ``path_missing`` without a library, ``library_locked``, ``disk_full``,
    ``vault_unavailable`` or ``library_unwritable``; then nothing has changed.
    """
    check_possible()
    check_passphrase(passphrase)
    put_right(place, ())
    if place.state() is not None:
        raise WorldError("not_empty", path=str(place.folder))
    if not place.library.is_dir():
        raise WorldError("path_missing", path=str(place.library))
    if os.path.ismount(place.library):
        raise WorldError("vault_unavailable", reason="own_drive")
    also = {name: path for name, path in also.items() if path.is_dir()}
    with LibraryLock.acquire(place.library, "lectern encrypt"), _errors(place):
        _check_room([place.library, *also.values()], place.library.parent)
        place.folder.mkdir(mode=_OWNER)
        with place.alone():
            try:
                _copy_into(place, passphrase, also, keyring=keyring)
            except BaseException:
                _undo(place)
                raise
            place.write(State.REMOVING)
            faults.reached("vault-committed")
            _finish_encrypting(place, also.values())


def _copy_into(
    place: VaultPlace, passphrase: str, also: Mapping[str, Path], *, keyring: bool
) -> None:
    place.write(State.COPYING, keyring=keyring)
    faults.reached("vault-begun")
    make(place, passphrase)
    faults.reached("vault-made")
    parts = {"": place.library, **also}
    with working_mount(place, passphrase) as mounted:
        for name, part in parts.items():
            copy_folder(part, mounted / name)
        (mounted / TEMPORARY).mkdir(mode=_OWNER, exist_ok=True)
    _sync(place.folder)
    faults.reached("vault-copied")
    with working_mount(place, passphrase) as mounted:
        for name, part in parts.items():
            compare_folders(part, mounted / name)
    faults.reached("vault-compared")


def _finish_encrypting(place: VaultPlace, also: Iterable[Path]) -> None:
    """Remove the plain library and the folders moved into it, unless this is already done."""
    if place.library.is_dir() and not place.library.is_symlink():
        place.library.rename(place.plain)
    sync_folder(place.library.parent)
    faults.reached("vault-set-aside")
    if not place.library.is_symlink():
        place.library.symlink_to(Path(place.folder.name) / OPEN)
        sync_folder(place.library.parent)
    faults.reached("vault-linked")
    remove_folder(place.plain)
    for left in also:
        _remove_copied(left, (place.cipher / _MADE_BEFORE).stat().st_mtime_ns)
    faults.reached("vault-removed")
    place.write(State.ENCRYPTED)


def decrypt(place: VaultPlace, passphrase: str) -> None:
    """Decrypt a library, which is then a plain folder again.

    Raises ``vault_passphrase``, ``library_locked``, ``disk_full``, ``vault_unavailable`` or
    ``library_unwritable``; the library is then still encrypted, and locked.
    """
    check_possible()
    put_right(place, ())
    if place.state() is None:
        raise WorldError("path_missing", path=str(place.folder))
    lock(place)
    with place.alone(), _errors(place):
        try:
            place.write(State.RESTORING)
            faults.reached("plain-begun")
            with working_mount(place, passphrase) as mounted:
                _check_room([mounted], place.folder)
                copy_folder(mounted, place.plain)
                _sync(place.folder)
                faults.reached("plain-copied")
                compare_folders(mounted, place.plain)
                faults.reached("plain-compared")
        except BaseException:
            _undo(place)
            raise
        place.write(State.RESTORED)
        faults.reached("plain-committed")
        _finish_decrypting(place)


def _finish_decrypting(place: VaultPlace) -> None:
    """Move the plain library to its path, and remove the encrypted one."""
    if place.plain.is_dir():
        if place.library.is_symlink():
            place.library.unlink()
        faults.reached("plain-unlinked")
        place.plain.rename(place.library)
        sync_folder(place.library.parent)
    faults.reached("plain-placed")
    _remove_vault(place)
    faults.reached("plain-removed")


def put_right(place: VaultPlace, also: Iterable[Path]) -> None:
    """Undo or finish an interrupted conversion.

    Args:
        place: The place of any library.
        also: The folders that are moved into it if it is encrypted.

    Raises ``library_locked`` while another process converts it, ``vault_conflict`` if another
    library was made at the path of the encrypted one.
    """
    state = place.state()
    if state is None and not place.folder.is_dir():
        return
    if state is State.ENCRYPTED:
        _must_be_link(place)
        return
    with place.alone(), _errors(place):
        match place.state():
            case State.COPYING | State.RESTORING:
                lock(place)
                _undo(place)
            case State.REMOVING:
                lock(place)
                _finish_encrypting(place, also)
            case State.RESTORED:
                lock(place)
                _finish_decrypting(place)
            case None:
                _remove_vault(place)
            case State.ENCRYPTED:  # another process was first
                pass


def remove(place: VaultPlace) -> int:
    """Delete a locked encrypted library; return the bytes freed."""
    freed = sum(found.st_size for _path, found in _walk(place.folder))
    with place.alone():
        if place.library.is_symlink():
            place.library.unlink()
        _remove_vault(place)
    return freed


def _errors(place: VaultPlace) -> AbstractContextManager[None]:
    """Translate the errors of the file system."""
    return library_errors(place.library, disk=place.library.parent)


def _must_be_link(place: VaultPlace) -> None:
    """Make the link to a library if it is missing, for example after a copy without links."""
    if place.library.is_symlink():
        return
    if place.library.exists():
        raise WorldError("vault_conflict", path=str(place.library))
    with _errors(place):
        place.library.symlink_to(Path(place.folder.name) / OPEN)


def _undo(place: VaultPlace) -> None:
    """Remove the unfinished copy. The original is still the library."""
    lock(place)
    if place.state() is State.RESTORING:
        remove_folder(place.plain)
        place.write(State.ENCRYPTED)
    else:
        _remove_vault(place)


def _remove_vault(place: VaultPlace) -> None:
    """Remove an encrypted library's folder, the record last, so that this can be resumed."""
    if any(mounted_device(point) for point in (place.open, place.work)):
        raise WorldError("vault_unavailable", reason="stays_mounted")
    remove_folder(place.cipher)
    remove_folder(place.plain)
    place.keeper.unlink(missing_ok=True)
    if not place.cipher.exists():
        place.record.unlink(missing_ok=True)
    remove_folder(place.folder)
    sync_folder(place.folder.parent)


def _remove_copied(folder: Path, before_ns: int) -> None:
    """Remove the copied files of a folder; files that were written since then stay."""
    if folder.is_dir():
        for path, found in reversed(list(_walk(folder))):
            with contextlib.suppress(OSError):
                if stat.S_ISDIR(found.st_mode):
                    (folder / path).rmdir()
                elif found.st_mtime_ns <= before_ns:
                    (folder / path).unlink()
        with contextlib.suppress(OSError):
            folder.rmdir()


def _check_room(parts: list[Path], disk: Path) -> None:
    """Check that a copy fits. Raises ``disk_full``."""
    files = (found.st_size for part in parts for _path, found in _walk(part))
    check_room(_MORE + sum(size + _MORE_PER_FILE for size in files), disk)


def _walk(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the entries to copy by their paths in a folder, each folder before its entries.

    Raises ``OSError``, since an unreadable folder must not count as empty.
    """
    for entry in sorted(os.scandir(folder), key=lambda each: each.name):
        if entry.name in _LEFT_OUT:
            continue
        found = entry.stat(follow_symlinks=False)
        yield Path(entry.name), found
        if stat.S_ISDIR(found.st_mode):
            yield from ((Path(entry.name) / path, each) for path, each in _walk(Path(entry.path)))


def copy_folder(source: Path, made: Path) -> None:
    """Copy a folder without sockets and pipes. ``_sync`` then writes it to the disk."""
    made.mkdir(mode=_OWNER, exist_ok=True)
    for path, found in _walk(source):
        copy = made / path
        if stat.S_ISDIR(found.st_mode):
            copy.mkdir(mode=_OWNER, exist_ok=True)
        elif stat.S_ISLNK(found.st_mode):
            copy.symlink_to((source / path).readlink())
        elif stat.S_ISREG(found.st_mode):
            shutil.copyfile(source / path, copy)
            copy.chmod(0o600)
            os.utime(copy, ns=(found.st_atime_ns, found.st_mtime_ns))


def compare_folders(source: Path, made: Path) -> None:
    """Compare a copy with its original.

    Raises ``OSError`` if something is missing or differs.
    """
    import filecmp

    filecmp.clear_cache()  # otherwise files of equal size and time are not read again
    for path, found in _walk(source):
        copy = made / path
        if stat.S_ISREG(found.st_mode) and not filecmp.cmp(source / path, copy, shallow=False):
            raise OSError(f"the copy of {path} differs")
        if stat.S_ISDIR(found.st_mode) and not copy.is_dir():
            raise OSError(f"{path} was not copied")


def _sync(folder: Path) -> None:
    """Write the whole file system of a folder to the disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        check(libc().syncfs(opened))
    finally:
        os.close(opened)
