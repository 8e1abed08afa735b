"""The base classes of requests: a message that names its answer and, to an engine, its queue.

``requests`` declares those to an engine, ``pages`` those to the render child.
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
# The least and the most of fields that mean the same in every request.
_BOUNDS = {
    "limit": (1, MAX_LIMIT),
    **dict.fromkeys(("offset", "start", "end", "page"), (0, MAX_NUMBER)),
}


class Answered(Message, Generic[A], frozen=True):
    """A message that is answered with an ``A``, the type argument of the base class."""

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
    """A part of the library's state; the answer to a request that writes names those it changed."""

    FILES = "files"  # roots, files, documents and their states
    PACE = "pace"
    COLLECTIONS = "collections"
    MODELS = "models"


class Request(Answered[A], frozen=True):
    """A request to an engine.

    Attributes:
        queue: The queue in which it waits; by default that of queries on the library.
        reports: Whether progress is sent before the answer.
        changes: The parts of the library that it may change.
        queues_files: Whether its answer is a number of files queued, which are then read.

    Any request may raise ``library_damaged`` and, over a socket, ``engine_gone`` and ``busy``; one
    that changes the library ``library_read_only`` and ``disk_full``; one with paths
    ``bad_request`` unless they are absolute.
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
            token: Ends it early, with ``Cancelled``; an index run returns its summary so far.
            report: Called with at most ten snapshots a second, on a thread of the engine's choice.

        Raises what the request's docstring says; ``Cancelled`` if the token was cancelled.
        """

    def close(self) -> None:
        """Finish writing and close the library."""
