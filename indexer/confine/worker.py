"""Reads each document in a process of its own that is forked, confined and supervised.

A child that reads documents keeps its libraries loaded and never opens a document itself. For each
document it forks a worker, which confines itself and reads. A worker has its own pipes for
requests, answers and errors, a new folder for unpacked files, and a process group that ends with
it. The child passes its answers on, one whole frame at a time. So a malicious document cannot
affect another, and memory that a library leaks is freed with the worker. On systems without fork
the child itself reads the documents (``is_available``).

A malicious document may run code through a fault of the library that parses it. That code cannot
open other files of the person, use the network, start programs or reach other processes. Besides
the document a reader may read the interpreter, libraries, fonts and dictionaries.
"""

from __future__ import annotations

import functools
import gc
import math
import os
import select
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from indexer.confine import kernel
from indexer.confine.cgroup import PROCESSES, PROGRAM_BYTES
from indexer.confine.kernel import CHANGE, READ, RUN, SCOPE_SINCE, FileRights, PathRule, Scope
from indexer.confine.process import (
    become_subreaper,
    close_all_but,
    descendants,
    die_with,
    libc,
    measure_folder,
    nameless_bytes,
    remove_folder,
    resident_bytes,
    threads,
    written_bytes,
)

if TYPE_CHECKING:
    from indexer.confine.process import ChildOptions

    Work = Callable[[BinaryIO, BinaryIO], None]

# System folders with programs, libraries, fonts and dictionaries, without personal files.
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
# The files about itself that a process may read. Others would show connections and mounts.
_OWN_FILES = ("statm", "stat", "status", "maps", "fd")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full")
# LibreOffice creates its socket here; the path cannot be configured.
SOCKETS = Path("/tmp")  # noqa: S108  # nothing is written there
# CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH, and the version of the structure of capset(2).
_FILE_CAPABILITIES = 1 << 1 | 1 << 2
_CAPABILITY_VERSION = 0x20080522
# The limits of a written file, of processor seconds, and of open files.
FILE_BYTES = 1 << 30
PROCESSOR_S = 3_600
OPEN_FILES = 512


def verdict() -> tuple[bool, str, str]:
    """Return for ``doctor`` whether readers are completely confined here, how, and advice."""
    version = kernel.landlock_version()
    held = [
        *(["a process for each document"] if sys.platform == "linux" else []),
        *([f"no other file (Landlock {version})"] if version else []),
        *(["no signals to others"] if version >= SCOPE_SINCE else []),
        *(["no network, no programs (seccomp)"] if kernel.has_seccomp() else []),
    ]
    if version >= SCOPE_SINCE and kernel.has_seccomp():
        return True, ", ".join(held), ""
    if sys.platform != "linux":
        return True, "limits on time and memory only; this system cannot confine a process", ""
    return False, ", ".join(held) or "limits on time and memory only", "Use Linux 6.12 or later."


def confine_to_document(document: int | None, scratch: Path, programs: Iterable[Path] = ()) -> None:
    """Confine this process irrevocably to reading one document and writing to one folder.

    It has no network and cannot signal or see other processes. Programs that it starts are confined
    like it; without paths of programs it cannot start processes. The document is a descriptor,
    ``None`` if it could not be opened, and may also be opened by its path.

    Raises ``OSError`` if the kernel refuses a restriction that it reports as supported.
    """
    needed = tuple(programs)
    _limit()
    if needed:
        limit_processes()
    _drop_privileges()
    kernel.restrict(
        _allowed(document, scratch, needed),
        _opened_places(),
        scope=Scope.ABSTRACT_UNIX_SOCKET | Scope.SIGNAL,
    )
    kernel.deny_unneeded(programs=bool(needed))


def limit_processes() -> None:
    """Limit the number of processes that this one may add to the person's.

    The system counts processes by user, and does not limit root. There is no limit if processes of
    the user are not visible, as in a container, since it would be too low.
    """
    import resource

    running = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if process.stat().st_uid == os.getuid():
                running += (process / "task").stat().st_nlink - 2
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    most = running + PROCESSES
    if most > soft != resource.RLIM_INFINITY:
        return  # the system's limit is lower
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
) -> Iterator[tuple[kernel.PathOrFd, FileRights]]:
    if document is not None:
        yield document, FileRights.READ_FILE
    yield scratch, CHANGE
    for name in _OWN_FILES:
        yield Path("/proc/self", name), READ
    for program in programs:
        yield program.parent, RUN
        yield program.resolve().parent, RUN
        # LibreOffice exits if it cannot create its socket.
        yield SOCKETS, FileRights.MAKE_SOCK


def prepare() -> None:
    """Prepare the rules for all readers that are forked later."""
    _opened_places()
    if kernel.has_seccomp():
        for programs in (True, False):
            kernel.reading_filter(programs=programs, process=0)


@functools.cache
def _opened_places() -> tuple[PathRule, ...]:
    """Open the places that every reader needs."""
    if not kernel.landlock_version():
        return ()
    places = [
        *((Path(place), RUN) for place in _SYSTEM),
        *((Path(place), READ) for place in _SYSTEM_FILES),
        *((Path(place), READ | FileRights.WRITE_FILE) for place in _DEVICES),
        *((place, RUN) for place in _interpreter()),
    ]
    found: dict[tuple[int, int], PathRule] = {}
    for place, rights in places:
        with suppress(OSError):
            opened = os.open(place, os.O_PATH | os.O_CLOEXEC)
            status, made = os.fstat(opened), kernel.path_rule(opened, rights)
            # Two places may be the same folder: on many systems /bin is a link to /usr/bin.
            if (known := found.setdefault((status.st_dev, status.st_ino), made)) is not made:
                known.allowed_access |= made.allowed_access
                os.close(opened)
    return tuple(found.values())


def _interpreter() -> Iterable[Path]:
    """The folders of Python, its libraries and our own code."""
    root = Path(__file__).resolve().parents[2]
    places = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix)}
    places |= {root / name for name in ("app", "indexer", "resources")}
    # Folders with the person's files are left out; a PYTHONPATH may name some.
    own = Path(os.path.expanduser("~")), Path(tempfile.gettempdir())  # noqa: PTH111  # never fails
    for place in (Path(entry).absolute() for entry in sys.path if entry):
        if place != root and not any(each.is_relative_to(place) for each in own):
            places.add(place)
    if frozen := getattr(sys, "_MEIPASS", ""):
        places |= {Path(frozen), Path(sys.executable).parent}
    return places


def _drop_privileges() -> None:
    """Drop root's capabilities (tracing, mounting, signals to others) except those on files.

    Root may index files that only their owner may read. Landlock limits access to the document.
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
        with suppress(OSError, ValueError):
            _soft, hard = resource.getrlimit(what)
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(what, (least, least))
    os.umask(0o077)


_POLL_MS = 100
_END_S = 2.0
_ERRORS_BYTES = 4_000
_CHUNK_BYTES = 1 << 16
# The exit status of a child whose worker exceeded its memory limit.
TOO_LARGE_STATUS = 83
# The most bytes that a worker and its programs may write to files and pipes, and have on the disk.
WRITTEN_BYTES = 2 << 30
# The most files and folders in its folder, since even empty ones take room on the disk.
ENTRIES = 4_000
_FAILED_STATUS = 1
_LENGTH = struct.Struct(">I")
_numbers = count(1)


def is_available() -> bool:
    """Return whether documents are read by confined workers here."""
    return sys.platform == "linux" and hasattr(os, "pidfd_open")


class DocumentWorker:
    """A forked process that reads a document, while its parent waits for its end.

    If it crashes, or is killed because it exceeds its memory limit, this process ends in the same
    way, so that the engine sees why; part of an answer may have been passed on.

    Args:
        work: Called in the confined process with the pipes for requests and answers. An exception
            ends it with a traceback.
        document: The file that it may read. ``work`` is called even if it cannot be opened.
        started: The options of this process: the worker writes below its folder, with its memory
            limit.
        programs: The programs that it needs to start.
    """

    def __init__(
        self,
        work: Work,
        document: Path,
        started: ChildOptions,
        programs: Collection[Path] = (),
    ) -> None:
        self._resident_bytes, self._programs = started.resident_bytes, bool(programs)
        self._scratch = started.scratch / str(next(_numbers))
        self._scratch.mkdir(0o700)
        prepare()
        if programs:
            become_subreaper()
        gc.freeze()  # the collector would write to all objects and thus copy shared memory
        asked, self._asking = os.pipe()
        self._answers, answering = os.pipe()
        self._errors, failing = os.pipe()
        theirs = (asked, answering, failing)
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            die_with(parent)
            _run_worker(work, document, self._scratch, theirs, programs)
        for descriptor in theirs:
            os.close(descriptor)
        with suppress(OSError):  # the worker does the same; one of both is first
            os.setpgid(self.pid, self.pid)
        self._ended = os.pidfd_open(self.pid)
        self._next_look, self._until = time.monotonic() + _POLL_MS / 1000, math.inf
        _running.add(self)

    def ask_worker(self, frame: bytes, most: int, seconds: float) -> bytes | None:
        """Send a frame and wait for the next answer, as ``send`` and ``receive`` do.

        Raises ``TimeoutError`` after some seconds, even if the worker is active; 0 means no limit.
        """
        self._until = time.monotonic() + seconds if seconds > 0 else math.inf
        try:
            self.send(frame)
            return self.receive(most)
        finally:
            self._until = math.inf

    def send(self, frame: bytes) -> None:
        """Send a whole frame. The frame is lost if the worker does not read it or has ended."""
        with suppress(OSError):
            self.deliver(self._asking, frame)

    def receive(self, most: int) -> bytes | None:
        """Wait for the next whole frame of at most ``most`` bytes; None if there is none."""
        length = self._exactly(_LENGTH.size)
        size = _LENGTH.unpack(length)[0] if len(length) == _LENGTH.size else most + 1
        message = self._exactly(size) if size <= most else b""
        return length + message if message and len(message) == size else None

    def deliver(self, descriptor: int, data: bytes) -> None:
        """Write to a pipe that may be full, and watch the worker's limits meanwhile."""
        os.set_blocking(descriptor, False)
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(descriptor, left) :]
            except BlockingIOError:
                self.until_ready(descriptor, writing=True)

    def until_ready(self, descriptor: int, *, writing: bool = False) -> None:
        """Wait until a descriptor is readable or writable, and watch the limits meanwhile.

        If the worker ends, its processes are killed, as they may keep its pipes open.
        """
        poll = select.poll()  # Windows has no poll, but no workers either
        poll.register(self._ended, select.POLLIN)
        poll.register(descriptor, select.POLLOUT if writing else select.POLLIN)
        ready: dict[int, int] = {}
        while descriptor not in ready:
            ready = dict(poll.poll(_POLL_MS))
            if self._ended in ready:
                poll.unregister(self._ended)
                with suppress(OSError):
                    os.killpg(self.pid, signal.SIGKILL)
            # Limits are checked even if it is ready, as a worker may send single bytes.
            if (now := time.monotonic()) >= self._next_look and self in _running:
                self._next_look = now + _POLL_MS / 1000
                self._check_limits()
            if now >= self._until:
                raise TimeoutError

    def finish(self) -> None:
        """Wait for the end of a worker that has closed its answers, and end in the same way."""
        if not select.select([self._ended], [], [], _END_S)[0]:  # it closed its pipe but continues
            end_all()
            os._exit(_FAILED_STATUS)  # this must not look like a kill by the system
        status = self._end()
        if status:
            end_all()
        if os.WIFSIGNALED(status):
            _exit_like(os.WTERMSIG(status))
        if code := os.waitstatus_to_exitcode(status):
            os._exit(code)

    def end(self) -> None:
        """Kill the process with all that it started, and delete its folder."""
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        self._end()

    def _end(self) -> int:
        """Wait for the end of the process; return its status."""
        self._until = math.inf
        _running.discard(self)
        self.until_ready(self._ended)
        _pid, status = os.waitpid(self.pid, 0)
        _end_group(self.pid)
        os.set_blocking(self._errors, False)
        with suppress(OSError):
            os.write(2, os.read(self._errors, _CHUNK_BYTES)[-_ERRORS_BYTES:])
        for descriptor in (self._asking, self._answers, self._errors, self._ended):
            os.close(descriptor)
        remove_folder(self._scratch)
        return status

    def _exactly(self, size: int) -> bytes:
        """Read ``size`` bytes of the answers, or fewer if they end earlier."""
        parts = []
        while size:
            self.until_ready(self._answers)
            part = os.read(self._answers, min(size, _CHUNK_BYTES))
            if not part:
                break
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _check_limits(self) -> None:
        """End the worker and this process if it exceeds a limit."""
        programs = [*islice(descendants(self.pid), PROCESSES)]
        ours = (self.pid, *programs)
        entries, kept = measure_folder(self._scratch, ENTRIES)
        if self._programs:  # programs may write to shared memory, which is not counted otherwise
            kept += nameless_bytes(ours)
        if (
            0 < self._resident_bytes < resident_bytes(self.pid)
            or entries > ENTRIES
            or sum(map(threads, ours)) > PROCESSES
            or sum(map(resident_bytes, programs)) > PROGRAM_BYTES
            or max(kept, sum(map(written_bytes, ours))) > WRITTEN_BYTES
        ):
            end_all()
            os._exit(TOO_LARGE_STATUS)


_running: set[DocumentWorker] = set()


def end_all() -> None:
    """End all workers with all that they started, before this process ends."""
    for each in tuple(_running):
        each.end()


def _end_group(group: int) -> None:
    """Kill the processes of a group, which they cannot leave, and wait for their end."""
    with suppress(ProcessLookupError, PermissionError):
        while True:
            os.killpg(group, signal.SIGKILL)
            with suppress(ChildProcessError):  # inherited once its parent has ended
                os.waitpid(-group, 0)


def _run_worker(
    work: Work,
    document: Path,
    scratch: Path,
    pipes: tuple[int, int, int],
    programs: Collection[Path],
) -> NoReturn:
    """Do the work and exit, as the callers' code belongs to the parent and must not run here."""
    status = _FAILED_STATUS
    try:
        os.setpgid(0, 0)
        asked, answering, failing = pipes
        _take_streams(failing)
        tempfile.tempdir = str(scratch)
        confine_to_document(_opened(document), scratch, programs)
        close_all_but((asked, answering))
        with os.fdopen(asked, "rb") as incoming, os.fdopen(answering, "wb") as outgoing:
            work(incoming, outgoing)
        status = 0
    except (EOFError, BrokenPipeError):
        status = 0  # the other side has closed the pipe
    except BaseException:  # noqa: BLE001  # an exception must not leave the fork
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(status)


def _take_streams(failing: int) -> None:
    """Replace the standard streams, which are the child's pipes to the engine."""
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123  # a device
        os.dup2(nothing.fileno(), 0)
    os.set_blocking(failing, False)  # messages that nobody reads are lost
    os.dup2(failing, 1)
    os.dup2(failing, 2)


def _opened(document: Path) -> int | None:
    """Open a file; None if it cannot be opened, as reading it will report the error."""
    try:
        return os.open(document, os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None


def _exit_like(number: int) -> NoReturn:
    """End this process by the signal that ended the worker, so that the parent sees it."""
    if number in (signal.SIGKILL, signal.SIGSTOP):
        os.kill(os.getpid(), number)
    with suppress(OSError, ValueError):
        import faulthandler

        faulthandler.disable()
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)
