"""What ranked the answers of a set: collected once from the engine, then ranked in many ways.

Owns the collecting. The engine searches as it ships, and of each query everything is kept that its
score is made of; other weights, single legs and the judge are then a matter of arithmetic. It must
not know which variants there are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.query.grammar import parse
from indexer.search import score_normalisation as background
from indexer.search.answerability_features import signs
from indexer.search.fusion import CloserEvidence, fuse, look_closer
from indexer.search.hits import HitMaker
from indexer.search.narrowing import narrow
from indexer.search.search import Wanted
from indexer.store import DocFilter, docs_of
from tests.benchmarks import scoring

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from indexer.api.types import Hit
    from indexer.catalog import Space
    from indexer.engine.engine import Engine
    from indexer.search.answerability import Signs
    from indexer.search.candidates import Ranked
    from indexer.search.fusion import DocumentEvidence, PageEvidence, Scored, Weights
    from indexer.search.score_normalisation import Background
    from indexer.search.search import Found
    from tests.benchmarks.scoring import RunHit
    from tests.benchmarks.sets import Query

    Floats = NDArray[np.float32]
    Order = NDArray[np.intp]

DEEPEST = 60  # hits that are scored: twenty, and room for several of one page


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for each candidate of one query.

    Attributes:
        id: Of the query.
        pages: Of n passages.
        documents: Of m documents.
        owner: Shape (n,): the passages' documents among the m.
        closer: Of all n passages, not only of those that lead.
        words: Shape (n,): BM25 of the whole query among the best of that leg, 0 for others.
        places: Where the passages stand, as a run file says it.
        shipped: The hits as the engine gives them.
    """

    id: str
    pages: PageEvidence
    documents: DocumentEvidence
    owner: NDArray[np.intp]
    closer: CloserEvidence
    words: Floats
    places: list[RunHit]
    shipped: list[RunHit]

    def scores(self, weights: Weights) -> Floats:
        """The scores of the passages by other weights."""
        first = fuse(self.pages, self.documents, self.owner, weights)
        leading = first.leading()
        closer = CloserEvidence(
            **{
                part.name: getattr(self.closer, part.name)[leading]
                for part in fields(CloserEvidence)
            }
        )
        return look_closer(first, leading, self.pages.around, closer, weights).total

    def hits(self, scores: Floats) -> list[RunHit]:
        """The passages by some scores, best first; those that have none are no hits."""
        order = np.argsort(-scores, kind="stable")[:DEEPEST]
        return [self.places[at] for at in order.tolist() if np.isfinite(scores[at])]


@dataclass(frozen=True, slots=True)
class Collector:
    """Asks one library."""

    engine: Engine
    space: Space
    usual: Background

    @classmethod
    def of(cls, engine: Engine) -> Collector:
        background.refresh(engine.catalog, engine.store, engine.models)
        space = engine.catalog.spaces.active()
        assert space is not None
        usual = background.known(engine.catalog, space)
        assert usual is not None
        return cls(engine, space, usual)

    def evidence(self, queries: Sequence[Query]) -> list[Evidence]:
        """Everything that ranks the answers of some queries."""
        return [self._one(query) for query in queries]

    def signs(self, text: str, without: Iterable[str] = ()) -> Signs | None:
        """What tells whether a query is answered, some files being away; None without hits."""
        wanted = self._wanted(text, without)
        found, ranked, scored, order = self.engine.searcher.ranked(wanted, self.space)
        hits = self._hits(wanted, ranked, scored, order)
        if not hits:
            return None
        meaning, alike = self.usual.deviations(float(scored.meaning[order[0]])), self.usual.alike
        counts = found.evidence.counts
        return signs(found.asked, counts, found.where.docs, hits, meaning, alike)

    def _hits(
        self, wanted: Wanted, ranked: Ranked, scored: Scored, order: Order
    ) -> tuple[Hit, ...]:
        maker = HitMaker(self.engine.catalog, self.engine.store, wanted.query, wanted.narrowing)
        return maker.make(ranked, scored, order, None, scoring.LIMIT, explain=None)

    def _wanted(self, text: str, without: Iterable[str] = ()) -> Wanted:
        query = parse(text)
        narrowing = narrow(query, self.engine.catalog)
        gone = set(without)
        if gone:
            docs = self.engine.catalog.docs.known().tolist()
            places = self.engine.catalog.files.places(docs)
            kept = [doc for doc in docs if places[doc][0].relative not in gone]
            narrowing = replace(narrowing, docs=DocFilter.of(kept))
        passages = self.engine.catalog.spaces.totals().passages
        return Wanted(query, narrowing, passages, scoring.LIMIT)

    def _one(self, query: Query) -> Evidence:
        wanted = self._wanted(query.text)
        searcher = self.engine.searcher
        found, ranked, scored, order = searcher.ranked(wanted, self.space)
        docs, owner = np.unique(ranked.docs, return_inverse=True)
        shipped = self._hits(wanted, ranked, scored, order)
        return Evidence(
            id=query.id,
            pages=ranked.pages,
            documents=found.evidence.of(docs),
            owner=owner,
            closer=found.where.look_closer(found.asked, ranked.keys),
            words=_of_leg(found, ranked.keys),
            places=self._places(ranked.keys),
            shipped=scoring.run_hits(shipped),
        )

    def _places(self, keys: NDArray[np.int64]) -> list[RunHit]:
        docs = docs_of(keys).tolist()
        files = self.engine.catalog.files.places(docs)
        columns = ("page_first", "char_start", "char_end")
        passages: dict[int, dict[str, Any]] = self.engine.store.passages_of(keys, columns)
        return [
            {
                "file": files[doc][0].relative,
                "page": passages[key]["page_first"],
                "start": passages[key]["char_start"],
                "end": passages[key]["char_end"],
            }
            for key, doc in zip(keys.tolist(), docs, strict=True)
        ]


def _of_leg(found: Found, keys: NDArray[np.int64]) -> Floats:
    """The scores of the leg that looks for the words of the whole query."""
    best = found.words.result()
    scores = np.zeros(len(keys), np.float32)
    scores[np.searchsorted(keys, best.keys)] = best.scores
    return scores
