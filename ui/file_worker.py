"""A thread that runs functions that read or write files, one after the other."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal

if TYPE_CHECKING:
    Done = Callable[[Any, OSError | None], None]

log = logging.getLogger(__name__)


class FileWorker(QObject):
    """Runs functions on one thread, in the order in which they were given."""

    _finished = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(self, work: Callable[[], Any], done: Done | None = None) -> None:
        """Run ``work`` there, then call ``done`` on the caller's thread with the result or OSError.

        Args:
            work: It may raise OSError, and must not use Qt's widgets.
            done: It is not called after the worker was deleted.
        """
        self._pool.start(partial(self._work, work, done))

    def close(self) -> None:
        """Wait until all work is done."""
        self._pool.waitForDone()

    def _work(self, work: Callable[[], Any], done: Done | None) -> None:
        result, failed = None, None
        try:
            result = work()
        except OSError as error:
            failed = error
        except Exception as error:
            log.exception("work in the background failed")
            failed = OSError(str(error))
        try:
            self._finished.emit(done, result, failed)
        except RuntimeError:  # the receiver was deleted
            log.debug("work ended after its worker was deleted")

    def _deliver(self, done: Done | None, result: Any, error: OSError | None) -> None:
        if done is not None:
            done(result, error)
