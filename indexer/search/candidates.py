"""Retrieves candidate passages, computes the evidence for each, and keeps their ranking.

Retrievers find passages by BM25 of words and by vectors, each over the library and inside the
likely documents; every candidate is scored by both, whichever retrieved it. A ranking explains a
score by its components, which are defined in ``indexer.search.fusion``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.types import HitExplanation
from indexer.arrays import segment_max
from indexer.embed.batches import unit_vectors
from indexer.search.fusion import DEFAULT_WEIGHTS, PageEvidence, bm25_shares
from indexer.store.values import NOTHING_LEFT_OUT, DocSet, Without, docs_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future, ThreadPoolExecutor

    from numpy.typing import NDArray

    from indexer.search.fusion import DocumentEvidence, Scored, Weights
    from indexer.search.query_terms import QueryTerms
    from indexer.search.score_normalisation import CosineScale, LanguageMeans
    from indexer.store.store import Store
    from indexer.store.values import ScoredKeys, Term

    Docs = NDArray[np.int32]
    Floats = NDArray[np.float32]
    Keys = NDArray[np.int64]
    Retrieval = Future[ScoredKeys]

# Passages by each retriever, over the whole library and inside the likely documents.
WIDE = 100
NARROW = 60
# Additional candidates by vectors, since the index quantises them, which perturbs their order.
QUANTISED = 32


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """The query's vectors, (dim,) each; equal if the query is a question without context.

    Both are 0 if the query is not encoded, and so are all similarities then.
    """

    whole: Floats
    question: Floats
    scale: CosineScale  # of the model that made them
    means: LanguageMeans  # of the library's languages

    @property
    def encoded(self) -> bool:
        """Whether the query is encoded."""
        return bool(self.whole.any())

    @property
    def combined(self) -> Floats:
        """What passages are searched by: its cosines order them as the meaning of both does."""
        share = np.float32(DEFAULT_WEIGHTS.question)
        both: Floats = share * self.question + (1 - share) * self.whole
        return unit_vectors(both)

    def usual(self, language: str) -> float:
        """What passages in a language usually reach; see ``LanguageMeans.usual``."""
        asked, whole = (
            self.means.usual(self.scale, vector, language) for vector in (self.question, self.whole)
        )
        return DEFAULT_WEIGHTS.question * asked + (1 - DEFAULT_WEIGHTS.question) * whole


@dataclass(frozen=True, slots=True)
class CandidateEvidence:
    """Candidates with their evidence.

    ``keys`` is int64 (n,) and ascends; ``best`` (n,) is the best sentence of each passage, as its
    index there. The similarities of all sentences to the question are ``sentences``, those of
    passage ``i`` from ``offsets[i]`` to ``offsets[i + 1]``.
    """

    keys: Keys
    pages: PageEvidence
    best: NDArray[np.intp]
    sentences: Floats
    offsets: NDArray[np.int64]

    @property
    def docs(self) -> Docs:
        return docs_of(self.keys)


@dataclass(frozen=True, slots=True)
class Retriever:
    """Finds candidates, each search in a task of its own.

    Attributes:
        store: The passages and vectors.
        space: The embedding space.
        docs: Which documents may answer; None for all.
        pool: Runs the searches side by side.
        without: Words that a passage must not contain.
    """

    store: Store
    space: str
    docs: DocSet | None
    pool: ThreadPoolExecutor
    without: Without = NOTHING_LEFT_OUT

    def start_words(self, terms: QueryTerms, depth: int) -> list[Retrieval]:
        """Begin to search by words, for at least twice the ``depth`` hits wanted.

        The last of the searches is that by the words of the whole query.
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

    def start_near(self, vectors: Sequence[Floats]) -> list[Retrieval]:
        """Begin to search for passages that are similar to given ones."""
        return [self._by_vector(vector, WIDE, self.docs) for vector in vectors]

    def start_within(
        self, terms: QueryTerms, vectors: QueryVectors, likely: Docs
    ) -> list[Retrieval]:
        """Begin to search inside likely documents, all of which are in ``docs``."""
        if not len(likely):
            return []
        inside = DocSet.from_docs(likely.tolist())
        return [
            self._by_words(terms.question_terms, NARROW, inside),
            self._by_vector(vectors.combined, NARROW, inside),
        ]

    def evidence(self, terms: QueryTerms, vectors: QueryVectors, keys: Keys) -> CandidateEvidence:
        """Score candidates by words and by meaning.

        Args:
            terms: Of the query.
            vectors: Of the query.
            keys: The candidates, ascending.
        """
        # LanceDB takes some milliseconds for these, most of them in threads of its own.
        reading = (
            self.pool.submit(self.store.sentence_codes_of, self.space, keys)
            if vectors.encoded
            else None
        )
        terms = terms if vectors.encoded else terms.for_words_alone()
        share = bm25_shares(self.store.bm25_of(keys, terms.question_terms), terms.ceiling)
        if reading is None:
            return by_words(keys, share)
        # Keys of one document are consecutive, so a passage's neighbours are known by its key.
        near = np.stack([keys - 1, keys, keys + 1])
        wanted, place = np.unique(near, return_inverse=True)
        place = place.reshape(near.shape)
        pooled = self.store.vectors_of(self.space, wanted)
        queries = np.stack([vectors.whole, vectors.question])
        cosines = pooled @ queries.T if pooled.size else np.zeros((len(wanted), 2), np.float32)
        codes = reading.result()
        found, offsets = codes.cosines(queries, cosines[place[1]]), codes.offsets
        whole, question = vectors.scale.scaled(cosines).T
        before, here, after = whole[place]
        of_whole, similarity = np.ascontiguousarray(vectors.scale.scaled(found).T)
        sentence, _ = segment_max(of_whole, offsets)
        sentence_question, best = segment_max(similarity, offsets)
        filled = np.diff(offsets) > 0
        pages = PageEvidence(
            pooled=here,
            pooled_question=question[place[1]],
            sentence=np.where(filled, sentence, np.float32(0.0)),
            sentence_question=np.where(filled, sentence_question, np.float32(0.0)),
            share=share,
            around=neighbour_similarity(before, after),
        )
        return CandidateEvidence(keys, pages, best, similarity, offsets)

    def _by_vector(self, vector: Floats, count: int, docs: DocSet | None) -> Retrieval:
        return self.pool.submit(self.store.approximate_knn, self.space, vector, count, docs)

    def _by_words(self, terms: tuple[Term, ...], count: int, docs: DocSet | None) -> Retrieval:
        return self.pool.submit(self.store.match, terms, count, docs, self.without)


def by_words(keys: Keys, share: Floats) -> CandidateEvidence:
    """The evidence for n candidates by words alone, for which no vectors are read."""
    none, number = np.zeros(len(keys), np.float32), np.zeros(len(keys) + 1, np.int64)
    pages = PageEvidence(none, none, none, none, share, none)
    return CandidateEvidence(keys, pages, number[1:].astype(np.intp), none[:0], number)


def keys_found(retrievals: Sequence[Retrieval]) -> Keys:
    """Wait for searches; return the union of their results, int64 ascending."""
    found = [one.result().keys for one in retrievals]
    return np.unique(np.concatenate(found)).astype(np.int64)


def neighbour_similarity(before: Floats, after: Floats) -> Floats:
    """The sum of the similarities of both neighbours, float32 (n,); 0 marks a missing one.

    The other then counts twice, and a passage without neighbours gets the mean: otherwise the first
    and last passages of documents, and all short documents, would rank too low.
    """
    first = np.where(before != 0.0, before, after)
    last = np.where(after != 0.0, after, before)
    both: Floats = first + last
    alone = both == 0.0
    if not alone.all():
        both[alone] = both[~alone].mean()
    return both


DIGITS = 4


@dataclass(frozen=True, slots=True)
class Ranking:
    """n candidates of m documents, scored and in order.

    Attributes:
        candidates: The candidates and their evidence.
        documents: The evidence for each document.
        owner: Shape (n,): the index of each candidate's document among the m.
        scored: The parts of their scores.
        weights: The parameters of the scores.
        phrases: The passages with the exact phrase, if one is asked for.
        missing: Shape (n,): the language correction added to the similarities of each.
    """

    candidates: CandidateEvidence
    documents: DocumentEvidence
    owner: NDArray[np.intp]
    scored: Scored
    weights: Weights
    phrases: Keys | None
    missing: NDArray[np.float32]

    def meaning_of(self, at: int) -> float:
        """The similarity of a candidate without the language correction; 0 without a vector."""
        meaning = float(self.scored.meaning[at])
        return meaning - float(self.missing[at]) if meaning else 0.0

    def clarity_of(self, at: int) -> float:
        """How far a candidate's document leads all others by words; 0 if it does not."""
        return self.documents.clarity * float(self.documents.words[self.owner[at]])

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Shape (n,): which candidates hold the exact phrase."""
        keys = self.candidates.keys
        return np.zeros(len(keys), bool) if self.phrases is None else np.isin(keys, self.phrases)

    @property
    def order(self) -> NDArray[np.intp]:
        """Best first; passages with the exact phrase before all others; ties by key."""
        return np.lexsort((self.candidates.keys, -self.scored.total, ~self.exact))

    def explain_score(self, at: int) -> HitExplanation:
        """Explain one candidate."""
        return HitExplanation(
            score=_at(self.scored, at),
            passage=_at(self.candidates.pages, at),
            document=_at(self.documents, int(self.owner[at])),
            weights=asdict(self.weights),
        )


def _at(evidence: Scored | PageEvidence | DocumentEvidence, at: int) -> dict[str, float]:
    values = {field.name: getattr(evidence, field.name) for field in fields(evidence)}
    return {
        name: round(float(value[at] if isinstance(value, np.ndarray) else value), DIGITS)
        for name, value in values.items()
    }
