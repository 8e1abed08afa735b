"""Tells which document a query means from what it asks.

Words of names, words that hardly any other document has, and names in a document's first lines say
which one is meant; what is left of the query is its question. Owns the order of these steps. It
must not search for passages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.query.focus import question
from indexer.search.evidence import (
    LibraryEvidence,
    likely_documents,
    naming_words,
    rare_words,
    with_names,
    word_evidence,
)
from indexer.search.openings import read_openings
from indexer.search.query_terms import QueryTerms, languages_of, prepare
from indexer.search.unknown_names import unknown_names

if TYPE_CHECKING:
    from indexer.api.phrases import Note
    from indexer.catalog.records import Space
    from indexer.search.lexicon import LexiconReader
    from indexer.search.narrowing import SearchRequest
    from indexer.search.search import Searcher


@dataclass(frozen=True, slots=True)
class FocusedQuery:
    """The terms of a query, without names in its question, and the evidence for documents.

    ``notes`` say which names the library lacks.
    """

    terms: QueryTerms
    evidence: LibraryEvidence
    notes: tuple[Note, ...]


def focus(
    request: SearchRequest, space: Space, searcher: Searcher, reading: LexiconReader
) -> FocusedQuery:
    """Separate the words of a query that name a document from its question.

    Args:
        request: The query.
        space: Its model says whether a query may be in another language than the documents.
        searcher: Has the library and the weights of documents.
        reading: The library's words.
    """
    query, catalog, store = request.query, searcher.catalog, searcher.store
    terms = prepare(query, searcher.lexicon, reading, languages_of(catalog), request.passages)
    if len(space.languages) < 2:
        # Words are all that such a model leaves to a question in another language.
        terms = replace(terms, coverage=1.0, across=False)
    evidence = word_evidence(terms, reading)
    openings = read_openings(store, searcher.openings, terms, evidence.best_by_words())
    notes = unknown_names(terms, openings.words, reading, store)
    evidence = replace(evidence, opening=openings.evidence(terms.coverage))
    likeliest = likely_documents(evidence, request.narrowing.docs, searcher.weights)[:1]
    rare = rare_words(likeliest, terms, evidence)
    names = naming_words(likeliest, catalog) | openings.naming_words(likeliest)
    terms = terms.within(question(query.text, names | rare))
    terms = terms.without_names(names, rare, openings.capitals_of(likeliest))
    if terms.names_removed:
        evidence = with_names(evidence, terms, names | rare, reading)
    return FocusedQuery(terms, evidence, notes)
