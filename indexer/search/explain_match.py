"""What a query and a passage share, word by word, in numbers and places that fit JSON.

Owns the summary of a matrix of tokens for people: shares of words, words that stand out, closest
partners. Pure; it must not know models, documents or how the matrix was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from indexer.search.alignment import Alignment, align
from indexer.search.explain_words import find_in_text, gather, owners, word_spans
from indexer.text.terms import stems, stop_words, words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.embed.token_states import TokenStates
    from indexer.search.explain_words import Span

# A word stands out when its tokens add so many standard deviations more than the passage's mean.
STANDS_OUT = 1.0


@dataclass(frozen=True, slots=True)
class Told:
    """A text with its words (as spans), its tokens' states (n, dim) and their words (n,)."""

    text: str
    spans: list[Span]
    states: NDArray[np.float32]
    owner: NDArray[np.int64]

    @classmethod
    def of(cls, text: str, tokens: TokenStates) -> Self:
        spans = word_spans(text, tokens.starts)
        return cls(text, spans, tokens.states, owners(spans, tokens.starts))

    @property
    def words(self) -> list[str]:
        return [self.text[first:last] for first, last in self.spans]

    def shares(self, values: NDArray[np.float32]) -> list[float]:
        """What the tokens of each word add up to."""
        return gather(values, self.owner, len(self.spans))


def describe_match(query: Told, passage: Told, text: str, language: str) -> dict[str, Any]:
    """Say what a passage's likeness to a query is made of; the keys are in ``EngineApi.explain``.

    Args:
        query: The query.
        passage: The view of the passage.
        text: Its canonical text, into which all places are offsets.
        language: Of the document.
    """
    alignment = align(query.states, passage.states)
    places = find_in_text(text, passage.text, passage.spans)
    shares = passage.shares(alignment.columns)
    common = stop_words(language) | stop_words("en")
    tells = [not common.issuperset(words(word)) for word in passage.words]
    outstanding = _outstanding(alignment.columns, passage)
    same = _same(query, passage, common, language)
    shown = [(list(place), share) for place, share in zip(places, shares, strict=True) if place]
    return {
        "cosine": alignment.total,
        "recall": alignment.recall,
        "words": [[*place, share] for place, share in shown],
        "rest": alignment.total - sum(share for _, share in shown),
        "query": list(map(list, zip(query.words, query.shares(alignment.rows), strict=True))),
        "marks": _chosen(places, [a and b for a, b in zip(outstanding, tells, strict=True)]),
        "same": _chosen(places, same),
        "pairs": _pairs(alignment, query, passage, common),
    }


def _chosen(places: list[Span | None], flags: list[bool]) -> list[list[int]]:
    return [list(place) for place, flag in zip(places, flags, strict=True) if place and flag]


def _outstanding(columns: NDArray[np.float32], passage: Told) -> list[bool]:
    """Which words add much for their length; rare words have many tokens and so a large share."""
    inside = columns[passage.owner >= 0]
    if not len(inside):
        return [False] * len(passage.spans)
    counts = passage.shares(np.ones_like(columns))
    border = float(inside.mean() + STANDS_OUT * inside.std())
    pairs = zip(passage.shares(columns), counts, strict=True)
    return [share > border * count for share, count in pairs]


def _same(query: Told, passage: Told, common: frozenset[str], language: str) -> list[bool]:
    """Which words of the passage are words of the query, in whatever form."""
    telling = [word for word in words(query.text) if word not in common]
    wanted = set(stems(" ".join(telling), language).split())
    return [not wanted.isdisjoint(stems(word, language).split()) for word in passage.words]


def _pairs(
    alignment: Alignment, query: Told, passage: Told, common: frozenset[str]
) -> list[list[Any]]:
    """Each telling word of the query with its closest word of the passage, closest first."""
    columns = np.flatnonzero(passage.owner >= 0)
    said, pairs = passage.words, []
    for number, word in enumerate(query.words):
        rows = np.flatnonzero(query.owner == number)
        if not len(rows) or not len(columns) or common.issuperset(words(word)):
            continue
        likeness = alignment.cosines[np.ix_(rows, columns)].max(axis=0)
        best = int(np.argmax(likeness))
        pairs.append([word, said[int(passage.owner[columns[best]])], float(likeness[best])])
    return sorted(pairs, key=lambda pair: -float(pair[2]))
