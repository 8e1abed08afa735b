"""Finds documents that have the names of a query in their first lines.

The first lines of a letter, a contract or a paper say whom or what it is about. Names of common
words ("International Direct Response") differ from chance matches because their words stand side by
side there with capitals. No names are found in scripts without capitals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby, pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec import Struct

from indexer.search.evidence import ScoredDocs
from indexer.search.fusion import OPENING_FLOOR, clarity, relative
from indexer.search.query_terms import QueryTerms, idf
from indexer.store.values import key_of
from indexer.text.name_words import MAX_WORDS, neighbours
from indexer.text.stop_words import ALL_STOP_WORDS
from indexer.text.terms import word_spans, words

if TYPE_CHECKING:
    from indexer.arrays import Float32s, Int32s
    from indexer.store.store import Store

    Pairs = frozenset[tuple[str, str]]

# The number of likeliest documents by words whose first passages are read.
READ = 32
# A pair in more of these openings is typical of a kind of document.
FEW_OPENINGS = 3
WHOLE = 1.0  # the score from which an opening has a whole name
TOGETHER = 3  # the most words of a name that may be joined
CACHED = 4096  # openings, of about a kilobyte each
_NONE: Pairs = frozenset()


class Openings(Struct, frozen=True):
    """The pairs of a query's words in the openings of some documents.

    ``written`` are the pairs that the query writes with capitals, ``capitals`` the words that both
    the query and an opening write so.
    """

    docs: Int32s
    pairs: tuple[Pairs, ...]
    written: Pairs = _NONE
    capitals: tuple[frozenset[str], ...] = ()

    @property
    def words(self) -> frozenset[str]:
        """All words of these pairs, even if an opening joins them."""
        return frozenset(word for pairs in self.pairs for pair in pairs for word in pair)

    def evidence(self, coverage: float) -> ScoredDocs:
        """Score the documents by the idf of their pairs, 0 to 2.

        If an opening has a whole name of the query, all scores are multiplied by up to 2, depending
        on the lead of the best over the second.
        """
        rarity = self._rarity()
        shares = _shares(self.pairs, rarity)
        whole = _shares([pairs & self.written for pairs in self.pairs], rarity) >= WHOLE
        lead = clarity(shares) if whole.any() else 0.0
        scores = shares * np.float32((1.0 + lead) * coverage**2)
        return ScoredDocs.of(self.docs, scores)

    def naming_words(self, docs: Int32s) -> frozenset[str]:
        """The words of pairs in the openings of these documents and hardly any others.

        ``docs`` are the likely documents; if empty, those whose openings have a whole name count.
        """
        counts = self._counts()
        if not len(docs):
            docs = self.docs[_shares(self.pairs, self._rarity()) >= WHOLE]
        found = (
            pair
            for doc, pairs in zip(self.docs.tolist(), self.pairs, strict=True)
            if doc in docs
            for pair in pairs
        )
        return frozenset(word for pair in found if counts[pair] <= FEW_OPENINGS for word in pair)

    def capitals_of(self, docs: Int32s) -> frozenset[str]:
        """The words that both the query and the openings of these documents write with capitals."""
        known = self.docs.tolist()
        return frozenset().union(*(self.capitals[known.index(doc)] for doc in docs if doc in known))

    def _counts(self) -> Counter[tuple[str, str]]:
        return Counter(chain.from_iterable(self.pairs))

    def _rarity(self) -> dict[tuple[str, str], float]:
        return {pair: idf(count, len(self.docs)) for pair, count in self._counts().items()}


def _shares(found: Sequence[Pairs], rarity: Mapping[tuple[str, str], float]) -> Float32s:
    """How much of a name each opening has, 0 to 1, given its pairs."""
    scores = np.array([sum(map(rarity.__getitem__, each)) for each in found], np.float32)
    return relative(scores, OPENING_FLOOR)


def read_openings(store: Store, terms: QueryTerms, docs: Int32s) -> Openings:
    """Match the openings of the first ``READ`` documents with a query; ``docs`` are best first."""
    asked = [word for word in words(terms.text)[:MAX_WORDS] if word not in ALL_STOP_WORDS]
    docs = docs[:READ]
    if not asked or not len(docs):
        return Openings(docs[:0], ())
    keys = [key_of(doc, 0) for doc in docs.tolist()]
    found = store.texts.passages(np.array(keys, np.int64))
    views = [found[key].view if key in found else "" for key in keys]
    runs, single = asked_runs(terms.text, terms.instead), frozenset(asked)
    written, mine, _ = names_in(terms.text)
    pairs = (matched(runs, single, text, written) for text in views)
    capitals = (mine & names_in(text).words for text in views)
    return Openings(docs, tuple(pairs), written, tuple(capitals))


def asked_runs(query: str, instead: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Two or three neighbouring words of a query, or their corrections, with the joined word.

    >>> list(asked_runs("Indorama Lop owes", {"lop": ("loop",)}).values())
    ['indoramaloop', 'loopowes', 'indoramaloopowes']
    """
    runs = neighbours(words(query)[:MAX_WORDS], TOGETHER)
    forms = (form for run in runs for form in product(*(instead.get(one) or (one,) for one in run)))
    return {form: "".join(form) for form in forms}


def matched(
    asked: Mapping[tuple[str, ...], str], single: frozenset[str], text: str, written: Pairs = _NONE
) -> Pairs:
    """The pairs of an opening that a query has, even if one of the two joins the words.

    A stop word is part of a name only if both write it with a capital.

    >>> sorted(matched({("j", "p", "morgan"): "jpmorgan"}, frozenset(), "JPMorgan"))
    [('j', 'p'), ('p', 'morgan')]
    >>> matched({}, frozenset({"jpmorgan"}), "J P Morgan")
    frozenset({('jpmorgan', 'jpmorgan')})

    Args:
        asked: Neighbouring words of the query, each with the joined word.
        written: Neighbouring words that the query writes with capitals.
    """
    there, names, joined = names_in(text)
    plain = {pair for pair in there.intersection(asked) if ALL_STOP_WORDS.isdisjoint(pair)}
    alike = plain | (there & written)
    # Initials are stop words of some language, so stop words do not exclude a joined name.
    joins = not names.isdisjoint(asked.values())  # seldom true
    runs = (run for run, together in asked.items() if joins and together in names)
    apart = {pair for run in runs for pair in pairwise(run)}
    together = single & joined
    return frozenset(alike | apart | {(word, word) for word in together})


class OpeningNames(NamedTuple):
    """Possible names in a text, folded.

    ``pairs`` are neighbouring words, ``joined`` are two or three joined to one.
    """

    pairs: Pairs
    words: frozenset[str]
    joined: frozenset[str]


@lru_cache(maxsize=CACHED)
def names_in(text: str) -> OpeningNames:
    """Find runs of words that begin with a capital or a figure. Cached, as queries share openings.

    >>> sorted(names_in("between Brokers National Life, of the one part").pairs)
    [('brokers', 'national'), ('national', 'life')]
    """
    spans = ((start, end) for start, end in word_spans(text))
    named = groupby(spans, key=lambda span: text[span[0]].isupper() or not text[span[0]].isalpha())
    parts = (list(run) for is_name, run in named if is_name)
    runs = [words(text[part[0][0] : part[-1][1]]) for part in parts]
    return OpeningNames(
        frozenset(pair for run in runs for pair in pairwise(run)),
        frozenset(chain.from_iterable(runs)),
        frozenset("".join(near) for run in runs for near in neighbours(run, TOGETHER)),
    )
