"""The rows of the results: hits grouped by document, headings, and lines that unfold more.

At first an answer shows a few passages of each document. Documents with the phrase stand apart from
the rest, and weaker matches below a heading. Without a good match only the best few are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, StrEnum, auto
from pathlib import PurePath

from msgspec import Struct
from msgspec.structs import asdict, replace

from indexer.api.types import Hit, Why

Key = tuple[str, int, int]

_NUMBER = re.compile(r"(\d+)")


class ResultOrder(StrEnum):
    """The order of documents; the hits of one document stay best first."""

    RELEVANCE = "relevance"
    DATE = "date"  # the newest first
    NAME = "name"


class HitGroup(Struct, frozen=True):
    """A document and its hits, best first."""

    path: str
    hits: tuple[Hit, ...]

    @property
    def exact(self) -> bool:
        """Whether the hits have the exact phrase; the document's other hits are another group."""
        return self.head.why is Why.PHRASE

    @property
    def head(self) -> Hit:
        """The hit that represents the document."""
        return self.hits[0]


class FoundHits(Struct, frozen=True):
    """Hits in the shown order, their query, and whether these are all."""

    hits: tuple[Hit, ...]
    query: str = ""
    order: ResultOrder = ResultOrder.RELEVANCE
    complete: bool = True


def key_of(hit: Hit) -> Key:
    """Return what identifies a hit across answers."""
    return hit.path, hit.start, hit.end


def grouped(
    hits: Iterable[Hit], order: ResultOrder = ResultOrder.RELEVANCE
) -> tuple[HitGroup, ...]:
    """Group hits by document, in the order of each document's best hit.

    Hits with the exact phrase precede all others, so a document may occur twice.
    """
    found: dict[tuple[bool, str], dict[Key, Hit]] = {}
    for hit in hits:
        section = hit.why is not Why.PHRASE, hit.path
        found.setdefault(section, {}).setdefault(key_of(hit), hit)
    groups = [HitGroup(path, tuple(each.values())) for (_, path), each in found.items()]
    if order is ResultOrder.DATE:
        groups.sort(key=lambda group: -group.head.dated_ns)
    elif order is ResultOrder.NAME:
        groups.sort(key=lambda group: (natural(PurePath(group.path).name), group.path))
    groups.sort(key=lambda group: not group.exact)
    return tuple(groups)


def flattened(groups: Iterable[HitGroup]) -> tuple[Hit, ...]:
    """Return all hits of some groups, in their order."""
    return tuple(hit for group in groups for hit in group.hits)


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key by which "Part 9" precedes "Part 10"."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in _NUMBER.split(name.casefold())
        if part
    ]


# How many passages are shown at first: of a document, and of an answer without a good match.
SHOWN, CLOSEST = 3, 5
# A passage with less than this share of the best score is a weaker match. After the answer to a
# question scores fall steeply; in a list of similar passages they stay above this share.
WEAKER = 0.6
# The key that stands for the whole answer in ``ResultsLayout.unfolded``.
EVERYTHING: Key = ("", -1, -1)


class RowKind(Enum):
    """The kind of a row."""

    DOCUMENT = auto()
    HIT = auto()
    MORE = auto()  # unfolds passages
    ALIKE = auto()  # unfolds near-duplicates of the hit above
    TWIN = auto()  # a near-duplicate
    CONTAINS = auto()  # the heading of hits that have the phrase
    RELATED = auto()  # the heading of the others
    WEAKER = auto()  # the heading of weaker matches


class ResultRow(Struct, frozen=True):
    """A row of the list; ``number`` is the index of the hit in its group, -1 for other rows.

    ``count`` is how many passages a row without a hit stands for; ``weak`` says that a hit or its
    document is a weaker match.
    """

    group: HitGroup
    number: int = -1
    kind: RowKind = RowKind.DOCUMENT
    count: int = 0
    weak: bool = False

    @property
    def is_hit(self) -> bool:
        return self.kind in (RowKind.HIT, RowKind.TWIN)

    @property
    def is_document(self) -> bool:
        return self.kind is RowKind.DOCUMENT

    @property
    def is_reachable(self) -> bool:
        """Whether the row can be selected: a passage, or a line that unfolds more of them."""
        return self.is_hit or self.kind in (RowKind.MORE, RowKind.ALIKE)

    @property
    def hit(self) -> Hit:
        """The row's hit; for a document its best hit."""
        return self.group.hits[max(self.number, 0)]

    @property
    def key(self) -> Key:
        """The identity of the row; rows of different kinds never share one."""
        match self.kind:
            case RowKind.HIT | RowKind.TWIN:
                return key_of(self.hit)
            case RowKind.ALIKE:
                return self.hit.path, -self.kind.value - self.hit.start, self.hit.end
            case RowKind.DOCUMENT | RowKind.MORE:
                return self.group.path, -self.kind.value, -2 if self.group.exact else -1
            case _:
                return "", -1, -self.kind.value


class ResultsLayout(Struct, frozen=True):
    """How the groups of an answer are laid out.

    Attributes:
        good: Whether there is a good match; else only the closest passages are shown.
        ranked: Whether documents are in the order of relevance.
        unfolded: The keys of documents whose passages are all shown, and of lines whose
            near-duplicates are shown; or ``EVERYTHING``.
        room: The number of passages that fit into the list; a few documents may fill it.
    """

    good: bool = True
    ranked: bool = True
    unfolded: frozenset[Key] = frozenset()
    room: int = 0


def rows_of(groups: Sequence[HitGroup], layout: ResultsLayout) -> list[ResultRow]:
    """Return the rows of an answer."""
    if not layout.good and EVERYTHING not in layout.unfolded:
        return _closest(groups)
    least = least_score(groups) if layout.good else 0.0
    made: list[ResultRow] = []
    exact = sum(len(group.hits) for group in groups if group.exact)
    heading: RowKind | None = None
    most = max(SHOWN, layout.room // max(len(groups), 1))
    for group in groups:
        now = heading
        if exact:
            now = RowKind.CONTAINS if group.exact else RowKind.RELATED
        elif layout.ranked:
            now = RowKind.WEAKER if _all_weak(group, least) else None
        if now is not heading and now is not None:
            made.append(ResultRow(group, kind=now, count=exact))
        heading = now
        made += _group_rows(group, layout, least, most)
    return made


def least_score(groups: Iterable[HitGroup]) -> float:
    """Return the least score of a passage that is no weaker match."""
    ranked = [hit.score for hit in flattened(groups) if _is_ranked(hit)]
    return WEAKER * max(ranked, default=0.0)


def _group_rows(
    group: HitGroup, layout: ResultsLayout, least: float, most: int
) -> Iterator[ResultRow]:
    document = ResultRow(group, weak=_all_weak(group, least))
    shown = len(group.hits)
    # A line that unfolds a single passage takes about as much room as the passage.
    if document.key not in layout.unfolded and shown > most + 1:
        shown = most
    yield document
    for number in range(shown):
        weak = is_weak(group.hits[number], least)
        yield ResultRow(group, number, RowKind.HIT, weak=weak)
        yield from _twins(group, number, layout, weak=weak)
    if left := len(group.hits) - shown:
        yield ResultRow(group, kind=RowKind.MORE, count=left)


def _twins(
    group: HitGroup, number: int, layout: ResultsLayout, *, weak: bool
) -> Iterator[ResultRow]:
    """Yield the line for the near-duplicates of a hit or, if it is unfolded, these themselves."""
    hit = group.hits[number]
    line = ResultRow(group, number, RowKind.ALIKE, len(hit.also), weak)
    if not hit.also:
        return
    if line.key not in layout.unfolded:
        yield line
        return
    for one in hit.also:
        twin = replace(hit, **asdict(one), other_paths=(), also=())
        yield ResultRow(HitGroup(one.path, (twin,)), 0, RowKind.TWIN, weak=weak)


def _closest(groups: Sequence[HitGroup]) -> list[ResultRow]:
    """Return the rows of the closest passages, and a line that unfolds the rest."""
    made: list[ResultRow] = []
    room = CLOSEST
    for group in groups:
        shown = min(room, SHOWN, len(group.hits))
        if not shown:
            break
        made.append(ResultRow(group))
        made += [ResultRow(group, number, RowKind.HIT) for number in range(shown)]
        room -= shown
    left = sum(len(group.hits) for group in groups) - sum(row.is_hit for row in made)
    if left:
        made.append(ResultRow(HitGroup("", groups[0].hits), kind=RowKind.MORE, count=left))
    return made


def _all_weak(group: HitGroup, least: float) -> bool:
    return all(is_weak(hit, least) for hit in group.hits)


def _is_ranked(hit: Hit) -> bool:
    return hit.why not in (Why.NAME, Why.PHRASE)


def is_weak(hit: Hit, least: float) -> bool:
    """Whether a hit is a weaker match."""
    return _is_ranked(hit) and hit.score < least
