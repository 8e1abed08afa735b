"""The base classes of requests: messages that name the type of their answer and their queue.

``requests`` declares the requests to an engine, ``pages`` the requests to the render child.
"""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Any, ClassVar, Generic, Protocol, TypeVar, get_args

from indexer.api.codec import Message
from indexer.api.errors import WorldError
from indexer.api.progress import CancelToken, Report

A = TypeVar("A")

MAX_LIMIT = 10_000
# Larger than any size of a file or a library.
MAX_NUMBER = 2**53
# The bounds of fields that mean the same in every request.
_BOUNDS = {
    "limit": (1, MAX_LIMIT),
    **dict.fromkeys(("offset", "start", "end", "page"), (0, MAX_NUMBER)),
}


class Answered(Message, Generic[A], frozen=True):
    """A message whose answer is an ``A``, the type argument of the base class."""

    answer: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        (cls.answer,) = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined]  # set by Generic


class Queue(Enum):
    """The thread of the engine that handles a request."""

    SEARCH = "search"
    STATUS = "status"  # queries on the library, which may take a while
    FAST = "fast"  # answered within milliseconds, and polled
    SLOW = "slow"  # walks folders or loads a model
    FETCH = "fetch"  # waits for the network
    INDEX = "index"  # writes for long


class LibraryPart(StrEnum):
    """A part of the library's state; the answer to a request names the parts that it changed."""

    FILES = "files"  # roots, files, documents and their states
    PACE = "pace"
    COLLECTIONS = "collections"
    MODELS = "models"


class Request(Answered[A], frozen=True):
    """A request to an engine.

    Attributes:
        queue: The queue in which the request waits; by default ``STATUS``.
        reports: Whether progress is sent before the answer.
        changes: The parts of the library that the request may change.
        queues_files: Whether the answer is a number of queued files, which are then read.

    Any request may raise ``library_damaged`` and, over a socket, ``engine_gone`` and ``busy``. A
    request that changes the library may raise ``library_read_only`` and ``disk_full``. One with
    relative paths raises ``bad_request``.
    """

    kinds: ClassVar[dict[str, type[Request[Any]]]] = {}
    queue: ClassVar[Queue] = Queue.STATUS
    reports: ClassVar[bool] = False
    changes: ClassVar[tuple[LibraryPart, ...]] = ()
    queues_files: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in _BOUNDS.keys() & set(self.__struct_fields__):
            between(name, getattr(self, name), *_BOUNDS[name])
        if any("\n" in pattern for pattern in getattr(self, "patterns", None) or ()):
            raise WorldError("bad_request", reason="patterns must be single lines")


def between(name: str, value: int, least: int, most: int = MAX_NUMBER) -> None:
    """Check a number of a message. Raises ``bad_request``."""
    if not least <= value <= most:
        raise WorldError("bad_request", reason=f"{name} must be between {least} and {most}")


class EngineApi(Protocol):
    """An engine, in this process or another. Thread-safe."""

    def call(
        self, request: Request[A], *, token: CancelToken | None = None, report: Report | None = None
    ) -> A:
        """Answer a request.

        Args:
            request: One of ``indexer.api.requests``.
            token: Cancels the request early; an index run then returns its summary so far.
            report: Called with at most ten snapshots a second, on a thread of the engine's choice.

        Raises the errors in the request's docstring, and ``Cancelled`` if the token was cancelled.
        """

    def close(self) -> None:
        """Finish writing and close the library."""
