"""A query made ready for searching: its question, the stems to look for, what each is worth.

Owns the step from a parsed query to weighted terms: stemming in the library's languages, the last
word as a prefix while it is typed, letters and digits apart where nobody writes them together, one
typo forgiven. It must not search.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from indexer.search.fusion import BM25_CEILING
from indexer.store import Term
from indexer.text.name_words import parts_of
from indexer.text.terms import stems, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.catalog.lexicon import Lexicon, Reading
    from indexer.query.grammar import Query

# What stands in for a word counts less than the word itself.
PREFIX_WEIGHT = 0.6
TYPO_WEIGHT = 0.8
PART_WEIGHT = 1.0  # 2018 in "FY2018" is all that a report of that year says
MOST_EXPANSIONS = 8
SHORTEST_PREFIX = 2
# A word rarer than this share of its commonest completion is taken for unfinished.
GROWING_SHARE = 0.1
# More words than this are a pasted paragraph: its beginning says enough, and each costs time.
MOST_TERMS = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for.

    ``groups`` are, for each word of the query, the words of the library that stand for it: its
    other forms, the completions of a prefix, the parts of "FY2018", a corrected typo. ``ceiling``
    is about the most BM25 that a passage can reach for the question. Words were stemmed in each of
    ``languages``.

    ``words`` and ``counts`` belong to ``groups``: the words of the query, and how often each group
    occurs in the library, about. ``growing`` says that the last word was taken for the beginning of
    others. ``passages`` is how many the library has.

    ``asking`` are the question's words, and ``told`` says that some were taken out of it because
    the document that is meant goes by them; see ``without``.
    """

    text: str
    question: str
    groups: tuple[tuple[str, ...], ...]
    terms: tuple[Term, ...]
    question_terms: tuple[Term, ...]
    ceiling: float
    languages: tuple[str, ...] = ()
    counts: tuple[float, ...] = ()
    words: tuple[str, ...] = ()
    growing: bool = False
    passages: int = 0
    asking: tuple[tuple[_Meaning, float], ...] = ()
    told: bool = False

    @property
    def two_parts(self) -> bool:
        """Whether the question is only a part of the query."""
        return self.question != self.text

    def without(self, names: frozenset[str]) -> Asked:
        """Take out of the question the words that a document goes by; all stay if none is left.

        They say which document is meant, and nothing about which of its pages.

        Args:
            names: Folded words of the document's names and title.
        """
        kept = [pair for pair in self.asking if names.isdisjoint(pair[0].group)]
        if not kept or len(kept) == len(self.asking):
            return self
        meanings, counts = [meaning for meaning, _ in kept], [count for _, count in kept]
        return replace(
            self,
            question_terms=_terms(_telling(meanings, counts, self.passages)),
            ceiling=ceiling(counts, self.passages),
            asking=tuple(kept),
            told=True,
        )


def prepare(
    query: Query,
    asked: str,
    lexicon: Lexicon,
    reading: Reading,
    languages: Sequence[str],
    passages: int,
) -> Asked:
    """Make a query ready.

    Args:
        query: As it was parsed.
        asked: The part of its text that asks; see ``indexer.query.focus``.
        lexicon: Knows the library's words.
        reading: Counts them, for this query.
        languages: Of the library's documents, the most common first; words are stemmed in each,
            since nobody says in which language they search.
        passages: How many the library has.
    """
    meanings = _Meanings(lexicon, reading, languages, query)
    found = meanings.of(query.text)
    everywhere = reading.occurrences([meaning.group for meaning in found])
    inside, counts = found, everywhere
    if asked != query.text:
        wanted = set(words(asked))
        at = [place for place, meaning in enumerate(found) if meaning.word in wanted]
        inside, counts = [found[place] for place in at], [everywhere[place] for place in at]
    return Asked(
        text=query.text,
        question=asked,
        groups=tuple(meaning.group for meaning in found),
        terms=_terms(found),
        question_terms=_terms(_telling(inside, counts, passages)),
        ceiling=ceiling(counts, passages),
        languages=tuple(languages),
        counts=tuple(everywhere),
        words=tuple(meaning.word for meaning in found),
        growing=any(meaning.growing for meaning in found),
        passages=passages,
        asking=tuple(zip(inside, counts, strict=True)),
    )


def _telling(
    meanings: Sequence[_Meaning], counts: Sequence[float], passages: int
) -> Sequence[_Meaning]:
    """The words that do not occur once in every passage; all, if all do.

    ``ceiling`` gives nothing for the others, and their lists are the longest to read: a quarter of
    the time of a search by words at a million passages.
    """
    pairs = zip(meanings, counts, strict=True)
    return [meaning for meaning, count in pairs if count < passages] or meanings


def ceiling(counts: Sequence[float], passages: int) -> float:
    """About the most BM25 a passage can reach for words that occur so often.

    A word that occurs often in few passages counts as rarer than this takes it for; over the
    words of a question that evens out.
    """
    return sum(rarity(count, passages) for count in counts) * BM25_CEILING


def rarity(count: float, passages: int) -> float:
    """The inverse document frequency of a word that occurs so often, as BM25 has it."""
    holding = min(max(count, 0.5), passages)
    return math.log1p((passages - holding + 0.5) / (holding + 0.5))


@dataclass(frozen=True, slots=True)
class _Meaning:
    """A word of the query, the words that stand for it, and the stems with their weights."""

    word: str
    group: tuple[str, ...]
    stems: tuple[tuple[str, float], ...]
    growing: bool = False


@dataclass(slots=True)
class _Meanings:
    """Finds what the words of one query may stand for."""

    lexicon: Lexicon
    reading: Reading
    languages: Sequence[str]
    query: Query

    def of(self, text: str) -> list[_Meaning]:
        found = list(dict.fromkeys(words(text)))[:MOST_TERMS]
        known = self.reading.df(found)
        # Behind "?" or ")" nobody goes on typing the word before.
        open_end = self.query.last_word_open and text[-1:].isalnum()
        growing = found[-1] if found and open_end else ""
        return [self._one(word, known[word], growing=word == growing) for word in found]

    def _one(self, word: str, frequency: int, *, growing: bool) -> _Meaning:
        others: list[tuple[str, float]] = []
        if growing and len(word) >= SHORTEST_PREFIX:
            longer = self.lexicon.expand_prefix(word, MOST_EXPANSIONS)
            # A word that is common as it stands is taken for finished.
            if frequency < GROWING_SHARE * max((df for _, df in longer), default=0):
                others = [(other, PREFIX_WEIGHT) for other, _ in longer if other != word]
        unfinished = bool(others)
        if not others and frequency == 0:
            parts = self.reading.df(parts_of(word))
            others = [(part, PART_WEIGHT) for part, count in parts.items() if count]
        if not others and frequency == 0:
            others = [(other, TYPO_WEIGHT) for other, _ in self.lexicon.nearest(word)]
        forms = self.lexicon.forms(word, self.languages)
        weights = dict.fromkeys(self._stems(word), 1.0)
        for other, weight in others:
            for stem in self._stems(other):
                weights.setdefault(stem, weight)
        group = dict.fromkeys([*forms, *(other for other, _ in others)])
        return _Meaning(word, tuple(group), tuple(weights.items()), unfinished)

    def _stems(self, word: str) -> list[str]:
        languages = self.languages or ("",)
        return [stem for language in languages for stem in stems(word, language).split()]


def _terms(meanings: Sequence[_Meaning]) -> tuple[Term, ...]:
    weights: dict[str, float] = {}
    for meaning in meanings:
        for stem, weight in meaning.stems:
            weights[stem] = max(weight, weights.get(stem, 0.0))
    return tuple(Term(stem, weight) for stem, weight in weights.items())
