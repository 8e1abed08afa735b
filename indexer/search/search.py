"""From a query to hits: understood, gathered, weighed, ordered, shown.

Owns the order of the steps and the rules on top of the score: exact phrases come first, excluded
words never come, files are found by name even when nothing in them could be read. It must not
know how legs search or how evidence is summed.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import WorldError
from indexer.api.phrases import Note
from indexer.api.progress import CancelToken
from indexer.api.types import SearchResult, Why
from indexer.query.focus import question
from indexer.query.grammar import Query, parse
from indexer.search import score_normalisation as background
from indexer.search.answerability import DEFAULT_JUDGE, Judge
from indexer.search.answerability_features import signs
from indexer.search.candidates import Legs, Ranked, Vectors, Where, union
from indexer.search.evidence import Library, gather, identity, likened
from indexer.search.explain_rank import Explanation
from indexer.search.fusion import (
    DEFAULT_WEIGHTS,
    Scored,
    Weights,
    fuse,
    look_closer,
    score_documents,
)
from indexer.search.hits import HitMaker, shorten
from indexer.search.narrowing import Narrowing, narrow
from indexer.search.query_terms import Asked, prepare

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.api.types import Hit
    from indexer.catalog import Catalog, Space
    from indexer.catalog.lexicon import Reading
    from indexer.embed.models_in_use import ModelsInUse
    from indexer.search.candidates import Leg
    from indexer.store import Store

    Keys = NDArray[np.int64]

# Documents that both legs are sent into, whatever they found by themselves.
LIKELY = 4
# With less evidence no document stands out, and looking into a few costs time for nothing.
LIKELY_FROM = 0.4
# The legs wait for each other's disk and locks more than for the processor.
LEGS_AT_ONCE = 4
# Passages with an exact phrase that are considered; more than anybody reads.
PHRASES = 200
# How many more passages are looked at when a condition can only be checked on their text.
CHECKED = 8


@dataclass(frozen=True, slots=True)
class Wanted:
    """A query, what it leaves out, how many passages there are, and how many hits are wanted."""

    query: Query
    narrowing: Narrowing
    passages: int
    limit: int


@dataclass(frozen=True, slots=True)
class Found:
    """A query and its candidates.

    ``phrases`` are those with the exact phrase, if one is asked; ``words`` is the leg that looked
    for the words of the whole query.
    """

    asked: Asked
    vectors: Vectors
    evidence: Library
    where: Where
    legs: Legs
    keys: Keys
    phrases: Keys | None
    words: Leg
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    """The hits, what the person should know about how they were found, and are they good."""

    hits: tuple[Hit, ...] = ()
    notes: tuple[Note, ...] = ()
    good: bool = True


@dataclass(frozen=True, slots=True)
class Searcher:
    """Answers queries over one library. Any number of threads may ask."""

    catalog: Catalog
    store: Store
    models: ModelsInUse
    weights: Weights = DEFAULT_WEIGHTS
    judge: Judge = DEFAULT_JUDGE
    pool: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(LEGS_AT_ONCE, "search leg")
    )

    def close(self) -> None:
        """End the threads of the legs."""
        self.pool.shutdown()

    def search(
        self, text: str, *, limit: int, token: CancelToken | None, explain: bool, full_text: bool
    ) -> SearchResult:
        """Answer one query; see ``indexer.api.contract``."""
        started = time.perf_counter()
        token = token or CancelToken()
        query = parse(text)
        narrowing = narrow(query, self.catalog)
        totals = self.catalog.spaces.totals()
        answer = _Answer()
        if query and not narrowing.empty:
            wanted = Wanted(query, narrowing, totals.passages, limit)
            answer = self._answer(wanted, token, explain=explain)
        return SearchResult(
            hits=tuple(hit if full_text else shorten(hit) for hit in answer.hits),
            notes=(*query.notes, *answer.notes),
            seconds=time.perf_counter() - started,
            understood=totals.embedded / totals.passages if totals.passages else 1.0,
            query=query.describe(),
            good=answer.good,
        )

    def _answer(self, wanted: Wanted, token: CancelToken, *, explain: bool) -> _Answer:
        query, narrowing, limit = wanted.query, wanted.narrowing, wanted.limit
        space = self.catalog.spaces.active()
        maker = HitMaker(self.catalog, self.store, query, narrowing)
        if space is None or not query.terms:
            return _Answer(maker.listing(limit))
        found, ranked, scored, order = self.ranked(wanted, space, token)
        why = self._explanation(ranked, scored, found) if explain else None
        hits = maker.make(ranked, scored, order, found.phrases, limit, explain=why)
        meaning = float(scored.meaning[order[0]]) if len(order) else 0.0
        return _Answer(hits, found.notes, self._is_good(found, space, hits, meaning))

    def ranked(
        self, wanted: Wanted, space: Space, token: CancelToken | None = None
    ) -> tuple[Found, Ranked, Scored, NDArray[np.intp]]:
        """Find the candidates of a query, weigh them and put them in order.

        Returns:
            What was found, the candidates, their scores, and their order, best first.
        """
        token = token or CancelToken()
        with self.catalog.lexicon.reading() as reading:
            found = self._find(wanted, space, reading)
        token.check()
        ranked = found.where.weigh(found.asked, found.vectors, found.keys, found.legs)
        token.check()
        scored = self._score(ranked, found)
        return found, ranked, scored, self._order(ranked.keys, scored, found.phrases)

    def _is_good(self, found: Found, space: Space, hits: tuple[Hit, ...], meaning: float) -> bool:
        """Whether the hits likely hold an answer; yes where that cannot be told.

        It cannot without vectors, or before the background was measured, or while the last word
        is being typed. An exact phrase is what was asked for, and so is a file of that name.

        Args:
            found: The query and its candidates.
            space: The space that was searched.
            hits: The best first, with their whole text.
            meaning: Of the best candidate.
        """
        usual = background.known(self.catalog, space)
        if usual is None or not meaning or found.asked.growing:
            return True
        if not hits or any(hit.why in (Why.PHRASE, Why.NAME) for hit in hits):
            return True
        deviations = usual.deviations(meaning)
        counts, docs = found.evidence.counts, found.where.docs
        return self.judge.is_good(signs(found.asked, counts, docs, hits, deviations, usual.alike))

    def _find(self, wanted: Wanted, space: Space, reading: Reading) -> Found:
        """Collect candidates; each leg starts as soon as what it needs is known."""
        query, narrowing = wanted.query, wanted.narrowing
        asking = question(query.text)
        encoding = self.pool.submit(self._encode, query.text, asking, space)
        lexicon, languages = self.catalog.lexicon, self._languages()
        asked = prepare(query, asking, lexicon, reading, languages, wanted.passages)
        evidence = gather(asked, self.catalog, reading)
        asked = asked.without(identity(self._likely(evidence, narrowing)[:1], self.catalog))
        where = Where(self.store, space.key, narrowing.docs, query.excluded_words, self.pool)
        depth = wanted.limit * CHECKED if narrowing.checks_text else wanted.limit
        legs = where.start_words(asked, depth)
        whole = (legs.others or legs.question)[0]
        exact = self.pool.submit(self._phrases, query, asked, narrowing)
        vectors, notes = _vectors(encoding, space)
        if not notes:
            legs += where.start_meaning(asked, vectors, depth)
        evidence = likened(evidence, vectors.whole, self.catalog, space)
        legs += where.start_inside(asked, vectors, self._likely(evidence, narrowing))
        keys, phrases = union(legs), exact.result()
        if phrases is not None:
            keys = np.union1d(keys, phrases)
        return Found(asked, vectors, evidence, where, legs, keys, phrases, whole, notes)

    def _encode(self, text: str, asked: str, space: Space) -> Vectors:
        embedder = self.models.query(space.record)
        whole = embedder.encode_query(text)
        return Vectors(whole, embedder.encode_query(asked) if asked != text else whole)

    def _score(self, ranked: Ranked, found: Found) -> Scored:
        docs, owner = np.unique(ranked.docs, return_inverse=True)
        scored = fuse(ranked.pages, found.evidence.of(docs), owner, self.weights)
        leading = scored.leading()
        closer = found.where.look_closer(found.asked, ranked.keys[leading])
        return look_closer(scored, leading, ranked.pages.around, closer, self.weights)

    def _explanation(self, ranked: Ranked, scored: Scored, found: Found) -> Explanation:
        docs, owner = np.unique(ranked.docs, return_inverse=True)
        return Explanation(scored, ranked.pages, found.evidence.of(docs), owner, self.weights)

    def _likely(self, evidence: Library, narrowing: Narrowing) -> NDArray[np.int32]:
        """The documents that stand out, best first."""
        docs = evidence.known()
        if narrowing.docs is not None:
            docs = docs[narrowing.docs.keeps(docs)]
        if not len(docs):
            return docs
        scores = score_documents(evidence.of(docs), self.weights)
        likely = np.argsort(-scores, kind="stable")[:LIKELY]
        return docs[likely[scores[likely] >= LIKELY_FROM]]

    def _phrases(self, query: Query, asked: Asked, narrowing: Narrowing) -> Keys | None:
        """The passages that hold every phrase that is asked for, or None if nothing is quoted.

        Quotes outside the question ("the lease with Acme ("Tenant"); when does it end?") name
        things; what is asked for need not hold them.
        """
        found: Keys | None = None
        for phrase in query.phrases:
            if phrase not in asked.question:
                continue
            keys = np.unique(self.store.phrase(phrase, PHRASES, narrowing.docs).keys)
            found = keys if found is None else np.intersect1d(found, keys)
        return found

    @staticmethod
    def _order(keys: Keys, scored: Scored, phrases: Keys | None) -> NDArray[np.intp]:
        """Best first; passages with the exact phrase before all others; ties by key."""
        exact = np.isin(keys, phrases) if phrases is not None else np.zeros(len(keys), bool)
        return np.lexsort((keys, -scored.total, ~exact))

    def _languages(self) -> tuple[str, ...]:
        counts = self.catalog.docs.languages()
        known = sorted((language for language in counts if language), key=lambda one: -counts[one])
        return tuple(known[:3])


def _vectors(encoding: Future[Vectors], space: Space) -> tuple[Vectors, tuple[Note, ...]]:
    """The query's vectors; without a model that can be had, none, and notes that say so."""
    try:
        return encoding.result(), ()
    except WorldError as error:
        none = np.zeros(int(space.record["dimension"]), np.float32)
        return Vectors(none, none), (Note("words_only"), error.note())
