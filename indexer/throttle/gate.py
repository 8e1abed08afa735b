"""Lets queries go first: indexing pauses between batches while a query is answered.

Owns one counter and its condition, and the size of indexing batches; must not know the work. A
pause is bounded, so a stream of queries slows indexing down but never stops it.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.throttle.throttle import Throttle

# The longest pause in seconds: about two warm queries.
LONGEST_PAUSE_S = 0.2
# Tokens in a batch: full use of the cores; under 200 ms during queries; without effect on a query
# that starts in the middle.
FULL_BATCH = 4096
SMALL_BATCH = 1024
TINY_BATCH = 256


class QueryGate:
    """Counts the queries in flight. Thread-safe.

    Args:
        throttle: Notified of each query; returns whether batches must be small.
    """

    def __init__(self, throttle: Throttle | None = None) -> None:
        self._changed = threading.Condition()
        self._active = 0
        self._throttle = throttle

    @contextmanager
    def query(self) -> Iterator[None]:
        """Pause indexing while the block runs."""
        with self._changed:
            self._active += 1
        try:
            yield
        finally:
            if self._throttle is not None:
                self._throttle.query_answered()
            with self._changed:
                self._active -= 1
                self._changed.notify_all()

    def wait_for_queries(self) -> None:
        """Wait, for a bounded time, until no query is in flight."""
        with self._changed:
            self._changed.wait_for(lambda: self._active == 0, LONGEST_PAUSE_S)

    def batch_tokens(self) -> int:
        """How many tokens the next batch may have."""
        if self._throttle is not None and self._throttle.slowed:
            return TINY_BATCH
        return SMALL_BATCH if self._active else FULL_BATCH
