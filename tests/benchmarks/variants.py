"""Searches with one part left out, or with one part alone.

It knows what is left out and how; it must not know how answers are scored.
"""

from __future__ import annotations

from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from unittest import mock

from msgspec.structs import replace

from indexer.api.progress import CancelToken
from indexer.query.grammar import parse
from indexer.search.fusion import DEFAULT_WEIGHTS, Weights
from indexer.search.query_terms import languages_of, prepare_terms
from indexer.search.search import Searcher
from indexer.store.values import docs_of
from tests.benchmarks import scoring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from indexer.engine.engine import Engine
    from indexer.store.store import Store
    from indexer.store.values import ScoredKeys
    from tests.benchmarks.scoring import RunHit

    Ask = Callable[[str], list[RunHit]]

AS_IT_IS = "as it is"
_WEIGHTS = {
    AS_IT_IS: DEFAULT_WEIGHTS,
    "without sentence vectors": replace(DEFAULT_WEIGHTS, sentence=0.0),
    "sentence vectors without pooled ones": replace(DEFAULT_WEIGHTS, sentence=1.0),
    "without the words of passages": replace(DEFAULT_WEIGHTS, words=0.0),
    "without document evidence": replace(
        DEFAULT_WEIGHTS, name_meaning=0.0, name_words=0.0, document_words=0.0
    ),
    "without names": replace(DEFAULT_WEIGHTS, name_meaning=0.0, name_words=0.0),
}


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to answer; ``opened`` is a context manager that yields it."""

    label: str
    opened: Callable[[], AbstractContextManager[Ask]]


def variants(engine: Engine) -> Iterator[Variant]:
    """Yield the variants to compare, the unchanged search first."""
    for label, weights in _WEIGHTS.items():
        yield Variant(label, partial(searching, engine, engine.store, weights))
    yield Variant("question not split off", partial(_unsplit, engine))
    single = SingleRetrievers(engine, engine.store)
    yield Variant("meaning alone (pooled vectors)", lambda: nullcontext(single.meaning))
    yield Variant("words alone (BM25 of stems)", lambda: nullcontext(single.words))


@contextmanager
def searching(engine: Engine, store: Store, weights: Weights = DEFAULT_WEIGHTS) -> Iterator[Ask]:
    """The engine's search over another store, or with other weights."""
    searcher = Searcher(engine.catalog, store, engine.models, weights)

    def ask(text: str) -> list[RunHit]:
        found = searcher.search(
            parse(text), limit=scoring.LIMIT, token=CancelToken(), explain=False, full_text=True
        )
        return scoring.run_hits(found.hits)

    with closing(searcher):
        yield ask


@contextmanager
def _unsplit(engine: Engine) -> Iterator[Ask]:
    """The engine's search, which takes every query as one question."""
    whole = mock.patch("indexer.search.search.question", lambda text, _names: text)
    with whole, searching(engine, engine.store) as ask:
        yield ask


@dataclass(frozen=True, slots=True)
class SingleRetrievers:
    """Each retriever's own list, as the store returns it."""

    engine: Engine
    store: Store

    def meaning(self, text: str) -> list[RunHit]:
        space = self.engine.catalog.spaces.active()
        assert space is not None
        vector = self.engine.models.query(space.record).encode_query(parse(text).text)
        return self._placed(self.store.knn(space.key, vector, scoring.LIMIT))

    def words(self, text: str) -> list[RunHit]:
        query, catalog = parse(text), self.engine.catalog
        passages = catalog.spaces.totals().passages
        lexicon = self.engine.searcher.lexicon
        with lexicon.reading() as reading:
            found = prepare_terms(query, lexicon, reading, languages_of(catalog), passages)
        return self._placed(self.store.match(found.terms, scoring.LIMIT))

    def _placed(self, found: ScoredKeys) -> list[RunHit]:
        docs = docs_of(found.keys).tolist()
        places = self.engine.catalog.files.by_document(docs)
        passages = self.store.texts.passages(found.keys)
        return [
            {
                "file": places[doc][0].relative,
                "page": passages[key].page_first,
                "start": passages[key].char_start,
                "end": passages[key].char_end,
            }
            for key, doc in zip(found.keys.tolist(), docs, strict=True)
        ]
