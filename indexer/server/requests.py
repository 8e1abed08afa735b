"""What can be asked of a running engine: each request's fields, its lane and its answer.

Owns the table of requests, on the engine's side; ``indexer.api.client`` is the other side. It must
not know sockets or threads: a request becomes a function of the engine and a job. Standard
library only.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from indexer.api.contract import ORDERS, SPEEDS
from indexer.api.errors import WorldError
from indexer.api.protocol import field
from indexer.api.types import FileState
from indexer.api.wire import result_to_wire, to_wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.api.contract import EngineApi
    from indexer.api.protocol import Header
    from indexer.server.work_queues import Job

T = TypeVar("T")

MAX_LIMIT = 10_000
# No file and no library is as large, and SQLite and JSON's readers can count so far.
MAX_NUMBER = 2**53


class LaneName(Enum):
    """Which thread of the engine answers."""

    SEARCH = "search"
    INDEX = "index"  # whatever writes
    DESK = "desk"  # questions about the library, which may take a while
    GLANCE = "glance"  # what is answered at once, and asked all the time
    SURVEY = "survey"  # what walks folders or loads a model to find out


@dataclass(frozen=True, slots=True)
class Request:
    """One kind of request. ``read`` checks the fields and returns the work to do.

    ``queues``: what it answers as ``queued`` waits to be read afterwards.
    """

    lane: LaneName
    read: Callable[[Header], Callable[[EngineApi, Job], dict[str, Any]]]
    queues: bool = False


def _plain(key: str, method: str) -> Callable[[Header], Callable[[EngineApi, Job], dict[str, Any]]]:
    """Read a request without fields: what a method of the engine answers goes under a key."""
    return lambda _header: lambda engine, _job: {key: getattr(engine, method)()}


def _search(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    text = field(header, "text", str)
    limit = whole(header, "limit", 10, least=1, most=MAX_LIMIT)
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
    scan = field(header, "scan", bool, default=True)
    patterns = _patterns(header)

    def work(engine: EngineApi, job: Job) -> dict[str, Any]:
        summary = engine.index(
            paths,
            report=job.report,
            token=job.token,
            rescan=rescan,
            scan=scan,
            patterns=patterns,
        )
        return {"summary": to_wire(summary)}

    return work


def _remove(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    paths = _paths(header)
    return lambda engine, _job: {"removed": engine.remove(paths)}


def _watch(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    on = field(header, "on", bool) if header.get("on") is not None else None
    return lambda engine, _job: {"watch": engine.watch(on=on)}


def _files(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    state = field(header, "state", str, "") or None
    root = field(header, "root", str, "") or None
    offset = whole(header, "offset", 0)
    limit = whole(header, "limit", 1000, least=1, most=MAX_LIMIT)
    order, text = field(header, "order", str, "path"), field(header, "text", str, "")
    if state not in {None, *FileState}:
        raise WorldError("bad_request", reason=f"state must be one of {', '.join(FileState)}")
    if order not in ORDERS:
        raise WorldError("bad_request", reason=f"order must be one of {', '.join(ORDERS)}")

    def work(engine: EngineApi, _job: Job) -> dict[str, Any]:
        rows = engine.files(state, root, offset, limit, order=order, text=text)
        total = engine.total(state, root, text=text)
        return {"files": [to_wire(row) for row in rows], "total": total}

    return work


def _estimate(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    paths = _paths(header)
    patterns = _patterns(header)

    def work(engine: EngineApi, job: Job) -> dict[str, Any]:
        return {"estimate": engine.estimate(paths, token=job.token, patterns=patterns)}

    return work


def _retry(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    paths = _paths(header)
    return lambda engine, _job: {"queued": engine.retry(paths)}


def _unlock(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    path, password = _path(header, "path"), field(header, "password", str)
    return lambda engine, _job: {"queued": engine.unlock(path, password)}


def _root_patterns(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    root, patterns = _path(header, "root"), _patterns(header)
    return lambda engine, _job: {"patterns": engine.patterns(root, patterns)}


def _pace(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    speed = None if header.get("speed") is None else field(header, "speed", str)
    if speed not in {None, *SPEEDS}:
        raise WorldError("bad_request", reason=f"speed must be one of {', '.join(SPEEDS)}")
    paused, typing = (
        None if header.get(name) is None else field(header, name, bool)
        for name in ("paused", "typing")
    )
    return lambda engine, _job: {"activity": engine.pace(speed=speed, paused=paused, typing=typing)}


def _document(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    path = _path(header, "path")
    return lambda engine, _job: {"document": engine.document(path)}


def _passage_spans(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    path = _path(header, "path")
    start, end = whole(header, "start"), whole(header, "end")
    return lambda engine, _job: {"sentences": engine.passage_spans(path, start, end)}


def _explain(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    text, path, start = (
        field(header, "text", str),
        _path(header, "path"),
        whole(header, "start"),
    )
    return lambda engine, _job: {"explanation": engine.explain(text, path, start)}


def _compare(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    first, second = field(header, "first", str), field(header, "second", str)
    most = whole(header, "limit", 0)
    return lambda engine, job: {
        "comparison": engine.compare(first, second, limit=most, token=job.token)
    }


def _reindex(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    model, precision = _optional(header, "model"), _optional(header, "precision")

    def work(engine: EngineApi, job: Job) -> dict[str, Any]:
        summary = engine.reindex(model, precision, report=job.report, token=job.token)
        return {"summary": to_wire(summary)}

    return work


def _reindex_cost(header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    model, precision = _optional(header, "model"), _optional(header, "precision")
    return lambda engine, _job: {"cost": engine.reindex_cost(model, precision)}


def _verify(_header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    return lambda engine, job: {"verified": engine.verify(report=job.report, token=job.token)}


def _repair(_header: Header) -> Callable[[EngineApi, Job], dict[str, Any]]:
    return lambda engine, job: {"repaired": engine.repair(report=job.report, token=job.token)}


REQUESTS = {
    "search": Request(LaneName.SEARCH, _search),
    "index": Request(LaneName.INDEX, _index),
    "remove": Request(LaneName.GLANCE, _remove),
    "status": Request(LaneName.DESK, _plain("status", "status")),
    "files": Request(LaneName.DESK, _files),
    "doctor": Request(LaneName.SURVEY, _plain("checks", "doctor")),
    "estimate": Request(LaneName.SURVEY, _estimate),
    "retry": Request(LaneName.GLANCE, _retry, queues=True),
    "unlock": Request(LaneName.GLANCE, _unlock, queues=True),
    "patterns": Request(LaneName.GLANCE, _root_patterns),
    "watch": Request(LaneName.DESK, _watch),
    "activity": Request(LaneName.GLANCE, _plain("activity", "activity")),
    "pace": Request(LaneName.GLANCE, _pace),
    "document": Request(LaneName.GLANCE, _document),
    "passage_spans": Request(LaneName.GLANCE, _passage_spans),
    "explain": Request(LaneName.DESK, _explain),
    "compare": Request(LaneName.SURVEY, _compare),
    "reindex": Request(LaneName.INDEX, _reindex),
    "reindex_cost": Request(LaneName.SURVEY, _reindex_cost),
    "roll_back": Request(LaneName.INDEX, _plain("rolled_back", "roll_back")),
    "discard": Request(LaneName.INDEX, _plain("discarded", "discard")),
    "verify": Request(LaneName.SURVEY, _verify),
    "repair": Request(LaneName.INDEX, _repair),
}


def whole(
    header: Header, name: str, default: int | None = None, *, least: int = 0, most: int = MAX_NUMBER
) -> int:
    """Take one number of a message.

    Raises:
        WorldError: ``bad_request``, if it is missing without a default, none or out of bounds.
    """
    value = field(header, name, int) if default is None else field(header, name, int, default)
    if not least <= value <= most:
        raise WorldError("bad_request", reason=f"{name} must be between {least} and {most}")
    return value


def _paths(header: Header) -> list[Path]:
    paths = field(header, "paths", list, [])
    return [_path({"paths": path}, "paths") for path in paths]


def _optional(header: Header, name: str) -> str | None:
    return None if header.get(name) is None else field(header, name, str)


def places_in(header: Header) -> tuple[list[Path], list[str] | None]:
    """Give the folders and the patterns of a request to index.

    Raises:
        WorldError: ``bad_request``.
    """
    return _paths(header), _patterns(header)


def _path(header: Header, name: str) -> Path:
    path = field(header, name, str)
    if not os.path.isabs(path):  # noqa: PTH117
        raise WorldError("bad_request", reason=f"{name} must be absolute")
    return Path(path)


def _patterns(header: Header) -> list[str] | None:
    if header.get("patterns") is None:
        return None
    patterns = field(header, "patterns", list)
    for one in patterns:
        if "\n" in field({"patterns": one}, "patterns", str):
            raise WorldError("bad_request", reason="patterns must be single lines")
    return patterns
