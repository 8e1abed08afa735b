"""Work on several threads whose results come back in order, and never too far ahead.

Owns the pool that runs batches side by side. It must not know what the work is.
"""

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
    """A pool of threads that, when left, drops what was not begun and waits for the rest."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix="embed")
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def in_order(
    pool: ThreadPoolExecutor, work: Callable[[A], B], items: Iterator[A], ahead: int
) -> Iterator[B]:
    """Do the work for each item; the results come in the items' order.

    Args:
        pool: Where the work is done.
        work: Called on a thread of the pool.
        items: Taken from the caller's thread as room appears.
        ahead: How many items may wait beside the ones being worked on.
    """
    waiting: deque[Future[B]] = deque()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) > 2 * ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
