"""Hits, rows, summaries and progress as JSON-able dictionaries, and back.

Owns the shape these values have between processes. It must not know how dictionaries become bytes
(``indexer.api.protocol``) or who sends them. Keys that a newer program added are ignored; what is
missing or of the wrong kind is a ``bad_request``. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any, TypeVar

from indexer.api.errors import WorldError
from indexer.api.phrases import Note
from indexer.api.progress import Progress, Step
from indexer.api.types import Also, FileRow, FileState, Hit, SearchResult, Summary, Why

T = TypeVar("T", Hit, Also, FileRow, Summary, Progress, SearchResult)


def to_wire(value: Hit | FileRow | Summary | Progress) -> dict[str, Any]:
    """Spread a flat value over a dictionary; JSON turns its tuples into lists."""
    spread = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Hit):
        spread["also"] = [asdict(place) for place in value.also]
    return {k: dict(v) if isinstance(v, Mapping) else v for k, v in spread.items()}


def result_to_wire(result: SearchResult) -> dict[str, Any]:
    return {
        "hits": [to_wire(hit) for hit in result.hits],
        "notes": [note_to_wire(note) for note in result.notes],
        "seconds": result.seconds,
        "understood": result.understood,
        "query": dict(result.query),
        "good": result.good,
    }


def note_to_wire(note: Note) -> dict[str, Any]:
    return {"code": note.code, "detail": dict(note.detail)}


def note_from_wire(data: Mapping[str, Any]) -> Note:
    """Rebuild a note that crossed a border.

    Raises:
        AttributeError, TypeError, ValueError: If it is none.
    """
    return Note(str(data.get("code", "")), dict(data.get("detail", {})))


def _pages(value: Any) -> tuple[int, ...]:
    return tuple(int(page) for page in value)


def _span(value: Any) -> tuple[int, int]:
    start, end = value
    return int(start), int(end)


def _spans(value: Any) -> tuple[tuple[int, int], ...]:
    return tuple(_span(span) for span in value)


_REBUILD: dict[type, dict[str, Callable[[Any], Any]]] = {
    Hit: {
        "heading_path": tuple,
        "why": Why,
        "best": _span,
        "state": FileState,
        "other_paths": tuple,
        "explain": dict,
        "marks": _spans,
        "also": lambda places: tuple(from_wire(Also, place) for place in places),
    },
    Also: {},
    FileRow: {"state": FileState, "bad_pages": _pages},
    Summary: {"states": dict},
    Progress: {"step": Step},
    SearchResult: {
        "hits": lambda hits: tuple(from_wire(Hit, hit) for hit in hits),
        "notes": lambda notes: tuple(map(note_from_wire, notes)),
        "query": dict,
    },
}


def from_wire(kind: type[T], data: Mapping[str, Any]) -> T:
    """Rebuild a value that crossed a border.

    Raises:
        WorldError: ``bad_request``, if a key is missing or its value is of the wrong kind.
    """
    rebuild = _REBUILD[kind]
    known = {field.name for field in fields(kind)}
    try:
        values = {k: rebuild.get(k, _same)(v) for k, v in data.items() if k in known}
        return kind(**values)
    except (TypeError, ValueError, AttributeError) as error:
        raise WorldError("bad_request", reason=f"{kind.__name__}: {error}") from error


def _same(value: Any) -> Any:
    return value
