"""Answers a query: expands its words, retrieves, scores and orders candidates, and makes hits.

Words of names, words that hardly any other document has, and names in a document's first lines say
which document a query means. The rest is its question. Passages with exact phrases come first,
whatever their score; those with excluded words are removed; files without text are found by name.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.phrases import Note
from indexer.api.types import Hit, Match, SearchResult, Why
from indexer.query.focus import places_of, question
from indexer.search.answerability import (
    AnswerabilityFeatures,
    Similarity,
    answerability_features,
    classifier_for,
    has_every_word,
    is_foreign,
)
from indexer.search.candidates import FreshVectors, QueryVectors, Ranking, Retriever, keys_found
from indexer.search.document_names import NameVectors
from indexer.search.evidence import (
    LibraryEvidence,
    likely_documents,
    naming_words,
    rare_words,
    with_names,
    with_similarity,
    word_evidence,
)
from indexer.search.fusion import DEFAULT_WEIGHTS, Weights, fuse
from indexer.search.hits import HitMaker, result
from indexer.search.lexicon import Lexicon, LexiconReader
from indexer.search.named_entities import is_unknown_code, unknown_names, unknown_phrases
from indexer.search.narrowing import Narrowing, SearchRequest, narrow, with_few
from indexer.search.openings import read_openings
from indexer.search.query_terms import QueryTerms, languages_of, prepare_terms
from indexer.search.rerank import rerank, rerank_evidence
from indexer.search.score_normalisation import (
    Cohort,
    CosineScale,
    LanguageMeans,
    load_cohort,
    load_means,
    raised,
)
from indexer.store.values import Phrase, Without
from indexer.text.terms import number_ways

if TYPE_CHECKING:
    from indexer.api.progress import CancelToken
    from indexer.arrays import Float32s, Int32s, Int64s
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.embed.factory import ModelsInUse
    from indexer.query.grammar import Query
    from indexer.search.candidates import Retrieval
    from indexer.store.store import Store

    Encoding = Future[Float32s]


class FocusedQuery(Struct, frozen=True):
    """The terms of a query without names in the question, and the evidence for documents.

    ``notes`` say which names the library lacks.
    """

    terms: QueryTerms
    evidence: LibraryEvidence
    notes: tuple[Note, ...]


# Searches wait more for the disk and for locks than for the processor.
THREADS = 4
# The most passages with an exact phrase that are considered.
PHRASES = 200
# This many times more passages are retrieved if a condition can only be checked on their text.
CHECKED = 8


class Retrieved(Struct, frozen=True):
    """The candidates of a query, and how they are scored.

    ``phrases`` are the passages with the exact phrases, None without phrases; ``words`` is the
    search by the words of the whole query.
    """

    terms: QueryTerms
    vectors: QueryVectors
    evidence: LibraryEvidence
    retriever: Retriever
    keys: Int64s
    phrases: Int64s | None
    words: Retrieval
    notes: tuple[Note, ...]


class _Answer(Struct, frozen=True):
    """The hits, their candidates, and whether they are likely an answer."""

    hits: tuple[Hit, ...] = ()
    notes: tuple[Note, ...] = ()
    match: Match = Match.GOOD


class Searcher:
    """Answers queries over one library. Thread-safe."""

    def __init__(
        self, catalog: Catalog, store: Store, models: ModelsInUse, weights: Weights | None = None
    ) -> None:
        self.catalog, self.store, self.models = catalog, store, models
        self.weights = weights or DEFAULT_WEIGHTS
        self.lexicon = Lexicon(catalog, store)
        self.names = NameVectors(catalog)
        self.fresh = FreshVectors(catalog, store, models)
        self.pool = ThreadPoolExecutor(THREADS, "search")

    def close(self) -> None:
        """End the threads."""
        self.pool.shutdown()

    def search(
        self, query: Query, *, limit: int, token: CancelToken, explain: bool = False,
        full_text: bool = False, space: Space | None = None, by_words: bool = False,
    ) -> SearchResult:  # fmt: skip
        """Answer a query by the vectors of a space, by default the active one; see ``Search``.

        With ``by_words`` no vectors and no model are used.
        """
        started = time.perf_counter()
        narrowing = with_few(narrow(query, self.catalog), self.catalog, self.store)
        totals = self.catalog.spaces.totals()
        answer = _Answer()
        if query and not narrowing.empty:
            request = SearchRequest(query, narrowing, totals.passages, limit, by_words=by_words)
            space = space or self.catalog.spaces.active()
            answer = self._answer(request, space, token, explain=explain)
        hits, notes, match = answer.hits, answer.notes, answer.match
        if narrowing.pages.labels and narrowing.keys is not None and not len(narrowing.keys):
            notes = (Note("page_nowhere", {"labels": ", ".join(narrowing.pages.labels)}), *notes)
        return result(query, totals, started, hits, notes, full_text=full_text, match=match)

    def _answer(
        self, request: SearchRequest, space: Space | None, token: CancelToken, *, explain: bool
    ) -> _Answer:
        maker = HitMaker(self.catalog, self.store, request.query, request.narrowing)
        if not request.query.terms:
            return _Answer(maker.listing(request.limit, self.lexicon))
        if space is None:
            return _Answer(maker.called(request.limit))
        retrieved, ranking = self.rank(request, space, token)
        words = retrieved.terms.rare_weights()
        hits = maker.make(ranking, request.limit, token, explain=explain, words=words)
        if retrieved.phrases is not None and not len(retrieved.phrases):
            return _Answer(hits, (*retrieved.notes, unknown_phrases(request.query)), Match.NONE)
        nowhere = is_unknown_code(retrieved.terms, retrieved.notes)
        match = Match.NONE if nowhere else self._match(retrieved, space, hits, ranking)
        return _Answer(hits, retrieved.notes, match)

    def rank(
        self, request: SearchRequest, space: Space, token: CancelToken
    ) -> tuple[Retrieved, Ranking]:
        """Find the candidates of a query and score them."""
        with self.lexicon.reading() as reading:
            found = self._retrieve(request, space, reading)
        token.check()
        read = partial(self.fresh.compute_vectors, space, token)
        evidence = found.retriever.evidence(found.terms, found.vectors, found.keys, read)
        token.check()
        docs, owner = np.unique(evidence.docs, return_inverse=True)
        documents = found.evidence.lookup(docs)
        missing = self._missing(found.vectors, docs)[owner]
        evidence = replace(evidence, pages=raised(evidence.pages, missing))
        weights = self.weights.for_coverage(found.terms.coverage)
        if not found.vectors.encoded:
            weights = weights.for_words_alone(evidence.pages.share)
        first = fuse(evidence.pages, documents, owner, weights)
        if not found.vectors.encoded:
            instead = found.retriever.words_instead(found.terms, evidence.keys)
            first = replace(first, unknown=instead)
        leading = first.leading()
        keys = evidence.keys[leading]
        around = found.retriever.around(found.vectors, keys, missing[leading])
        scored = rerank(
            first, leading, rerank_evidence(self.store, found.terms, keys, around), weights
        )
        near = dict(zip(leading.tolist(), around.tolist(), strict=True))
        return found, Ranking(
            evidence, documents, owner, scored, weights, found.phrases, missing, near
        )

    def _missing(self, vectors: QueryVectors, docs: Int32s) -> Float32s:
        """The language correction of documents: (m,) to float32 (m,)."""
        if not vectors.means.by_language:
            return np.zeros(len(docs), np.float32)
        rows = self.catalog.docs.docs_by_id(docs.tolist())
        languages = [rows[doc].language if doc in rows else "" for doc in docs.tolist()]
        return vectors.means.missing(vectors.scale, vectors.question, languages)

    def _match(
        self, found: Retrieved, space: Space, hits: tuple[Hit, ...], ranking: Ranking
    ) -> Match:
        """Whether the hits likely contain an answer. The result is GOOD if that is unknown.

        It is unknown without vectors, before the cohort is measured, and while the last word is
        being typed. A hit with an exact phrase or on a file's name is always an answer, and so is a
        hit with all words of a query of one or two words.
        """
        cohort = load_cohort(self.catalog, space)
        if cohort is None or not hits or found.terms.has_prefix:
            return Match.GOOD
        found_exactly = any(hit.why in (Why.PHRASE, Why.NAME) for hit in hits)
        found_exactly = found_exactly or has_every_word(found.terms, hits[0])
        if found_exactly or not ranking.meaning_of(int(ranking.order[0])):
            return Match.GOOD
        features = self.features(found, cohort, hits, ranking)
        return classifier_for(space.languages).match(features, cohort.baseline, cohort.telling)

    def features(
        self, found: Retrieved, cohort: Cohort, hits: tuple[Hit, ...], ranking: Ranking
    ) -> AnswerabilityFeatures:
        """Compute the evidence for an answer in the best hits of a ranking, one or more."""
        best = int(ranking.order[0])
        document = int(ranking.candidates.docs[best])
        row = self.catalog.docs.docs_by_id([document]).get(document)
        language = "" if row is None else row.language
        usual = found.vectors.usual(language)
        foreign = is_foreign(found.terms, language)
        deviations = cohort.lead_deviations if foreign else cohort.deviations
        similarity = Similarity(
            meaning=deviations(ranking.meaning_of(best), usual),
            around=deviations(ranking.around.get(best, 0.0) / 2, usual),
            between_documents=cohort.between_documents,
            clarity=ranking.clarity_of(best),
            same_language=not foreign,
        )
        return answerability_features(
            found.terms, found.evidence.counts, found.retriever.docs, hits, similarity
        )

    def _focus(self, request: SearchRequest, space: Space, reading: LexiconReader) -> FocusedQuery:
        """Separate the words of a query that name a document from its question.

        Args:
            space: The space; its model may find answers in other languages than the query's.
        """
        query, catalog = request.query, self.catalog
        terms = prepare_terms(query, self.lexicon, reading, languages_of(catalog), request.passages)
        if len(space.languages) < 2:
            # A monolingual model can answer a question in another language only by words.
            terms = replace(terms, coverage=1.0, across=False)
        evidence = word_evidence(terms, reading)
        openings = read_openings(self.store, terms, evidence.best_by_words())
        notes = unknown_names(terms, openings.words, reading, self.store)
        evidence = replace(evidence, opening=openings.evidence(terms.coverage))
        likeliest = likely_documents(evidence, request.narrowing.docs, self.weights)[:1]
        rare = rare_words(likeliest, terms, evidence)
        names = naming_words(likeliest, catalog) | openings.naming_words(likeliest)
        terms = terms.within(question(query.text, names | rare))
        terms = terms.without_names(names, rare, openings.capitals_of(likeliest))
        if terms.names_removed:
            evidence = with_names(evidence, terms, names | rare, reading)
        return FocusedQuery(terms, evidence, notes)

    def _retrieve(self, request: SearchRequest, space: Space, reading: LexiconReader) -> Retrieved:
        """Collect candidates; each search starts as soon as its input is available."""
        query, narrowing = request.query, request.narrowing
        by_words = request.by_words
        asked = whole = None if by_words else self.encode(query.text, space)
        focused = self._focus(request, space, reading)
        terms, evidence = focused.terms, focused.evidence
        if terms.has_context and not by_words:
            part = "" if request.apart else terms.asked
            asked = self.encode(query.text if part else terms.asked, space, part)
        without = Without(narrowing.words, languages_of(self.catalog))
        retriever = Retriever(self.store, space.key, narrowing.docs, self.pool, without)
        depth = request.limit * CHECKED if narrowing.checks_text else request.limit
        retrievals = retriever.start_words(terms, depth)
        words = retrievals[-1]
        exact = self.pool.submit(self._phrases, query, narrowing) if query.phrases else None
        vectors, notes = self.vectors(whole, asked, space)
        if not notes and not by_words:
            retrievals += retriever.start_vectors(vectors, depth)
        if vectors.encoded:
            evidence = with_similarity(evidence, vectors.whole, self.names, space)
        likely = likely_documents(evidence, narrowing.docs, self.weights)
        retrievals += retriever.start_within(terms, vectors, likely)
        keys, phrases = keys_found(retrievals), exact.result() if exact else None
        if narrowing.keys is not None:
            keys = narrowing.keys
            phrases = None if phrases is None else np.intersect1d(phrases, keys)
        elif phrases is not None:
            keys = np.union1d(keys, phrases)
        return Retrieved(
            terms, vectors, evidence, retriever, keys, phrases, words,
            (*notes, *focused.notes),
        )  # fmt: skip

    def encode(self, text: str, space: Space, part: str = "") -> Encoding:
        """Begin to encode a query, or a part of it."""
        places = places_of(part, text) if part else ()
        return self.pool.submit(
            lambda: self.models.query(space.record).encode_query(text, part, places)
        )

    def vectors(
        self, whole: Encoding | None, asked: Encoding | None, space: Space
    ) -> tuple[QueryVectors, tuple[Note, ...]]:
        """The query's vectors; zeros if it is not encoded.

        If the model is not available, they are zeros as well, and a note says so.
        """
        none = np.zeros(int(space.record["dimension"]), np.float32)
        zeros = QueryVectors(none, none, CosineScale(), LanguageMeans({}))
        if whole is None or asked is None:
            return zeros, ()
        scale, means = CosineScale.from_space(space), load_means(self.catalog, space)
        try:
            return QueryVectors(whole.result(), asked.result(), scale, means), ()
        except WorldError as error:
            return zeros, (Note("words_only"), error.note())

    def _phrases(self, query: Query, narrowing: Narrowing) -> Int64s:
        """The passages that contain every phrase of a query."""
        languages, lexicon = languages_of(self.catalog), self.lexicon
        wanted = [
            Phrase(
                (phrase, *number_ways(phrase), *lexicon.behind_clitics(phrase, languages)),
                languages,
            )
            for phrase in query.phrases
        ]
        return np.sort(self.store.phrases(wanted, PHRASES, narrowing.docs).keys)
