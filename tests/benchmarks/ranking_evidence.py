"""The evidence that ranks the answers of a set: collected once, then ranked in many ways.

This module collects it. The engine searches as it ships, and everything that enters a score is kept
for each query. Other weights, single retrievers and the classifier are then computed from that. It
must not know which variants there are.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace

from indexer.api.progress import CancelToken
from indexer.query.grammar import parse
from indexer.search import calibration, score_normalisation
from indexer.search.fusion import fuse
from indexer.search.hits import HitMaker
from indexer.search.narrowing import SearchRequest, narrow
from indexer.search.rerank import rerank, rerank_evidence
from indexer.store.values import DocSet, docs_of
from tests.benchmarks import scoring

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indexer.api.types import Hit
    from indexer.catalog.records import Space
    from indexer.engine.engine import Engine
    from indexer.search.answerability import AnswerabilityFeatures
    from indexer.search.candidates import Ranking
    from indexer.search.fusion import DocumentEvidence, PageEvidence, Weights
    from indexer.search.rerank import RerankEvidence
    from indexer.search.score_normalisation import Cohort
    from indexer.search.search import Retrieved
    from tests.benchmarks.scoring import RunHit
    from tests.benchmarks.sets import Query

    Floats = NDArray[np.float32]

DEEPEST = 60  # hits that are scored: twenty would do, but several may be on one page


class Evidence(Struct, frozen=True):
    """The evidence for each candidate of one query.

    Attributes:
        id: The id of the query.
        pages: The evidence of n passages.
        documents: The evidence of m documents.
        owner: Shape (n,): the passages' documents among the m.
        read: The evidence from reading all n passages, not only the leading ones.
        words: Shape (n,): BM25 of the whole query for the best of that search, 0 for others.
        places: The places of the passages in the form of a run file.
        shipped: The hits as the engine returns them.
        coverage: See ``indexer.search.query_terms.QueryTerms``.
        features: The features that say whether there is an answer; None without hits.
        reading: The processor time for reading and measuring the leading passages, in ms.
    """

    id: str
    pages: PageEvidence
    documents: DocumentEvidence
    owner: NDArray[np.intp]
    read: RerankEvidence
    words: Floats
    places: list[RunHit]
    shipped: list[RunHit]
    coverage: float = 1.0
    features: AnswerabilityFeatures | None = None
    reading: float = 0.0

    def scores(self, weights: Weights) -> Floats:
        """The scores of the passages with other weights."""
        weights = weights.for_coverage(self.coverage)
        first = fuse(self.pages, self.documents, self.owner, weights)
        leading = first.leading()
        values = asdict(self.read)
        taken: dict[str, Any] = {
            name: value[leading] for name, value in values.items() if isinstance(value, np.ndarray)
        }
        read = replace(self.read, **taken)
        return rerank(first, leading, read, weights).total

    def hits(self, scores: Floats) -> list[RunHit]:
        """The passages in the order of scores, best first; those without a score are left out."""
        order = np.argsort(-scores, kind="stable")[:DEEPEST]
        return [self.places[at] for at in order.tolist() if np.isfinite(scores[at])]


class Collector(Struct, frozen=True):
    """Collects evidence from one library."""

    engine: Engine
    space: Space
    cohort: Cohort

    @classmethod
    def from_engine(cls, engine: Engine) -> Collector:
        calibration.refresh_calibration(engine.searcher, CancelToken())
        space = engine.catalog.spaces.active()
        assert space is not None
        cohort = score_normalisation.load_cohort(engine.catalog, space)
        assert cohort is not None
        return cls(engine, space, cohort)

    def evidence(self, queries: Sequence[Query]) -> list[Evidence]:
        """The evidence that ranks the answers of some queries."""
        return [self._one(query) for query in queries]

    def features(self, text: str, without: Iterable[str] = ()) -> AnswerabilityFeatures | None:
        """The answerability features of a query if some files are away; None without hits."""
        request = self._request(text, without)
        found, ranking = self.engine.searcher.rank(request, self.space, CancelToken())
        return self._features(found, self._hits(request, found, ranking), ranking)

    def _features(
        self, found: Retrieved, hits: tuple[Hit, ...], ranking: Ranking
    ) -> AnswerabilityFeatures | None:
        searcher = self.engine.searcher
        return searcher.features(found, self.cohort, hits, ranking) if hits else None

    def own(self) -> list[AnswerabilityFeatures]:
        """The features of the library's own sentences, from which its baseline is computed."""
        searcher = self.engine.searcher
        return calibration.own_features(searcher, self.space, self.cohort, CancelToken())

    def _hits(self, request: SearchRequest, found: Retrieved, ranking: Ranking) -> tuple[Hit, ...]:
        """The hits as the engine returns them: rare words decide the sentence, and so the page."""
        catalog, store = self.engine.catalog, self.engine.store
        maker = HitMaker(catalog, store, request.query, request.narrowing)
        none = replace(ranking, phrases=None)
        words = found.terms.rare_weights()
        return maker.make(none, scoring.LIMIT, CancelToken(), explain=False, words=words)

    def _request(self, text: str, without: Iterable[str] = ()) -> SearchRequest:
        query = parse(text)
        narrowing = narrow(query, self.engine.catalog)
        gone = set(without)
        if gone:
            docs = self.engine.catalog.docs.known().tolist()
            places = self.engine.catalog.files.by_document(docs)
            kept = [doc for doc in docs if places[doc][0].relative not in gone]
            narrowing = replace(narrowing, docs=DocSet.from_docs(kept))
        passages = self.engine.catalog.spaces.totals().passages
        return SearchRequest(query, narrowing, passages, scoring.LIMIT)

    def _one(self, query: Query) -> Evidence:
        request = self._request(query.text)
        found, ranking = self.engine.searcher.rank(request, self.space, CancelToken())
        keys = ranking.candidates.keys
        shipped = self._hits(request, found, ranking)
        leading = ranking.scored.leading()
        around = found.retriever.around(found.vectors, keys, ranking.missing)
        began = time.thread_time()
        rerank_evidence(self.engine.store, found.terms, keys[leading], around[leading])
        spent = time.thread_time() - began
        return Evidence(
            id=query.id,
            pages=ranking.candidates.pages,
            documents=ranking.documents,
            owner=ranking.owner,
            read=rerank_evidence(self.engine.store, found.terms, keys, around),
            words=_whole_query_bm25(found, keys),
            places=self._places(keys),
            shipped=scoring.run_hits(shipped),
            coverage=found.terms.coverage,
            features=self._features(found, shipped, ranking),
            reading=1e3 * spent,
        )

    def _places(self, keys: NDArray[np.int64]) -> list[RunHit]:
        docs = docs_of(keys).tolist()
        files = self.engine.catalog.files.by_document(docs)
        passages = self.engine.store.texts.passages(keys)
        return [
            {
                "file": files[doc][0].relative,
                "page": passages[key].page_first,
                "start": passages[key].char_start,
                "end": passages[key].char_end,
            }
            for key, doc in zip(keys.tolist(), docs, strict=True)
        ]


def _whole_query_bm25(found: Retrieved, keys: NDArray[np.int64]) -> Floats:
    """The scores of the search by the words of the whole query."""
    best = found.words.result()
    scores = np.zeros(len(keys), np.float32)
    scores[np.searchsorted(keys, best.keys)] = best.scores
    return scores
