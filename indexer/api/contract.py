"""What a request is: a message that names its answer and, to an engine, the queue it waits in.

Owns how requests are declared and how whoever answers them is called; ``requests`` declares those
to an engine, ``pages`` those to the render child. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar, Generic, Protocol, TypeVar, get_args

from indexer.api.codec import Message
from indexer.api.progress import CancelToken, Progress

A = TypeVar("A")


class Answered(Message, Generic[A]):
    """A message that is answered with an ``A``, which is read from the base class."""

    __slots__ = ()
    answer: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        (cls.answer,) = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined]  # set by Generic


class Queue(Enum):
    """Which thread of the engine answers."""

    SEARCH = "search"
    STATUS = "status"  # questions about the library, which may take a while
    FAST = "fast"  # what is answered at once, and asked all the time
    SLOW = "slow"  # what walks folders or loads a model to find out
    INDEX = "index"  # whatever writes for long


class Request(Answered[A]):
    """Something that is asked of an engine.

    Attributes:
        queue: Where it waits for its turn.
        reports: Whether progress comes before the answer.
        queues_files: Whether it answers how many files are queued, which are then read.

    Any request may raise ``library_damaged`` and, over a socket, ``engine_gone`` and ``busy``; one
    that changes the library ``library_read_only`` and ``disk_full``; one with paths
    ``bad_request`` unless they are absolute.
    """

    __slots__ = ()
    kinds: ClassVar[dict[str, type[Request[Any]]]] = {}
    queue: ClassVar[Queue]
    reports: ClassVar[bool] = False
    queues_files: ClassVar[bool] = False


class EngineApi(Protocol):
    """An engine, here or in another process. Thread-safe."""

    def call(
        self,
        request: Request[A],
        *,
        token: CancelToken | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> A:
        """Answer a request.

        Args:
            request: One of ``indexer.api.requests``.
            token: Ends it early, with ``Cancelled``; an index run answers what it has done.
            report: Takes snapshots, at most ten a second, on a thread of the engine's choice.

        Raises:
            LecternError: As the request says.
            Cancelled: If the token was cancelled.
        """

    def close(self) -> None:
        """Finish what must be finished and let go of the library."""
