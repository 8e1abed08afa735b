"""Reads rows and indices in a process of its own, which damaged bytes may end.

Lance trusts the lengths in its files: one wrong byte makes it ask for more memory than there is, at
which Rust aborts the process, and no check of a file finds all of these bytes before. Owns that
process, and what its end says about the bytes. It must not know what the rows mean. The child's
side is ``indexer.store.probe_child``.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import signal
import tempfile
import threading
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003  # for the codec
from typing import IO, TYPE_CHECKING, Any, cast

from indexer.api.codec import decode, encode, read_frame, write_frame
from indexer.api.errors import Failure, WorldError
from indexer.confine.process import child_command, start_child
from indexer.store import disk, runtime

if TYPE_CHECKING:
    import subprocess

    from indexer.store.values import Int64s

log = logging.getLogger(__name__)

MODULE = "indexer.store.probe_child"
# The process takes .7 GB of addresses, a block some megabytes and the cache at most 2 GB. So memory
# is short, and no length wrong, where less than that many bytes are refused.
_ADDRESS_SPACE, _SHORT_OF_MEMORY = 6 << 30, 256 << 20
_REFUSED = re.compile(r"memory allocation of (\d+) bytes failed")
_ROWS_CACHE = 32 << 20
_SAID_BYTES = 2_000  # the end of what it wrote to stderr
# A process that ends as one without damage would: killed by another, or idle.
_ATTEMPTS = 4
# Ends of a process by its own fault; on Windows these are the codes of exceptions.
_NAMES = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP")
_FAULTS = {int(getattr(signal, name)) for name in _NAMES if hasattr(signal, name)}
_WINDOWS_FAULTS = 0xC0000000


class DamagedError(Exception):
    """Bytes of a table are wrong or missing: reading them failed twice."""


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """What to read of a table: an index, or the rows whose ids follow as int64.

    ``cache`` is the size of the index cache in bytes.
    """

    table: Path
    cache: int
    index: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """How it went; rows follow as a stream of Arrow.

    Attributes:
        damage: What Lance said of wrong or missing bytes.
        failure: An error of the system.
        other: Any other error.
    """

    damage: str = ""
    failure: Failure | None = None
    other: str = ""


def rows(table: Path, ids: Int64s) -> Any:
    """All columns of rows, as an Arrow table; deleted ones are left out.

    Raises:
        DamagedError: If bytes that they need are wrong or missing.
        WorldError: ``path_missing``, if the whole table is missing, as on a drive that is not
            connected; errors of the system, see ``disk.system_error``.
    """
    return _process.ask(ProbeRequest(table, _ROWS_CACHE), ids.tobytes())


def index(table: Path, name: str) -> None:
    """Read an index; raises as ``rows`` does."""
    try:
        cache = runtime.cache_bytes(table.parent)
    except OSError as error:
        raise disk.system_error(error, table) or error from error
    _process.ask(ProbeRequest(table, cache, name))


class _Process:
    """The process, started when it is asked first and after each end. Thread-safe.

    It ends by itself when it is not asked for some seconds, and with this process.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        atexit.register(self._end)

    def ask(self, request: ProbeRequest, ids: bytes = b"") -> Any:
        """Ask until there is an answer, or two processes have ended by a fault."""
        answer, found = self._answer(request, ids)
        if answer.failure is not None:
            raise answer.failure.error()
        if answer.damage:
            raise DamagedError(answer.damage)
        if answer.other:
            raise RuntimeError(answer.other)
        return found

    def _answer(self, request: ProbeRequest, ids: bytes) -> tuple[Answer, Any]:
        faults = 0
        with self._lock:
            for _ in range(_ATTEMPTS):
                try:
                    return self._ask_once(request, ids)
                except (EOFError, OSError, ValueError):
                    reason = self._end()
                except BaseException:
                    self._end()  # its answer would be taken for that of the next request
                    raise
                faults += bool(reason)
                if faults > 1:
                    raise DamagedError(reason)
        raise WorldError("read_error", reason="stopped_answering")

    def _ask_once(self, request: ProbeRequest, ids: bytes) -> tuple[Answer, Any]:
        """Ask, and wait for the answer.

        Raises:
            EOFError: If the process has ended; also ``OSError`` and ``ValueError``.
        """
        process = self._running or self._start(request.table)
        incoming = cast("IO[bytes]", process.stdout)
        write_frame(cast("IO[bytes]", process.stdin), encode(request), ids)
        try:
            frame = read_frame(incoming)
        except WorldError as error:  # it ended within an answer
            raise EOFError from error
        if frame is None:
            raise EOFError
        answer = decode(Answer, frame[0])
        return answer, _read_rows(incoming) if answer == Answer() and ids else None

    def _start(self, table: Path) -> subprocess.Popen[bytes]:
        with ExitStack() as unless_started:
            try:
                errors = unless_started.enter_context(tempfile.TemporaryFile())
                running = start_child([*child_command(MODULE), str(_ADDRESS_SPACE)], errors)
            except OSError as error:
                raise disk.system_error(error, table) or error from error
            unless_started.pop_all()
        self._running, self._errors = running, errors
        return running

    def _end(self) -> str:
        """End the process if it has not; return the fault that has ended it, if any."""
        process, errors = self._running, self._errors
        self._running = self._errors = None
        if process is None or errors is None:
            return ""
        process.kill()  # changes nothing where it is ending by itself
        status = process.wait()
        with suppress(OSError), process:  # a request may be in the closed pipe
            pass
        with errors:
            errors.seek(max(0, os.fstat(errors.fileno()).st_size - _SAID_BYTES))
            said = errors.read().decode("utf-8", "replace")
        if said:
            log.warning("the process that reads the store ended with status %d: %s", status, said)
        refused = _REFUSED.search(said)
        short = refused is not None and int(refused[1]) < _SHORT_OF_MEMORY
        if short or (-status not in _FAULTS and status < _WINDOWS_FAULTS):
            return ""
        return refused[0] if refused is not None else f"status {status}"


def _read_rows(stream: IO[bytes]) -> Any:
    import pyarrow as pa

    with pa.ipc.open_stream(stream) as found:
        return found.read_all()


_process = _Process()
