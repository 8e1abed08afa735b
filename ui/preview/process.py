"""The render child as the window holds it: its pipes, its memory and its end.

Owns one run of the process. It must not know what is asked (``ui.preview.client``), and never
waits for it.
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

MODULE = "indexer.render"
# Several times what the largest page image needs, and far less than a bomb.
RESIDENT_BYTES = 1 << 30
ADDRESS_SPACE = 4 << 30
# The child ends itself when it was busy for so long, should the window be gone.
ALARM_S = 90
_LAST_WORDS_BYTES = 4_000
_END_MS = 1_000


def command(
    library: Path | None = None,
    scratch: str = "",
) -> list[str]:
    """Return the command line of a render child.

    Args:
        library: The folder that knows what was recognised on scanned pages.
        scratch: The folder for what it unpacks.
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
    """A render child from its start to its end, which comes once, as ``ended``."""

    received = Signal(object, bytes)  # the header and the bytes of an answer
    ended = Signal(str)  # why, for the log

    def __init__(self, parent: QObject | None = None, library: Path | None = None) -> None:
        super().__init__(parent)
        self._reader = FrameReader()
        self._greeted = False
        self._over = False
        self._usage: psutil.Process | None = None
        self._process = QProcess(self)
        self._process.setWorkingDirectory(tempfile.gettempdir())  # holds no one's drive busy
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
        """Return whether it holds more memory than any preview is worth."""
        try:
            self._usage = self._usage or psutil.Process(self.pid)
            return bool(self._usage.memory_info().rss > RESIDENT_BYTES)
        except (psutil.Error, ValueError):
            return False

    def end(self) -> None:
        """End the process now; ``ended`` is not emitted any more."""
        self._over = True
        self._process.readyReadStandardOutput.disconnect(self._read)
        self._process.errorOccurred.disconnect(self._failed)
        self._process.finished.disconnect(self._finished)
        self._process.kill()
        # It dies at once; Qt only has to see it.
        self._process.waitForFinished(_END_MS)
        self._scratch.cleanup()

    def stderr_tail(self) -> str:
        words = bytes(self._process.readAllStandardError().data())
        return words[-_LAST_WORDS_BYTES:].decode("utf-8", "replace")

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
