"""Decides whether a library answers a query, or its best hits are merely the closest passages.

A ranking score only compares passages with each other. Whether the best one is good is estimated
from features of the leading hits, with their names, titles and passages:

* *Meaning.* The similarity of the best hit, in deviations from that of a cohort of unrelated
  questions in this library (``indexer.search.score_normalisation``), and the similarity of the
  passages around it.
* *The page.* The share of the query's words, by idf, in the leading passage.
* *Out of vocabulary.* Words that do not occur in the library. A missing word of two ("landlord
  obligations") may just be a synonym, so a short query counts as one of ``MIN_WORDS``.
* *Names.* The share of the query's names that the document of the first hit has neither in its
  name nor in its leading passages: every contract has the requested clause, but only one is with
  Acme. The weight is the similarity of the library's documents to each other. If no two are
  similar, the subject alone identifies the document.
* *Years.* Three yearly reports of one company differ in little else.
* *Clarity.* How far the document of the first hit leads all others by the words of the query. Its
  weight is that of names.
* *Named.* A query that names a document has fewer other words.

A logistic regression weighs them. The scores of answers differ by library: among rule books any two
pages are similar. So a score is compared with the library's baseline, which is the score of its own
sentences (``indexer.search.calibration``), less a margin, as people do not ask in the words of the
answer. With a model of many languages, the library's own sentences score far above all questions,
whether questions score high or low; there the threshold is the same for every library.

If the best hit is in another language than the query, words say nothing. Then the similarity has
its own threshold: its lead over the usual similarity between the two languages. Hits that unrelated
questions may find as well are merely the closest passages.
"""

from __future__ import annotations

import math
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import astuple

from indexer.api.types import Match
from indexer.search.fusion import FAMILIAR
from indexer.search.named_entities import DocumentProfile, named_in, years_in
from indexer.search.query_expansion import clear_language
from indexer.search.query_terms import idf
from indexer.search.rerank import NEAREST_HEADINGS
from indexer.text.terms import word_spans, words

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from indexer.api.types import Also, Hit
    from indexer.arrays import Float32s
    from indexer.search.named_entities import NamedEntities
    from indexer.search.query_terms import QueryTerms
    from indexer.store.values import DocSet


# The most deviations by which documents are similar to each other; more count as this many.
MOST_DEVIATIONS = 4.0
# The penalty if only the text has the requested year: reports compare and look ahead.
OTHER_YEAR = 0.4
MIN_WORDS = 4
# The penalty for a document without a year, which may be of the requested year.
NO_YEAR = 0.5
# Down to this far below the threshold an answer is possible: odds of three to one.
UNSURE = math.log(3.0)
# The log odds of one deviation of meaning, if query and hit are in different languages.
FOREIGN_SLOPE = 2.4
# The deviations that few unrelated questions reach with text in another language.
UNRELATED = 1.0
# The weight of a missing name where no two documents are similar.
LEAST_NAME_WEIGHT = 0.3


class AnswerabilityFeatures(Struct, frozen=True):
    """The evidence for and against an answer. Values are from 0 to 1, except deviations.

    Attributes:
        meaning: The similarity of the best hit in deviations from the library's cohort. For a hit
            in another language its lead, see ``indexer.search.score_normalisation.Cohort``.
        page: The share of the query's words, by idf, in the passage of the best hit.
        out_of_vocabulary: The share of the query in words that do not occur in the library.
        names: The share of the query's names that is missing, times their weight in this library.
        year: 0 if the document is of the query's year, up to 1 if it is of another one.
        clarity: How far the document of the best hit leads all others by words, times the weight
            of names in this library.
        around: The mean similarity of the passages before and after, in deviations.
        named: ``QueryTerms.named``: how much of a document's name the query has.
        same_language: Whether the best hit is in the query's language; else only ``meaning``
            counts.
    """

    meaning: float
    page: float
    out_of_vocabulary: float
    names: float
    year: float
    clarity: float
    around: float
    named: float = 0.0
    same_language: bool = True


class AnswerabilityClassifier(Struct, frozen=True):
    """A logistic regression with a weight for each feature, in log odds.

    Attributes:
        margin: How far an answer may score below the library's baseline.
        foreign: The threshold of meaning for hits in another language, in deviations.
        own: The share of the baseline that is subtracted.
    """

    meaning: float
    page: float
    out_of_vocabulary: float
    names: float
    year: float
    clarity: float
    around: float
    named: float
    margin: float
    foreign: float = 0.0
    own: float = 1.0

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights of the features, in the order of the features."""
        return astuple(self)[:-3]

    def score(self, features: AnswerabilityFeatures) -> float:
        """The log odds of an answer, without a constant that differs by library."""
        values = astuple(features)[:-1]
        return math.fsum(w * value for w, value in zip(self.weights, values, strict=True))

    def lead(self, features: AnswerabilityFeatures, baseline: float) -> float:
        """How far a query is above the threshold, in log odds.

        Args:
            features: Of the query.
            baseline: The library's baseline; see ``indexer.search.calibration``.
        """
        if not features.same_language:
            return FOREIGN_SLOPE * (features.meaning - self.foreign)
        return self.score(features) - self.own * baseline + self.margin

    def match(
        self, features: AnswerabilityFeatures, baseline: float, telling: float = 0.0
    ) -> Match:
        """Whether the best hits are likely an answer; see ``lead``.

        Args:
            features: Of the query.
            baseline: The library's baseline.
            telling: The lead from which answers differ from passages that are merely close.
        """
        lead = self.lead(features, baseline)
        if lead >= 0.0:
            # The library's sentences do not name documents, so ``telling`` is not valid for queries
            # that do.
            told = lead >= telling or features.named > 0.0
            if not features.same_language:
                told = features.meaning >= UNRELATED
            return Match.GOOD if told else Match.CLOSEST
        return Match.PERHAPS if lead >= -UNSURE else Match.NONE


DEFAULT_CLASSIFIER = AnswerabilityClassifier(
    meaning=0.58, page=3.2, out_of_vocabulary=-5.9, names=-5.0, year=-9.7, clarity=7.2,
    around=0.35, named=1.3, margin=5.2,
)  # fmt: skip
# For models of many languages. Most languages inflect more than English, so that more words of a
# question seem to be missing, and fewer are in one document.
LANGUAGES_CLASSIFIER = AnswerabilityClassifier(
    meaning=1.4, page=8.0, out_of_vocabulary=-2.4, names=-6.6, year=-3.2, clarity=0.0, around=0.0,
    named=6.4, margin=-3.7, foreign=-0.5, own=0.0,
)  # fmt: skip


def classifier_for(languages: Collection[str]) -> AnswerabilityClassifier:
    """The classifier for a model that reads some languages."""
    return LANGUAGES_CLASSIFIER if len(languages) > 1 else DEFAULT_CLASSIFIER


def weight_share(weights: Sequence[float], chosen: Sequence[bool], least: float = 0.0) -> float:
    """The weight of some words as a share of the weight of all, 0 to 1; 0 if no word has weight.

    Args:
        weights: The weight of each word.
        chosen: Whether each word is one of the chosen ones.
        least: A lower bound for the weight of all.
    """
    total = max(math.fsum(weights), least)
    found = math.fsum(weight for weight, one in zip(weights, chosen, strict=True) if one)
    return found / total if total > 0.0 else 0.0


def name_weight(between_documents: float) -> float:
    """The weight of a missing name, ``LEAST_NAME_WEIGHT`` to 1.

    Args:
        between_documents: The usual similarity of a passage to other documents, in deviations from
            the library's cohort.
    """
    share = min(max(between_documents, 0.0), MOST_DEVIATIONS) / MOST_DEVIATIONS
    return LEAST_NAME_WEIGHT + (1.0 - LEAST_NAME_WEIGHT) * share


def missing(
    named: NamedEntities,
    idfs: Mapping[str, float],
    most: float,
    documents: Sequence[DocumentProfile],
    forms: Mapping[str, Sequence[str]],
) -> tuple[float, float]:
    """The shares of a query's names and of its year that are missing, each 0 to 1.

    If several documents have the first hit's passage, the one that misses least in total counts:
    the name in one and the year in another do not make a report of that company for that year.

    Args:
        named: The query's names and its year.
        idfs: The idf of its words.
        most: The idf of words that do not occur, used for words that are not in ``idfs``.
        documents: The documents of the first hit, at least one.
        forms: The forms of words that may occur in another form than in the query.
    """
    found = [(word, name) for name in named.names for word in name]
    weights = [idfs.get(word, most) for word, _ in found]

    def has(one: DocumentProfile, word: str, name: tuple[str, ...]) -> bool:
        return any(one.has(form, name) for form in forms.get(word, (word,)))

    # The weight is that of the rarest word, so that a missing "Ltd" hardly counts.
    weight = min(max(weights) / most, 1.0) if found and most > 0.0 else 0.0
    pairs = [
        (
            weight * (1.0 - weight_share(weights, [has(one, *pair) for pair in found])),
            _missing_year(named.year, one),
        )
        for one in documents
    ]
    return min(pairs, key=sum)


def _missing_year(year: str, document: DocumentProfile) -> float:
    """The penalty for a document's year; a report of 2019 also answers for 2018."""
    if not year or year in document.years:
        return 0.0
    if year in document.text_years:
        return OTHER_YEAR if document.years else 0.0
    return 1.0 if document.years else NO_YEAR


# The number of hits whose passages may describe the first hit's document.
LEADING = 5
# A query of at most this many words asks where these occur.
SHORT = 2
# If a smaller share of its words is in the library, a query is in none of the library's languages.
UNFAMILIAR = 1 / 3


class Similarity(Struct, frozen=True):
    """How similar the best hit is to a query, in deviations from the cohort except for ``clarity``.

    Attributes:
        meaning: The similarity of the best hit.
        around: The mean similarity of the passages before and after.
        between_documents: The usual similarity of passages to other documents.
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
    document_counts: Sequence[Float32s],
    docs: DocSet | None,
    hits: Sequence[Hit],
    similarity: Similarity,
) -> AnswerabilityFeatures:
    """Compute the features of a query.

    Args:
        terms: The terms of the query.
        document_counts: How often each of its words occurs in each document, indexed by document.
        docs: Which documents may answer; None for all.
        hits: The best first, at least one, with their whole text.
        similarity: The similarity of the best hit.
    """
    counts = _occurrences(terms, document_counts, docs)
    idfs = [idf(count, terms.passages) for count in counts]
    named = named_in(terms.text)
    # One passage is enough for queries without a name, as most short ones are.
    leading = hits[: LEADING if named.names or named.year else 1]
    first_paths = _paths(hits[0])
    read = [_HitText.from_hit(hit) for hit in leading if not first_paths.isdisjoint(_paths(hit))]
    most = idf(0.0, terms.passages)
    by_word = dict(zip(terms.words, idfs, strict=True))
    # Most languages inflect names, and German capitalises every noun.
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


def has_every_word(terms: QueryTerms, hit: Hit) -> bool:
    """Whether a hit has all words of a query of one or two words, not counting function words."""
    wanted = terms.naming
    short = len(wanted) <= SHORT or len(word_spans(terms.text)) <= SHORT  # a code has several words
    if not wanted or not short:
        return False
    found = _HitText.from_hit(hit).words
    return not any(map(found.isdisjoint, wanted))


def is_foreign(terms: QueryTerms, language: str) -> bool:
    """Whether a query is in another language than a document in ``language``.

    If the language of a short question is uncertain, the result is whether the library lacks most
    of its words.
    """
    if not terms.across or not language or terms.coverage >= FAMILIAR:
        return False
    asked_in = clear_language(terms.text, terms.words)
    return asked_in != language if asked_in else terms.coverage < UNFAMILIAR


def _occurrences(
    terms: QueryTerms, document_counts: Sequence[Float32s], docs: DocSet | None
) -> Sequence[float]:
    """How often each word of the query occurs in the documents that may answer."""
    if docs is None or not document_counts:
        return terms.counts
    kept = docs.keeps(np.arange(len(document_counts[0]), dtype=np.int32))
    return [float(count[kept].sum()) for count in document_counts]


class _HitText(Struct, frozen=True):
    """A hit with the folded words and the years of its passage and nearest headings."""

    hit: Hit
    words: frozenset[str]
    years: frozenset[str]

    @classmethod
    def from_hit(cls, hit: Hit) -> _HitText:
        text = "\n".join((*hit.heading_path[-NEAREST_HEADINGS:], hit.text))
        return cls(hit, frozenset(words(text)), years_in(text))


def _profiles(found: Sequence[_HitText]) -> list[DocumentProfile]:
    """Describe the documents of the first hit, with the text of their passages among the hits."""
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
    """The name of a file, the name of its folder, and its title."""
    file = PurePosixPath(place.file)
    return f"{file.stem} {file.parent.name} {place.title}"
