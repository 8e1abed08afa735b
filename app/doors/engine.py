"""An engine for a command or a door: reached at the first call, and again after it has gone."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

from indexer.api.contract import EngineApi, Queue, Request
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.progress import CancelToken, Report

A = TypeVar("A")

ATTEMPTS = 3
_AT_ONCE = 8  # the engine refuses a client that has many requests waiting
_SLOW_AT_ONCE = 2


class LastingEngine:
    """An ``EngineApi`` over engines that may end; every request is idempotent. Thread-safe.

    The newest search of a client replaces its older ones, as a window needs it; the callers of a
    door are several, so that their searches wait for each other here. Slow requests, such as a
    comparison, have turns of their own, so that they hold up nothing else.
    """

    def __init__(self, reach: Callable[[], EngineApi]) -> None:
        self._reach = reach
        self._engine: EngineApi | None = None
        self._opening = threading.Lock()
        self._asking = threading.BoundedSemaphore(_AT_ONCE)
        self._turns = {
            Queue.SEARCH: threading.BoundedSemaphore(1),
            Queue.SLOW: threading.BoundedSemaphore(_SLOW_AT_ONCE),
        }

    def call(
        self, request: Request[A], *, token: CancelToken | None = None, report: Report | None = None
    ) -> A:
        """Answer a request; see ``indexer.api.contract.EngineApi``."""
        with self._turns.get(request.queue, self._asking):
            if token is not None:
                token.check()
            for _ in range(ATTEMPTS - 1):
                engine = self._reached()
                try:
                    return engine.call(request, token=token, report=report)
                except WorldError as error:
                    if error.code != "engine_gone":
                        raise
                    self._leave(engine)
            return self._reached().call(request, token=token, report=report)

    def close(self) -> None:
        """Close the engine, or the connection to it."""
        with self._opening:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def _reached(self) -> EngineApi:
        with self._opening:
            if self._engine is None:
                self._engine = self._reach()
            return self._engine

    def _leave(self, engine: EngineApi) -> None:
        with self._opening:
            if self._engine is not engine:
                return
            self._engine = None
        engine.close()
