"""Computes which documents a query means, by similarity, words and years of names, and words.

Names are read from the catalog at query time, so a rename is effective at once.
"""

from __future__ import annotations

import os
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from indexer.arrays import Float32s, Int32s, find_sorted, united
from indexer.catalog.names import stem_of
from indexer.search.fusion import NAME_FLOOR, DocumentEvidence, clarity, relative, score_documents
from indexer.search.score_normalisation import CosineScale
from indexer.text.name_words import (
    YEARS,
    abbreviations,
    last_year,
    name_tokens,
    query_name_tokens,
    year_tokens,
)
from indexer.text.terms import words

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.search.document_names import NameVectors, NameWords
    from indexer.search.fusion import Weights
    from indexer.search.lexicon import LexiconReader
    from indexer.search.query_terms import QueryTerms
    from indexer.store.values import DocSet


# The number of documents that are scored by words; clarity needs two of them.
MAX_DOCUMENTS = 200
# The number of likely documents, inside which passages are retrieved too. With less than
# ``LIKELY_FROM`` evidence a document is not likely, and searching inside it would only cost time.
LIKELY, LIKELY_FROM = 4, 0.4
# A word names a document if it occurs there more than once, and in at most this many documents and
# this share of them.
FEW_DOCUMENTS = 3
FEW_SHARE = 0.03
# The weight of a folder's name, which describes a file less precisely than the file's own.
FOLDER_SHARE = 0.7
# Names count from a similarity of the nearest one above ``FAR_NAME``, and fully from ``NEAR_NAME``.
FAR_NAME, NEAR_NAME = 0.2, 0.4
# The year penalty for a document of a later year, which also reports on earlier ones.
LATER_YEAR = 0.5


class ScoredDocs(Struct, frozen=True):
    """Documents in ascending order and their scores; others have the score 0."""

    docs: Int32s
    scores: Float32s

    @classmethod
    def of(cls, docs: Int32s, scores: Float32s) -> ScoredDocs:
        """Sort documents that are in any order."""
        order = np.argsort(docs)
        return cls(docs[order], scores[order])

    def lookup(self, docs: Int32s) -> Float32s:
        """The scores of given documents: (n,) to (n,)."""
        scores = np.zeros(len(docs), np.float32)
        at, found = find_sorted(self.docs, docs)
        scores[found] = self.scores[at]
        return scores


_NONE = ScoredDocs(np.zeros(0, np.int32), np.zeros(0, np.float32))


class LibraryEvidence(Struct, frozen=True):
    """Evidence about all documents of a library for one query.

    ``counts`` has an array for each word of the query: how often it occurs in each document,
    indexed by document; do not change it. ``documents`` is the number of documents in the library.
    ``named`` is how much of a name the query has.
    """

    name_words: ScoredDocs
    words: ScoredDocs
    year: ScoredDocs
    clarity: float
    counts: tuple[Float32s, ...] = ()
    documents: int = 0
    named: float = 0.0
    name_meaning: ScoredDocs = _NONE
    opening: ScoredDocs = _NONE

    def lookup(self, docs: Int32s) -> DocumentEvidence:
        """The evidence of given documents, in their order."""
        return DocumentEvidence(
            name_meaning=self.name_meaning.lookup(docs),
            name_words=self.name_words.lookup(docs),
            words=self.words.lookup(docs),
            year=self.year.lookup(docs),
            opening=self.opening.lookup(docs),
            clarity=self.clarity,
            named=self.named,
        )

    def known(self) -> Int32s:
        """All documents with evidence, ascending."""
        return united([part.docs for part in (self.name_meaning, self.name_words, self.words)])

    def best_by_words(self) -> Int32s:
        """The documents with evidence by words, best first."""
        return self.words.docs[np.argsort(-self.words.scores, kind="stable")]


def word_evidence(terms: QueryTerms, reading: LexiconReader) -> LibraryEvidence:
    """Compute the evidence for documents by words; ``with_similarity`` adds evidence by vectors.

    Function words do not count. If most words of a query do not occur in the library, for example
    because it is in another language, the others match by chance. So the evidence is multiplied by
    the square of the share of words that occur.
    """
    docs, scores = reading.document_scores(terms.naming, limit=MAX_DOCUMENTS)
    asked = dict.fromkeys((*query_name_tokens(terms.text), *chain(*terms.instead.values())))
    named, name_scores = reading.names.scores(list(asked), abbreviations(terms.text))
    return LibraryEvidence(
        name_words=ScoredDocs(named, relative(name_scores, NAME_FLOOR)),
        words=ScoredDocs.of(docs, relative(scores) * np.float32(terms.coverage**2)),
        year=_year_penalties(last_year(terms.text), reading.names),
        clarity=clarity(scores),
        counts=tuple(reading.counts(group) for group in terms.expansions),
        documents=reading.documents,
    )


def with_names(
    evidence: LibraryEvidence, terms: QueryTerms, names: frozenset[str], reading: LexiconReader
) -> LibraryEvidence:
    """Add the evidence of words that identify a document; ``names`` were removed from the terms.

    If these words alone have more clarity, they replace the evidence of all words.
    """
    evidence = replace(evidence, named=terms.named)
    groups = [group for group in terms.naming if not names.isdisjoint(group)]
    docs, scores = reading.document_scores(groups, limit=MAX_DOCUMENTS)
    clear = clarity(scores)
    if clear <= evidence.clarity:
        return evidence
    words = ScoredDocs.of(docs, relative(scores) * np.float32(terms.coverage**2))
    return replace(evidence, words=words, clarity=clear)


def with_similarity(
    evidence: LibraryEvidence, vector: Float32s, names: NameVectors, space: Space
) -> LibraryEvidence:
    """Add the similarity of each document's best name in ``space`` to the whole query, (dim,).

    It counts only if a name is near, as any query is a little nearer to some names than to others.
    """
    owned = names.current(space.id)
    if owned is None:
        return evidence
    similarity = CosineScale.from_space(space).scaled(owned.vectors.products(vector))
    best = owned.best(similarity, FOLDER_SHARE)
    near = (float(best.max(initial=0.0)) - FAR_NAME) / (NEAR_NAME - FAR_NAME)
    meaning = ScoredDocs(owned.docs, best * np.float32(min(max(near, 0.0), 1.0)))
    return replace(evidence, name_meaning=meaning)


def likely_documents(evidence: LibraryEvidence, allowed: DocSet | None, weights: Weights) -> Int32s:
    """The likely documents among the allowed ones, best first; ``allowed`` is None for all."""
    docs = evidence.known()
    if allowed is not None:
        docs = docs[allowed.keeps(docs)]
    scores = score_documents(evidence.lookup(docs), weights)
    likely = np.flatnonzero(scores >= LIKELY_FROM)
    return docs[likely[np.argsort(-scores[likely], kind="stable")[:LIKELY]]]


def naming_words(docs: Int32s, catalog: Catalog) -> frozenset[str]:
    """The folded words of documents' titles and of their files' names."""
    numbers = docs.tolist()
    found = [word for row in catalog.docs.docs_by_id(numbers).values() for word in words(row.title)]
    for places in catalog.files.by_document(numbers).values():
        files = (os.fsencode(PurePath(place.relative).name) for place in places)
        found += [word for file in files for word in name_tokens(stem_of(file))]
    return frozenset(found)


def rare_words(docs: Int32s, terms: QueryTerms, evidence: LibraryEvidence) -> frozenset[str]:
    """The words of the query that occur repeatedly in these documents and in hardly any other.

    They identify a document like its name; a word that occurs once identifies a page.
    """
    few = min(FEW_DOCUMENTS, int(FEW_SHARE * evidence.documents))
    return frozenset(
        word
        for asked, group, counts in zip(terms.words, terms.expansions, evidence.counts, strict=True)
        if asked not in terms.function
        and (counts[docs] > 1.0).any()
        and np.count_nonzero(counts) <= few
        for word in group
    )


def _year_penalties(year: int | None, names: NameWords) -> ScoredDocs:
    """Penalties of documents whose names have only earlier, or only later, years than the query."""
    if year is None:
        return _NONE
    before, here, after = (
        names.docs(year_tokens(years))
        for years in (range(YEARS.start, year), range(year, year + 1), range(year + 1, YEARS.stop))
    )
    older = np.setdiff1d(before, np.union1d(here, after))
    younger = np.setdiff1d(after, np.union1d(here, before))
    scores = np.concatenate([np.ones(len(older)), np.full(len(younger), LATER_YEAR)])
    return ScoredDocs.of(np.concatenate([older, younger]), scores.astype(np.float32))
