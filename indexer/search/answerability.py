"""Whether a library answers a query, or its best hits are only the closest there are.

A ranking score compares passages with each other; whether the best of them is good is told by
features, which are computed from what the hits hold already, names, titles and leading passages:

* *Meaning.* The similarity of the best hit, in deviations from what a cohort of unrelated
  questions reaches in this library (``indexer.search.score_normalisation``), and that of the
  passages around it.
* *The page.* How much of the query the leading passage holds, each word by its idf.
* *Out of vocabulary.* Words that do not occur in the library. One of two ("landlord obligations")
  may only be a synonym of what is there, so a short query counts as one of ``MIN_WORDS``.
* *Names.* The share of the query's names that the document of the first hit neither has in its
  name nor in its leading passages: the clause asked for stands in every contract, but only one is
  with Acme. It counts by how similar the library's documents are to each other; where no two are,
  the subject alone says which one is meant.
* *Years.* Three yearly reports of one company differ in little else.
* *Clarity.* How far the document of the first hit leads all others by the words of the query. It
  counts as names do.
* *Named.* A query that says by name which document it means is short of other words for it.

They are weighed by a logistic regression. What an answer scores differs by library: among rule
books any two pages are similar. So scores are compared with the library's baseline, which is what
its own sentences score (``indexer.search.calibration``), less a margin: people do not ask in the
words of the answer. With a model of many languages own sentences score far above all questions, and
no more where questions do; there the threshold is the same for every library.

Where the best hit is in another language than the query, words tell nothing, and the similarity has
a threshold of its own: how far it leads what is usual between the two languages. What unrelated
questions may reach as well is only the closest.
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


# Documents that are so many deviations similar are as similar as can be.
MOST_DEVIATIONS = 4.0
# A document of another year that mentions the year asked for: reports compare and look ahead.
OTHER_YEAR = 0.4
MIN_WORDS = 4
# A document without any year may be of the one asked for.
NO_YEAR = 0.5
# So far below the threshold it is not sure that there is no answer: odds of three to one.
UNSURE = math.log(3.0)
# The log odds of a deviation of meaning between two languages.
FOREIGN_SLOPE = 2.4
# Deviations that few unrelated questions reach where they find text in another language.
UNRELATED = 1.0
# The weight of a missing name where no two documents are similar.
LEAST_NAME_WEIGHT = 0.3


class AnswerabilityFeatures(Struct, frozen=True):
    """What speaks for an answer and against it; from 0 to 1 but for what is in deviations.

    Attributes:
        meaning: Of the best hit, in deviations from the library's cohort; in another language its
            lead, see ``indexer.search.score_normalisation.Cohort``.
        page: The share of the query that its passage holds.
        out_of_vocabulary: The share of the query in words that do not occur in the library.
        names: How much of the query's names is missing, times their weight in this library.
        year: How much the year of the query is missing.
        clarity: How far the document of the best hit leads all others by words, times the weight
            of names in this library.
        around: The mean similarity of the passages before and after, in deviations.
        named: How much of the query names a document; see ``QueryTerms``.
        same_language: Whether words of the query can be looked for in the best hit; if not, only
            ``meaning`` tells anything.
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
    """A logistic regression: a weight for each feature, as change of the log odds.

    Attributes:
        margin: How far an answer may score below the library's baseline.
        foreign: The threshold of meaning where only that tells, in deviations.
        own: The share of the baseline that counts.
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
        """Those of the features, in their order."""
        return astuple(self)[:-3]

    def score(self, features: AnswerabilityFeatures) -> float:
        """The log odds of an answer, but for a constant that differs by library."""
        values = astuple(features)[:-1]
        return math.fsum(w * value for w, value in zip(self.weights, values, strict=True))

    def lead(self, features: AnswerabilityFeatures, baseline: float) -> float:
        """How far a query is above the threshold, in log odds.

        Args:
            features: Of the query.
            baseline: Of the library; see ``indexer.search.calibration``.
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
            baseline: Of the library.
            telling: The lead of an answer that this library can tell from what is only close.
        """
        lead = self.lead(features, baseline)
        if lead >= 0.0:
            # Own sentences name no document, and tell nothing about questions that do.
            told = lead >= telling or features.named > 0.0
            if not features.same_language:
                told = features.meaning >= UNRELATED
            return Match.GOOD if told else Match.CLOSEST
        return Match.PERHAPS if lead >= -UNSURE else Match.NONE


DEFAULT_CLASSIFIER = AnswerabilityClassifier(
    meaning=0.58, page=3.2, out_of_vocabulary=-5.9, names=-5.0, year=-9.7, clarity=7.2,
    around=0.35, named=1.3, margin=5.2,
)  # fmt: skip
# For models of many languages. The others inflect more than English: more words of a question seem
# to stand nowhere, and fewer in one document.
LANGUAGES_CLASSIFIER = AnswerabilityClassifier(
    meaning=1.4, page=8.0, out_of_vocabulary=-2.4, names=-6.6, year=-3.2, clarity=0.0, around=0.0,
    named=6.4, margin=-3.7, foreign=-0.5, own=0.0,
)  # fmt: skip


def classifier_for(languages: Collection[str]) -> AnswerabilityClassifier:
    """The classifier for a model that reads some languages."""
    return LANGUAGES_CLASSIFIER if len(languages) > 1 else DEFAULT_CLASSIFIER


def weight_share(weights: Sequence[float], chosen: Sequence[bool], least: float = 0.0) -> float:
    """The share of some words in the weight of all, 0 to 1; 0 without any weight.

    Args:
        weights: Of each word.
        chosen: Which words are meant.
        least: A lower bound for the weight of all.
    """
    total = max(math.fsum(weights), least)
    found = math.fsum(weight for weight, one in zip(weights, chosen, strict=True) if one)
    return found / total if total > 0.0 else 0.0


def name_weight(between_documents: float) -> float:
    """How much a missing name counts, ``LEAST_NAME_WEIGHT`` to 1.

    Args:
        between_documents: The usual similarity of passages to another document, in deviations from
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
    """How much of a query's names and of its year is missing, each 0 to 1.

    Of several documents that say the same the one counts that misses least in all: a name here
    and the year there make no report of that company for that year.

    Args:
        named: What the query names.
        idfs: Of its words.
        most: The idf of a word that does not occur, for words not listed.
        documents: Those of the first hit, at least one.
        forms: Of words that may occur in another form than in the query.
    """
    found = [(word, name) for name in named.names for word in name]
    weights = [idfs.get(word, most) for word, _ in found]

    def has(one: DocumentProfile, word: str, name: tuple[str, ...]) -> bool:
        return any(one.has(form, name) for form in forms.get(word, (word,)))

    # The rarest word weighs for all, so that "Ltd" is not missed.
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
    """How much the last year of a query is missing; a report of 2019 answers for 2018 as well."""
    if not year or year in document.years:
        return 0.0
    if year in document.text_years:
        return OTHER_YEAR if document.years else 0.0
    return 1.0 if document.years else NO_YEAR


# Hits whose passages may describe the document of the first one.
LEADING = 5
# Words of a query that asks where they stand.
SHORT = 2
# With a smaller share of its words in the library a query is in no language of its documents.
UNFAMILIAR = 1 / 3


class Similarity(Struct, frozen=True):
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
    document_counts: Sequence[Float32s],
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


def has_every_word(terms: QueryTerms, hit: Hit) -> bool:
    """Whether a hit has the word of a query, or both of two, function words not counted."""
    wanted = terms.naming
    short = len(wanted) <= SHORT or len(word_spans(terms.text)) <= SHORT  # a code is one of several
    if not wanted or not short:
        return False
    found = _HitText.from_hit(hit).words
    return not any(map(found.isdisjoint, wanted))


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
    terms: QueryTerms, document_counts: Sequence[Float32s], docs: DocSet | None
) -> Sequence[float]:
    """How often each word of the query occurs in the documents that may answer."""
    if docs is None or not document_counts:
        return terms.counts
    kept = docs.keeps(np.arange(len(document_counts[0]), dtype=np.int32))
    return [float(count[kept].sum()) for count in document_counts]


class _HitText(Struct, frozen=True):
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
