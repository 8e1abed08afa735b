"""Unlocks and locks libraries with gocryptfs, through this process's launcher if there is one.

Users other than root mount through a program with more rights than their own, which a confined
process cannot start. So its launcher does this, and nothing else: it makes an encrypted folder and
mounts it in its own place. The passphrase is only passed through pipes.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from indexer.api.errors import InternalError, WorldError, bad_usage
from indexer.confine import launcher
from indexer.confine.launcher import LauncherRequest
from indexer.confine.process import child_command, child_environment, libc
from indexer.vault.place import SUFFIX, VaultPlace, is_alive, mounted_device

GOCRYPTFS = "gocryptfs"
#: Exit statuses of gocryptfs; the first two are also the keeper's.
WRONG_PASSPHRASE, MOUNTED = 12, 0
_DEVICE = Path("/dev/fuse")
# The file by which the system ends a mount of the person.
_CONNECTIONS = Path("/sys/fs/fuse/connections")
_UNMOUNT, _FORCE_AND_DETACH = "fusermount3", 1 | 2
# The seconds for deriving a key and mounting a folder on a busy machine.
PATIENCE_S = 60.0
# The seconds for the keeper to unmount, even if other programs have files open.
LOCK_S = 20.0
_POLL_S = 0.02
_MOST = 1024  # characters; gocryptfs takes 2,048 bytes
QUIET = ("-q", "-nosyslog")


class MakeVault(LauncherRequest[None], frozen=True):
    """Make an encrypted folder in an empty one."""

    folder: Path
    passphrase: str

    def do(self) -> None:
        """Run gocryptfs; see ``make``."""
        place = _place(self.folder)
        done = subprocess.run(
            [GOCRYPTFS, *QUIET, "-init", "--", str(place.cipher)], input=self.passphrase.encode(),
            capture_output=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise WorldError("vault_unavailable", reason="gocryptfs_failed", status=done.returncode)


class MountVault(LauncherRequest[None], frozen=True):
    """Mount an encrypted folder, and start the process that unmounts it.

    Attributes:
        folder: The folder of the encrypted library.
        worker: The process that converts the library, with which the mount ends; 0 for normal use.
        passphrase: The person's passphrase.
        idle_s: It is unmounted after this many seconds without an open file; 0 is never.
    """

    folder: Path
    worker: int
    passphrase: str
    idle_s: int

    def do(self) -> None:
        """Start a keeper; see ``unlock``."""
        place = _place(self.folder)
        command = [*child_command("indexer.vault.keeper"), str(place.folder), str(self.worker)]
        environment = {**child_environment(), **_bus()}
        done = subprocess.run(
            [*command, str(self.idle_s)], input=self.passphrase.encode(), env=environment, cwd="/",
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        if done.returncode == WRONG_PASSPHRASE:
            raise WorldError("vault_passphrase", library=str(place.library))
        if done.returncode != MOUNTED:
            raise WorldError("vault_unavailable", reason="gocryptfs_failed", status=done.returncode)


class DetachVault(LauncherRequest[None], frozen=True):
    """Unmount a folder that a killed keeper has left."""

    folder: Path
    working: bool

    def do(self) -> None:
        """Unmount the folder as root or with fusermount."""
        place = _place(self.folder)
        detach(place.work if self.working else place.open)


_REQUESTS = (MakeVault, MountVault, DetachVault)


def launcher_commands() -> Mapping[type[LauncherRequest[Any]], Callable[[Any, Any], None]]:
    """Return the handlers of a launcher for the requests of this room."""
    if why_not():
        return {}
    return {kind: lambda request, _gone: request.do() for kind in _REQUESTS}


def why_not() -> str:
    """Return the phrase that says why libraries cannot be encrypted on this system, or ""."""
    if sys.platform != "linux":
        return "linux_only"
    if shutil.which(GOCRYPTFS) is None:
        return "no_gocryptfs"
    return "" if os.access(_DEVICE, os.R_OK | os.W_OK) else "no_fuse"


def check_possible() -> None:
    """Raise ``vault_unavailable`` if libraries cannot be encrypted on this system."""
    if reason := why_not():
        raise WorldError("vault_unavailable", reason=reason)


def check_passphrase(passphrase: str) -> str:
    """Check that gocryptfs accepts a passphrase unchanged: one line, not empty.

    Raises ``bad_usage``.
    """
    if not passphrase.strip() or "\n" in passphrase or len(passphrase) > _MOST:
        reason = f"a passphrase is one line of 1 to {_MOST} characters"
        raise bad_usage("encrypt", reason)
    return passphrase


def make(place: VaultPlace, passphrase: str) -> None:
    """Make the encrypted folder of a library. Raises ``vault_unavailable``."""
    place.cipher.mkdir(mode=0o700)
    _ask(MakeVault(place.folder, check_passphrase(passphrase)))


def unlock(place: VaultPlace, passphrase: str, idle_s: int = 0) -> None:
    """Unlock a library if it is locked. Raises ``vault_passphrase`` or ``vault_unavailable``."""
    if not is_alive(place):
        _clear(place, working=False)
        _ask(MountVault(place.folder, 0, check_passphrase(passphrase), idle_s))


@contextlib.contextmanager
def working_mount(place: VaultPlace, passphrase: str) -> Iterator[Path]:
    """Mount the encrypted folder during the block, so that this process can copy it."""
    _clear(place, working=True)
    _ask(MountVault(place.folder, os.getpid(), check_passphrase(passphrase), 0))
    try:
        yield place.work
    finally:
        lock(place)


def lock(place: VaultPlace) -> None:
    """Unmount a library at once; other programs lose the files that they have open there.

    Raises ``vault_unavailable`` if its keeper does not end.
    """
    ends = time.monotonic() + LOCK_S
    while (keeper := place.kept_by()) is not None:
        if time.monotonic() > ends:
            raise WorldError("vault_unavailable", reason="stays_mounted")
        if keeper:
            with contextlib.suppress(ProcessLookupError):
                os.kill(keeper, signal.SIGTERM)
        time.sleep(_POLL_S)
    for working in (False, True):
        _clear(place, working=working)


def detach(point: Path) -> None:
    """Unmount a folder even if something is open or hangs there, and remove it.

    If gocryptfs is killed in its first moments, it waits for its own answer, and cannot end before
    the system ends the mount.
    """
    if device := mounted_device(point):
        with contextlib.suppress(OSError):
            (_CONNECTIONS / device.partition(":")[2] / "abort").write_text("1")
        if libc().umount2(os.fsencode(point), _FORCE_AND_DETACH) and shutil.which(_UNMOUNT):
            subprocess.run([_UNMOUNT, "-uz", str(point)], capture_output=True, check=False)
    with contextlib.suppress(OSError):
        point.rmdir()


def _clear(place: VaultPlace, *, working: bool) -> None:
    """Remove the mount that a killed keeper has left.

    Raises ``vault_unavailable`` if it stays mounted.
    """
    point = place.work if working else place.open
    if mounted_device(point):
        _ask(DetachVault(place.folder, working))
    with contextlib.suppress(OSError):
        point.rmdir()
    if mounted_device(point):
        raise WorldError("vault_unavailable", reason="stays_mounted")


def _place(folder: Path) -> VaultPlace:
    """Check that a requested folder is that of an encrypted library.

    Raises ``bad_request``.
    """
    if not folder.is_absolute() or not folder.name.endswith(SUFFIX) or folder.is_symlink():
        raise WorldError("bad_request", reason="it is no encrypted library")
    place = VaultPlace(folder.with_name(folder.name.removesuffix(SUFFIX)), folder)
    if not place.cipher.is_dir() or place.cipher.is_symlink():
        raise WorldError("bad_request", reason="it is no encrypted library")
    return place


def _bus() -> dict[str, str]:
    """Return the address of the system's bus, to which the keeper listens."""
    name = "DBUS_SYSTEM_BUS_ADDRESS"
    return {name: os.environ[name]} if name in os.environ else {}


def _ask(request: MakeVault | MountVault | DetachVault) -> None:
    """Run a command through the launcher, or here if this process is not confined.

    Raises ``vault_unavailable``, or the error of the command.
    """
    check_possible()
    ours = launcher.current()
    if ours is None:
        request.do()
        return
    try:
        ours.ask_launcher(request, seconds=PATIENCE_S)
    except InternalError as error:
        raise WorldError("vault_unavailable", reason="launcher_gone") from error
