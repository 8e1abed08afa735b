"""Completions of the word at the cursor: operators, their values, collections, earlier searches.

They are derived from the table of the grammar.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from indexer.query.filters import GRAMMAR, LANGUAGES, OPERATORS, TYPES, help_of
from ui.search.query_text import written
from ui.words import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ui.search.memory import Saved

MOST = 8
MOST_SHOWN = 20

_VALUE = re.compile(r'(?:^|(?<=\s))(-?)([A-Za-z]{2,}):(?:"([^"]*)|([^\s"]*))$')
_NAME = re.compile(r"(?:^|(?<=\s))(-?)([A-Za-z]*)$")


@dataclass(frozen=True, slots=True)
class Offers:
    """The values that completions are taken from."""

    folders: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    saved: tuple[Saved, ...] = ()


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A completion: ``text`` and ``cursor`` are those of the box after it was chosen."""

    label: str
    hint: str
    text: str
    cursor: int


def suggest(text: str, cursor: int, offers: Offers, today: date) -> list[Suggestion]:
    """Return values for the operator at the cursor, while they are typed."""
    before, after = text[:cursor], text[cursor:]
    match = _VALUE.search(before)
    operator = OPERATORS.get(match[2].lower()) if match else None
    if match is None or operator is None:
        return []
    typed = (match[3] if match[3] is not None else match[4]).casefold()
    after = after.removeprefix('"') if match[3] is not None else after
    excluded = bool(match[1]) and operator.can_be_excluded
    made = []
    for value, hint in _VALUES.get(operator.name, _none)(offers, today):
        if typed in f"{value} {hint}".casefold() and typed != value.casefold():
            clause = written(operator.name, value, excluded=excluded)
            head = before[: match.start()] + clause + " "
            made.append(Suggestion(value, hint, head + after.lstrip(), len(head)))
    made.sort(key=lambda each: not each.label.casefold().startswith(typed))
    return made[:MOST]


def suggest_all(text: str, cursor: int, offers: Offers, today: date) -> list[Suggestion]:
    """Return all completions, on request: values, else searches and operators."""
    values = suggest(text, cursor, offers, today)
    if values:
        return values
    return [*_searches(text, offers), *_operators(text, cursor)]


def _searches(text: str, offers: Offers) -> Iterator[Suggestion]:
    """Yield saved and recent searches that contain the text."""
    typed = text.strip().casefold()
    for saved in [each for each in offers.saved if typed in f"{each.name} {each.text}".casefold()]:
        yield Suggestion(saved.name, saved.text, saved.text, len(saved.text))
    found = [
        each for each in offers.recent if typed in each.casefold() and typed != each.casefold()
    ]
    for recent in found[:MOST]:
        yield Suggestion(recent, "", recent, len(recent))


def _operators(text: str, cursor: int) -> Iterator[Suggestion]:
    before, after = text[:cursor], text[cursor:]
    match = _NAME.search(before)
    if match is None:
        return
    for operator in GRAMMAR:
        fits = operator.read is not None and operator.name.startswith(match[2].lower())
        if fits and (operator.can_be_excluded or not match[1]):
            head = f"{before[: match.start()]}{match[1]}{operator.name}:"
            yield Suggestion(f"{operator.name}:", help_of(operator, say), head + after, len(head))


def shown(extensions: Sequence[str]) -> str:
    """Return the first extensions of a group, as a hint."""
    return ", ".join([*extensions[:MOST_SHOWN], *(["…"] if len(extensions) > MOST_SHOWN else [])])


def _folders(offers: Offers, _today: date) -> Iterator[tuple[str, str]]:
    yield from ((name, "") for name in (*offers.collections, *offers.folders))


def _extensions(_offers: Offers, _today: date) -> Iterator[tuple[str, str]]:
    yield from ((each, kind) for kind, extensions in TYPES.items() for each in extensions)


def _types(_offers: Offers, _today: date) -> Iterator[tuple[str, str]]:
    yield from ((kind, shown(extensions)) for kind, extensions in TYPES.items())


def _languages(offers: Offers, _today: date) -> Iterator[tuple[str, str]]:
    names = {code: name for name, code in LANGUAGES.items()}
    codes = dict.fromkeys([*offers.languages, *LANGUAGES.values()])
    yield from ((code, names.get(code, "").title()) for code in codes)


def _dates(_offers: Offers, today: date) -> Iterator[tuple[str, str]]:
    month = today.replace(day=1)
    yield from (
        (text, "")
        for text in (
            f"{today:%Y}", f"{today:%Y-%m}", f"{today:%Y-%m-%d}", f"{today.year - 1}",
            f"{month - timedelta(days=1):%Y-%m}", f"{today.year - 5}..{today.year}",
        )
    )  # fmt: skip


def _sizes(_offers: Offers, _today: date) -> Iterator[tuple[str, str]]:
    yield from ((text, "") for text in (">1mb", ">10mb", ">100mb", "<100kb"))


def _pages(_offers: Offers, _today: date) -> Iterator[tuple[str, str]]:
    yield from ((text, "") for text in ("1", "<=10", "10..20", ">100"))


def _none(_offers: Offers, _today: date) -> Iterator[tuple[str, str]]:
    yield from ()


_VALUES: dict[str, Callable[[Offers, date], Iterator[tuple[str, str]]]] = {
    "in": _folders, "ext": _extensions, "type": _types, "lang": _languages,
    "date": _dates, "after": _dates, "before": _dates, "size": _sizes, "page": _pages,
}  # fmt: skip
