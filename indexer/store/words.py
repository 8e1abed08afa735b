"""Keyword search: BM25 over the stems, exact phrases, scores of given passages.

Owns the queries by words. It must not know how words are stemmed, expanded or weighted, nor how
retrievers are fused. ``word_index`` scores stems, and says which passages have all words of a
phrase, or a word that must not occur; whether they are there as they were typed, their text tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

from indexer.arrays import find_sorted
from indexer.store import lacking, records, word_index, word_parts, writing
from indexer.store.postings import pairs_of, stem_of
from indexer.store.values import (
    NOTHING,
    NOTHING_LEFT_OUT,
    DocSet,
    Float32s,
    Int64s,
    Mask,
    Phrase,
    ScoredKeys,
    Without,
    docs_of,
)
from indexer.text.sequences import WordSequence
from indexer.text.terms import sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.store.table import Table
    from indexer.store.values import Term
    from indexer.store.word_index import WordIndex

T = TypeVar("T")

# Of a longer phrase, the first so many words and pairs tell which texts are read.
_MOST_TERMS = 32
# Texts that are read at once.
_LEAST_READ, _MOST_READ = 256, 2048


def match(
    table: Table,
    terms: Sequence[Term],
    count: int,
    docs: DocSet | None = None,
    without: Without = NOTHING_LEFT_OUT,
) -> ScoredKeys:
    """Passages that contain any of the stems, best first, scored by BM25.

    Args:
        table: The passages.
        terms: The stems; expansions of a prefix or of a typo are terms too.
        count: The most passages to return.
        docs: The documents to search.
        without: Words that must not occur in the view of a passage.
    """
    weights = _weights(terms)

    def scored(index: WordIndex) -> tuple[Int64s, Int64s, Float32s]:
        if docs is None:
            return index.keys, *index.found(weights, None if without.words else count)
        at = docs.within(index.keys)
        scores = index.scores(weights, at)
        return index.keys, at[scores > 0], scores[scores > 0]

    known, at, scores = _of_index(table, scored, (NOTHING.keys, NOTHING.keys, NOTHING.scores))
    doubtful = np.zeros(len(at), bool)
    if without.words and len(at):
        doubtful = np.isin(known[at], _with_forms(table, without))
    sure = scores if not doubtful.any() else scores[~doubtful]
    if 0 < count < len(sure):
        kept = scores >= np.partition(sure, len(sure) - count)[len(sure) - count]
        at, scores, doubtful = at[kept], scores[kept], doubtful[kept]
    order = np.lexsort((at, -scores))
    keys, scores, doubtful = known[at[order]], scores[order], doubtful[order]
    if doubtful.any():
        first = _first(table, keys, doubtful, without.allows, count)
        keys, scores = keys[first], scores[first]
    return ScoredKeys(keys, scores).first(max(0, count))


def phrases(
    table: Table, wanted: Sequence[Phrase], count: int, docs: DocSet | None = None
) -> ScoredKeys:
    """Passages whose view has every phrase, first those where the words score best by BM25.

    Args:
        table: The passages.
        wanted: The phrases.
        count: The most passages to return.
        docs: The documents to search.
    """
    asked = [_Ways.read(one) for one in wanted]
    if not asked or not all(one.ways for one in asked) or count <= 0:
        return NOTHING
    weights = {stem: 1.0 for one in asked for way in one.stems for some in way for stem in some}

    def candidates(index: WordIndex) -> tuple[Int64s, Float32s]:
        there = np.ones(len(index.keys), bool)
        for one in asked:
            if there.any():
                there &= one.candidates(index)
        at = np.flatnonzero(there)
        if docs is not None:
            at = at[docs.keeps(docs_of(index.keys[at]))]
        return index.keys[at], index.scores(weights, at) if len(at) else NOTHING.scores

    keys, scores = _of_index(table, candidates, (NOTHING.keys, NOTHING.scores))
    order = np.argsort(-scores, kind="stable")
    keys, scores = keys[order], scores[order]

    def has_all(view: str) -> bool:
        return all(one.is_in(view) for one in asked)

    found = _first(table, keys, np.ones(len(keys), bool), has_all, count)
    return ScoredKeys(keys[found], scores[found])


def bm25_of(table: Table, keys: Int64s, terms: Sequence[Term]) -> Float32s:
    """BM25 of given passages, float32 (n,), as in ``match``; 0 if none."""
    weights = _weights(terms)
    scores = np.zeros(len(keys), np.float32)

    def scored(index: WordIndex) -> Float32s:
        at, found = find_sorted(index.keys, keys)
        scores[found] = index.scores(weights, at)
        return scores

    return _of_index(table, scored, scores)


@dataclass(frozen=True, slots=True)
class _Ways:
    """The ways to write a phrase.

    Attributes:
        ways: Their words.
        pairs: The numbers of pairs of words and of characters of each.
        stems: For each, sets of stems, of which passages with it have one each.
    """

    ways: Sequence[WordSequence]
    pairs: Sequence[Sequence[int]]
    stems: Sequence[Sequence[Sequence[int]]]

    @classmethod
    def read(cls, phrase: Phrase) -> Self:
        ways = [WordSequence(words) for words in map(sequence, phrase.ways) if words]
        terms = (one.terms(phrase.languages) for one in ways)
        stems = [[[*map(stem_of, any_of)] for any_of in each[:_MOST_TERMS]] for each in terms]
        characters = ([*map(stem_of, one.characters()[:_MOST_TERMS])] for one in ways)
        pairs = (pairs_of(one.words[:_MOST_TERMS]) for one in ways)
        return cls(ways, [a + b for a, b in zip(pairs, characters, strict=True)], stems)

    def candidates(self, index: WordIndex) -> Mask:
        """The rows with all pairs and words of any way, (n,)."""
        found = np.zeros(len(index.keys), bool)
        for pairs, stems in zip(self.pairs, self.stems, strict=True):
            there = np.ones(len(index.keys), bool)
            for pair in pairs:
                there &= index.having([pair], in_files=True)
            for any_of in stems:
                if there.any():
                    there &= index.having(any_of)
            found |= there
        return found

    def is_in(self, view: str) -> bool:
        return any(one.is_in(view) for one in self.ways)


def _weights(terms: Sequence[Term]) -> dict[int, float]:
    """The stems of terms with their weights."""
    weights: dict[int, float] = {}
    for term in terms:
        for text in term.text.split() if term.weight > 0 else ():
            stem = stem_of(text)
            weights[stem] = weights.get(stem, 0.0) + term.weight
    return weights


def _of_index(table: Table, work: Callable[[WordIndex], T], nothing: T) -> T:
    """What a function makes of the index of stems; ``nothing`` without any rows."""
    try:
        index = word_index.current(table)
        return nothing if index is None else work(index)
    except OSError:
        if word_parts.LAYOUT.name not in table.files:
            raise
        table.forget_file(word_parts.LAYOUT)
        return _of_index(table, work, nothing)


def _with_forms(table: Table, without: Without) -> Int64s:
    """The passages that may have some of the words."""
    every = [_Ways.read(Phrase((word,), without.languages)) for word in without.words]

    def candidates(index: WordIndex) -> Int64s:
        return index.keys[np.logical_or.reduce([one.candidates(index) for one in every])]

    return _of_index(table, candidates, NOTHING.keys)


def _first(
    table: Table,
    keys: Int64s,
    doubtful: Mask,
    passes: Callable[[str], bool],
    count: int,
) -> Int64s:
    """Where the first passages are that are not doubtful, or whose view passes."""
    found: list[int] = []
    start, size = 0, max(_LEAST_READ, min(count, _MOST_READ))
    while start < len(keys) and len(found) < count:
        batch = range(start, min(start + size, len(keys)))
        views = _views(table, keys[batch.start : batch.stop][doubtful[batch.start : batch.stop]])
        found += [
            at
            for at in batch
            if not doubtful[at] or ((view := views.get(int(keys[at]))) and passes(view))
        ]
        start, size = batch.stop, min(2 * size, _MOST_READ)
    return np.array(found[: max(0, count)], np.int64)


def _views(table: Table, keys: Int64s) -> dict[int, str]:
    """The views of passages by key, without those that are gone."""
    known, left = records.views(table, keys)
    if len(left):
        held = writing.stored_columns(records.COLUMNS)
        found, places = lacking.take(table, left, ["view"], held)
        views = found.column("view").to_pylist()
        known |= dict(zip(left[places].tolist(), views, strict=True))
    return known
