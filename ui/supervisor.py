"""Keeps an engine running while the window is open.

It decides whether to attach or to start, owns the process that it started, and waits longer after
each failed start. It ends only an engine that it started, unless it is asked to end any.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from indexer.api.codec import ERRORS_AS_JSON, written_error
from indexer.api.errors import LecternError, WorldError
from indexer.api.requests import Shutdown
from indexer.confine import launcher
from ui.ports import ignore
from ui.widgets import timer

if TYPE_CHECKING:
    from ui.engine_client import EngineLink

log = logging.getLogger(__name__)

# Milliseconds between attempts to attach to a starting engine.
ATTACH_MS = 100
# Milliseconds between starts: the first value, doubled each time up to the last.
FIRST_MS, LAST_MS = 500, 30_000
# Seconds of service after which the waits begin at the first value again.
STEADY_S = 60.0
# Milliseconds for an engine to finish writing; killing it costs only the current batch.
END_MS = 20_000
_STDERR_TAIL_BYTES = 4000
# Errors after which a start is retried, since the library may be released.
_PASSING = frozenset({"library_locked", "engine_gone", "busy"})


class EngineState(Enum):
    """The state of the engine as the window knows it."""

    STARTING = auto()
    READY = auto()
    RESTARTING = auto()  # the engine has ended, and is started again
    FAILED = auto()  # the engine does not start, for a reason that only the person can remove
    ENDED = auto()


class Supervisor(QObject):
    """Attaches the link to an engine, and starts one where there is none.

    Signals:
        changed: ``state`` or ``problem`` has changed.
        ended: After ``end``: the engine that was started here has ended.
    """

    changed = Signal()
    ended = Signal()

    def __init__(
        self, link: EngineLink, command: Sequence[str], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.state = EngineState.STARTING
        self.problem: LecternError | None = None
        self._link = link
        self.command = list(command)
        self._process: QProcess | None = None
        self._stderr_tail = b""
        self._wait_ms = FIRST_MS
        self._ready_since = 0.0
        self._attach_timer = timer(self, ATTACH_MS, link.attach)
        self._retry_timer = timer(self, FIRST_MS, link.attach)
        self._kill_timer = timer(self, END_MS, self._kill)
        link.connected.connect(self._on_connected)
        link.disconnected.connect(self._on_disconnected)
        link.absent.connect(self._on_absent)
        link.refused.connect(self._on_refused)

    @property
    def pid(self) -> int:
        """The process id of the engine that was started here; 0 without one."""
        return self._process.processId() if self._process is not None else 0

    def start(self) -> None:
        """Attach to an engine, or start one; also again after a failure."""
        if self.state is not EngineState.READY:
            self._retry_timer.stop()
            self._wait_ms = FIRST_MS
            self._set(EngineState.STARTING)
            self._link.attach()

    def end(self, *, whoever: bool = False) -> None:
        """Leave the engine, and end it if it was started here; then emit ``ended``.

        Args:
            whoever: Whether to end the engine even if another process started it.
        """
        self._set(EngineState.ENDED)
        self._attach_timer.stop()
        self._retry_timer.stop()
        if self._process is None and whoever and self._link.is_connected:
            self._link.send_request(Shutdown(), done=self._leave, failed=self._leave)
            return
        if self._process is None:
            self._leave()
            return
        self._kill_timer.start()
        if self._link.is_connected:
            self._link.send_request(Shutdown(), done=ignore, failed=self._terminate)
        else:
            self._terminate()

    def _set(self, state: EngineState, problem: LecternError | None = None) -> None:
        if (state, problem) != (self.state, self.problem):
            self.state, self.problem = state, problem
            self.changed.emit()

    def _on_connected(self) -> None:
        if self.state is EngineState.ENDED:
            self._link.close()
            return
        self._ready_since = time.monotonic()
        self._set(EngineState.READY)

    def _on_disconnected(self) -> None:
        # The disconnect may arrive after the process's exit.
        if self.state in {EngineState.ENDED, EngineState.FAILED}:
            return
        log.warning("the engine has gone")
        if time.monotonic() - self._ready_since > STEADY_S:
            self._wait_ms = FIRST_MS
        self._set(EngineState.RESTARTING)
        # If the process is ours, ``finished`` follows. Another's may have ended on purpose, and the
        # next engine may be there already.
        if self._process is None:
            self._link.attach()

    def _on_absent(self) -> None:
        if self.state in {EngineState.ENDED, EngineState.FAILED}:
            return
        if self._process is None:
            self._launch()
        else:
            self._attach_timer.start()

    def _on_refused(self, error: LecternError) -> None:
        if self.state is EngineState.ENDED:
            return
        if error.code in _PASSING:
            self._try_again()
        else:
            self._set(EngineState.FAILED, error)

    def _launch(self) -> None:
        log.info("starting an engine")
        self._stderr_tail = b""
        process = QProcess(self)
        environment = QProcessEnvironment.systemEnvironment()
        for name, value in ERRORS_AS_JSON.items():
            environment.insert(name, value)
        process.setStandardInputFile(QProcess.nullDevice())
        process.setStandardOutputFile(QProcess.nullDevice())
        process.readyReadStandardError.connect(self._listen)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        self._process = process
        # Like this process the engine has no network and can start no launcher, so it shares ours.
        with launcher.shared_environment() as variables:
            for name, value in variables.items():
                environment.insert(name, value)
            process.setProcessEnvironment(environment)
            self._attach_timer.start()  # first, as Windows may report a missing program at once
            process.start(self.command[0], self.command[1:])

    def _listen(self) -> None:
        if self._process is not None:
            said = bytes(self._process.readAllStandardError().data())
            self._stderr_tail = (self._stderr_tail + said)[-_STDERR_TAIL_BYTES:]

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._forget()
            self._set(EngineState.FAILED, WorldError("internal", reason="not_started"))

    def _on_finished(self, status: int, how: QProcess.ExitStatus) -> None:
        self._listen()
        self._forget()
        if self.state is EngineState.ENDED:
            self._kill_timer.stop()
            self._link.close()
            self.ended.emit()
            return
        log.warning("the engine ended with %s %s", how.name, status)
        problem = written_error(self._stderr_tail.decode("utf-8", "replace"))
        if problem is not None and problem.code not in _PASSING:
            self._set(EngineState.FAILED, problem)
            return
        if self.state is EngineState.READY:  # the disconnect arrives later
            self._set(EngineState.RESTARTING)
        self._try_again()

    def _forget(self) -> None:
        self._attach_timer.stop()
        if self._process is not None:
            self._process.deleteLater()
            self._process = None

    def _try_again(self) -> None:
        self._retry_timer.start(self._wait_ms)
        self._wait_ms = min(2 * self._wait_ms, LAST_MS)

    def _leave(self, _answer: object = None) -> None:
        self._link.close()
        QTimer.singleShot(0, self.ended.emit)

    def _terminate(self, _error: LecternError | None = None) -> None:
        if self._process is not None:
            self._process.terminate()

    def _kill(self) -> None:
        log.warning("the engine does not end and is killed")
        if self._process is not None:
            self._process.kill()
