"""What can be asked of a running engine: each request's fields, its lane and its answer.

Owns the table of requests, on the engine's side; ``indexer.client`` is the other side. It must
not know sockets or threads: a request becomes a function of the engine and a job. Standard
library only.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from indexer.errors import WorldError
from indexer.wire import result_to_wire, to_wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api import EngineApi
    from indexer.lanes import Job
    from indexer.protocol import Header

T = TypeVar("T")

MAX_LIMIT = 10_000


class LaneName(Enum):
    """Which thread of the engine answers."""

    SEARCH = "search"
    INDEX = "index"  # whatever writes
    DESK = "desk"  # questions about the library, which may take a while


@dataclass(frozen=True, slots=True)
class Request:
    """One kind of request. ``read`` checks the fields and returns the work to do."""

    lane: LaneName
    read: Callable[[Header], Callable[[EngineApi, Job], dict[str, Any]]]


def _search(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    text = field(header, "text", str)
    limit = _bounded(field(header, "limit", int, 10))
    explain = field(header, "explain", bool, default=False)
    full_text = field(header, "full_text", bool, default=True)

    def work(engine: EngineApi, job: Job) -> dict[str, Any]:
        result = engine.search(
            text, limit=limit, token=job.token, explain=explain, full_text=full_text
        )
        return {"result": result_to_wire(result)}

    return work


def _index(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    paths = _paths(header)
    rescan = field(header, "rescan", bool, default=False)

    def work(engine: EngineApi, job: Job) -> dict[str, Any]:
        summary = engine.index(paths, report=job.report, token=job.token, rescan=rescan)
        return {"summary": to_wire(summary)}

    return work


def _remove(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    paths = _paths(header)
    return lambda engine, _job: {"removed": engine.remove(paths)}


def _status(_header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    return lambda engine, _job: {"status": engine.status()}


def _files(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    state = field(header, "state", str, "") or None
    root = field(header, "root", str, "") or None
    offset = field(header, "offset", int, 0)
    limit = _bounded(field(header, "limit", int, 1000))

    def work(engine: EngineApi, _job: Job) -> dict[str, Any]:
        return {"files": [to_wire(row) for row in engine.files(state, root, offset, limit)]}

    return work


def _doctor(_header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    return lambda engine, _job: {"checks": engine.doctor()}


REQUESTS = {
    "search": Request(LaneName.SEARCH, _search),
    "index": Request(LaneName.INDEX, _index),
    "remove": Request(LaneName.INDEX, _remove),
    "status": Request(LaneName.DESK, _status),
    "files": Request(LaneName.DESK, _files),
    "doctor": Request(LaneName.DESK, _doctor),
}


@overload
def field(header: Header, name: str, kind: type[T]) -> T: ...
@overload
def field(header: Header, name: str, kind: type[T], default: T) -> T: ...
def field(header: Header, name: str, kind: type[T], default: T | None = None) -> T:
    """Take one field of a message.

    Raises:
        WorldError: ``bad_request``, if it is missing without a default or of another kind.
    """
    value = header.get(name, default)
    # True is an int to Python, but not to the protocol.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise WorldError("bad_request", reason=f"{name} must be of type {kind.__name__}")
    return value


def _bounded(limit: int) -> int:
    if not 1 <= limit <= MAX_LIMIT:
        raise WorldError("bad_request", reason=f"limit must be between 1 and {MAX_LIMIT}")
    return limit


def _paths(header: Header) -> list[Path]:
    paths = field(header, "paths", list, [])
    if not all(isinstance(path, str) and os.path.isabs(path) for path in paths):  # noqa: PTH117
        raise WorldError("bad_request", reason="paths must be absolute")
    return [Path(path) for path in paths]
