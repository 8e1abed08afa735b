"""Expands a query word to words of the library, and detects a query's language if it is clear.

A word is expanded to its stems in the library's languages, to completions of a prefix that is being
typed, to the parts of "FY2018", to compounds, and to one corrected typo. A classifier of languages
is not used, as it would need a sentence and 80 MB of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from indexer.search.lexicon import can_be_typo, one_edit_away
from indexer.store.word_index import COMPOUNDING
from indexer.text.language import by_script_alone
from indexer.text.name_words import alphanumeric_parts
from indexer.text.sentences import is_letter, is_unspaced, split_runs
from indexer.text.stemmers import has_stemmer, is_hangul
from indexer.text.stop_words import ASKING_WORDS, STOP_WORDS
from indexer.text.terms import (
    UNMARKED,
    fold,
    forms,
    query_forms,
    stems_in,
    tokens,
    wholes_of_groups,
    without_particles,
)

if TYPE_CHECKING:
    from indexer.query.grammar import Query
    from indexer.search.lexicon import Lexicon, LexiconReader


# Too many languages have a smaller number of stop words in common.
_ENOUGH_WORDS = 2


def clear_language(text: str, terms: Sequence[str]) -> str:
    """The language of a query by its script or its stop words; "" if it is not clear.

    Args:
        terms: Its words, folded.
    """
    if script := by_script_alone(text):
        return script
    counts = {
        language: sum(term in words for term in terms) for language, words in STOP_WORDS.items()
    }
    first, second = sorted(counts, key=lambda language: -counts[language])[:2]
    clear = counts[first] >= _ENOUGH_WORDS and counts[first] > counts[second]
    return first if clear else ""


def function_words(text: str, terms: Sequence[str], languages: Sequence[str]) -> frozenset[str]:
    """The words of a query that any question may have, and which therefore name no document.

    They occur most in documents that are written as questions ("How can I …").

    Args:
        terms: Its words, folded.
        languages: The library's languages, used if the query's own is not clear.
    """
    clear = clear_language(text, terms)
    spoken = (clear,) if clear else languages
    none = frozenset[str]()
    listed = (lists.get(one, none) for one in spoken for lists in (STOP_WORDS, ASKING_WORDS))
    return frozenset(terms).intersection(none.union(*listed))


# Weights of expansions; the word itself has 1.
PREFIX_WEIGHT = 0.6
TYPO_WEIGHT = 0.8
MARKED_WEIGHT = 0.3  # the form with the typed diacritics, so that it ranks above others
CHARACTER_WEIGHT = 0.2  # many words begin with the same character
UNMARKED_WEIGHT = 0.8  # words with diacritics, if none were typed
COMPOUND_WEIGHT = 1.0
STEM_WEIGHT = 0.8  # other forms of a word that also ends compounds
PART_WEIGHT = 1.0  # "2018" of "FY2018" is all that a report of that year contains
MAX_EXPANSIONS = 8
MAX_GROUP = 4  # most parts into which the segmenter splits one word
SHORTEST_IN_COMPOUND = 5
SHORTEST_PREFIX = 2
SHORTEST_FOREIGN = 4  # letters of a stem in a language that no document has
# The last word is a prefix if its frequency is below this share of its commonest completion's.
PREFIX_SHARE = 0.1
# Each term costs time, and the start of a pasted paragraph suffices.
MAX_TERMS = 64


class Expansion(Struct, frozen=True):
    """A word of the query, its expansions, and their stems with weights.

    ``known`` says whether the word itself occurs in the library, ``shared`` whether words with
    other diacritics are counted with it, and ``begun`` whether it may be incomplete. ``typed`` is
    the word with its diacritics.
    """

    word: str
    words: tuple[str, ...]
    stems: tuple[tuple[str, float], ...]
    prefix: bool = False
    known: bool = True
    shared: bool = False
    begun: bool = False
    typed: str = ""

    def completed_by(self, token: str) -> bool:
        """Whether a token of a text completes or corrects the typed word, including diacritics."""
        folded = fold(token)
        if self.known > self.prefix or folded not in self.words:
            return False
        written = folded if self.typed == self.word else token
        if self.prefix:
            return written.startswith(self.typed)
        return written in one_edit_away(self.typed)


class Expander(Struct):
    """Expands the words of one query."""

    lexicon: Lexicon
    reading: LexiconReader
    languages: Sequence[str]
    query: Query

    def expand(self, text: str) -> list[Expansion]:
        # After "?" or ")" the last word is complete.
        open_end = self.query.last_word_open and is_letter(text[-1:])
        found: dict[str, str] = {}
        for token in self._grouped(tokens(text), text, open_end=open_end):
            found.setdefault(fold(token), token)
        kept = dict(list(found.items())[:MAX_TERMS])
        known = self.reading.df(list(kept))
        for whole, written in wholes_of_groups(text).items():
            # If the library has the whole, its parts are not searched, and otherwise not the whole.
            parts = {fold(part) for part in tokens(written)} - {whole}
            for word in parts if known.get(whole) else {whole}:
                kept.pop(word, None)
        last = next(reversed(kept), "") if open_end else ""
        return [
            self._one(word, token, known[word], may_grow=word == last)
            for word, token in kept.items()
        ]

    def _grouped(self, found: list[str], text: str, *, open_end: bool) -> list[str]:
        """Join tokens that the segmenter may have split wrongly.

        In scripts without spaces it splits words that are not in its dictionary, because they are
        mistyped or incomplete.
        """
        if not any(map(is_unspaced, found)):
            return found
        shown, grouped, at = text.casefold(), [], 0
        while at < len(found):
            for end in range(min(len(found), at + MAX_GROUP), at, -1):
                parts = found[at:end]
                joined = "".join(parts)
                if len(parts) == 1 or (
                    all(map(is_unspaced, parts))
                    and joined in shown
                    and self._is_word(parts, may_grow=open_end and end == len(found))
                ):
                    grouped.append(joined)
                    at = end
                    break
        return without_particles(grouped)

    def _is_word(self, parts: list[str], *, may_grow: bool) -> bool:
        """Whether the library has the joined word; or a correction of it, and not all parts."""
        joined = "".join(parts)
        if self.reading.df([joined])[joined] or (may_grow and self._completions(joined, 0)):
            return True
        unknown = not all(self.reading.df(parts).values())
        return unknown and bool(self.lexicon.nearest(joined))

    def _one(self, word: str, token: str, frequency: int, *, may_grow: bool) -> Expansion:
        completions = self._completions(word, frequency) if may_grow else []
        compounds = [] if completions or frequency else self._compounds(word)
        others = completions or ([] if frequency else self._instead(word, compounds))
        marks = not self.query.text.isascii()
        # The lexicon stores words without diacritics, so an entry may stand for several words.
        several = marks and " " in self.query.text.strip()
        begun = may_grow and len(word) == 1 and is_hangul(word)
        own = CHARACTER_WEIGHT if begun else STEM_WEIGHT if compounds else 1.0
        weights = self._weights(token, own, with_marks=marks)
        for other, weight in others:
            # An expansion may be a stem, which must not be stemmed again.
            itself = {} if other.isascii() else {other: weight}
            weights = itself | self._weights(other, weight, with_marks=several) | weights
        variants = self.lexicon.forms(word, self.languages)
        variants = list(dict.fromkeys([*variants, *(other for other, _ in others)]))
        shared = token != word and not any(has_stemmer(token, one) for one in self.languages)
        stems, prefix = tuple(weights.items()), bool(completions)
        known = frequency > 0
        return Expansion(word, tuple(variants), stems, prefix, known, shared, may_grow, token)

    def _compounds(self, word: str) -> list[tuple[str, float]]:
        if len(word) < SHORTEST_IN_COMPOUND or COMPOUNDING.isdisjoint(self.languages):
            return []
        return [(other, COMPOUND_WEIGHT) for other, _ in self.lexicon.ending_with(word)]

    def _instead(self, word: str, compounds: list[tuple[str, float]]) -> list[tuple[str, float]]:
        """The expansions of a word that does not occur in the library."""
        parts = self.reading.df(alphanumeric_parts(word))
        found = [(part, PART_WEIGHT) for part, count in parts.items() if count]
        if not found:
            stems = stems_in(word, self.languages) - {word}
            weight = STEM_WEIGHT if compounds else 1.0
            known = self.reading.df(sorted(stems)).items()
            found = [(stem, weight) for stem, count in known if count] + compounds
            if not found and not word.isascii() and self.lexicon.stems(sorted(stems | {word})):
                return []  # the library has other forms of it
        if not found:
            found = [
                (part, PART_WEIGHT) for part in self._foreign_forms(word) or self._halves(word)
            ]
        if not found:
            near = self.lexicon.nearest(word, self.languages)
            found = [(other, TYPO_WEIGHT) for other, _ in near]
        if not found and is_unspaced(word):
            found = [(part, TYPO_WEIGHT) for part in self._mistyped_parts(word)]
        return found

    def _foreign_forms(self, word: str) -> list[str]:
        """Words that share a word's stem in the query's language, if no document is in it.

        These are names and loan words, which were stemmed in the language of their document.
        """
        language = clear_language(self.query.text, self.query.terms)
        (stem, *_) = forms(word, language).stems
        if language in {"", *self.languages} or len(stem) < SHORTEST_FOREIGN:
            return []
        similar = self.lexicon.expand_prefix(stem[:-1])  # "diary" has the stem "diari"
        return [other for other, _ in similar if stem in forms(other, language).stems]

    def _mistyped_parts(self, word: str) -> list[str]:
        """The words into which a correction of an unknown word can be split."""
        if not can_be_typo(word):
            return []
        near = [
            parts
            for parts in split_runs(sorted(one_edit_away(word)))
            if len(parts) > 1 and without_particles(parts) == parts
        ]
        known = set(self.lexicon.stems({part for parts in near for part in parts}))
        return min((parts for parts in near if known.issuperset(parts)), key=len, default=[])

    def _halves(self, word: str) -> list[str]:
        """Split a Korean word into two known ones, as spaces inside compounds are optional."""
        for at in range(2, len(word) - 1) if is_hangul(word) else ():
            parts = [word[:at], word[at:]]
            if set(self.lexicon.stems(parts)) == set(parts):
                return parts
        return []

    def _completions(self, word: str, frequency: int) -> list[tuple[str, float]]:
        """The completions of a word; none if the word itself is common."""
        if len(word) < SHORTEST_PREFIX and not (is_unspaced(word) or is_hangul(word)):
            return []
        longer = self.lexicon.expand_prefix(word, MAX_EXPANSIONS)
        if frequency >= PREFIX_SHARE * max((df for _, df in longer), default=0):
            return []
        weight = PREFIX_WEIGHT if len(word) >= SHORTEST_PREFIX else CHARACTER_WEIGHT
        return [(other, weight) for other, _ in longer if other != word]

    def _weights(self, token: str, weight: float, *, with_marks: bool) -> dict[str, float]:
        """The stems of a word in every language; other diacritics have less weight."""
        weights: dict[str, float] = {}
        for language in self.languages or ("",):
            found = query_forms(token, language, with_marks=with_marks)
            for form in found.marked:
                unmarked = weight * UNMARKED_WEIGHT if form.startswith(UNMARKED) else MARKED_WEIGHT
                weights.setdefault(form, unmarked)
            weights |= dict.fromkeys(found.stems, weight)
        return weights
