"""A parsed query as weighted search terms; ``query_expansion`` expands each."""

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


# Of a function word, where words alone rank passages.
FUNCTION_WEIGHT = 0.25
VIETNAMESE = "vi"
# Letters of Vietnamese alone, which folding would remove.
_VIETNAMESE_LETTER = re.compile("[\u01a1\u01b0\u1ea0-\u1ef9]", re.IGNORECASE)


class StemWeights(Struct, frozen=True):
    """The words of a question by their stems, as (number, idf); their number and sum of idf."""

    by_stem: dict[str, tuple[int, float]]
    words: int
    total: float


class QueryTerms(Struct, frozen=True):
    """The search terms. ``words``, ``expansions`` and ``counts`` are parallel.

    Attributes:
        text: The whole query.
        question: The part of it that asks; see ``indexer.query.focus``.
        asked: The question without the words of names, of which its vector is made.
        expansions: For each word of the query its expansions to words of the library.
        terms: Stems of the whole query with their weights.
        question_terms: Stems of the question, without words that nearly every passage has.
        ceiling: About the highest BM25 that a passage can reach for the question.
        languages: The languages in which words were stemmed.
        counts: About how often each expansion occurs in the library.
        words: The words of the query.
        has_prefix: Whether the last word was expanded as a prefix.
        passages: How many the library has.
        coverage: The share of the query's words that occur in the library, weighted by idf: close
            to 0 for a query in a language that no document is in. 1 for a monolingual model.
        across: Whether the model finds answers in another language.
        question_words: The question's words, and how often each occurs.
        names_removed: Whether ``without_names`` took out some of the question's words.
        named: How much of a name the query has, 0 to 1, by the idf of the words of one.
        instead: Words of the library for those that do not occur in it: corrected typos, parts.
        unknown: The folded words that nothing in the library stands for.
        function: Those that name no document; see ``indexer.search.query_expansion``.
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
        """The expansions of the words that may tell which document is meant."""
        pairs = zip(self.words, self.expansions, strict=True)
        return [group for word, group in pairs if word not in self.function]

    def forms(self, without: frozenset[str]) -> frozenset[str]:
        """The forms of the question's words, without those of some words."""
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
        """Those of ``stem_weights`` that are no function words, nor far commoner than others."""
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
        """Whether what is asked is only a part of the query."""
        return self.asked != self.text

    def question_first(self) -> tuple[Term, ...]:
        """The stems of the whole query, first those that the question has with the same weight.

        Scores are sums in the order of stems, so those of the question begin those of the query.
        """
        first = [one for one in self.question_terms if one in self.terms]
        return (*first, *(one for one in self.terms if one not in first))

    def within(self, question: str) -> QueryTerms:
        """The terms with this part of the query as its question."""
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
        """The terms where no meaning is known: the question's function words count little.

        They tell hardly anything of what a passage is about, which meaning would make up for.
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
        """The stems of the whole query, weighed so; none if a part of it says where to look.

        That part would find the page which names a document, not the one that answers.
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
        """Take what identifies a document out of the question; all stays if nothing is left.

        The question's vector keeps the rare ones, which may be on one page more than on others.

        Args:
            names: Folded words of the document's file names and title.
            rare: Words that hardly any other document has.
            opening: Words of names in the document's first lines, which others may have too.
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

    Words are stemmed in each, since the language of the query is unknown; in "" they are not
    stemmed.
    """
    counts = catalog.docs.languages()
    return tuple(sorted(counts, key=lambda one: -counts[one]))


def prepare_terms(
    query: Query, lexicon: Lexicon, reading: LexiconReader, languages: Sequence[str], passages: int
) -> QueryTerms:
    """Expand and weigh the words of a query, all of which is its question; see ``within``.

    Args:
        reading: Its counts, cached for this query.
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
    """The words that occur less than once a passage; all, if none does.

    The others add nothing to ``ceiling``, and their posting lists are the longest: a quarter of
    the time of a search by words at a million passages.
    """
    kept = [one for one, count in counted if one.shared or count < passages]
    return kept or [one for one, _ in counted]


def ceiling(counts: Sequence[float], passages: int) -> float:
    """About the highest BM25 of a passage for words with these counts.

    Counts are occurrences, so a word that is frequent in few passages gets too low an idf; over
    the words of a question that evens out. Words with less idf together than one word of a single
    passage ("governing law" among contracts) are never full evidence.
    """
    known = sum(idf(count, passages) for count in counts)
    return _ceiling(known, passages) if counts else 0.0


def _ceiling(known: float, passages: int) -> float:
    return max(known, idf(1.0, passages)) * BM25_CEILING


def idf(count: float, passages: int) -> float:
    """Inverse document frequency as BM25 has it."""
    holding = min(max(count, 0.5), passages)
    return math.log1p((passages - holding + 0.5) / (holding + 0.5))


def _terms(expansions: Sequence[Expansion]) -> tuple[Term, ...]:
    weights: dict[str, float] = {}
    for expansion in expansions:
        for stem, weight in expansion.stems:
            weights[stem] = max(weight, weights.get(stem, 0.0))
    return tuple(Term(stem, weight) for stem, weight in weights.items())
