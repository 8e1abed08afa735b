"""One process per document: forked, confined, supervised, and ended after it.

Owns forking, waiting and ending. A child that reads documents keeps its libraries loaded and
never opens a document itself: for each one it forks a worker, which confines itself
(``indexer.confine.reader``) and reads. So no document is affected by another one, and memory that
a library leaks is freed with the worker. It must not know the work. On systems without fork the
child reads itself (``is_available``). Standard library only.
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


class Worker:
    """A forked process, whose parent waits for its end.

    Args:
        work: Called in the confined process; an exception ends it with a traceback.
        document: The file it may read. Whether there is one, and whether it can be opened, is for
            ``work`` to find out.
        started: The folder it may write to, and the memory it may hold.
        keep: Descriptors that stay open; all others but the three standard ones are closed.
        programs: Commands it may start, beside those of the system.
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
        gc.freeze()  # pages that are not touched stay shared
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            die_with(parent)
            _run_worker(work, document, started.scratch, keep, programs)
        self._ended = os.pidfd_open(self.pid)

    def wait(self, answered: int | None = None) -> bool:
        """Wait for its end, or until it writes to a pipe; return whether it is still running.

        A worker that crashes, or grows too large and is killed for it, takes this process along:
        half an answer may have been written, and the caller must know why it ended.

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
        """Kill it and wait."""
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
    """Return the memory a process of Linux holds; 0 once it ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return 0


def empty(scratch: Path) -> None:
    """Remove what a worker left in its folder."""
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
    """Do the work and end; nothing above this frame must ever run again in this process."""
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
    """Open a file without reading it; errors are reported when it is read."""
    try:
        return os.open(document, os.O_PATH | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None


def _exit_like(number: int) -> NoReturn:
    """Exit with the worker's status, so that the parent sees the same."""
    if number in (signal.SIGKILL, signal.SIGSTOP):
        os.kill(os.getpid(), number)
    with suppress(OSError, ValueError):
        import faulthandler

        faulthandler.disable()
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)
