"""One process per document: forked, confined, supervised, and ended after it.

A child that reads documents keeps its libraries loaded and never opens a document itself: for each
one it forks a worker, which confines itself (``indexer.confine.reader``) and reads. So a malicious
document affects no other, and memory that a library leaks is freed with the worker. On systems
without fork the child itself reads the documents (``is_available``).
"""

from __future__ import annotations

import gc
import os
import select
import shutil
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from indexer.confine.process import die_with
from indexer.confine.reader import confine_to_document, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from indexer.confine.process import ChildOptions

_POLL_MS = 100
# The exit status of a child whose worker exceeded its memory limit.
TOO_LARGE_STATUS = 83
_FAILED_STATUS = 1
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def is_available() -> bool:
    """Return whether documents are read by confined workers here."""
    return sys.platform == "linux" and hasattr(os, "pidfd_open")


class DocumentWorker:
    """A forked process, whose parent waits for its end.

    Args:
        work: Called in the confined process; an exception ends it with a traceback.
        document: The file it may read. If it cannot be opened, ``work`` is called all the same.
        started: Has the folder it may write to, and the limit of its memory.
        keep: Descriptors that stay open; all others except the three standard ones are closed.
        programs: Programs it may start, in addition to those of the system.
    """

    def __init__(
        self,
        work: Callable[[], None],
        document: Path,
        started: ChildOptions,
        keep: Collection[int] = (),
        programs: Collection[Path] = (),
    ) -> None:
        self._resident_bytes = started.resident_bytes
        prepare()
        gc.freeze()  # the collector would write to all objects, and so copy shared memory
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            die_with(parent)
            _run_worker(work, document, started.scratch, keep, programs)
        self._ended = os.pidfd_open(self.pid)

    def wait(self, answered: int | None = None) -> bool:
        """Wait for its end, or until it writes to a pipe; return whether it is still running.

        If the worker crashes, or is killed because it exceeds its memory limit, this process ends
        in the same way, as part of an answer may have been written: so the engine sees why.

        Args:
            answered: The reading end of a pipe to which it writes after each answer.
        """
        poll = select.poll()
        poll.register(self._ended, select.POLLIN)
        if answered is not None:
            poll.register(answered, select.POLLIN)
        while not (events := poll.poll(_POLL_MS)):
            if 0 < self._resident_bytes < resident_bytes(self.pid):
                os.kill(self.pid, signal.SIGKILL)
                os._exit(TOO_LARGE_STATUS)
        if any(descriptor == answered and event & select.POLLIN for descriptor, event in events):
            return True
        self._finish()
        return False

    def end(self) -> None:
        """Kill the process and wait for its end."""
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._ended)

    def _finish(self) -> None:
        _pid, status = os.waitpid(self.pid, 0)
        os.close(self._ended)
        if os.WIFSIGNALED(status):
            _exit_like(os.WTERMSIG(status))
        if code := os.waitstatus_to_exitcode(status):
            os._exit(code)


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process on Linux; 0 after its end."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return 0


def empty(scratch: Path) -> None:
    """Delete everything in the folder of a worker that has ended."""
    with suppress(OSError):
        for entry in os.scandir(scratch):
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    Path(entry.path).unlink()


def _run_worker(
    work: Callable[[], None],
    document: Path,
    scratch: Path,
    keep: Collection[int],
    programs: Collection[Path],
) -> NoReturn:
    """Do the work and exit: the code of the callers is the parent's and must not run here."""
    status = _FAILED_STATUS
    try:
        confine_to_document(_opened(document), scratch, programs)
        _close_all_but(keep)
        work()
        status = 0
    except (EOFError, BrokenPipeError):
        status = 0  # the reader has closed the pipe
    except BaseException:  # noqa: BLE001  # an exception must not leave the fork
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(status)


def _close_all_but(keep: Collection[int]) -> None:
    first = 3
    for kept in sorted({each for each in keep if each > 2}):
        os.closerange(first, kept)
        first = kept + 1
    last = max(int(entry.name) for entry in Path("/proc/self/fd").iterdir())
    os.closerange(first, last + 1)


def _opened(document: Path) -> int | None:
    """A descriptor of a file, None if it cannot be opened; reading it will report the error."""
    try:
        return os.open(document, os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None


def _exit_like(number: int) -> NoReturn:
    """End this process by the signal that ended the worker, which the parent then sees."""
    if number in (signal.SIGKILL, signal.SIGSTOP):
        os.kill(os.getpid(), number)
    with suppress(OSError, ValueError):
        import faulthandler

        faulthandler.disable()
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)
