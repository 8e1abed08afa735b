"""Where the parts of an encrypted library are, and the record of how far it is one."""

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
# What is kept in a library besides its stores, once it is or was encrypted.
WINDOW, LOG, TEMPORARY = "window", "log", "tmp"
_MOUNTS = Path("/proc/self/mountinfo")
_SHOWN_IN_OCTAL = re.compile(rb"[\\ \t\n]")


class State(StrEnum):
    """What a record says; each is written before what it announces begins."""

    COPYING = "copying"  # being encrypted; the plain library counts
    REMOVING = "removing"  # the encrypted one counts, and the plain one is to go
    ENCRYPTED = "encrypted"
    RESTORING = "restoring"  # being decrypted; the encrypted one counts
    RESTORED = "restored"  # the plain one counts, and the encrypted one is to go


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
        """Where it is mounted while it is unlocked."""
        return self.folder / OPEN

    @property
    def work(self) -> Path:
        """Where it is mounted while it is encrypted or decrypted."""
        return self.folder / "work"

    @property
    def plain(self) -> Path:
        """The plain library: to be removed, or just restored."""
        return self.folder / "plain"

    @property
    def keeper(self) -> Path:
        """Locked by the process that keeps it unlocked, whose number is in it."""
        return self.folder / "keeper"

    def kept_by(self) -> int | None:
        """Return the process that keeps it unlocked, 0 before it has said its number.

        Its lock proves that it is alive.
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
        """How far it is encrypted; None if it is not.

        Raises ``vault_conflict``, if the record cannot be understood.
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
        """Whether the person had the passphrase kept in the keyring."""
        with contextlib.suppress(OSError, ValueError):
            return read_object(self.record).get("keyring") is True
        return False

    def write(self, state: State, *, keyring: bool | None = None) -> None:
        """Write the record, so that it outlives a power cut.

        Raises ``OSError`` if it cannot be written; the old one is unchanged.
        """
        kept = self.in_keyring if keyring is None else keyring
        write_file(self.record, json.dumps({"state": state, "keyring": kept}))
        sync_folder(self.folder)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes from converting it or opening it meanwhile.

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
    """Return where a library is encrypted, or would be; any links to it are followed."""
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
    """Whether a library is encrypted and has to be unlocked before it can be opened."""
    return is_encrypted(library) and not is_alive(place_of(library))


def mounted_device(point: Path) -> str:
    """Return the number of what is mounted at a folder; "" if nothing is.

    The folder itself is not looked at: one whose server hangs would have every look hang.
    """
    shown = _SHOWN_IN_OCTAL.sub(lambda found: b"\\%03o" % found[0][0], os.fsencode(point))
    mounts = [line.split() for line in _MOUNTS.read_bytes().splitlines()]
    return next((fields[2].decode() for fields in mounts if fields[4] == shown), "")


def is_alive(place: VaultPlace) -> bool:
    """Whether a library is unlocked: mounted, kept so, and answering."""
    try:
        return bool(
            mounted_device(place.open) and place.kept_by() is not None and place.open.stat()
        )
    except OSError:
        return False


def sync_folder(folder: Path) -> None:
    """Have the names in a folder outlive a power cut."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
