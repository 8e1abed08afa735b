"""Retrieves candidate passages, computes the evidence for each, and keeps their ranking.

Passages are retrieved by the BM25 of words and by vectors, each over the library and inside the
likely documents. Every candidate is then scored by both, whichever retrieved it. A ranking explains
a score by its components, which are defined in ``indexer.search.fusion``.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field
from msgspec.structs import asdict

from indexer.api.errors import WorldError
from indexer.api.lru_cache import LruCache
from indexer.api.types import HitExplanation
from indexer.arrays import Float32s, Indices, Int32s, Int64s, Mask, segment_max
from indexer.embed.batches import EmbedInput, PassageVectors, unit_vectors
from indexer.search.fusion import DEFAULT_WEIGHTS, PageEvidence, bm25_shares, relative
from indexer.store.values import NOTHING_LEFT_OUT, DocSet, ScoredKeys, Term, Without, docs_of

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

    from indexer.api.progress import CancelToken
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.embed.factory import ModelsInUse
    from indexer.search.fusion import DocumentEvidence, Scored, Weights
    from indexer.search.query_terms import QueryTerms
    from indexer.search.score_normalisation import CosineScale, LanguageMeans
    from indexer.store.store import Store

    Retrieval = Future[ScoredKeys]
    Fresh = Callable[[Int64s], Mapping[int, PassageVectors]]

# The passages that each retriever finds in the whole library and inside the likely documents.
WIDE = 100
NARROW = 60
# Additional candidates by vectors, as the quantised index does not order them exactly.
QUANTISED = 32


class QueryVectors(Struct, frozen=True):
    """The vectors of the query and of its question, (dim,) each, equal without context.

    Both are 0 if the query is not encoded, so that all similarities are 0.
    """

    whole: Float32s
    question: Float32s
    scale: CosineScale  # the scale of the model
    means: LanguageMeans  # the means of the library's languages

    @property
    def encoded(self) -> bool:
        return bool(self.whole.any())

    @property
    def combined(self) -> Float32s:
        """The vector for retrieval, whose cosines order passages as the meaning of both does."""
        share = np.float32(DEFAULT_WEIGHTS.question)
        both: Float32s = share * self.question + (1 - share) * self.whole
        return unit_vectors(both)

    def usual(self, language: str) -> float:
        """The usual similarity of passages in a language; see ``LanguageMeans.usual``."""
        asked, whole = (
            self.means.usual(self.scale, vector, language) for vector in (self.question, self.whole)
        )
        return DEFAULT_WEIGHTS.question * asked + (1 - DEFAULT_WEIGHTS.question) * whole


class CandidateEvidence(Struct, frozen=True):
    """Candidates with their evidence.

    ``keys`` is int64 (n,) and ascends. ``best`` (n,) is the index of each passage's best sentence.
    ``sentences`` are the similarities of all sentences to the question; those of passage ``i`` are
    from ``offsets[i]`` to ``offsets[i + 1]``.
    """

    keys: Int64s
    pages: PageEvidence
    best: Indices
    sentences: Float32s
    offsets: Int64s

    @property
    def docs(self) -> Int32s:
        return docs_of(self.keys)


# How many passages without vectors are embedded for a question, those with most of its words first,
# and for how many seconds. The next question continues with the rest.
FRESH, FRESH_S = 50, 1.0
FRESH_KEPT = 2000


def model_inputs(catalog: Catalog, store: Store, keys: Int64s) -> dict[int, EmbedInput]:
    """The model's inputs for single passages, by key, without missing ones."""
    found = store.texts.passages(keys)
    rows = catalog.docs.docs_by_id({one.doc for one in found.values()})
    return {
        key: EmbedInput(row.title_used, one.heading_path, one.view, one.view_starts)
        for key, one in found.items()
        if (row := rows.get(one.doc)) is not None
    }


class FreshVectors(Struct, frozen=True):
    """Computes vectors of passages that a question finds and that are not embedded yet.

    An LRU cache keeps them for later questions. Thread-safe.
    """

    catalog: Catalog
    store: Store
    models: ModelsInUse
    _kept: LruCache[tuple[str, int], PassageVectors] = field(
        default_factory=lambda: LruCache(FRESH_KEPT)
    )
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def compute_vectors(
        self, space: Space, token: CancelToken, keys: Int64s
    ) -> dict[int, PassageVectors]:
        """Compute vectors of passages while there is time; none without a model.

        Raises ``Cancelled`` if the token was cancelled; computed vectors are kept.
        """
        found = self._find_kept(space, keys)
        with contextlib.suppress(WorldError):
            self._compute(space, token, [key for key in keys.tolist() if key not in found])
        return self._find_kept(space, keys)

    def _find_kept(self, space: Space, keys: Int64s) -> dict[int, PassageVectors]:
        with self._lock:
            kept = ((key, self._kept.get((space.key, key))) for key in keys.tolist())
            return {key: vectors for key, vectors in kept if vectors is not None}

    def _compute(self, space: Space, token: CancelToken, keys: list[int]) -> None:
        ends = time.monotonic() + FRESH_S
        inputs = model_inputs(self.catalog, self.store, np.array(keys, np.int64))
        if not inputs:
            return
        embedder, known = self.models.passages(space.record), list(inputs)
        for batch in embedder.encode_batches([*inputs.values()], runs=[1] * len(inputs)):
            with self._lock:
                for at, vectors in batch:
                    self._kept.put((space.key, known[at]), vectors)
            token.check()
            if time.monotonic() >= ends:
                break


class Retriever(Struct, frozen=True):
    """Finds candidates. Each search is a separate task of the pool.

    Attributes:
        docs: Which documents may answer; None for all.
        without: Words that a passage must not contain.
    """

    store: Store
    space: str
    docs: DocSet | None
    pool: ThreadPoolExecutor
    without: Without = NOTHING_LEFT_OUT

    def start_words(self, terms: QueryTerms, depth: int) -> list[Retrieval]:
        """Begin to search by words for at least twice as many passages as ``depth``.

        The last search is the one by the words of the whole query.
        """
        wide = max(WIDE, 2 * depth)
        asked = [terms.question_terms]
        if terms.has_context or terms.names_removed:
            asked.append(terms.question_first())
        return [self._by_words(each, wide, self.docs) for each in asked]

    def start_vectors(self, vectors: QueryVectors, depth: int) -> list[Retrieval]:
        """Begin to search by meaning."""
        wide = max(WIDE, 2 * depth) + QUANTISED
        found = [self._by_vector(vectors.combined, wide, self.docs)]
        if vectors.means.by_language:
            in_all = vectors.means.without(vectors.question)
            found.append(self._by_vector(in_all, wide, self.docs))
        return found

    def start_within(
        self, terms: QueryTerms, vectors: QueryVectors, likely: Int32s
    ) -> list[Retrieval]:
        """Begin to search inside likely documents, all of which are in ``docs``."""
        if not len(likely):
            return []
        inside = DocSet.from_docs(likely.tolist())
        return [
            self._by_words(terms.question_terms, NARROW, inside),
            self._by_vector(vectors.combined, NARROW, inside),
        ]

    def evidence(
        self, terms: QueryTerms, vectors: QueryVectors, keys: Int64s, fresh: Fresh
    ) -> CandidateEvidence:
        """Score candidates by words and by meaning.

        Args:
            keys: The candidates, ascending.
            fresh: Computes vectors of candidates that are not embedded yet.
        """
        # Sentences are read on another thread while words are scored.
        reading = (
            self.pool.submit(self.store.sentence_codes_of, self.space, keys)
            if vectors.encoded
            else None
        )
        terms = terms if vectors.encoded else terms.for_words_alone()
        share = bm25_shares(self.store.bm25_of(keys, terms.question_terms), terms.ceiling)
        if reading is None:
            return by_words(keys, share)
        queries = np.stack([vectors.whole, vectors.question])
        pooled = self._pooled(keys, queries.shape[1])
        unread = np.flatnonzero(~pooled.any(axis=1))
        leading = np.sort(unread[np.argsort(-share[unread], kind="stable")][:FRESH])
        made = fresh(keys[leading]) if len(leading) else {}
        leading = np.array([at for at in leading.tolist() if keys[at] in made], np.intp)
        for at in leading.tolist():
            pooled[at] = made[int(keys[at])].vector
        cosines = pooled @ queries.T
        codes = reading.result()
        found, offsets = codes.cosines(queries, cosines), codes.offsets
        if len(leading):
            sentences = [made[key].sentences for key in keys[leading].tolist()]
            counts = np.zeros(len(keys), np.int64)
            counts[leading] = [len(each) for each in sentences]
            at = offsets[:-1].repeat(counts)
            found = np.insert(found, at, np.concatenate(sentences) @ queries.T, axis=0)
            offsets = offsets + np.concatenate([[0], np.cumsum(counts)])
        whole, question = vectors.scale.scaled(cosines).T
        of_whole, similarity = np.ascontiguousarray(vectors.scale.scaled(found).T)
        sentence, _ = segment_max(of_whole, offsets)
        sentence_question, best = segment_max(similarity, offsets)
        filled = np.diff(offsets) > 0
        pages = PageEvidence(
            pooled=whole,
            pooled_question=question,
            sentence=np.where(filled, sentence, np.float32(0.0)),
            sentence_question=np.where(filled, sentence_question, np.float32(0.0)),
            share=share,
        )
        return CandidateEvidence(keys, pages, best, similarity, offsets)

    def around(self, vectors: QueryVectors, keys: Int64s, missing: Float32s) -> Float32s:
        """The ``RerankEvidence.around`` of k passages, float32 (k,).

        ``missing``, (k,), is the language correction of each.
        """
        if not vectors.encoded:
            return np.zeros(len(keys), np.float32)
        # Keys of a document are consecutive, so the keys of a passage's neighbours follow from its
        # own.
        near = np.stack([keys - 1, keys + 1])
        wanted, place = np.unique(near, return_inverse=True)
        cosines = self._pooled(wanted, len(vectors.whole)) @ vectors.whole
        before, after = vectors.scale.scaled(cosines)[place.reshape(near.shape)]
        both = neighbour_similarity(before, after)
        return np.where(both != 0.0, both + 2 * missing, both)

    def words_instead(self, terms: QueryTerms, keys: Int64s) -> Float32s:
        """A substitute for the meaning of n candidates if it is unknown: float32 (n,), 0 to 1.

        It is the BM25 of the whole query, divided by the highest one among the candidates.
        """
        whole = terms.whole_alone
        none = np.zeros(len(keys), np.float32)
        return relative(self.store.bm25_of(keys, whole)) if whole else none

    def _pooled(self, keys: Int64s, dimension: int) -> Float32s:
        """The pooled vectors of n passages, float32 (n, dim); zeros for missing ones."""
        pooled = self.store.vectors_of(self.space, keys)
        return pooled if pooled.size else np.zeros((len(keys), dimension), np.float32)

    def _by_vector(self, vector: Float32s, count: int, docs: DocSet | None) -> Retrieval:
        return self.pool.submit(self.store.approximate_knn, self.space, vector, count, docs)

    def _by_words(self, terms: tuple[Term, ...], count: int, docs: DocSet | None) -> Retrieval:
        return self.pool.submit(self.store.match, terms, count, docs, self.without)


def by_words(keys: Int64s, share: Float32s) -> CandidateEvidence:
    """The evidence for n candidates by words alone, for which no vectors are read."""
    none, number = np.zeros(len(keys), np.float32), np.zeros(len(keys) + 1, np.int64)
    pages = PageEvidence(none, none, none, none, share)
    return CandidateEvidence(keys, pages, number[1:].astype(np.intp), none[:0], number)


def keys_found(retrievals: Sequence[Retrieval]) -> Int64s:
    """Wait for searches; return the union of their results, int64 ascending."""
    found = [one.result().keys for one in retrievals]
    return np.unique(np.concatenate(found)).astype(np.int64)


def neighbour_similarity(before: Float32s, after: Float32s) -> Float32s:
    """The sum of the similarities of both neighbours, float32 (n,); 0 marks a missing one.

    If one is missing, the other counts twice; a passage without neighbours gets the mean. Otherwise
    first and last passages of documents, and all short documents, would rank too low.
    """
    first = np.where(before != 0.0, before, after)
    last = np.where(after != 0.0, after, before)
    both: Float32s = first + last
    alone = both == 0.0
    if not alone.all():
        both[alone] = both[~alone].mean()
    return both


DIGITS = 4


class Ranking(Struct, frozen=True):
    """n candidates of m documents, scored and in order.

    Attributes:
        owner: Shape (n,): the index of each candidate's document among the m.
        phrases: The passages with the exact phrases; None for a query without phrases.
        missing: Shape (n,): the language correction added to the similarities of each.
        around: The ``RerankEvidence.around`` of the leading candidates, by index.
    """

    candidates: CandidateEvidence
    documents: DocumentEvidence
    owner: Indices
    scored: Scored
    weights: Weights
    phrases: Int64s | None
    missing: Float32s
    around: Mapping[int, float]

    def meaning_of(self, at: int) -> float:
        """The similarity of a candidate without the language correction; 0 without a vector."""
        meaning = float(self.scored.meaning[at])
        return meaning - float(self.missing[at]) if meaning else 0.0

    def clarity_of(self, at: int) -> float:
        """The lead of a candidate's document over all others by words; 0 if it is not the best."""
        return self.documents.clarity * float(self.documents.words[self.owner[at]])

    @property
    def exact(self) -> Mask:
        """A mask, (n,), of the candidates that have the exact phrases."""
        keys = self.candidates.keys
        return np.zeros(len(keys), bool) if self.phrases is None else np.isin(keys, self.phrases)

    @property
    def order(self) -> Indices:
        """The order of candidates: those with the exact phrases, then by score; ties by key."""
        return np.lexsort((self.candidates.keys, -self.scored.total, ~self.exact))

    def explain_score(self, at: int) -> HitExplanation:
        return HitExplanation(
            score=_at(self.scored, at),
            passage=_at(self.candidates.pages, at),
            document=_at(self.documents, int(self.owner[at])),
            weights=asdict(self.weights),
        )


def _at(evidence: Scored | PageEvidence | DocumentEvidence, at: int) -> dict[str, float]:
    return {
        name: round(float(value[at] if isinstance(value, np.ndarray) else value), DIGITS)
        for name, value in asdict(evidence).items()
    }
