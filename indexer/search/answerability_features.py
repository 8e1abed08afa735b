"""The answerability features of a query and its hits.

Owns their computation from what the hits hold already: names, titles, leading passages.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from indexer.search.answerability import (
    MIN_WORDS,
    AnswerabilityFeatures,
    missing,
    name_weight,
    weight_share,
)
from indexer.search.fusion import FAMILIAR
from indexer.search.named_entities import DocumentProfile, named_in, years_in
from indexer.search.query_language import clear_language
from indexer.search.query_terms import idf
from indexer.search.rerank import NEAREST_HEADINGS
from indexer.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.api.types import Also, Hit
    from indexer.search.query_terms import QueryTerms
    from indexer.store.values import DocSet

    Floats = NDArray[np.float32]

# Hits whose passages may describe the document of the first one.
LEADING = 5
# With a smaller share of its words in the library a query is in no language of its documents.
UNFAMILIAR = 1 / 3


@dataclass(frozen=True, slots=True)
class Similarity:
    """How similar the best hit is to a query; all but ``clarity`` in deviations from the cohort.

    Attributes:
        meaning: Its own similarity.
        around: The mean one of the passages before and after.
        between_documents: The usual one of passages to another document.
        clarity: How far its document leads all others by the words of the query, 0 to 1.
        same_language: Whether it is in the language of the query.
    """

    meaning: float
    around: float
    between_documents: float
    clarity: float
    same_language: bool = True


def answerability_features(
    terms: QueryTerms,
    document_counts: Sequence[Floats],
    docs: DocSet | None,
    hits: Sequence[Hit],
    similarity: Similarity,
) -> AnswerabilityFeatures:
    """Compute the features of a query.

    Args:
        terms: Of the query.
        document_counts: How often each of its words occurs in each document, indexed by document.
        docs: Which documents may answer; None for all.
        hits: The best first, at least one, with their whole text.
        similarity: Of the best.
    """
    counts = _occurrences(terms, document_counts, docs)
    idfs = [idf(count, terms.passages) for count in counts]
    named = named_in(terms.text)
    # Most short queries name nothing: one passage is enough then.
    leading = hits[: LEADING if named.names or named.year else 1]
    first_paths = _paths(hits[0])
    read = [_HitText.from_hit(hit) for hit in leading if not first_paths.isdisjoint(_paths(hit))]
    most = idf(0.0, terms.passages)
    by_word = dict(zip(terms.words, idfs, strict=True))
    # Names are inflected in most languages, and German writes every noun like one.
    forms = dict(zip(terms.words, terms.expansions, strict=True)) if terms.across else {}
    names, year = missing(named, by_word, most, _profiles(read), forms)
    held = [not read[0].words.isdisjoint(group) for group in terms.expansions]
    unknown = [count == 0.0 for count in counts]
    weight = name_weight(similarity.between_documents)
    return AnswerabilityFeatures(
        meaning=similarity.meaning,
        page=weight_share(idfs, held),
        out_of_vocabulary=weight_share(idfs, unknown, least=MIN_WORDS * most),
        names=names * weight,
        year=year,
        clarity=similarity.clarity * weight,
        around=similarity.around,
        named=terms.named,
        same_language=similarity.same_language,
    )


def is_foreign(terms: QueryTerms, language: str) -> bool:
    """Whether a query is in another language than a document in ``language``.

    The language of short questions is uncertain; then it is whether the library lacks most of their
    words.
    """
    if not terms.across or not language or terms.coverage >= FAMILIAR:
        return False
    asked_in = clear_language(terms.text, terms.words)
    return asked_in != language if asked_in else terms.coverage < UNFAMILIAR


def _occurrences(
    terms: QueryTerms, document_counts: Sequence[Floats], docs: DocSet | None
) -> Sequence[float]:
    """How often each word of the query occurs in the documents that may answer."""
    if docs is None or not document_counts:
        return terms.counts
    kept = docs.keeps(np.arange(len(document_counts[0]), dtype=np.int32))
    return [float(count[kept].sum()) for count in document_counts]


@dataclass(frozen=True, slots=True)
class _HitText:
    """A hit, and the folded words and the years of its passage and nearest headings."""

    hit: Hit
    words: frozenset[str]
    years: frozenset[str]

    @classmethod
    def from_hit(cls, hit: Hit) -> _HitText:
        text = "\n".join((*hit.heading_path[-NEAREST_HEADINGS:], hit.text))
        return cls(hit, frozenset(words(text)), years_in(text))


def _profiles(found: Sequence[_HitText]) -> list[DocumentProfile]:
    """The documents of the first of some hits, each with the text of its passages among them."""
    first = found[0].hit
    places: tuple[Hit | Also, ...] = (first, *first.also)
    profiles = {place.path: DocumentProfile.from_name(_full_name(place)) for place in places}
    for one in found:
        for path in profiles.keys() & _paths(one.hit):
            profiles[path] = profiles[path].with_text(one.words, one.years)
    return list(profiles.values())


def _paths(hit: Hit) -> set[str]:
    return {hit.path, *(place.path for place in hit.also)}


def _full_name(place: Hit | Also) -> str:
    """The name of a file, that of its folder, and its title."""
    file = PurePosixPath(place.file)
    return f"{file.stem} {file.parent.name} {place.title}"
