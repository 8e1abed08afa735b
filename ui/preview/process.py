"""One run of the render child: its pipes, its memory and its end. Non-blocking.

It must not know the requests (``ui.preview.client``).
"""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

import psutil
from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

from indexer.api.errors import LecternError
from indexer.api.protocol import FrameReader, Hello, check_hello, frame
from indexer.confine.process import child_command, child_environment, make_scratch

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.protocol import Header

MODULE = "indexer.render.child"
# Bytes: several times what the largest page image needs.
RESIDENT_BYTES = 1 << 30
ADDRESS_SPACE = 4 << 30
# Seconds of work after which the child ends itself, should the window be gone.
ALARM_S = 90
_STDERR_TAIL_BYTES = 4_000
_END_MS = 1_000


def command(
    library: Path | None = None,
    scratch: str = "",
) -> list[str]:
    """Return the command line of a render child.

    Args:
        library: The library's folder, with the text recognised on scanned pages.
        scratch: The folder for unpacked files.
    """
    limits = [
        f"--engine={os.getpid()}",
        f"--address-space={ADDRESS_SPACE}",
        f"--resident={RESIDENT_BYTES}",
        f"--silence={ALARM_S}",
        *([f"--scratch={scratch}"] if scratch else []),
    ]
    known = [] if library is None else [f"--library={library}"]
    return [*child_command(MODULE), *limits, *known]


class RenderProcess(QObject):
    """A running render child.

    Signals:
        received: The header and the bytes of an answer.
        ended: The process has ended, once; with the reason for the log.
    """

    received = Signal(object, bytes)
    ended = Signal(str)

    def __init__(self, parent: QObject | None = None, library: Path | None = None) -> None:
        super().__init__(parent)
        self._reader = FrameReader()
        self._greeted = False
        self._over = False
        self._usage: psutil.Process | None = None
        self._process = QProcess(self)
        self._process.setWorkingDirectory(tempfile.gettempdir())  # on no drive to be unplugged
        environment = QProcessEnvironment()
        for name, value in child_environment().items():
            environment.insert(name, value)
        self._process.setProcessEnvironment(environment)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.errorOccurred.connect(self._failed)
        self._process.finished.connect(self._finished)
        self._scratch = make_scratch()
        program, *arguments = command(library, self._scratch.name)
        self._process.start(program, arguments)

    @property
    def pid(self) -> int:
        return int(self._process.processId())

    def send(self, header: Header) -> None:
        self._process.write(frame(header))

    def is_large(self) -> bool:
        """Return whether it holds more than ``RESIDENT_BYTES``."""
        try:
            self._usage = self._usage or psutil.Process(self.pid)
            return bool(self._usage.memory_info().rss > RESIDENT_BYTES)
        except (psutil.Error, ValueError):
            return False

    def end(self) -> None:
        """Kill the process; ``ended`` is not emitted."""
        self._over = True
        self._process.readyReadStandardOutput.disconnect(self._read)
        self._process.errorOccurred.disconnect(self._failed)
        self._process.finished.disconnect(self._finished)
        self._process.kill()
        # A killed process ends at once; Qt has to reap it.
        self._process.waitForFinished(_END_MS)
        self._scratch.cleanup()

    def stderr_tail(self) -> str:
        tail = bytes(self._process.readAllStandardError().data())[-_STDERR_TAIL_BYTES:]
        return tail.decode("utf-8", "replace")

    def _read(self) -> None:
        try:
            for header, data in self._reader.feed(
                bytes(self._process.readAllStandardOutput().data())
            ):
                if not self._greeted:
                    check_hello(header, Hello)
                    self._greeted = True
                elif not self._over:
                    self.received.emit(header, data)
        except LecternError as error:
            self._end_with(error.message)

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._end_with(self._process.errorString())

    def _finished(self, status: int, how: QProcess.ExitStatus) -> None:
        crashed = how is QProcess.ExitStatus.CrashExit
        self._end_with(f"signal {status}" if crashed else f"exit status {status}")

    def _end_with(self, reason: str) -> None:
        if not self._over:
            self._over = True
            self._scratch.cleanup()
            self.ended.emit(reason)
