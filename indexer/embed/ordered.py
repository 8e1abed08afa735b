"""Concurrent runs of a model in threads, whose results come in order."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

A = TypeVar("A")
B = TypeVar("B")


@contextmanager
def closing_pool(workers: int) -> Iterator[ThreadPoolExecutor]:
    """A thread pool that at exit cancels queued work and waits for running work."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix="embed")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def in_order(
    pool: ThreadPoolExecutor, work: Callable[[A], B], items: Iterator[A], ahead: int
) -> Iterator[B]:
    """Yield the results of ``work`` for items, in their order.

    Unlike ``Executor.map`` it takes an item only when it is about to be worked on.

    Args:
        pool: Runs ``work``.
        work: Called in a thread of the pool.
        items: Taken in the caller's thread.
        ahead: Half the number of items that are submitted and not yet yielded.
    """
    waiting: deque[Future[B]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) > 2 * ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
