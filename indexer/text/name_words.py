"""Words of file and folder names, and the words of a query that may name a file.

A file "ActivisionBlizzard_2019_10K" matches "Activision Blizzard's 10-K of fiscal 2019": names are
split at changes of case and between letters and digits, and the tokens of a query include
neighbouring words joined to one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from indexer.text.sentences import UNSPACED, lazy_pattern
from indexer.text.terms import word_spans, words

_CASE = re.compile(r"(?<=[a-z\u00df-\u00ff])(?=[A-Z\u00c0-\u00de])|(?<=[A-Z])(?=[A-Z][a-z])")
# Runs of letters, of digits, or of letters followed by digits: "2022q4" has 2022 and q4.
_RUNS = re.compile(r"[^\W\d_]+\d+|[^\W\d_]+|\d+")
_LETTERS = re.compile(r"[^\W\d_]+(?=\d)")
_DIGITS = re.compile(r"(?<=[^\W\d_])\d+")
_PAIRED = lazy_pattern(f"[{UNSPACED}\uac00-\ud7a3]+")
YEARS = range(1950, 2050)
_YEAR_OF = {word: year for year in YEARS for word in (str(year), f"fy{year % 100:02}")}
# The most words between "as of" and its year: "as of the end of the fiscal year 2021".
_AS_OF_REACH = 6
# Lengths of initialisms: shorter ones are often words ("us", "it").
_INITIALS = range(3, 7)
# The most words of a query that are joined.
MAX_TOGETHER = 4
# The words of a long query (a pasted paragraph) that are matched with names.
MAX_WORDS = 64


def name_tokens(name: str) -> list[str]:
    """Return the folded words of a name, and separately the letters and digits of mixed words.

    >>> name_tokens("ActivisionBlizzard_2019_10K")
    ['activision', 'blizzard', 'activisionblizzard', '2019', '10k', '10']
    """
    found: list[str] = []
    for part in re.split(r"[\W_]+", name):
        apart = words(_CASE.sub(" ", part))
        together = words(part)
        found += apart if apart == together else [*apart, *together]
    return list(
        dict.fromkeys(piece for word in found for piece in (word, *alphanumeric_parts(word)))
    )


def joined_neighbours(name: str) -> list[str]:
    """Return each two neighbouring words of a name joined to one.

    >>> joined_neighbours("JP Morgan_2021"), joined_neighbours("BestBuy")
    (['jpmorgan'], ['bestbuy'])
    """
    plain = words(_CASE.sub(" ", re.sub(r"[\W_]+", " ", name)))
    return [one + two for one, two in pairwise(plain) if one.isalpha() and two.isalpha()]


def abbreviations(query: str) -> list[str]:
    """Return the folded words of a query with several capitals that may be initialisms.

    The list is empty if no other word has small letters.

    >>> abbreviations("Are JnJ's margins those of AMD?"), abbreviations("CAP ON LIABILITY")
    (['jnj', 'amd'], [])
    """
    shown = [query[start:end] for start, end in word_spans(query)]
    found = [one for one in shown if sum(map(str.isupper, one)) > 1 and len(one) in _INITIALS]
    return [word for one in found for word in words(one)] if any(map(str.islower, shown)) else []


def pairs(text: str) -> list[str]:
    """Return pairs of characters, and single ones, in Korean and in scripts without spaces.

    Dictionaries fail on names, which are short and often not sentences.

    >>> pairs("東京都 2019"), pairs("x")
    (['東京', '京都', '東', '京', '都'], [])
    """
    runs = _PAIRED.findall(text)
    return [run[at : at + 2] for run in runs for at in range(len(run) - 1)] + list("".join(runs))


def neighbours(plain: Sequence[str], most: int = MAX_TOGETHER) -> list[tuple[str, ...]]:
    """Return the runs of two to ``most`` neighbouring words, the short ones first.

    >>> neighbours(["j", "p", "morgan"])
    [('j', 'p'), ('p', 'morgan'), ('j', 'p', 'morgan')]
    """
    return [
        tuple(plain[at : at + count])
        for count in range(2, most + 1)
        for at in range(len(plain) - count + 1)
    ]


def query_name_tokens(query: str) -> list[str]:
    """Return the folded words of a query, their parts, and up to four neighbours joined.

    >>> query_name_tokens("FY2019 best buy")
    ['fy2019', '2019', 'fy', 'best', 'buy', 'fy2019best', 'bestbuy', 'fy2019bestbuy']
    """
    plain = [word for word in words(query) if word != "s"][:MAX_WORDS]
    found = [piece for word in plain for piece in (word, *alphanumeric_parts(word))]
    return list(dict.fromkeys((*found, *map("".join, neighbours(plain)))))


def initialisms(name: str) -> frozenset[str]:
    """Return the initialisms of a name: the first letters of neighbouring words.

    The initialism of two words has an "n" between, for an "and" that file names leave out.

    >>> sorted(initialisms("JOHNSON_JOHNSON_2022_10K")), sorted(initialisms("AdvancedMicroDevices"))
    (['jnj'], ['amd', 'anm', 'mnd'])
    """
    plain = _CASE.sub(" ", re.sub(r"[\W_]+", " ", name))
    letters = "".join(word[0] if word.isalpha() else " " for word in words(plain))
    found = {f"{first}n{second}" for first, second in pairwise(letters)}
    for count in _INITIALS:
        found.update(letters[at : at + count] for at in range(len(letters) - count + 1))
    return frozenset(each for each in found if " " not in each)


@lru_cache(maxsize=1024)
def last_year(query: str) -> int | None:
    """Return the latest year in a query, or None if it has none.

    In "as of 2021 …" it is that year, or the latest year in "as of … 2020 and 2021", since a
    document of that year also covers later years.

    >>> last_year("growth from FY2018 to FY2020"), last_year("net income FY21"), last_year("rent")
    (2020, 2021, None)
    >>> last_year("As of FY 2021, what was to be paid for 2024?")
    2021
    """
    plain = words(query)
    years = [_year_in(word) for word in plain]
    return max(_as_of(plain, years) or filter(None, years), default=None)


def _as_of(plain: list[str], years: list[int | None]) -> list[int]:
    """The years of "as of December 31, 2020 and 2021"."""
    found: list[int] = []
    for at in (at for at, pair in enumerate(pairwise(plain)) if pair == ("as", "of")):
        reach = at + 2 + _AS_OF_REACH
        for place, year in enumerate(years[at + 2 :], at + 2):
            if place > reach:
                break
            if year is not None:
                found.append(year)
                reach = place + 2
    return found


def _year_in(word: str) -> int | None:
    pieces = (word, *alphanumeric_parts(word))
    return max((_YEAR_OF[piece] for piece in pieces if piece in _YEAR_OF), default=None)


def year_tokens(years: range) -> list[str]:
    """Return the forms of years in names: 2021 and fy21.

    >>> year_tokens(range(2020, 2022))
    ['2020', 'fy20', '2021', 'fy21']
    """
    return [word for word, year in _YEAR_OF.items() if year in years]


def alphanumeric_parts(word: str) -> list[str]:
    """Return the digits and the letters of a folded word that has both; nothing for other words.

    >>> alphanumeric_parts("fy2018"), alphanumeric_parts("2018")
    (['2018', 'fy'], [])
    """
    parts = [*_RUNS.findall(word), *_DIGITS.findall(word), *_LETTERS.findall(word)]
    return list(dict.fromkeys(part for part in parts if len(part) > 1 and part != word))
