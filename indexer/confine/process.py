"""Limits the memory, priority and lifetime of a child that reads documents, and deletes its folder.

The child limits its own process. The parent's side is ``indexer.extract.process.process`` and
``ui.preview.client``; ``indexer.confine.worker`` restricts access.

A hostile process may have filled its folder. ``tempfile`` and ``shutil`` change modes by path
before they try again, through links in Python before 3.11.8, and recurse as deep as the folders.
Here everything is deleted by descriptors, and deeper folders are moved up. So depth and modes do
not prevent deletion, and no link is followed.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import functools
import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import count, islice
from pathlib import Path
from typing import IO, Any, BinaryIO

from msgspec import Struct

from indexer.confine import cgroup

PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38


@functools.cache
def libc() -> ctypes.CDLL:
    """Return the C library; ``check`` reads errors of its calls."""
    return ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: object) -> int:
    """Make a system call by its number. Raises ``OSError`` if it fails."""
    # Integer arguments of a variadic function must have the kernel's width.
    wide = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return check(libc().syscall(ctypes.c_long(number), *wide))


def check(result: int) -> int:
    """Raise ``OSError`` if a call has failed."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def no_new_privileges() -> None:
    """Set PR_SET_NO_NEW_PRIVS, which Landlock and seccomp require."""
    check(libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def become_subreaper() -> None:
    """Become the parent of descendants whose own parent ends (PR_SET_CHILD_SUBREAPER)."""
    check(libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))


_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | os.O_RDONLY


def remove_folder(folder: Path | str) -> None:
    """Delete a folder with everything in it, if the system permits, without following links.

    No other process may be writing there.
    """
    with suppress(OSError):
        empty_folder(folder)
        os.rmdir(folder)  # noqa: PTH106  # as in the rest of this module


def empty_folder(folder: Path | str) -> None:
    """Delete everything in a folder, if the system permits, without following links."""
    if sys.platform == "win32":  # Windows has no descriptors of folders and no confined readers
        import shutil

        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                with suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108  # by descriptors
        return
    with suppress(OSError):
        top = os.open(folder, _FOLDER)
        try:
            names = count()
            found = os.listdir(top)  # noqa: PTH208  # of a descriptor
            while sum(_removed(top, name, names) for name in found):
                found = os.listdir(top)  # noqa: PTH208  # by descriptors
        finally:
            os.close(top)


def _removed(top: int, name: str, names: count[int]) -> bool:
    """Delete an entry; move the entries of a folder up beside it first."""
    try:
        if not stat.S_ISDIR(os.stat(name, dir_fd=top, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=top)
            return True
        inner = _opened(top, name)
        try:
            for entry in os.listdir(inner):  # noqa: PTH208  # by descriptors
                _moved_up(inner, entry, top, f"{os.getpid()}-{next(names)}")
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)
    except OSError:
        return False
    return True


def _moved_up(inner: int, entry: str, top: int, name: str) -> None:
    try:
        os.unlink(entry, dir_fd=inner)
    except OSError:  # a folder
        os.close(_opened(inner, entry))
        os.rename(entry, name, src_dir_fd=inner, dst_dir_fd=top)


def _opened(parent: int, name: str) -> int:
    """Open a folder even if its mode forbids it, and give its owner all permissions."""
    try:
        opened = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        place = os.open(name, getattr(os, "O_PATH", 0) | _FOLDER, dir_fd=parent)
        try:
            os.chmod(f"/proc/self/fd/{place}", stat.S_IRWXU)  # noqa: PTH101  # by descriptors
            opened = os.open(name, _FOLDER, dir_fd=parent)
        finally:
            os.close(place)
    os.fchmod(opened, stat.S_IRWXU)
    return opened


class ScratchFolder:
    """A new folder inside the temporary one, only for its owner, until ``cleanup``."""

    def __init__(self, prefix: str) -> None:
        self.name = tempfile.mkdtemp(prefix=prefix)

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Delete the folder with everything in it; idempotent."""
        remove_folder(self.name)


NICENESS = 10
_OOM_SCORE = "500"
# The frozen program's argument that replaces ``-m``.
CHILD_ARGUMENT = "--child"
SCRATCH_PREFIX = "lectern-reading-"
# Older scratch folders are deleted, as reading a document never takes this long.
_STALE_S = 6 * 3600.0
# The environment variables that a child inherits: paths of programs, libraries, fonts and temporary
# files, and the language of messages.
_NEEDED = frozenset({
    "PATH", "HOME", "USERPROFILE", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT",
    "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMFILES", "PROGRAMFILES(X86)",
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE", "TESSDATA_PREFIX",
    "VIRTUAL_ENV", "XDG_CACHE_HOME", "LOCALAPPDATA",
})  # fmt: skip
_NEEDED_PREFIXES = ("LC_", "LECTERN_", "PYTHON", "COVERAGE")


class Alarm:
    """Ends the process if it is not restarted in time.

    The engine's timeout is shorter; this one is for a child whose engine has ended. It uses
    faulthandler, which needs no GIL; a hanging library may never release that.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def restart(self) -> None:
        if self.seconds > 0:
            faulthandler.dump_traceback_later(self.seconds, exit=True)

    def stop(self) -> None:
        faulthandler.cancel_dump_traceback_later()


def is_frozen() -> bool:
    """Whether this program was made by PyInstaller and contains the interpreter."""
    return bool(getattr(sys, "frozen", False))


def frozen_program(*, window: bool = False) -> str:
    """The path of one of the two programs of an installed Lectern, which are in the same folder.

    One runs the engine, the children and the command line; the other has Qt and the window.
    """
    name = "lectern-window" if window else "lectern"
    return str(Path(sys.executable).with_name(name + Path(sys.executable).suffix))


def own_command(*, window: bool = False) -> list[str]:
    """Return the command that runs Lectern; the caller appends the arguments."""
    return [frozen_program(window=window)] if is_frozen() else [sys.executable, "-m", "app"]


def child_command(module: str, *, window: bool = False) -> list[str]:
    """Return the command that runs a module as a child. ``app.__main__`` lists these modules.

    Modules of the window are not in the frozen program of commands.
    """
    if is_frozen():
        return [frozen_program(window=window), CHILD_ARGUMENT, module]
    return [sys.executable, "-P", "-m", module]


def start_child(command: Sequence[str], errors: IO[bytes] | int) -> subprocess.Popen[bytes]:
    """Start a child with pipes, in its own process group, so that Ctrl+C does not reach it.

    ``command`` is the result of ``child_command``. The child's stderr goes to ``errors``. Raises
    ``OSError`` if the system refuses.
    """
    options: dict[str, Any] = {}
    if sys.platform == "win32":
        options["creationflags"] = (
            subprocess.BELOW_NORMAL_PRIORITY_CLASS
            | subprocess.CREATE_NEW_PROCESS_GROUP
            | subprocess.CREATE_NO_WINDOW
        )
    else:
        options["start_new_session"] = True
    # In another folder the child could keep a drive from being unmounted.
    place, environment = tempfile.gettempdir(), child_environment()
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, cwd=place,
        env=environment, **options,
    )  # fmt: skip


def close_all_but(kept: Collection[int]) -> None:
    """Close all descriptors of this process except some, and those of its standard streams."""
    for other in [int(each.name) for each in Path("/dev/fd").iterdir()]:
        if other > 2 and other not in kept:
            with suppress(OSError):
                os.close(other)


def take_stdout() -> BinaryIO:
    """Return the real stdout, and redirect all other output to stderr."""
    private = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(private, "wb")


class ChildOptions(Struct, frozen=True):
    """The options of a child, from its command line.

    The alarm is restarted while the child works. ``scratch`` is for unpacked files, and the parent
    deletes it. ``resident_bytes`` limits resident memory; 0 means no limit.
    """

    alarm: Alarm
    scratch: Path
    resident_bytes: int


def confine(arguments: Sequence[str], *, background: bool = True) -> ChildOptions:
    """Apply the limits given on the command line to this process.

    These are ``--engine PID --address-space BYTES --resident BYTES --silence SECONDS``, where 0
    means no limit, and ``--scratch FOLDER``. ``background`` sets the lowest priority.
    """
    parser = argparse.ArgumentParser(prog="lectern child")
    parser.add_argument("--engine", type=int, default=0)
    parser.add_argument("--address-space", type=int, default=0)
    parser.add_argument("--resident", type=int, default=0)
    parser.add_argument("--silence", type=float, default=0.0)
    parser.add_argument("--scratch", type=Path)
    options = parser.parse_args(arguments)
    faulthandler.enable()
    if background:
        if hasattr(os, "nice"):  # on Windows the engine starts the child with a low priority
            with suppress(OSError):
                os.nice(NICENESS)
        # If memory runs out, the system ends this process and its readers before others.
        with suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE, "ascii")
    limit_memory(options.address_space)
    die_with(options.engine)
    with suppress(OSError, AttributeError):  # it leads a session already, or this is Windows
        os.setsid()
    cgroup.join(options.resident)
    scratch = options.scratch or Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX))
    tempfile.tempdir = str(scratch)
    return ChildOptions(Alarm(options.silence), scratch, options.resident)


def make_scratch() -> ScratchFolder:
    """Create the scratch folder of a child, only for its owner; delete abandoned ones."""
    for left in Path(tempfile.gettempdir()).glob(f"{SCRATCH_PREFIX}*"):
        with suppress(OSError):
            if time.time() - left.lstat().st_mtime > _STALE_S:
                remove_folder(left)
    return ScratchFolder(SCRATCH_PREFIX)


def child_environment() -> dict[str, str]:
    """Return the environment of a child, without tokens, keys or proxies of the person.

    The path includes our package, and numeric libraries use one thread.
    """
    root = str(Path(__file__).resolve().parents[2])
    path = [root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _NEEDED or name.upper().startswith(_NEEDED_PREFIXES)
    }
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return {**kept, "PYTHONPATH": os.pathsep.join(path), **one}


def limit_memory(address_space: int) -> None:
    """Limit the address space, and disable core dumps."""
    if sys.platform == "win32":
        return
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if address_space and sys.platform == "linux":  # macOS does not enforce the limit
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))


def die_with(parent: int) -> None:
    """Let Linux kill this process when its parent ends, even by SIGKILL."""
    if sys.platform != "linux" or not parent:
        return
    libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before prctl was called
        os._exit(1)


_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process on Linux; 0 if it has ended."""
    return _number_after(" ", pid, "statm") * _PAGE_BYTES


def threads(pid: int) -> int:
    """Return the number of threads of a process on Linux; 0 if it has ended."""
    try:
        return Path(f"/proc/{pid}/task").stat().st_nlink - 2
    except OSError:
        return 0


def children(pid: int) -> list[int]:
    """Return the processes that a process on Linux has started, without reading all processes."""
    found: list[int] = []
    with suppress(OSError):
        for listed in Path(f"/proc/{pid}/task").glob("*/children"):
            found += map(int, listed.read_text("ascii").split())
    return found


def descendants(pid: int) -> Iterator[int]:
    """Yield the processes below another."""
    waiting = [pid]
    while waiting:
        waiting += (found := children(waiting.pop()))
        yield from found


def written_bytes(pid: int) -> int:
    """Return the bytes that a process and its ended children have written by system calls."""
    return _number_after("wchar:", pid, "io")


def _number_after(label: str, pid: int, file: str) -> int:
    try:
        return int(Path(f"/proc/{pid}/{file}").read_text().partition(label)[2].split()[0])
    except (OSError, IndexError, ValueError):
        return 0


def measure_folder(folder: Path, most: int) -> tuple[int, int]:
    """Count files and folders below a folder, up to one more than ``most``, and their bytes.

    A folder that cannot be listed, because of its mode or the length of its path, counts as too
    many.
    """
    found, size, waiting = 0, 0, [str(folder)]
    while waiting and found <= most:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in islice(entries, most + 1):
                    found += 1
                    with suppress(FileNotFoundError):  # it was deleted meanwhile
                        size += _on_disk(entry.stat(follow_symlinks=False))
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except (FileNotFoundError, NotADirectoryError):
            continue  # the same
        except OSError:
            return most + 1, size
    return found, size


def nameless_bytes(processes: Iterable[int]) -> int:
    """Return the bytes of files that processes have open but that have no name any more."""
    found: dict[tuple[int, int], int] = {}
    for pid in processes:
        with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as opened:
            for each in opened:
                with suppress(OSError):
                    status = each.stat()
                    if stat.S_ISREG(status.st_mode) and not status.st_nlink:
                        found[status.st_dev, status.st_ino] = _on_disk(status)
    return sum(found.values())


def _on_disk(status: os.stat_result) -> int:
    return status.st_blocks * 512


def kill_readers(child: int) -> None:
    """Stop a child of ours that will be killed, and kill its readers with all their processes."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.kill(child, signal.SIGSTOP)
        kill_session(child)


def kill_session(child: int) -> None:
    """Kill all processes that a child of ours has started, even after its end.

    Each reader has its own process group, which would outlive the child. Its processes can leave
    neither the group nor the session that the child leads.
    """
    if place := cgroup.delegated():
        cgroup.end(place, child)
    for listed in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            fields = listed.read_text("utf-8", "replace").rpartition(")")[2].split()
            group, session = int(fields[2]), int(fields[3])
            if 0 < child == session != group:
                os.killpg(group, signal.SIGKILL)
