"""The pages of one document by their closeness to a query, from the vectors that are stored.

Every passage of the document is scored by its words and its meaning as a search scores it; what a
search adds for whole documents is the same for all pages and left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import WorldError
from indexer.query.focus import question
from indexer.search.candidates import Retriever
from indexer.search.evidence import naming_words
from indexer.search.fusion import DocumentEvidence, fuse
from indexer.search.query_terms import languages_of, prepare_terms
from indexer.store.values import DocSet, key_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.catalog.records import DocRow, Space
    from indexer.query.grammar import Query
    from indexer.search.search import Searcher
    from indexer.search.similar import Similar

    Floats = NDArray[np.float32]
    Keys = NDArray[np.int64]

# Two digits are more than a colour shows.
DIGITS = 2


@dataclass(frozen=True, slots=True)
class PageMapper:
    """Maps documents of one library. Thread-safe."""

    searcher: Searcher
    similar: Similar

    def map(self, query: Query, path: Path) -> tuple[float, ...]:
        """See ``indexer.api.requests.MapPages``.

        Raises:
            WorldError: ``not_a_root``, if the library has no such file.
        """
        catalog, store = self.searcher.catalog, self.searcher.store
        known, space = catalog.coverage.document(path), catalog.spaces.active()
        if known is None:
            raise WorldError("not_a_root", path=str(path))
        doc = known[2]
        if doc is None or space is None or not (query.terms or query.filters.like):
            return ()
        keys = np.array([key_of(doc.doc, ordinal) for ordinal in range(doc.passages)], np.int64)
        if query.filters.like:
            scores = self.similar.closeness(query, space, keys)
        else:
            scores = self._closeness(query, doc, space, keys)
        rows = store.passages_of(keys, ("page_first", "page_last"))
        best = np.zeros(doc.pages, np.float32)
        for key, score in zip(keys.tolist(), scores, strict=True):
            if key in rows:
                pages = slice(rows[key]["page_first"] - 1, rows[key]["page_last"])
                best[pages] = np.maximum(best[pages], score)
        return tuple(round(float(share), DIGITS) for share in scaled(best))

    def _closeness(self, query: Query, doc: DocRow, space: Space, keys: Keys) -> Floats:
        """Score passages, (n,), by the words and the meaning of a query."""
        searcher = self.searcher
        lexicon, languages = searcher.lexicon, languages_of(searcher.catalog)
        with lexicon.reading() as reading:
            passages = searcher.catalog.spaces.totals().passages
            terms = prepare_terms(query, lexicon, reading, languages, passages)
        names = naming_words(np.array([doc.doc], np.int32), searcher.catalog)
        terms = terms.within(question(query.text, names)).without_names(names)
        part = terms.asked if terms.has_context else ""
        whole, asked = (searcher.encode(query.text, space, one) for one in ("", part))
        vectors, _notes = searcher.vectors(whole, asked, space)
        inside = DocSet.from_docs([doc.doc])
        retriever = Retriever(searcher.store, space.key, inside, searcher.pool)
        evidence = retriever.evidence(terms, vectors, keys)
        none = np.zeros(1, np.float32)
        document = DocumentEvidence(none, none, none, none, none, 0.0)
        scored = fuse(evidence.pages, document, np.zeros(len(keys), np.intp), searcher.weights)
        scores: Floats = scored.meaning + scored.words
        return scores


def scaled(scores: Floats) -> Floats:
    """Scores as shares of the way from the usual one to the best: (n,) to (n,), 0 to 1."""
    if not len(scores):
        return scores
    usual, best = float(np.median(scores)), float(scores.max())
    if best <= usual:
        return np.zeros_like(scores)
    shares: Floats = np.clip((scores - usual) / (best - usual), 0.0, 1.0, dtype=np.float32)
    return shares
