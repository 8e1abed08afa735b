"""Finds names and years in a query, documents about them, and names that the library lacks.

Names are recognised by their capitals, and matched with a document's name and with its leading
passages. These are separate features: "Pfizer" occurs in reports of many companies, but only
Pfizer's reports have it in their names. "J P Morgan", "JP Morgan" and "JPMorgan" are one name. So
before a note says that the library lacks a name, neighbouring words are searched joined, and a
single word is searched as neighbouring parts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.phrases import Note
from indexer.query.focus import split_clauses
from indexer.store.values import Phrase
from indexer.text.name_words import (
    MAX_TOGETHER,
    alphanumeric_parts,
    initialisms,
    last_year,
    name_tokens,
    neighbours,
)
from indexer.text.stop_words import ALL_STOP_WORDS
from indexer.text.terms import stop_words, word_spans, words

if TYPE_CHECKING:
    from indexer.query.grammar import Query
    from indexer.search.lexicon import LexiconReader
    from indexer.search.query_terms import QueryTerms
    from indexer.store.store import Store


_MARKS = "\"'\u201c\u201d\u2018\u2019()[]{}<>,.;:?!*"
_OPENING = "([{\"'\u201c\u2018"
_GENITIVE = re.compile(r"['\u2019]s$")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# "H1" is half a year and not a name.
_HALF = re.compile(r"[Hh][12]")
# Words that may be inside a name: "Bank of America", "Johnson and Johnson".
_JOINING = frozenset(("of", "and", "&"))
# If a larger share of the letters is capital, capitals do not mark names.
_ALL_CAPITALS = 0.6
# People shorten a name to its beginning: "MGM" for "MGMRESORTS".
_SHORTEST = 3
_SHORTEST_JOINED = 5


class NamedEntities(Struct, frozen=True):
    """The names in a query as folded words, and its last year, "" without a year."""

    names: tuple[tuple[str, ...], ...]
    year: str


class DocumentProfile(Struct, frozen=True):
    """A document's name and the words of its leading passages.

    Attributes:
        name_words: The folded words of its name and title.
        initialisms: Abbreviations of these by their first letters.
        years: The years in its name and title.
        text_words: The folded words of its leading passages.
        text_years: The years in them.
    """

    name_words: frozenset[str]
    initialisms: frozenset[str]
    years: frozenset[str]
    text_words: frozenset[str] = frozenset()
    text_years: frozenset[str] = frozenset()

    @classmethod
    def from_name(cls, name: str) -> DocumentProfile:
        """Describe a document by its name and title."""
        return cls(frozenset(name_tokens(name)), initialisms(name), years_in(name))

    def with_text(self, words: frozenset[str], years: frozenset[str]) -> DocumentProfile:
        """Add the words and years of one more passage."""
        return replace(self, text_words=self.text_words | words, text_years=self.text_years | years)

    def has(self, word: str, name: tuple[str, ...]) -> bool:
        """Whether a word of a name occurs in the document's name or in its passages."""
        return word in self.text_words or self._in_name(word) or self._run_together(name)

    def _in_name(self, word: str) -> bool:
        if (
            word in self.name_words
            or word in self.initialisms
            or any(part in self.name_words for part in alphanumeric_parts(word))
        ):
            return True
        if len(word) < _SHORTEST or word.isdigit():
            return False
        return any(other.startswith(word) for other in self.name_words)

    def _run_together(self, name: tuple[str, ...]) -> bool:
        """Whether the document's name has the words joined: "best buy" in "BESTBUY_2019"."""
        together = "".join(name)
        if len(name) < 2 or len(together) < _SHORTEST_JOINED:
            return False
        long = (word for word in self.name_words if len(word) >= _SHORTEST_JOINED)
        return any(word.startswith(together) or together.startswith(word) for word in long)


def years_in(text: str) -> frozenset[str]:
    """The years of four digits in a text.

    >>> sorted(years_in("ADOBE_2016_10K, FY2015"))
    ['2015', '2016']
    """
    return frozenset(_YEAR.findall(text))


def named_in(query: str) -> NamedEntities:
    """Find the names and the year in a query.

    A name is a run of words that begin with a capital. The first word of a sentence belongs to a
    name only if another one follows. A word of only capitals is part of a longer name; alone it may
    be an abbreviation ("in USD"). Digits with letters are part of a name ("3M"), numbers are not.

    >>> named_in("What did Acme Robotics Inc. owe Best Buy in FY2019? USD only.")
    NamedEntities(names=(('acme', 'robotics', 'inc'), ('best', 'buy')), year='2019')
    """
    letters = [char for char in query if char.isalpha()]
    all_capitals = sum(char.isupper() for char in letters) > _ALL_CAPITALS * len(letters)
    names: dict[tuple[str, ...], None] = {}
    run: list[_Token] = []
    for token in _tokens(query):
        if token.opens or not (token.named or (run and token.plain.lower() in _JOINING)):
            _close(run, names)
        if token.named and not (all_capitals and not token.digits):
            run.append(token)
        if token.closes or token.year:
            _close(run, names)
    _close(run, names)
    return NamedEntities(tuple(names), str(last_year(query) or ""))


def written_names(query: str, folded: frozenset[str]) -> list[str]:
    """Return the words, as written, of the names in a query that have some folded words.

    >>> written_names("What does Zyxotech Inc. owe the port?", frozenset({"zyxotech", "port"}))
    ['Zyxotech']
    """
    names = {word for name in named_in(query).names for word in name}
    shown = (query[start:end] for start, end in word_spans(query))
    return list(dict.fromkeys(one for one in shown if not (names & folded).isdisjoint(words(one))))


class _Token(Struct, frozen=True):
    """A word as written, and whether a bracket, a quote or a stop sets it off."""

    plain: str
    first: bool
    before_capital: bool
    opens: bool
    closes: bool

    @property
    def digits(self) -> bool:
        return any(char.isdigit() for char in self.plain)

    @property
    def year(self) -> bool:
        return self.digits and last_year(self.plain) is not None

    @property
    def named(self) -> bool:
        """Whether the word may belong to a name."""
        if self.digits:
            half = _HALF.fullmatch(self.plain) is not None
            return not (self.year or half) and any(char.isalpha() for char in self.plain)
        if not self.plain[:1].isupper() or sum(char.isalpha() for char in self.plain) < 2:
            return False
        inside = any(char.isupper() for char in self.plain[1:])
        if self.first and not inside:
            return self.before_capital and self.plain.lower() not in ALL_STOP_WORDS
        return True


def _tokens(query: str) -> Iterator[_Token]:
    for clause in split_clauses(query):
        written = clause.split()
        for at, word in enumerate(written):
            following = written[at + 1].strip(_MARKS)[:1] if at + 1 < len(written) else ""
            closes = word[-1] in _MARKS or at + 1 == len(written)
            yield _Token(
                plain=_GENITIVE.sub("", word.strip(_MARKS)),
                first=at == 0,
                before_capital=following.isupper() and not closes,
                opens=word[0] in _OPENING,
                closes=closes,
            )


def _close(run: list[_Token], names: dict[tuple[str, ...], None]) -> None:
    """End a run of capitalised words, which is a name unless it is just one abbreviation."""
    capitals = sum(token.plain.isupper() and not token.digits for token in run)
    if run and (capitals < len(run) or capitals > 1):
        found = [word for token in run for word in words(token.plain)]
        name = tuple(dict.fromkeys(word for word in found if word not in ALL_STOP_WORDS))
        if name:
            names[name] = None
    run.clear()


# The longest word that is searched in parts, and the most ways to part it.
LONGEST = 20
SEARCHED = 8


def unknown_names(
    terms: QueryTerms, joined: frozenset[str], reading: LexiconReader, store: Store
) -> tuple[Note, ...]:
    """Make a note on the names in a query that are not in the library.

    There is no note if most words are unknown, apart from codes, as in another language, nor while
    the last word is being typed. Stop words do not count, as a small library lacks some.

    Args:
        joined: Folded words that the library has joined to others or in parts.
    """
    unknown = terms.unknown.difference(joined, *map(stop_words, terms.languages))
    coded = _coded(terms.text)
    plain = [word for word in terms.words if word not in coded]
    if not unknown or 2 * len(unknown - coded) > len(plain) or terms.has_prefix:
        return ()
    names = written_names(terms.text, unknown)
    if names:
        unknown &= {word for name in names for word in words(name)}
        unknown -= _joined(terms.text, reading)
        unknown = frozenset(
            word for word in unknown if not _stands_apart(word, terms.languages, reading, store)
        )
        names = written_names(terms.text, unknown)
    return (Note("name_nowhere", {"names": _quoted(names)}),) if names else ()


def is_unknown_code(terms: QueryTerms, notes: tuple[Note, ...]) -> bool:
    """Whether a query is just a code that no document has, according to such a note."""
    named = [note.detail["names"] for note in notes if note.code == "name_nowhere"]
    return bool(_coded(terms.text)) and _quoted([terms.text.strip()]) in named


def _coded(text: str) -> frozenset[str]:
    """The folded words of codes with figures and letters, such as KX-88-4410."""
    shown = (text[start:end] for start, end in word_spans(text))
    codes = (one for one in shown if any(map(str.isdigit, one)) and any(map(str.isalpha, one)))
    return frozenset(word for code in codes for word in words(code))


def unknown_phrases(query: Query) -> Note:
    """Make the note that no passage contains the phrases of a query."""
    return Note("phrase_nowhere", {"phrases": _quoted(query.phrases)})


def _joined(text: str, reading: LexiconReader) -> frozenset[str]:
    """The words of a query that the library has joined to their neighbours."""
    runs = neighbours(words(text))
    known = reading.df(list(map("".join, runs)))
    return frozenset(word for run in runs if known["".join(run)] for word in run)


def _stands_apart(
    word: str, languages: tuple[str, ...], reading: LexiconReader, store: Store
) -> bool:
    """Whether a passage has a word as neighbouring parts."""
    if len(word) > LONGEST:
        return False
    ends = range(1, len(word) + 1)
    known = reading.df(list({word[start:end] for end in ends for start in range(end)}))
    parted = (
        parts
        for count in range(2, MAX_TOGETHER + 1)
        for parts in _parted(word, count, {part for part, found in known.items() if found})
    )
    ways = tuple(" ".join(one) for one in islice(parted, SEARCHED))
    return len(store.phrases([Phrase(ways, languages)], 1)) > 0


def _parted(word: str, count: int, known: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Yield the ways to part a word into ``count`` known words.

    >>> list(_parted("jpmorgan", 2, {"j", "p", "jp", "morgan"}))
    [('jp', 'morgan')]
    >>> list(_parted("jpmorgan", 3, {"j", "p", "jp", "morgan"}))
    [('j', 'p', 'morgan')]
    """
    if count == 1:
        yield from [(word,)] if word in known else []
        return
    for at in range(1, len(word)):
        if word[:at] in known:
            yield from ((word[:at], *rest) for rest in _parted(word[at:], count - 1, known))


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(f"“{one}”" for one in texts)
