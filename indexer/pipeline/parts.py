"""What a run works with, and what it has done.

Owns these two values. It must not know how the work is done.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from indexer.catalog import Catalog, Space
    from indexer.config import Limits
    from indexer.embed.base import Embedder
    from indexer.pipeline.pace import Pace
    from indexer.pipeline.scanned_pages import Scans
    from indexer.store import Store
    from indexer.throttle.gate import QueryGate
    from indexer.throttle.throttle import Throttle


@dataclass(frozen=True, slots=True)
class Parts:
    """What a run works with."""

    catalog: Catalog
    store: Store
    space: Space
    open_embedder: Callable[[], Embedder]
    gate: QueryGate
    limits: Limits
    children: int
    check_space: Callable[[], None]
    pace: Pace
    password_of: Callable[[bytes], str | None]
    throttle: Throttle
    scans: Scans


@dataclass(slots=True)
class Counts:
    """What was done so far. Passages are counted as they are written, embedded, or reused.

    ``bytes`` are those of the files, and ``cut`` the passages of whole ones, written or not.
    """

    files: int = 0
    bytes: int = 0
    documents: int = 0
    pages: int = 0
    cut: int = 0
    written: int = 0
    embedded: int = 0
    reused: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class Effort:
    """How long readers and the model were at work for some counts, each kind by itself."""

    reading_s: float
    embedding_s: float
