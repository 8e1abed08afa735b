"""The rows of the list: documents with their passages, headings, and lines that unfold more.

Owns which rows an answer has at first: a few passages of each document, those with a phrase apart
from the rest, weaker matches below a heading, and the best few without a good match. Pure; it must
not know models, widgets or texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from indexer.api.types import Why
from ui.search.grouping import Group, Key, key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from indexer.api.types import Hit

# Passages of a document, and of an answer without a good match, that are shown at first.
SHOWN, CLOSEST = 3, 5
# A passage with less than this share of the best score is a weaker match. Behind the answer to a
# question scores fall steeply; in a list of similar passages they stay above this.
WEAKER = 0.6
# What stands for the whole answer in ``Layout.unfolded``.
EVERYTHING: Key = ("", -1, -1)


class Kind(Enum):
    """The kind of a row."""

    DOCUMENT = auto()
    HIT = auto()
    MORE = auto()  # unfolds passages
    CONTAINS = auto()  # headings: of what holds the phrase,
    RELATED = auto()  # of the rest,
    WEAKER = auto()  # and of weaker matches


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the list; ``number`` is the hit's (from 0) in its group, -1 for other lines.

    ``count`` is how many passages a line without a hit stands for, ``weak`` whether a hit or its
    document is a weaker match.
    """

    group: Group
    number: int = -1
    kind: Kind = Kind.DOCUMENT
    count: int = 0
    weak: bool = False

    @property
    def is_hit(self) -> bool:
        return self.kind is Kind.HIT

    @property
    def is_document(self) -> bool:
        return self.kind is Kind.DOCUMENT

    @property
    def is_reachable(self) -> bool:
        """Whether the row can be selected: a passage, or a line that unfolds more of them."""
        return self.kind in (Kind.HIT, Kind.MORE)

    @property
    def hit(self) -> Hit:
        """The hit, or for a document its best."""
        return self.group.hits[max(self.number, 0)]

    @property
    def key(self) -> Key:
        """The row's identity; those of different kinds are disjoint."""
        match self.kind:
            case Kind.HIT:
                return key_of(self.hit)
            case Kind.DOCUMENT | Kind.MORE:
                return self.group.path, -self.kind.value, -2 if self.group.exact else -1
            case _:
                return "", -1, -self.kind.value


@dataclass(frozen=True, slots=True)
class Layout:
    """How the groups of an answer are laid out.

    Attributes:
        good: Whether there is a good match; else only the closest passages are shown.
        ranked: Whether documents are in the order of relevance.
        unfolded: The keys of documents whose passages are all shown; or ``EVERYTHING``.
        room: The number of passages that fit into the list; few documents show more of theirs.
    """

    good: bool = True
    ranked: bool = True
    unfolded: frozenset[Key] = frozenset()
    room: int = 0


def rows_of(groups: Sequence[Group], layout: Layout) -> list[Row]:
    """Return the rows of an answer."""
    if not layout.good and EVERYTHING not in layout.unfolded:
        return _closest(groups)
    least = least_score(groups) if layout.good else 0.0
    made: list[Row] = []
    exact = sum(len(group.hits) for group in groups if group.exact)
    heading: Kind | None = None
    most = max(SHOWN, layout.room // max(len(groups), 1))
    for group in groups:
        now = heading
        if exact:
            now = Kind.CONTAINS if group.exact else Kind.RELATED
        elif layout.ranked:
            now = Kind.WEAKER if _all_weak(group, least) else None
        if now is not heading and now is not None:
            made.append(Row(group, kind=now, count=exact))
        heading = now
        made += _group_rows(group, layout, least, most)
    return made


def least_score(groups: Iterable[Group]) -> float:
    """Return the least score of a passage that is no weaker match."""
    ranked = [hit.score for hit in _hits(groups) if _is_ranked(hit)]
    return WEAKER * max(ranked, default=0.0)


def _group_rows(group: Group, layout: Layout, least: float, most: int) -> Iterator[Row]:
    document = Row(group, weak=_all_weak(group, least))
    shown = len(group.hits)
    # A line that unfolds one passage takes about the room of that passage.
    if document.key not in layout.unfolded and shown > most + 1:
        shown = most
    yield document
    for number in range(shown):
        yield Row(group, number, Kind.HIT, weak=is_weak(group.hits[number], least))
    if left := len(group.hits) - shown:
        yield Row(group, kind=Kind.MORE, count=left)


def _closest(groups: Sequence[Group]) -> list[Row]:
    """Return the rows of the closest passages, and a line that unfolds the rest."""
    made: list[Row] = []
    room = CLOSEST
    for group in groups:
        shown = min(room, SHOWN, len(group.hits))
        if not shown:
            break
        made.append(Row(group))
        made += [Row(group, number, Kind.HIT) for number in range(shown)]
        room -= shown
    left = sum(len(group.hits) for group in groups) - sum(row.is_hit for row in made)
    if left:
        made.append(Row(Group("", groups[0].hits), kind=Kind.MORE, count=left))
    return made


def _hits(groups: Iterable[Group]) -> Iterator[Hit]:
    for group in groups:
        yield from group.hits


def _all_weak(group: Group, least: float) -> bool:
    return all(is_weak(hit, least) for hit in group.hits)


def _is_ranked(hit: Hit) -> bool:
    return hit.why not in (Why.NAME, Why.PHRASE)


def is_weak(hit: Hit, least: float) -> bool:
    """Whether a hit is a weaker match."""
    return _is_ranked(hit) and hit.score < least
