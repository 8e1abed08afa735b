"""What speaks for an answer among the hits of a query, gathered for ``indexer.judgement``.

Owns the gathering. It reads nothing: what a document is called and what its leading passages say
is in the hits already. It must not know how signs are weighed.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from indexer.asked import rarity
from indexer.heading_match import NEAREST
from indexer.judgement import Signs, missing_names, missing_year, share_of
from indexer.named_things import Standing, named_in
from indexer.terms import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.asked import Asked
    from indexer.evidence import Library
    from indexer.store import DocFilter
    from indexer.types import Also, Hit

# Hits whose documents may be what the query names.
LEADING = 5


def signs(
    asked: Asked, evidence: Library, docs: DocFilter | None, hits: Sequence[Hit], meaning: float
) -> Signs:
    """Gather the signs of a query.

    Args:
        asked: The query.
        evidence: Where in the library its words occur.
        docs: Which documents may answer; None for all.
        hits: The best first, at least one, with their whole text.
        meaning: Of the best, in deviations from the library's background.
    """
    counts = _occurrences(asked, evidence, docs)
    rarities = [rarity(count, asked.passages) for count in counts]
    first = frozenset(words(_said(hits[0])))
    named = named_in(asked.text)
    standings = _standings(hits[:LEADING])
    most = rarity(0.0, asked.passages)
    weighed = dict(zip(asked.words, rarities, strict=True))
    return Signs(
        meaning=meaning,
        page=share_of(rarities, [not first.isdisjoint(group) for group in asked.groups], 2),
        unheard=share_of(rarities, [count == 0.0 for count in counts]),
        names=missing_names(named, weighed, most, standings),
        year=missing_year(named, standings),
    )


def _occurrences(asked: Asked, evidence: Library, docs: DocFilter | None) -> Sequence[float]:
    """How often each word of the query occurs in the documents that may answer."""
    if docs is None or not evidence.counts:
        return asked.counts
    kept = docs.keeps(np.arange(len(evidence.counts[0]), dtype=np.int32))
    return [float(count[kept].sum()) for count in evidence.counts]


def _standings(hits: Sequence[Hit]) -> list[Standing]:
    """The documents of some hits, each with all that its passages among them say."""
    names: dict[str, str] = {}
    texts: dict[str, list[str]] = {}
    for hit in hits:
        said = _said(hit)
        places: tuple[Hit | Also, ...] = (hit, *hit.also)
        for place in places:
            names.setdefault(place.path, _called(place))
            texts.setdefault(place.path, []).append(said)
    return [Standing.of(names[path], "\n".join(said)) for path, said in texts.items()]


def _said(hit: Hit) -> str:
    """A passage below its headings; those further up are of chapters, and on every page."""
    return "\n".join((*hit.heading_path[-NEAREST:], hit.text))


def _called(place: Hit | Also) -> str:
    """What a file is called: its name, that of its folder, and its title."""
    file = PurePosixPath(place.file)
    return f"{file.stem} {file.parent.name} {place.title}"
