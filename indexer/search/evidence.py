"""Which documents a query means: likeness, words and years of names, words of texts.

Owns the gathering of document evidence for ``indexer.search.fusion``. Names are bound late: they
are read from the catalog at every query, so a rename counts at once. It must not rank passages.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from indexer.catalog.names import stem_of
from indexer.search.fusion import NAME_FLOOR, DocumentEvidence, clarity, relative
from indexer.text.name_words import YEARS, last_year, of_name, of_query, year_words
from indexer.text.terms import words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.catalog import Catalog, Space
    from indexer.catalog.lexicon import Lexicon, Reading
    from indexer.search.query_terms import Asked

    Docs = NDArray[np.int32]
    Floats = NDArray[np.float32]

# Documents looked at by words; the second best is what clarity needs, the rest get their score.
DOCUMENTS = 200
# The name of a folder says less about one of its files than the file's own name.
FOLDER_SHARE = 0.7
# A document of a later year than the one asked for tells of that one too.
LATER = 0.5


@dataclass(frozen=True, slots=True)
class ScoredDocs:
    """Documents in ascending order and a score for each; documents not listed score 0."""

    docs: Docs
    scores: Floats

    def of(self, docs: Docs) -> Floats:
        """The scores of given documents: (n,) to (n,)."""
        if not len(self.docs):
            return np.zeros(len(docs), np.float32)
        at = np.minimum(np.searchsorted(self.docs, docs), len(self.docs) - 1)
        return np.where(self.docs[at] == docs, self.scores[at], np.float32(0.0))


_NONE = ScoredDocs(np.zeros(0, np.int32), np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True)
class Library:
    """Evidence about all documents of a library for one query.

    ``counts`` are, for each word of the query, how often it occurs in each document, indexed by
    document; they must not be changed.
    """

    name_words: ScoredDocs
    words: ScoredDocs
    year: ScoredDocs
    clarity: float
    counts: tuple[Floats, ...] = ()
    name_meaning: ScoredDocs = _NONE

    def of(self, docs: Docs) -> DocumentEvidence:
        """The evidence of given documents, in their order."""
        return DocumentEvidence(
            name_meaning=self.name_meaning.of(docs),
            name_words=self.name_words.of(docs),
            words=self.words.of(docs),
            year=self.year.of(docs),
            clarity=self.clarity,
        )

    def known(self) -> Docs:
        """Every document that has any evidence, ascending."""
        return np.unique(
            np.concatenate([part.docs for part in (self.name_meaning, self.name_words, self.words)])
        )


def gather(asked: Asked, catalog: Catalog, reading: Reading) -> Library:
    """Collect what words say for documents; ``likened`` adds what vectors say.

    Args:
        asked: The query.
        catalog: Knows the names and their words.
        reading: Knows the words of documents.
    """
    docs, scores = reading.document_scores(asked.groups, limit=DOCUMENTS)
    named, name_scores = catalog.lexicon.name_scores(of_query(asked.text))
    return Library(
        name_words=ScoredDocs(named, relative(name_scores, NAME_FLOOR)),
        words=_ordered(docs, relative(scores)),
        year=_of_other_years(last_year(asked.text), catalog.lexicon),
        clarity=clarity(scores),
        counts=tuple(reading.counts(group) for group in asked.groups),
    )


def likened(library: Library, vector: Floats, catalog: Catalog, space: Space) -> Library:
    """Add the likeness of names to a query.

    Args:
        library: What is known of documents so far.
        vector: The whole query's, (dim,), in ``space``.
        catalog: Knows the names.
        space: Whose vectors of names are compared.
    """
    return replace(library, name_meaning=_likeness(vector, catalog, space))


def identity(docs: Docs, catalog: Catalog) -> frozenset[str]:
    """The folded words that documents go by: of their titles and their files' names."""
    numbers = docs.tolist()
    found = [word for row in catalog.docs.get(numbers).values() for word in words(row.title)]
    for places in catalog.files.places(numbers).values():
        files = (os.fsencode(PurePath(place.relative).name) for place in places)
        found += [word for file in files for word in of_name(stem_of(file))]
    return frozenset(found)


def _of_other_years(year: int | None, lexicon: Lexicon) -> ScoredDocs:
    """Documents whose names have years, but not the one that is asked for nor years around it."""
    if year is None:
        return _NONE
    before, here, after = (
        lexicon.named(year_words(years))
        for years in (range(YEARS.start, year), range(year, year + 1), range(year + 1, YEARS.stop))
    )
    older = np.setdiff1d(before, np.union1d(here, after))
    younger = np.setdiff1d(after, np.union1d(here, before))
    scores = np.concatenate([np.ones(len(older)), np.full(len(younger), LATER)])
    return _ordered(np.concatenate([older, younger]), scores.astype(np.float32))


def _likeness(vector: Floats, catalog: Catalog, space: Space) -> ScoredDocs:
    """The cosine of the query and each document's best name; folders count for less."""
    names, vectors = catalog.names.vectors(space.id)
    links = catalog.names.links()
    if not len(names) or not len(links.name):
        return _NONE
    cosines = (vectors @ vector).astype(np.float32, copy=False)
    at = np.minimum(np.searchsorted(names, links.name), len(names) - 1)
    share = np.where(links.depth == 0, np.float32(1.0), np.float32(FOLDER_SHARE))
    scores = np.where(names[at] == links.name, cosines[at] * share, np.float32(0.0))
    docs, place = np.unique(links.doc, return_inverse=True)
    best = np.full(len(docs), -1.0, np.float32)
    np.maximum.at(best, place, scores)
    return ScoredDocs(docs.astype(np.int32), best)


def _ordered(docs: Docs, scores: Floats) -> ScoredDocs:
    order = np.argsort(docs)
    return ScoredDocs(docs[order], scores[order])
