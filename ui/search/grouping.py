"""Hits grouped by document, in a given order.

Owns the groups and the keys that identify a hit in later answers. Pure; it must not know models or
widgets.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING

from indexer.api.types import Why

if TYPE_CHECKING:
    from collections.abc import Iterable

    from indexer.api.types import Hit

Key = tuple[str, int, int]

_NUMBER = re.compile(r"(\d+)")


class Order(StrEnum):
    """The order of documents; the hits of one document stay best first."""

    RELEVANCE = "relevance"
    DATE = "date"  # the newest first
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Group:
    """A document and its hits, best first."""

    path: str
    hits: tuple[Hit, ...]

    @property
    def exact(self) -> bool:
        """Whether the hits have the exact phrase; a document's other hits are another group."""
        return self.head.why is Why.PHRASE

    @property
    def head(self) -> Hit:
        """The hit that represents the document."""
        return self.hits[0]


def key_of(hit: Hit) -> Key:
    """Return what identifies a hit across answers."""
    return hit.path, hit.start, hit.end


def grouped(hits: Iterable[Hit], order: Order = Order.RELEVANCE) -> tuple[Group, ...]:
    """Group hits by document, in the order of each document's best hit.

    Hits with the exact phrase precede all others, so a document may occur twice.
    """
    found: dict[tuple[bool, str], dict[Key, Hit]] = {}
    for hit in hits:
        section = hit.why is not Why.PHRASE, hit.path
        found.setdefault(section, {}).setdefault(key_of(hit), hit)
    groups = [Group(path, tuple(each.values())) for (_, path), each in found.items()]
    if order is Order.DATE:
        groups.sort(key=lambda group: -group.head.modified_ns)
    elif order is Order.NAME:
        groups.sort(key=lambda group: (natural(PurePath(group.path).name), group.path))
    groups.sort(key=lambda group: not group.exact)
    return tuple(groups)


def flattened(groups: Iterable[Group]) -> tuple[Hit, ...]:
    """Return all hits of some groups, in their order."""
    return tuple(hit for group in groups for hit in group.hits)


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key by which "Part 9" precedes "Part 10"."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in _NUMBER.split(name.casefold())
        if part
    ]
