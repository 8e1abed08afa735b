"""What a query names, and whether a document is about it: names as runs of words, and years.

Owns telling names by how they are written, and the comparison with what a document is called and
with what its leading passages say. Where a name stands matters: "Pfizer" occurs in reports of many
companies, but only Pfizer's are called so, and a report of 2017 names later years as the maturities
of its debt. Pure functions of text; it must not know where the texts come from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from indexer.query.focus import clauses
from indexer.text.name_words import initials_of, last_year, of_name, parts_of
from indexer.text.stop_words import STOP_WORDS
from indexer.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKS = "\"'\u201c\u201d\u2018\u2019()[]{}<>,.;:?!*"
_OPENING = "([{\"'\u201c\u2018"
_GENITIVE = re.compile(r"['\u2019]s$")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# Half a year is no name: the report of the second quarter or of the year tells of it.
_HALF = re.compile(r"[Hh][12]")
# Inside a name these are part of it: "Bank of America", "Johnson and Johnson".
_JOINING = frozenset(("of", "and", "&"))
# A query with a larger share of capitals is written in them; they tell nothing.
_SHOUTING = 0.6
# What people shorten a name to is the beginning of it: "MGM" for "MGMRESORTS".
_SHORTEST = 3
_SHORTEST_JOINED = 5


@dataclass(frozen=True, slots=True)
class Named:
    """What a query names: the folded words of each name, and its last year, "" if there is none."""

    names: tuple[tuple[str, ...], ...]
    year: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Who a document is, and what its leading passages say.

    Attributes:
        called: The folded words of its name and title.
        short: What these may be shortened to by their first letters.
        years: The years in its name and title.
        said: The folded words of its leading passages.
        years_said: The years in them.
    """

    called: frozenset[str]
    short: frozenset[str]
    years: frozenset[str]
    said: frozenset[str]
    years_said: frozenset[str]

    @classmethod
    def of(cls, called: str) -> Standing:
        """Describe a document by its name and title."""
        words_of, short = frozenset(of_name(called)), initials_of(called)
        return cls(words_of, short, years_of(called), frozenset(), frozenset())

    def saying(self, said: frozenset[str], years: frozenset[str]) -> Standing:
        """The same document with the words and years of one more passage."""
        return replace(self, said=self.said | said, years_said=self.years_said | years)

    def has(self, word: str, name: tuple[str, ...]) -> bool:
        """Whether a word of a name stands in what the document is called or in what it says."""
        return word in self.said or self._called(word) or self._called_together(name)

    def _called(self, word: str) -> bool:
        if (
            word in self.called
            or word in self.short
            or any(part in self.called for part in parts_of(word))
        ):
            return True
        if len(word) < _SHORTEST or word.isdigit():
            return False
        return any(other.startswith(word) for other in self.called)

    def _called_together(self, name: tuple[str, ...]) -> bool:
        """Whether the words are run together in the name: "best buy" in "BESTBUY_2019"."""
        together = "".join(name)
        if len(name) < 2 or len(together) < _SHORTEST_JOINED:
            return False
        long = (word for word in self.called if len(word) >= _SHORTEST_JOINED)
        return any(word.startswith(together) or together.startswith(word) for word in long)


def years_of(text: str) -> frozenset[str]:
    """The years of four digits in a text.

    >>> sorted(years_of("ADOBE_2016_10K, FY2015"))
    ['2015', '2016']
    """
    return frozenset(_YEAR.findall(text))


def named_in(query: str) -> Named:
    """Tell what a query names.

    Names are runs of words with a capital in front. The word that opens a sentence is part of a
    name only if another follows it; capitals throughout make a name together with others, alone
    they are abbreviations as often ("in USD"). So are digits with letters ("3M"), but not numbers.

    >>> named_in("What did Acme Robotics Inc. owe Best Buy in FY2019? USD only.")
    Named(names=(('acme', 'robotics', 'inc'), ('best', 'buy')), year='2019')
    """
    letters = [char for char in query if char.isalpha()]
    shouted = sum(char.isupper() for char in letters) > _SHOUTING * len(letters)
    names: dict[tuple[str, ...], None] = {}
    run: list[_Token] = []
    for token in _tokens(query):
        if token.opens or not (token.named or (run and token.plain.lower() in _JOINING)):
            _end(run, names)
        if token.named and not (shouted and not token.digits):
            run.append(token)
        if token.closes or token.year:
            _end(run, names)
    _end(run, names)
    return Named(tuple(names), str(last_year(query) or ""))


@dataclass(frozen=True, slots=True)
class _Token:
    """A word as it is written, and whether a bracket, a quote or a stop sets it off."""

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
    def capitals(self) -> bool:
        """Whether it is written in capitals throughout."""
        return self.plain.isupper()

    @property
    def named(self) -> bool:
        """Whether it may be a word of a name."""
        if self.digits:
            half = _HALF.fullmatch(self.plain) is not None
            return not (self.year or half) and any(char.isalpha() for char in self.plain)
        if not self.plain[:1].isupper() or sum(char.isalpha() for char in self.plain) < 2:
            return False
        inside = any(char.isupper() for char in self.plain[1:])
        if self.first and not inside:
            return self.before_capital and self.plain.lower() not in _empty_words()
        return True


def _tokens(query: str) -> Iterator[_Token]:
    for clause in clauses(query):
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


def _end(run: list[_Token], names: dict[tuple[str, ...], None]) -> None:
    """Take a run for a name if it is one, and begin the next."""
    capitals = sum(token.capitals and not token.digits for token in run)
    if run and (capitals < len(run) or capitals > 1):
        found = [word for token in run for word in words(token.plain)]
        name = tuple(dict.fromkeys(word for word in found if word not in _empty_words()))
        if name:
            names[name] = None
    run.clear()


@cache
def _empty_words() -> frozenset[str]:
    return frozenset().union(*STOP_WORDS.values())
