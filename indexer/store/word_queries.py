"""Queries of the index of passages: BM25 of stems, exact phrases, scores of given passages.

BM25 has k1 1.2 and b .75. Its statistics are those of all passages, even if only some are searched.
tantivy rounds the lengths of passages to a byte. A phrase is found by the positions of its stems,
and the text then shows whether it is there as typed.

The index misses no phrase because of the following. If ``WordSequence.is_in`` is true of a text,
the words are neighbours in the text's ``sequence``, apart from marks of footnotes. A stem of each
set of ``WordSequence.terms`` is then among the text's ``stems``, in the order of the words and with
few others between. Words of scripts without spaces are among the text's ``unspaced_words``, and
words next to each other are neighbours there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby, product
from typing import TYPE_CHECKING

import numpy as np
import tantivy
from msgspec import Struct
from tantivy import Occur, Query

from indexer.arrays import Float32s, Int64s, Mask, find_sorted
from indexer.store.values import NO_KEYS, NOTHING, DocSet, Phrase, ScoredKeys, docs_of
from indexer.text.sentences import is_unspaced, lazy_pattern
from indexer.text.stemmers import has_stemmer, stems_of
from indexer.text.terms import MAX_LENGTH, UNMARKED, fold, sequence, without_note_marks

if TYPE_CHECKING:
    from indexer.store.values import Term, Without

    Views = Callable[[Int64s], Mapping[int, str]]

# Only this many first words of a phrase decide which texts are read.
_MOST_WORDS = 32
# A phrase is looked for by positions if its stems have at most this many combinations.
_MOST_WAYS = 16
# The most stems between those of neighbouring words: other forms of both, wholes of compounds.
_BETWEEN = 3
# If each word is in at least this many passages, passages with no other form between are searched
# first. Hardly one in fifty of the others has the phrase, and thousands of texts would be read.
_COMMON = 20_000
# The number of texts read at a time.
_LEAST_READ, _MOST_READ = 256, 2048
# If more than this share of passages pass a filter, all are searched and filtered afterwards.
_LARGE_SHARE = 0.3

# Characters other than these may be folded to ASCII letters or digits.
_NEVER_ASCII = (
    "\xa0-\xa9\xab-\xb1\xb4-\xb8\xbb\xbf\u0391-\u03a1\u03a3-\u03c9\u0400-\u052f\u05d0-\u05ea"
    "\u0621-\u064a\u2010-\u2027\u202f-\u205e\u20ac\u2190-\u22ff\u2500-\u27bf\u3001-\u303f"
    "\u3041-\u30ff\u4e00-\u9fff\uf0a7\uf0b7\ufffd"
)
_PERHAPS_ASCII = lazy_pattern(f"[^\x00-\x7f{_NEVER_ASCII}]")
_LOWER = bytes(range(256)).lower()
_NO_WORD = bytes(code for code in range(256) if not chr(code).isalnum() or code > 127)
_SIGNS = re.compile("[^a-z0-9]+")


class WordSequence:
    """One or more words side by side, in the form of ``sequence``."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        self._joined = f" {' '.join(self.words)} "
        self._letters: re.Pattern[bytes] | None = None
        self._plainly: re.Pattern[str] | None = None
        if self._joined.isascii() and max(map(len, self.words)) < MAX_LENGTH:
            # The "s" of "john's" is not a word.
            bare = (
                b"0?".join(_SIGNS.sub("", part).encode() for part in f".{word}".split("."))
                if "." in word  # perhaps a date, which may lack zeros
                else _SIGNS.sub("", word).encode()
                for word in self.words
            )
            self._letters = re.compile(b"s?".join(bare))
            if all(map(str.isalnum, self.words)):
                first, *others = self.words
                before = rf"{first}(?<![^\s(“\"]{first})"
                self._plainly = re.compile(
                    "\\s+".join((before, *others)) + r"(?=[.,;:)”\"]*(?:\s|\Z))"
                )

    def terms(self, languages: Iterable[str]) -> list[frozenset[str]]:
        """Return sets of stems. A text with these words has at least one stem of each set.

        Words of scripts without spaces have no set, since their ends depend on the text around
        them. Neither have words that a stemmer reduces to nothing.

        Args:
            languages: The languages that the text may have; see ``stems``.
        """
        spoken = tuple(languages)
        spaced = (word for word in dict.fromkeys(self.words) if not is_unspaced(word))
        return [terms for word in spaced if "" not in (terms := _any_form(word, spoken))]

    def is_in(self, text: str) -> bool:
        """Whether a text has these words side by side."""
        if text.isascii() and not self._joined.isascii():
            return False
        if self._plainly is not None and self._plainly.search(text.lower()):
            return True  # only white space is between the words
        # Most texts are ASCII but for punctuation. Comparing letters takes a tenth of the time.
        if self._letters is not None and (text.isascii() or not _PERHAPS_ASCII.search(text)):
            letters = text.encode("ascii", "ignore").translate(_LOWER, _NO_WORD)
            if not self._letters.search(letters):
                return False
        if self._joined in f" {' '.join(sequence(text))} ":
            return True
        bare = without_note_marks(text)
        return bare != text and self._joined in f" {' '.join(sequence(bare))} "


def _any_form(word: str, languages: tuple[str, ...]) -> frozenset[str]:
    """Terms for a folded word: a text in one of the languages that has the word has one of them."""
    stemmed = [stems_of(word, one) for one in languages if has_stemmer(word, one)]
    return frozenset({word, UNMARKED + word, *(max(map(fold, one), key=len) for one in stemmed)})


def passage_schema() -> tantivy.Schema:
    """The fields of a passage: stems, characters of scripts without spaces, key and document."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("stems", tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("characters", tokenizer_name="whitespace", index_option="position")
    builder.add_integer_field("key", indexed=True, fast=True)
    builder.add_integer_field("doc", indexed=True)
    return builder.build()


class IndexedPassages(Struct, frozen=True):
    """The passages as of one commit, and the numbers of passages and words of each document."""

    schema: tantivy.Schema
    searcher: tantivy.Searcher
    counts: Mapping[int, tuple[int, int]]

    def best(self, query: Query, count: int) -> ScoredKeys:
        """The best passages; equal ones are in the order of their keys."""
        hits = self.searcher.search(query, limit=count, count=False).hits if count > 0 else []
        if not hits:
            return NOTHING
        keys = np.array(self.searcher.fast_field_values("key", [at for _, at in hits]), np.int64)
        scores = np.array([score for score, _ in hits], np.float32)
        order = np.lexsort((keys, -scores))
        return ScoredKeys(keys[order], scores[order])

    def among(self, query: Query, keys: Int64s) -> ScoredKeys:
        """The passages among the given ones that a query finds, best first."""
        given = Query.term_set_query(self.schema, "key", keys.tolist())
        return self.best(_all_of([query, _unscored(given)]), len(keys))

    def term(self, stem: str) -> Query:
        return Query.term_query(self.schema, "stems", stem)

    def weighted(self, terms: Sequence[Term]) -> Query:
        """Passages with any of the stems, scored by BM25."""
        weights: dict[str, float] = {}
        for term in terms:
            for stem in term.text.split() if term.weight > 0 else ():
                weights[stem] = weights.get(stem, 0.0) + term.weight
        return _any_of([Query.boost_query(self.term(stem), w) for stem, w in weights.items()])


def match(
    now: IndexedPassages,
    terms: Sequence[Term],
    count: int,
    docs: DocSet | None,
    without: Without,
    views: Views,
) -> ScoredKeys:
    """Passages that contain any of the stems, best first, scored by BM25.

    Args:
        terms: The stems; expansions of a prefix or of a typo are terms too.
        without: Words that the view of a passage must not have.
        views: Reads the views of passages.
    """
    query = now.weighted(terms)
    if not without.words:
        return _within(now, query, count, docs)
    words = [_Ways.read(Phrase((word,), without.languages)) for word in without.words]
    having = _any_of([one.query(now) for one in words])

    def passes(found: ScoredKeys) -> Mask:
        doubtful = np.isin(found.keys, now.among(having, found.keys).keys)
        texts = views(found.keys[doubtful])
        kept = ~doubtful
        kept[doubtful] = [
            without.allows(texts[key]) if key in texts else False
            for key in found.keys[doubtful].tolist()
        ]
        return kept

    return _passing(now, query, count, docs, passes)


def phrases(
    now: IndexedPassages, wanted: Sequence[Phrase], count: int, docs: DocSet | None, views: Views
) -> ScoredKeys:
    """Passages whose view has every phrase, sorted by the BM25 of their words.

    Args:
        docs: The documents to search.
        views: Reads the views of passages.
    """
    asked = [_Ways.read(one) for one in wanted]
    if not asked or not all(one.ways for one in asked):
        return NOTHING
    groups = [some for one in asked for way in one.ways for some in _terms(way, one.languages)]
    common = all(max(now.searcher.doc_freq("stems", s) for s in some) >= _COMMON for some in groups)
    scored = [(Occur.Should, now.term(stem)) for stem in sorted(frozenset().union(*groups))]

    def passes(found: ScoredKeys) -> Mask:
        texts = views(found.keys)
        return np.array(
            [
                all(one.is_in(texts[key]) for one in asked) if key in texts else False
                for key in found.keys.tolist()
            ],
            bool,
        )

    found = NOTHING
    for between in (0, _BETWEEN) if groups and common else (_BETWEEN,):
        there = [(Occur.Must, _unscored(one.query(now, between))) for one in asked]
        query = Query.boolean_query([*there, *scored])
        if len(found := _passing(now, query, count, docs, passes)) >= count:
            break
    return found


def bm25_of(now: IndexedPassages, keys: Int64s, terms: Sequence[Term]) -> Float32s:
    """BM25 of given passages, float32 (n,), as in ``match``; 0 if none."""
    scores = np.zeros(len(keys), np.float32)
    found = now.among(now.weighted(terms), np.unique(keys))
    order = np.argsort(found.keys)
    at, there = find_sorted(found.keys[order], keys)
    scores[there] = found.scores[order][at]
    return scores


class _Ways(Struct, frozen=True):
    """The spellings of a phrase, and the languages of the passages."""

    ways: Sequence[WordSequence]
    languages: tuple[str, ...]

    @classmethod
    def read(cls, phrase: Phrase) -> _Ways:
        ways = [WordSequence(words) for words in map(sequence, phrase.ways) if words]
        return cls(ways, phrase.languages)

    def query(self, now: IndexedPassages, between: int = _BETWEEN) -> Query:
        """Return a query that finds passages with the phrase, all of them by default."""
        return _any_of([self._may_have(now, way, between) for way in self.ways])

    def _may_have(self, now: IndexedPassages, way: WordSequence, between: int) -> Query:
        """Return a query for all words of a way, with neighbouring words near each other."""
        wanted: list[Query] = []
        for unspaced, run in groupby(way.words[:_MOST_WORDS], key=is_unspaced):
            if unspaced:
                wanted.append(_in_order(now, "characters", list(run), 0))
                continue
            terms = [WordSequence([word]).terms(self.languages) for word in run]
            for known, some in groupby(terms, key=bool):
                if known:
                    wanted += _near(now, [one for (one,) in some], between)
        return _all_of(wanted) if wanted else Query.all_query()

    def is_in(self, view: str) -> bool:
        return any(one.is_in(view) for one in self.ways)


def _terms(way: WordSequence, languages: tuple[str, ...]) -> list[frozenset[str]]:
    """The sets of stems of a phrase's first words; see ``WordSequence.terms``."""
    return WordSequence(way.words[:_MOST_WORDS]).terms(languages)


def _near(now: IndexedPassages, terms: Sequence[frozenset[str]], between: int) -> list[Query]:
    """Return queries for one stem of each set, near each other."""
    groups = [[s for s in sorted(one) if now.searcher.doc_freq("stems", s)] for one in terms]
    if len(groups) == 1 or not 0 < math.prod(map(len, groups)) <= _MOST_WAYS:
        return [_any_of([now.term(stem) for stem in group]) for group in groups]
    slop = between * (len(groups) - 1)
    return [_any_of([_in_order(now, "stems", one, slop) for one in product(*groups)])]


def _in_order(now: IndexedPassages, field: str, words: Sequence[str], slop: int) -> Query:
    if len(words) == 1:
        return Query.term_query(now.schema, field, words[0])
    return Query.phrase_query(now.schema, field, list(words), slop)


def _any_of(queries: Sequence[Query]) -> Query:
    if len(queries) == 1:
        return queries[0]
    listed = [(Occur.Should, one) for one in queries]
    return Query.boolean_query(listed) if listed else Query.empty_query()


def _all_of(queries: Sequence[Query]) -> Query:
    return Query.boolean_query([(Occur.Must, one) for one in queries])


def _unscored(query: Query) -> Query:
    return Query.const_score_query(query, 0.0)


def _within(now: IndexedPassages, query: Query, count: int, docs: DocSet | None) -> ScoredKeys:
    """The best passages of a query in some documents."""
    if docs is None:
        return now.best(query, count)
    known = np.fromiter(now.counts, np.int32, len(now.counts))
    kept = docs.keeps(known)
    if kept.all():
        return now.best(query, count)
    sizes = np.fromiter((passages for passages, _ in now.counts.values()), np.int64, len(known))
    share = int(sizes[kept].sum()) / max(1, int(sizes.sum()))
    if share > _LARGE_SHARE:
        most = int(1.5 * count / share) + 64
        found = now.best(query, most)
        inside = found.kept(docs.keeps(docs_of(found.keys)))
        if len(inside) >= count or len(found) < most:
            return inside.first(count)
    fewer = kept if kept.sum() <= len(known) / 2 else ~kept
    listed = Query.term_set_query(now.schema, "doc", known[fewer].tolist())
    if fewer is kept:
        return now.best(_all_of([query, _unscored(listed)]), count)
    return now.best(Query.boolean_query([(Occur.Must, query), (Occur.MustNot, listed)]), count)


def _passing(
    now: IndexedPassages,
    query: Query,
    count: int,
    docs: DocSet | None,
    passes: Callable[[ScoredKeys], Mask],
) -> ScoredKeys:
    """The best passages that pass a test of their texts."""
    kept, seen = NOTHING, NO_KEYS
    most = max(_LEAST_READ, min(count, _MOST_READ))
    while len(kept) < count:
        found = _within(now, query, most, docs)
        new = found.kept(np.isin(found.keys, seen, invert=True))
        for start in range(0, len(new), _MOST_READ):
            some = new.between(start, start + _MOST_READ)
            kept = kept.followed_by(some.kept(passes(some)))
            if len(kept) >= count:
                break
        if len(found) < most:
            break
        seen, most = found.keys, 4 * most
    return kept.first(max(0, count))
