"""The engine's handle of an extraction process, with its pipes, its limits and its end.

The thread that watches the process also starts it and outlives it, because Linux sends the
parent-death signal when the starting *thread* ends. On a busy machine a process of low priority may
wait for minutes without a fault of its own. So a silent one is measured before it is killed, but
only Linux tells whether a process could run.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, cast

import psutil

from indexer.api.codec import Header, Hello, check_hello, read_frame, write_frame
from indexer.api.errors import WorldError
from indexer.confine import cgroup
from indexer.confine.job import WindowsJob
from indexer.confine.process import (
    child_command,
    descendants,
    kill_readers,
    kill_session,
    make_scratch,
    start_child,
)
from indexer.confine.worker import TOO_LARGE_STATUS

if TYPE_CHECKING:
    from indexer.config import Limits
    from indexer.extract.process.messages import ToChild

# A look takes 0.2 ms of scarce processor time. Three looks make a verdict.
_EVERY_S = 0.4
_LOOKS = 3


class Starvation:
    """Measures a process and its descendants, which may use ``seconds`` of processor time.

    A process that hangs either sleeps, or soon uses up this time.
    """

    def __init__(self, process: psutil.Process, seconds: float) -> None:
        self._process = process
        self._most = _used(self._family()) + seconds
        self._next = 0.0
        self._looks = self._could_run = 0

    def holds(self) -> bool:
        """Return whether it waits for a processor. Call this a few times a second."""
        if sys.platform != "linux":
            return False
        if time.monotonic() < self._next:
            return True
        self._next = time.monotonic() + _EVERY_S
        family = self._family()
        if _used(family) > self._most:
            return False
        self._looks += 1
        self._could_run += any(map(_could_run, family))
        if self._looks < _LOOKS:
            return True
        mostly = self._could_run > self._looks / 2
        self._looks = self._could_run = 0
        return mostly

    def _family(self) -> list[psutil.Process]:
        """Return the process and its descendants, without listing all processes of the system."""
        found = [self._process]
        for pid in descendants(self._process.pid):
            with suppress(psutil.Error):
                found.append(psutil.Process(pid))
        return found


def _used(processes: list[psutil.Process]) -> float:
    """Return the processor time of processes, and of their children that have ended."""
    total = 0.0
    for each in processes:
        with suppress(psutil.Error):
            total += sum(each.cpu_times()[:4])
    return total


def _could_run(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return bool(process.status() == psutil.STATUS_RUNNING)
    return False


MODULE = "indexer.extract.process.child"
# The outcomes of a child that reported progress for too long, and of one that was killed by others,
# as by the system when memory runs out, whichever process needs it.
ENDLESS, KILLED = "endless", "SIGKILL"
_POLL_S = 0.1
_START_S = 60.0
# A child that waits for a processor may be silent for this many times ``silence_s``, in which it
# may use the processor for this share of ``silence_s``.
_STARVED_FACTOR, _STARVED_SHARE = 10, 0.1
_END_S = 2.0
_STDERR_TAIL_BYTES = 4_000
# Libraries reserve far more address space than they use. This limit only makes huge allocations
# fail inside the child, where they cost one page. The watching thread limits resident memory.
_ADDRESS_SPACE_FACTOR = 4
_MIN_ADDRESS_SPACE = 2 * 1024**3


def _address_space(limits: Limits) -> int:
    return max(_MIN_ADDRESS_SPACE, _ADDRESS_SPACE_FACTOR * limits.resident_bytes)


def command(limits: Limits, scratch: str) -> list[str]:
    """Return the command line of a child."""
    return [
        *child_command(MODULE),
        f"--engine={os.getpid()}",
        f"--address-space={_address_space(limits)}",
        f"--resident={limits.resident_bytes}",
        f"--silence={(_STARVED_FACTOR + 1) * limits.silence_s + 10}",
        f"--scratch={scratch}",
    ]


class ChildProcess:
    """A running child. ``send`` and ``receive`` are for one thread, and ``kill`` is for any.

    ``receive`` kills the process after ``silence_s`` without a message, or later if it waits for a
    processor, and after ``left_s`` in all. While it waits, the process is also killed as soon as
    ``stopping`` returns True.

    Raises ``child_died`` or ``out_of_time`` if it does not start.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.silence_s = limits.silence_s
        self.left_s = math.inf
        self.stopping: Callable[[], bool] = lambda: False
        self._errors: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115  # closed by ``close``
        self._scratch = make_scratch()
        self._lock = threading.Lock()
        self._verdict = ""  # why it was killed
        self._job: WindowsJob | None = None  # replaces the process group on Windows
        self._starvation: Starvation | None = None  # set once it was silent too long
        self._waiting_since: float | None = None
        self._started = threading.Event()
        self._ending = threading.Event()
        self._failures: list[Exception] = []
        self._watch = threading.Thread(target=self._start_and_watch, name="extraction watch")
        self._watch.daemon = True
        self._watch.start()
        self._started.wait()
        if failures := self._failures:
            self._errors.close()
            self._scratch.cleanup()
            raise WorldError("child_died", reason=str(failures[0]))
        self._input: BinaryIO = cast("BinaryIO", self._running.stdin)
        self._output: BinaryIO = cast("BinaryIO", self._running.stdout)
        self._greet()

    @property
    def pid(self) -> int:
        return self._running.pid

    def is_alive(self) -> bool:
        return self._running.poll() is None

    def resident_bytes(self) -> int:
        """Return the resident memory of the process, 0 after its end."""
        try:
            return int(self._usage.memory_info().rss)
        except psutil.Error:
            return 0

    def send(self, message: ToChild, number: int) -> None:
        """Send a message. If the process has ended, the next ``receive`` returns ``None``."""
        with suppress(OSError, ValueError):
            write_frame(self._input, message.header(number))

    def receive(self) -> Header | None:
        """Wait for the next message. Return ``None`` if the process ends or is killed meanwhile."""
        self._waiting_since = began = time.monotonic()
        try:
            frame = read_frame(self._output)
        except (WorldError, OSError, ValueError):
            return None  # the process ended in the middle of a message
        finally:
            self._waiting_since = None
            self.left_s -= time.monotonic() - began
        return None if frame is None else frame[0]

    def kill(self, verdict: str) -> None:
        """Kill the process and its readers. Only the first verdict counts."""
        with self._lock:
            self._verdict = self._verdict or verdict
            if self._running.poll() is None:
                _kill_group(self._running)
            if self._job is not None:
                self._job.end()

    def outcome(self) -> str:
        """Return the reason why the process ended, from ``kill`` or as an exit status."""
        with suppress(subprocess.TimeoutExpired):
            self._running.wait(_END_S)
        if self._verdict:
            return self._verdict
        status = self._running.poll()
        if status is None:
            self.kill("stopped_answering")
            return "stopped_answering"
        if status == TOO_LARGE_STATUS or cgroup.ran_out(self.pid):
            return "large"
        if status < 0:
            return _signal_name(-status)
        return f"exit status {status}"

    def failure(self, reason: str) -> WorldError:
        """Convert an outcome to an error."""
        if reason == "silent":
            return WorldError("out_of_time", limit=f"{self.silence_s:g} seconds")
        if reason == "large":
            limit = f"{self._limits.resident_bytes // 1024**2} MB"
            return WorldError("out_of_memory", limit=limit)
        if reason == KILLED:
            return WorldError("reader_killed")
        return WorldError("child_died", reason=reason)

    def stderr_tail(self) -> str:
        """Return the end of what the process wrote to its error stream."""
        end = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, end - _STDERR_TAIL_BYTES))
        return self._errors.read().decode("utf-8", "replace")

    def close(self) -> None:
        """Close the pipes, which ends an idle process, kill it if it does not end, and wait."""
        with suppress(OSError):
            self._input.close()
        if self._waiting_since is None and self._verdict == "":
            with suppress(subprocess.TimeoutExpired):
                self._running.wait(_END_S)
        self.kill("closed")
        self._running.wait()
        kill_session(self._running.pid)  # if somebody else killed it
        self._ending.set()
        self._watch.join()
        with suppress(OSError):
            self._output.close()
        self._errors.close()
        self._scratch.cleanup()

    def _greet(self) -> None:
        self._waiting_since = time.monotonic() + max(0.0, _START_S - self.silence_s)
        try:
            frame = read_frame(self._output)
            if frame is None:
                raise self.failure(self.outcome())
            check_hello(frame[0], Hello)
        except BaseException:
            self.close()
            raise
        finally:
            self._waiting_since = None

    def _start_and_watch(self) -> None:
        try:
            self._running = start_child(command(self._limits, self._scratch.name), self._errors)
            self._usage = psutil.Process(self._running.pid)
            if sys.platform == "win32":
                self._job = WindowsJob(self._running.pid, _address_space(self._limits))
        except (OSError, psutil.Error) as error:
            self._failures.append(error)
            return
        finally:
            self._started.set()
        while not self._ending.wait(_POLL_S) and self.is_alive():
            since = self._waiting_since
            if self._is_overdue(since):
                self.kill("silent")
            elif since is not None and time.monotonic() - since > self.left_s:
                self.kill(ENDLESS)
            elif since is not None and self.stopping():
                self.kill("cancelled")
            elif self.resident_bytes() > self._limits.resident_bytes:
                self.kill("large")
        self._ending.wait()

    def _is_overdue(self, since: float | None) -> bool:
        """Return whether it is silent too long without waiting for a processor."""
        silent_s = 0.0 if since is None else time.monotonic() - since
        if silent_s <= self.silence_s:
            self._starvation = None
            return False
        spare_s = _STARVED_SHARE * self.silence_s
        self._starvation = self._starvation or Starvation(self._usage, spare_s)
        return silent_s > _STARVED_FACTOR * self.silence_s or not self._starvation.holds()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process with its readers."""
    kill_readers(process.pid)
    if hasattr(os, "killpg"):
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
            return
    process.kill()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
