"""What speaks for an answer among the hits of a query, for ``indexer.search.answerability``.

Owns the gathering. It reads nothing: what a document is called and what its leading passages say
is in the hits already. It must not know how signs are weighed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from indexer.search.answerability import FEW, Signs, missing, share_of, telling
from indexer.search.heading_match import NEAREST
from indexer.search.named_things import Standing, named_in, years_of
from indexer.search.query_terms import rarity
from indexer.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.api.types import Also, Hit
    from indexer.search.query_terms import Asked
    from indexer.store import DocFilter

    Floats = NDArray[np.float32]

# Hits that say what the document of the first one is about.
LEADING = 5


def signs(
    asked: Asked,
    everywhere: Sequence[Floats],
    docs: DocFilter | None,
    hits: Sequence[Hit],
    meaning: float,
    alike: float,
) -> Signs:
    """Gather the signs of a query.

    Args:
        asked: The query.
        everywhere: How often each of its words occurs in each document, indexed by document.
        docs: Which documents may answer; None for all.
        hits: The best first, at least one, with their whole text.
        meaning: Of the best, in deviations from the library's background.
        alike: How far the library's documents are, in these deviations.
    """
    counts = _occurrences(asked, everywhere, docs)
    rarities = [rarity(count, asked.passages) for count in counts]
    named = named_in(asked.text)
    # Most short queries name nothing: one passage is enough then.
    leading = hits[: LEADING if named.names or named.year else 1]
    meant = _paths(hits[0])
    said = [_Said.of(hit) for hit in leading if not meant.isdisjoint(_paths(hit))]
    weighed = dict(zip(asked.words, rarities, strict=True))
    most = rarity(0.0, asked.passages)
    names, year = missing(named, weighed, most, _standings(said))
    first = said[0].words
    return Signs(
        meaning=meaning,
        page=share_of(rarities, [not first.isdisjoint(group) for group in asked.groups], 2),
        unheard=share_of(rarities, [count == 0.0 for count in counts], least=FEW * most),
        names=names * telling(alike),
        year=year,
    )


def _occurrences(
    asked: Asked, everywhere: Sequence[Floats], docs: DocFilter | None
) -> Sequence[float]:
    """How often each word of the query occurs in the documents that may answer."""
    if docs is None or not everywhere:
        return asked.counts
    kept = docs.keeps(np.arange(len(everywhere[0]), dtype=np.int32))
    return [float(count[kept].sum()) for count in everywhere]


@dataclass(frozen=True, slots=True)
class _Said:
    """A hit, and the folded words and the years of its passage."""

    hit: Hit
    words: frozenset[str]
    years: frozenset[str]

    @classmethod
    def of(cls, hit: Hit) -> _Said:
        # The headings further up are of chapters, and on every page.
        text = "\n".join((*hit.heading_path[-NEAREST:], hit.text))
        return cls(hit, frozenset(words(text)), years_of(text))


def _standings(found: Sequence[_Said]) -> list[Standing]:
    """The documents of the first of some hits, each with all that its passages among them say."""
    first = found[0].hit
    places: tuple[Hit | Also, ...] = (first, *first.also)
    standings = {place.path: Standing.of(_called(place)) for place in places}
    for said in found:
        for path in standings.keys() & _paths(said.hit):
            standings[path] = standings[path].saying(said.words, said.years)
    return list(standings.values())


def _paths(hit: Hit) -> set[str]:
    return {hit.path, *(place.path for place in hit.also)}


def _called(place: Hit | Also) -> str:
    """What a file is called: its name, that of its folder, and its title."""
    file = PurePosixPath(place.file)
    return f"{file.stem} {file.parent.name} {place.title}"
