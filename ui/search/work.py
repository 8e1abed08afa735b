"""Runs functions that read or write files on a worker thread, one after the other."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, Signal

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)


class Worker(QObject):
    """Runs functions in their order on one thread."""

    _finished = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        work: Callable[[], Any],
        done: Callable[[Any, OSError | None], None] | None = None,
    ) -> None:
        """Run ``work``, then call ``done`` on this thread with its result or its OSError.

        Args:
            work: May raise OSError; must not use Qt.
            done: Not called after the worker was deleted.
        """
        self._pool.start(_Piece(work, done, self._finished.emit))

    def close(self) -> None:
        """Wait until all work is done."""
        self._pool.waitForDone()

    def _deliver(
        self,
        done: Callable[[Any, OSError | None], None] | None,
        result: Any,
        error: OSError | None,
    ) -> None:
        if done is not None:
            done(result, error)


class _Piece(QRunnable):
    """One piece of work."""

    def __init__(
        self,
        work: Callable[[], Any],
        done: Callable[[Any, OSError | None], None] | None,
        finished: Callable[[Any, Any, Any], None],
    ) -> None:
        super().__init__()
        self._work, self._done, self._finished = work, done, finished

    def run(self) -> None:
        result, failed = None, None
        try:
            result = self._work()
        except OSError as error:
            failed = error
        except Exception as error:
            log.exception("work in the background failed")
            failed = OSError(str(error))
        try:
            self._finished(self._done, result, failed)
        except RuntimeError:  # the receiver was deleted
            log.debug("work ended after its worker was deleted")
