"""Which documents say the names of a query where they begin.

A letter, a contract or a paper says whom or what it is about in its first lines. Names of usual
words ("International Direct Response") are told from chance matches by standing side by side there
with capitals. A script without capitals has no such sign, so no names are found in it.
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

# The likeliest documents by words whose first passages are read.
READ = 32
# A pair in more of these openings is common to documents of a kind.
FEW_OPENINGS = 3
WHOLE = 1.0  # the score from which an opening has all of a name
TOGETHER = 3  # the most words of a name that are looked for run together
CACHED = 4096  # openings, of about a kilobyte each
_NONE: Pairs = frozenset()


class Openings(Struct, frozen=True):
    """The pairs of a query's words in the openings of some documents.

    ``written`` are the neighbouring words that the query writes with capitals, ``capitals`` the
    words that it and each opening write so.
    """

    docs: Int32s
    pairs: tuple[Pairs, ...]
    written: Pairs = _NONE
    capitals: tuple[frozenset[str], ...] = ()

    @property
    def words(self) -> frozenset[str]:
        """All words of these pairs, also those that an opening runs together."""
        return frozenset(word for pairs in self.pairs for pair in pairs for word in pair)

    def evidence(self, coverage: float) -> ScoredDocs:
        """The documents with pairs of the query, ascending; scores 0 to 2 by idf of the pairs.

        If one has all of a name that the query writes so, they count up to twice, the further the
        best leads the second.
        """
        rarity = self._rarity()
        shares = _shares(self.pairs, rarity)
        whole = _shares([pairs & self.written for pairs in self.pairs], rarity) >= WHOLE
        lead = clarity(shares) if whole.any() else 0.0
        scores = shares * np.float32((1.0 + lead) * coverage**2)
        return ScoredDocs.of(self.docs, scores)

    def naming_words(self, docs: Int32s) -> frozenset[str]:
        """The words of pairs in the openings of these documents and hardly any other.

        ``docs`` are the likeliest; if there are none, those whose openings have all of a name.
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
        """The words that the query and the openings of these documents write with capitals."""
        known = self.docs.tolist()
        return frozenset().union(*(self.capitals[known.index(doc)] for doc in docs if doc in known))

    def _counts(self) -> Counter[tuple[str, str]]:
        return Counter(chain.from_iterable(self.pairs))

    def _rarity(self) -> dict[tuple[str, str], float]:
        return {pair: idf(count, len(self.docs)) for pair, count in self._counts().items()}


def _shares(found: Sequence[Pairs], rarity: Mapping[tuple[str, str], float]) -> Float32s:
    """How much of a name each opening has, of which these pairs were found, 0 to 1."""
    scores = np.array([sum(map(rarity.__getitem__, each)) for each in found], np.float32)
    return relative(scores, OPENING_FLOOR)


def read_openings(store: Store, terms: QueryTerms, docs: Int32s) -> Openings:
    """Match the openings of the first ``READ`` of some documents, best first, with a query."""
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
    """Two and three neighbours of a query, or what the library has for them, run together too.

    >>> list(asked_runs("Indorama Lop owes", {"lop": ("loop",)}).values())
    ['indoramaloop', 'loopowes', 'indoramaloopowes']
    """
    runs = neighbours(words(query)[:MAX_WORDS], TOGETHER)
    forms = (form for run in runs for form in product(*(instead.get(one) or (one,) for one in run)))
    return {form: "".join(form) for form in forms}


def matched(
    asked: Mapping[tuple[str, ...], str], single: frozenset[str], text: str, written: Pairs = _NONE
) -> Pairs:
    """The pairs of an opening that a query has, also where one of them runs the words together.

    A stop word is part of a name only where both write it so.

    >>> sorted(matched({("j", "p", "morgan"): "jpmorgan"}, frozenset(), "JPMorgan"))
    [('j', 'p'), ('p', 'morgan')]
    >>> matched({}, frozenset({"jpmorgan"}), "J P Morgan")
    frozenset({('jpmorgan', 'jpmorgan')})

    Args:
        asked: Neighbouring words of the query, each with what they are run together.
        written: Neighbouring words that the query writes with capitals.
    """
    there, names, joined = names_in(text)
    plain = {pair for pair in there.intersection(asked) if ALL_STOP_WORDS.isdisjoint(pair)}
    alike = plain | (there & written)
    # An initial is a stop word of some language, so these are no reason against a joined name.
    joins = not names.isdisjoint(asked.values())  # seldom
    runs = (run for run, together in asked.items() if joins and together in names)
    apart = {pair for run in runs for pair in pairwise(run)}
    together = single & joined
    return frozenset(alike | apart | {(word, word) for word in together})


class OpeningNames(NamedTuple):
    """What may be names in a text, folded.

    ``pairs`` are neighbouring words, ``joined`` two and three of them, run together.
    """

    pairs: Pairs
    words: frozenset[str]
    joined: frozenset[str]


@lru_cache(maxsize=CACHED)
def names_in(text: str) -> OpeningNames:
    """The runs of words that begin with a capital or a figure; queries read the same openings.

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
