"""The confinement of a process that reads or renders one document.

A malicious document may run code through a fault of the library that parses it; that code can then
open no other file of the person, use no network, start no program and reach no process. Besides
the document a reader may read the interpreter, libraries, fonts and dictionaries.
"""

from __future__ import annotations

import contextlib
import functools
import os
import struct
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.confine import landlock, seccomp
from indexer.confine.landlock import CHANGE, READ, RUN, FileRights, PathRule, Scope
from indexer.confine.process import libc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Folders of the system with programs, libraries, fonts and dictionaries; none has personal files.
_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix/store", "/gnu/store",
    "/snap", "/app", "/home/linuxbrew/.linuxbrew",
)  # fmt: skip
_SYSTEM_FILES = (
    "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/fonts", "/etc/localtime",
    "/etc/timezone", "/etc/locale.alias", "/etc/mime.types", "/etc/papersize", "/etc/paperspecs",
    "/etc/libreoffice", "/etc/alternatives", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group",
    "/var/lib/libreoffice", "/var/spool/libreoffice",
    "/var/cache/fontconfig", "/sys/devices/system/cpu", "/proc/meminfo", "/proc/cpuinfo",
)  # fmt: skip
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full")
# LibreOffice creates its socket here; the path cannot be configured.
SOCKETS = Path("/tmp")  # noqa: S108  # nothing is written there
# CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, and the version of the structure of capset(2).
_FILE_CAPABILITIES = 1 << 1 | 1 << 2
_CAPABILITY_VERSION = 0x20080522
# The first version of Landlock that forbids signals to processes that are not confined.
_SCOPES_SINCE = 6
# Limits of one written file, of processor seconds, of open files.
FILE_BYTES = 1 << 30
PROCESSOR_S = 3_600
OPEN_FILES = 512
# The limit of processes and threads, in addition to those the person has when it is set.
PROCESSES = 256


def verdict() -> tuple[bool, str, str]:
    """Return for ``doctor`` how readers of documents are confined here.

    Returns:
        Whether all restrictions are in force, those that are, and advice.
    """
    version = landlock.abi()
    held = [
        *(["a process for each document"] if sys.platform == "linux" else []),
        *([f"no other file (Landlock {version})"] if version else []),
        *(["no signals to others"] if version >= _SCOPES_SINCE else []),
        *(["no network, no programs (seccomp)"] if seccomp.is_available() else []),
    ]
    if version >= _SCOPES_SINCE and seccomp.is_available():
        return True, ", ".join(held), ""
    if sys.platform != "linux":
        return True, "limits on time and memory only; this system cannot confine a process", ""
    return False, ", ".join(held) or "limits on time and memory only", "Use Linux 6.12 or later."


def confine_to_document(document: int | None, scratch: Path, programs: Iterable[Path] = ()) -> None:
    """Confine this process, irrevocably, to one document to read and one folder to write to.

    It has no network and cannot signal or see other processes. Programs that it starts are confined
    like it.

    Args:
        document: A descriptor of the document, which may also be opened by its path. ``None`` if
            it could not be opened.
        scratch: An existing, empty folder for unpacked files.
        programs: Paths of programs that need to be started; without any it starts no process.

    Raises:
        OSError: If the kernel refuses a restriction that it reports as supported.
    """
    needed = tuple(programs)
    _limit()
    if needed:
        limit_processes()
    _drop_privileges()
    landlock.restrict(
        _allowed(document, scratch, needed),
        _opened_places(),
        tcp=False,
        scope=Scope.ABSTRACT_UNIX_SOCKET | Scope.SIGNAL,
    )
    seccomp.deny_unneeded(programs=bool(needed))


def limit_processes() -> None:
    """Limit the processes that this one may add to those of the person.

    The system counts processes by user, and does not limit root. If processes of the user are not
    visible here, as in a container, the computed limit would be too low; then there is none.
    """
    import resource

    running = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if process.stat().st_uid == os.getuid():
                running += (process / "task").stat().st_nlink - 2
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    most = running + PROCESSES
    if most > soft != resource.RLIM_INFINITY:
        return  # the limit of the system is lower
    resource.setrlimit(resource.RLIMIT_NPROC, (most, hard))
    try:
        if (child := os.fork()) == 0:
            os._exit(0)
    except BlockingIOError:
        resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))
        return
    os.waitpid(child, 0)
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))


def _allowed(
    document: int | None, scratch: Path, programs: Iterable[Path]
) -> Iterator[tuple[landlock.PathOrFd, FileRights]]:
    if document is not None:
        yield document, FileRights.READ_FILE
    yield scratch, CHANGE
    yield Path("/proc/self"), READ  # its own memory use; not that of any other process
    for program in programs:
        yield program.parent, RUN
        yield program.resolve().parent, RUN
        # LibreOffice exits if it cannot create its socket.
        yield SOCKETS, FileRights.MAKE_SOCK


def prepare() -> None:
    """Prepare the rules of all readers that are forked later."""
    _opened_places()
    if seccomp.is_available():
        for programs in (True, False):
            seccomp.reading_filter(programs=programs, process=0)


@functools.cache
def _opened_places() -> tuple[PathRule, ...]:
    """Open the places that every reader needs."""
    if not landlock.abi():
        return ()
    places = [
        *((Path(place), RUN) for place in _SYSTEM),
        *((Path(place), READ) for place in _SYSTEM_FILES),
        *((Path(place), READ | FileRights.WRITE_FILE) for place in _DEVICES),
        *((place, RUN) for place in _interpreter()),
    ]
    found: dict[tuple[int, int], PathRule] = {}
    for place, rights in places:
        with contextlib.suppress(OSError):
            opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
            status, made = os.fstat(opened), landlock.rule(opened, rights)
            # Two places may be one folder: /bin is a link to /usr/bin on many systems.
            if (known := found.setdefault((status.st_dev, status.st_ino), made)) is not made:
                known.allowed_access |= made.allowed_access
                os.close(opened)
    return tuple(found.values())


def _interpreter() -> Iterable[Path]:
    """The folders of Python, its libraries and our own code."""
    root = Path(__file__).resolve().parents[2]
    places = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix)}
    places |= {root / name for name in ("app", "indexer", "resources")}
    places |= {Path(entry) for entry in sys.path if entry and Path(entry) != root}
    if frozen := getattr(sys, "_MEIPASS", ""):
        places |= {Path(frozen), Path(sys.executable).parent}
    return places


def _drop_privileges() -> None:
    """Drop root's capabilities (tracing, mounting, signals to others) except those on files.

    Root may index files that only their owner may read; Landlock limits access to the document.
    """
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    kept = struct.pack("=6I", *[_FILE_CAPABILITIES if n < 2 else 0 for n in range(6)])
    ours = struct.calcsize("=6I") * b"\0" if os.geteuid() else kept
    libc().capset(header, ours)


def _limit() -> None:
    import resource

    for what, most in (
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_CPU, PROCESSOR_S),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        with contextlib.suppress(OSError, ValueError):
            _soft, hard = resource.getrlimit(what)
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (least, least))
    os.umask(0o077)
