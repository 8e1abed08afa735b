"""The numbers, dates and names in which two sentences of nearly the same meaning differ.

"Thirty" is "30", "1,000" is "1.000", and "3 May 2021" is "2021-05-03".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING

from msgspec import Struct

from indexer.text.sentences import lazy_pattern
from indexer.text.stop_words import MONTHS, NUMBERS, PLACES
from indexer.text.terms import stop_words, words

if TYPE_CHECKING:
    from indexer.api.types import Span

_MONTH = rf"(?P<m{{0}}>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\.?"
_DATE = lazy_pattern(
    r"\b(?:(?P<y0>\d{4})-(?P<m0>\d{1,2})-(?P<d0>\d{1,2})"
    r"|(?P<d1>\d{1,2})\.\s?(?P<m1>\d{1,2})\.\s?(?P<y1>\d{4})"
    rf"|(?P<d2>\d{{1,2}})(?:\.|st|nd|rd|th)?\s+(?:de\s+)?{_MONTH.format(2)}"
    r"(?:,?\s+(?:de\s+)?(?P<y2>\d{4}))?"
    rf"|{_MONTH.format(3)}\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y3>\d{{4}}))?"
    rf"|{_MONTH.format(4)}\s+(?P<y4>\d{{4}}))\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[^\W_]*\d(?:[\w.,'\u2019\u00a0\u202f]*\w)?(?:\s?%)?")
_GROUPS = re.compile(r"\d{1,3}(?:(?P<sign>[.,'\u2019\u00a0\u202f])\d{3})(?:(?P=sign)\d{3})*")
_WORD = re.compile(r"[^\W\d_]+")
_UNIT = re.compile(r"(?:\s?(?P<sign>[%€$£])|[\s-](?P<word>[^\W\d_]+))")
# "(a)", "2.", "10.3" at the start of a sentence are numbers of clauses, not amounts.
MARKER = re.compile(r"\W*(?:\w{1,2}[).]|\d+(?:\.\d+)+\.?)\s+")
_NAME = re.compile(
    r"[^\W\d_a-z][\w\u2019'&.-]*[\w](?: +(?:(?:of|de|von|van|der|du) +)?[^\W\d_a-z][\w\u2019'&-]*)*"
)
# Languages with capitalised nouns: only several capitalised words in a row are a name.
_CAPITALISED = frozenset({"de", "lb"})


class ValueKind(Enum):
    """The kind of a value."""

    DATE = auto()
    NUMBER = auto()
    NAME = auto()


class Value(Struct, frozen=True):
    """A value in a text: its span, its normalised form, and its unit, such as "days"."""

    kind: ValueKind
    start: int
    end: int
    normal: str
    unit: str = ""
    unit_end: int = 0

    def said(self, text: str) -> str:
        """The value with its unit, on one line."""
        return " ".join(text[self.start : max(self.end, self.unit_end)].split())


class Differences(Struct, frozen=True):
    """Where two texts differ: the spans of values that the other does not have.

    ``pairs`` has values that correspond to each other: "30 days", "60 days".
    """

    first: tuple[Span, ...] = ()
    second: tuple[Span, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()


def differences(first: str, second: str, language: str = "") -> Differences:
    """Compare the values of two texts in a language."""
    mine, theirs = list(values(first, language)), list(values(second, language))
    alone = _without(mine, theirs, second)
    others = _without(theirs, mine, first)
    pairs = list(_paired(alone, others))
    return Differences(
        _spans(alone, [one for one, _ in pairs]),
        _spans(others, [other for _, other in pairs]),
        tuple((one.said(first), other.said(second)) for one, other in pairs),
    )


def _spans(alone: list[Value], paired: list[Value]) -> tuple[Span, ...]:
    """The spans of values, except names without a counterpart, which may be headings."""
    return tuple(
        (value.start, value.end)
        for value in alone
        if value.kind is not ValueKind.NAME or value in paired
    )


def values(text: str, language: str = "") -> Iterator[Value]:
    """Find the dates, numbers and names of a text, in order of their kinds."""
    marker = MARKER.match(text)
    begin = marker.end() if marker else 0
    taken = [(0, begin)]
    for date in _DATE.finditer(text, begin):
        taken.append(date.span())
        yield Value(ValueKind.DATE, *date.span(), _day(date))
    for number in _numbers(text, begin):
        if not any(number.start < end and start < number.end for start, end in taken):
            taken.append((number.start, number.end))
            yield number
    for name in _names(text, language):
        if not any(name.start < end and start < name.end for start, end in taken):
            yield name


def _day(found: re.Match[str]) -> str:
    for at in range(5):
        groups = found.groupdict()
        month = groups.get(f"m{at}")
        if month is not None:
            number = int(month) if month.isdecimal() else MONTHS[month.casefold()]
            day, year = groups.get(f"d{at}") or "0", groups.get(f"y{at}") or "0"
            return f"{int(year):04}-{number:02}-{int(day):02}"
    raise AssertionError(found)  # each alternative has a month


def _numbers(text: str, begin: int) -> Iterator[Value]:
    for found in _NUMBER.finditer(text, begin):
        if _follows_place(text, found.start()):
            continue
        yield _with_unit(text, found.span(), _normal(found[0]))
    for found in _WORD.finditer(text, begin):
        if (value := NUMBERS.get(found[0].casefold())) is not None:
            yield _with_unit(text, found.span(), value)


def _with_unit(text: str, span: Span, normal: str) -> Value:
    if text[span[1] - 1] == "%":
        return Value(ValueKind.NUMBER, *span, normal, "%")
    unit = _UNIT.match(text, span[1])
    if unit is None or (unit["word"] or "").casefold() in stop_words("en"):
        return Value(ValueKind.NUMBER, *span, normal)
    named = (unit["word"] or unit["sign"]).casefold()
    return Value(ValueKind.NUMBER, *span, normal, named, unit.end())


def _normal(number: str) -> str:
    bare = number.replace(" ", "").removesuffix("%")
    if groups := _GROUPS.match(bare):
        whole, rest = groups[0].replace(groups["sign"], ""), bare[groups.end() :]
        bare = whole + rest
    bare = bare.replace(",", ".").casefold()
    return bare.rstrip("0").rstrip(".") if "." in bare and bare.count(".") == 1 else bare


def _follows_place(text: str, at: int) -> bool:
    before = text[:at].rstrip(" \u00a0(")
    word = re.search(r"[^\W\d_]+\.?$", before)
    return before.endswith("§") or (word is not None and word[0].rstrip(".").casefold() in PLACES)


def _names(text: str, language: str) -> Iterator[Value]:
    common = stop_words(language or "en")
    for found in _NAME.finditer(text):
        start, end = found.span()
        parts = found[0].split()
        # The first word of a sentence has a capital anyway.
        opens = not text[:start].strip() or text[:start].rstrip()[-1:] in '.!?:\u201c"('
        if opens:
            if len(parts) == 1:
                continue
            if common.issuperset(words(parts[0])):
                start += len(found[0]) - len(found[0].split(maxsplit=1)[1])
                parts = parts[1:]
        if language in _CAPITALISED and len(parts) < 2:
            continue
        said = words(text[start:end])
        if said and not common.issuperset(said):
            yield Value(ValueKind.NAME, start, end, " ".join(said))


def _without(mine: list[Value], theirs: list[Value], text: str) -> list[Value]:
    """The values that another text does not have; ``theirs`` are its values."""
    known = {value.normal for value in theirs}
    said = set(words(text))
    return [
        value
        for value in mine
        if value.normal not in known
        and not (value.kind is ValueKind.NAME and said.issuperset(value.normal.split()))
    ]


def _paired(mine: list[Value], theirs: list[Value]) -> Iterator[tuple[Value, Value]]:
    """Pair values of a kind: those with the same unit, then the rest in order if equally many."""
    for kind in ValueKind:
        one = [value for value in mine if value.kind is kind]
        other = [value for value in theirs if value.kind is kind]
        for value in [value for value in one if value.unit]:
            if same := next((each for each in other if each.unit == value.unit), None):
                one.remove(value)
                other.remove(same)
                yield value, same
        if len(one) == len(other):
            yield from zip(one, other, strict=True)
