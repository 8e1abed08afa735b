"""The weighted search terms of a parsed query; ``query_expansion`` expands each word."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from indexer.query.focus import without_context, without_words
from indexer.search.fusion import BM25_CEILING, NAME_FLOOR
from indexer.search.query_expansion import Expander, Expansion, function_words
from indexer.store.values import Term
from indexer.text.terms import words

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.query.grammar import Query
    from indexer.search.lexicon import Lexicon, LexiconReader


# The weight of a function word if only words rank passages.
FUNCTION_WEIGHT = 0.25
VIETNAMESE = "vi"
# Letters that only Vietnamese has; folding would change them.
_VIETNAMESE_LETTER = re.compile("[\u01a1\u01b0\u1ea0-\u1ef9]", re.IGNORECASE)


class StemWeights(Struct, frozen=True):
    """The words of a question by stem, as (index, idf), with their number and total idf."""

    by_stem: dict[str, tuple[int, float]]
    words: int
    total: float


class QueryTerms(Struct, frozen=True):
    """The search terms. ``words``, ``expansions`` and ``counts`` are parallel.

    Attributes:
        text: The whole query.
        question: The part of the query that asks; see ``indexer.query.focus``.
        asked: The question without words of names; its vector is made from this text.
        expansions: The words of the library to which each word of the query is expanded.
        terms: Stems of the whole query with their weights.
        question_terms: Stems of the question, without words that nearly every passage has.
        ceiling: The approximate highest BM25 that a passage can have for the question.
        languages: The languages in which words were stemmed.
        counts: The approximate number of occurrences of each expansion in the library.
        words: The words of the query.
        has_prefix: Whether the last word was expanded as a prefix.
        passages: The number of passages in the library.
        coverage: The share of the query's words that occur in the library, weighted by idf. Almost
            0 in a language that no document has; 1 for a monolingual model.
        across: Whether the model finds answers in another language.
        question_words: The question's words, and how often each occurs in the library.
        names_removed: Whether ``without_names`` has removed words of the question.
        named: How much of a name the query has, 0 to 1, by the idf of its words of names.
        instead: Replacements for words that do not occur in the library: corrections, parts.
        unknown: The folded words that the library lacks in any form.
        function: The words that name no document; see ``indexer.search.query_expansion``.
    """

    text: str
    question: str
    asked: str
    expansions: tuple[tuple[str, ...], ...]
    terms: tuple[Term, ...]
    question_terms: tuple[Term, ...]
    ceiling: float
    languages: tuple[str, ...] = ()
    counts: tuple[float, ...] = ()
    words: tuple[str, ...] = ()
    has_prefix: bool = False
    passages: int = 0
    coverage: float = 1.0
    across: bool = True
    question_words: tuple[tuple[Expansion, float], ...] = ()
    names_removed: bool = False
    named: float = 0.0
    instead: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: frozenset[str] = frozenset()
    function: frozenset[str] = frozenset()

    @property
    def naming(self) -> list[tuple[str, ...]]:
        """The expansions of all words except function words."""
        pairs = zip(self.words, self.expansions, strict=True)
        return [group for word, group in pairs if word not in self.function]

    def forms(self, without: frozenset[str]) -> frozenset[str]:
        """The stems of the question's words, without some words."""
        kept = [one for one, _ in self.question_words if one.word not in without]
        return frozenset(stem for one in kept for stem, _ in one.stems)

    def stem_weights(self) -> StemWeights:
        """The stems of the question's discriminative words."""
        by_stem: dict[str, tuple[int, float]] = {}
        kept = _discriminative(self.question_words, self.passages)
        counts = {one.word: count for one, count in self.question_words}
        total = 0.0
        for number, one in enumerate(kept):
            weight = idf(counts[one.word], self.passages)
            total += weight
            by_stem.update((stem, (number, weight)) for stem, _ in one.stems)
        return StemWeights(by_stem, len(kept), total)

    def rare_weights(self) -> StemWeights:
        """The ``stem_weights`` without function words, and without words far commoner than most."""
        every = self.stem_weights()
        least = every.total / max(every.words, 1) / 2
        common = self._function_stems
        kept = {
            stem: weight
            for stem, weight in every.by_stem.items()
            if stem not in common and weight[1] >= least
        }
        return replace(every, by_stem=kept or every.by_stem)

    @property
    def has_context(self) -> bool:
        """Whether the question is only a part of the query."""
        return self.asked != self.text

    def question_first(self) -> tuple[Term, ...]:
        """The stems of the whole query; those that the question has with equal weight come first.

        Scores are summed in this order, so a query's sums begin with those of its question.
        """
        first = [one for one in self.question_terms if one in self.terms]
        return (*first, *(one for one in self.terms if one not in first))

    def within(self, question: str) -> QueryTerms:
        """The terms with this part of the query as the question."""
        if question == self.question:
            return self
        wanted = set(words(question))
        inside = [pair for pair in self.question_words if pair[0].word in wanted]
        return replace(
            self,
            question=question,
            asked=question,
            question_terms=_terms(_discriminative(inside, self.passages)),
            ceiling=ceiling([count for _, count in inside], self.passages),
            question_words=tuple(inside),
        )

    def for_words_alone(self) -> QueryTerms:
        """The terms if no meaning is known: function words of the question have little weight.

        They hardly say what a passage is about. Usually meaning makes up for that.
        """
        found = [
            (one, count, FUNCTION_WEIGHT if one.word in self.function else 1.0)
            for one, count in self.question_words
        ]
        weighed = [
            (replace(one, stems=tuple((stem, each * weight) for stem, each in one.stems)), count)
            for one, count, weight in found
        ]
        known = sum(idf(count, self.passages) * weight for _, count, weight in found)
        return replace(
            self,
            question_terms=_terms(_discriminative(weighed, self.passages)),
            ceiling=_ceiling(known, self.passages) if found else 0.0,
        )

    @property
    def whole_alone(self) -> tuple[Term, ...]:
        """The stems of the whole query, weighed in the same way; none if the query has context.

        The context would find the page that names a document, not the one that answers.
        """
        if self.has_context:
            return ()
        little = self._function_stems
        return tuple(
            replace(one, weight=one.weight * (FUNCTION_WEIGHT if one.text in little else 1.0))
            for one in self.terms
        )

    @property
    def _function_stems(self) -> frozenset[str]:
        """The stems of the question's function words."""
        words = (one for one, _ in self.question_words if one.word in self.function)
        return frozenset(stem for one in words for stem, _ in one.stems)

    def without_names(
        self,
        names: frozenset[str],
        rare: frozenset[str] = frozenset(),
        opening: frozenset[str] = frozenset(),
    ) -> QueryTerms:
        """Remove words that identify a document from the question, unless none would be left.

        The question's vector keeps rare words, which may be more frequent on one page than on
        others.

        Args:
            names: The folded words of the document's file names and title.
            rare: Words that hardly any other document has.
            opening: Words of names in the document's first lines; other documents may have them
                too.
        """
        left_out = names | rare
        asked = without_context(self.question, left_out | opening)
        within = set(words(asked))
        kept = [
            pair
            for pair in self.question_words
            if pair[0].word in within and left_out.isdisjoint(pair[0].words)
        ]
        if not kept or len(kept) == len(self.question_words):
            return self
        counts = [count for _, count in kept]
        named = sum(
            idf(count, self.passages)
            for group, count in zip(self.expansions, self.counts, strict=True)
            if not left_out.isdisjoint(group)
        )
        return replace(
            self,
            named=min(named / NAME_FLOOR, 1.0),
            question_terms=_terms(_discriminative(kept, self.passages)),
            ceiling=ceiling(counts, self.passages),
            question_words=tuple(kept),
            names_removed=True,
            asked=without_words(asked, names),
        )


def languages_of(catalog: Catalog) -> tuple[str, ...]:
    """The languages of a library's documents, the most common first; "" is unknown.

    Words are stemmed in each, since the query's language is unknown, and not stemmed for "".
    """
    counts = catalog.docs.languages()
    return tuple(sorted(counts, key=lambda one: -counts[one]))


def prepare_terms(
    query: Query, lexicon: Lexicon, reading: LexiconReader, languages: Sequence[str], passages: int
) -> QueryTerms:
    """Expand and weigh the words of a query; its question is all of it until ``within``.

    Args:
        reading: Counts words, with a cache for this query.
        languages: See ``languages_of``.
    """
    if VIETNAMESE in languages and _VIETNAMESE_LETTER.search(query.text):
        languages = (VIETNAMESE,)
    found = Expander(lexicon, reading, languages, query).expand(query.text)
    counts = reading.occurrences([one.words for one in found])
    inside = list(zip(found, counts, strict=True))
    return QueryTerms(
        text=query.text,
        question=query.text,
        asked=query.text,
        expansions=tuple(one.words for one in found),
        terms=_terms(found),
        question_terms=_terms(_discriminative(inside, passages)),
        ceiling=ceiling([count for _, count in inside], passages),
        languages=tuple(languages),
        counts=tuple(counts),
        words=tuple(one.word for one in found),
        has_prefix=any(one.prefix for one in found),
        passages=passages,
        coverage=_coverage(found, counts, passages),
        question_words=tuple(inside),
        instead={one.word: one.words[1:] for one in found if not one.known},
        unknown=frozenset(
            one.word for one, count in zip(found, counts, strict=True) if not (one.known or count)
        ),
        function=function_words(query.text, [one.word for one in found], languages),
    )


def _coverage(found: Sequence[Expansion], counts: Sequence[float], passages: int) -> float:
    """See ``QueryTerms.coverage``; 1 without words."""
    weights = [
        idf(count if one.known else 0.0, passages) for one, count in zip(found, counts, strict=True)
    ]
    known = sum(weight for one, weight in zip(found, weights, strict=True) if one.known)
    total = sum(weights)
    return known / total if total > 0.0 else 1.0


def _discriminative(counted: Sequence[tuple[Expansion, float]], passages: int) -> list[Expansion]:
    """The words that occur less often than there are passages; all words if none does.

    The others add nothing to ``ceiling``, and their posting lists are the longest. At a million
    passages they take a quarter of the time of a search by words.
    """
    kept = [one for one, count in counted if one.shared or count < passages]
    return kept or [one for one, _ in counted]


def ceiling(counts: Sequence[float], passages: int) -> float:
    """The approximate highest BM25 of a passage for words with these counts.

    Counts are occurrences, so the idf of a word that is frequent in few passages is too low; over a
    question this evens out. Words that together have less idf than a word of a single passage
    ("governing law" among contracts) are never full evidence.
    """
    known = sum(idf(count, passages) for count in counts)
    return _ceiling(known, passages) if counts else 0.0


def _ceiling(known: float, passages: int) -> float:
    return max(known, idf(1.0, passages)) * BM25_CEILING


def idf(count: float, passages: int) -> float:
    """The inverse document frequency of BM25."""
    holding = min(max(count, 0.5), passages)
    return math.log1p((passages - holding + 0.5) / (holding + 0.5))


def _terms(expansions: Sequence[Expansion]) -> tuple[Term, ...]:
    weights: dict[str, float] = {}
    for expansion in expansions:
        for stem, weight in expansion.stems:
            weights[stem] = max(weight, weights.get(stem, 0.0))
    return tuple(Term(stem, weight) for stem, weight in weights.items())
