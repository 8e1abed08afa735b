"""The paths of an encrypted library's parts, and the record of its state."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from msgspec import Struct

from indexer.api.errors import WorldError
from indexer.api.json_files import read_object
from indexer.api.private_files import write_file

SUFFIX = ".encrypted"
OPEN = "open"
# The folders inside a library, besides its stores, that is or was encrypted.
WINDOW, LOG, TEMPORARY = "window", "log", "tmp"
_MOUNTS = Path("/proc/self/mountinfo")
_SHOWN_IN_OCTAL = re.compile(rb"[\\ \t\n]")


class State(StrEnum):
    """The state in a record. It is written before the work that it announces begins."""

    COPYING = "copying"  # being encrypted; the plain library is valid
    REMOVING = "removing"  # the encrypted library is valid, and the plain one will be removed
    ENCRYPTED = "encrypted"
    RESTORING = "restoring"  # being decrypted; the encrypted library is valid
    RESTORED = "restored"  # the plain library is valid, and the encrypted one will be removed


class VaultPlace(Struct, frozen=True):
    """The folder of an encrypted library. ``library`` is the path of the library itself."""

    library: Path
    folder: Path

    @property
    def cipher(self) -> Path:
        """The files of gocryptfs."""
        return self.folder / "cipher"

    @property
    def open(self) -> Path:
        """The mount point of an unlocked library."""
        return self.folder / OPEN

    @property
    def work(self) -> Path:
        """The mount point while the library is being encrypted or decrypted."""
        return self.folder / "work"

    @property
    def plain(self) -> Path:
        """The plain library, before it is removed or after it is restored."""
        return self.folder / "plain"

    @property
    def keeper(self) -> Path:
        """A file with the process id of the keeper, which holds its lock while it is alive."""
        return self.folder / "keeper"

    def kept_by(self) -> int | None:
        """Return the id of the keeper's process, 0 before it is written, None without a keeper.

        The lock proves that the keeper is alive.
        """
        import fcntl

        try:
            file = self.keeper.open("rb")
        except FileNotFoundError:
            return None
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                found = file.read()
                return int(found) if found.isdigit() else 0
        return None

    @property
    def record(self) -> Path:
        return self.folder / "encrypted.json"

    def state(self) -> State | None:
        """The state of encryption; None if the library is not encrypted.

        Raises ``vault_conflict`` if the record is not valid.
        """
        try:
            return State(str(read_object(self.record)["state"]))
        except (KeyError, ValueError) as error:
            if not self.record.exists() and not self.cipher.exists():
                return None
            raise WorldError("vault_conflict", path=str(self.folder)) from error
        except OSError as error:
            raise WorldError("path_denied", path=str(self.record)) from error

    @property
    def in_keyring(self) -> bool:
        """Whether the passphrase is kept in the keyring."""
        with contextlib.suppress(OSError, ValueError):
            return read_object(self.record).get("keyring") is True
        return False

    def write(self, state: State, *, keyring: bool | None = None) -> None:
        """Write the record so that it survives a power cut.

        Raises ``OSError`` if it cannot be written; then the old one is unchanged.
        """
        kept = self.in_keyring if keyring is None else keyring
        write_file(self.record, json.dumps({"state": state, "keyring": kept}))
        sync_folder(self.folder)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Prevent other processes from converting or opening the library meanwhile.

        Raises ``library_locked``.
        """
        import fcntl

        held = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        except BlockingIOError as error:
            holder = "a program that encrypts, decrypts or unlocks it"
            raise WorldError("library_locked", library=str(self.library), holder=holder) from error
        finally:
            os.close(held)


def place_of(library: Path) -> VaultPlace:
    """Return the place of a library's encrypted folder, even if there is none. Follows links."""
    real = Path(os.path.realpath(library))
    if real.name == OPEN and real.parent.name.endswith(SUFFIX):
        folder = real.parent
        return VaultPlace(folder.with_name(folder.name.removesuffix(SUFFIX)), folder)
    return VaultPlace(real, real.with_name(real.name + SUFFIX))


def is_encrypted(library: Path) -> bool:
    """Whether a library is encrypted, locked or not.

    Raises ``vault_conflict`` or ``path_denied``.
    """
    if sys.platform != "linux":
        return False
    return place_of(library).state() not in {None, State.COPYING}


def is_locked(library: Path) -> bool:
    """Whether a library is encrypted and locked."""
    return is_encrypted(library) and not is_alive(place_of(library))


def mounted_device(point: Path) -> str:
    """Return the device number of the mount at a folder; "" without a mount.

    The folder itself is not accessed, as access would hang if its server does.
    """
    shown = _SHOWN_IN_OCTAL.sub(lambda found: b"\\%03o" % found[0][0], os.fsencode(point))
    mounts = [line.split() for line in _MOUNTS.read_bytes().splitlines()]
    return next((fields[2].decode() for fields in mounts if fields[4] == shown), "")


def is_alive(place: VaultPlace) -> bool:
    """Whether a library is unlocked: mounted, with a keeper, and responding."""
    try:
        return bool(
            mounted_device(place.open) and place.kept_by() is not None and place.open.stat()
        )
    except OSError:
        return False


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
