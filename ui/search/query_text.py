"""The text of a query: filters are added and removed, words completed, links followed.

``indexer.query.grammar`` reads the grammar that is written here. The text is what counts; chips are
made from it, and completions from the table of the grammar. A link, ``lectern://passage?text=…``,
holds words of the passage and no path, so it still works after the file was renamed, moved or saved
again, and following it is a search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from msgspec import Struct
from PySide6.QtCore import QLocale

from indexer.query.filters import GRAMMAR, LANGUAGES, OPERATORS, TYPES, help_of
from indexer.query.grammar import clauses, without
from indexer.query.links import PLACE, SCHEME, link_to
from ui.search.safe_text import plain, shown
from ui.words import say

if TYPE_CHECKING:
    from indexer.api.types import Hit
    from ui.search.memory import Saved


# Operators of which a query keeps only one, as a second one would narrow the first.
_SINGLE = frozenset({"date", "after", "before", "size", "page", "like", "lang", "type", "ext"})
_DATES = frozenset({"date", "after", "before"})
_KINDS = frozenset({"type", "ext"})
_QUOTES = '"\u201c\u201d\u201e\u201f\uff02'


def written(operator: str, value: str, *, excluded: bool = False) -> str:
    """Write a clause in the grammar, with quotation marks if needed.

    The grammar cannot express a quotation mark inside a value, so only the text before the first
    mark is used, or the text after it if nothing stands before.
    """
    for mark in _QUOTES:
        value = value.replace(mark, '"')
    value = " ".join(next((part for part in value.split('"') if part.strip()), "").split())
    sign = "-" if excluded else ""
    if not operator:
        return f'{sign}"{value}"'
    bare = value.replace("/", "").replace(":", "")[:1] and value[0] not in ":/"
    if bare and not any(char.isspace() for char in value):
        return f"{sign}{operator}:{value}"
    return f'{sign}{operator}:"{value}"'


def with_filter(text: str, operator: str, value: str) -> str:
    """Add a filter to a query, in place of those that it replaces."""
    replaced = _replaced(operator)
    known = replaced | {operator}
    rivals = [each for each in clauses(text) if not each.excluded and each.operator in known]
    same = [each for each in rivals if (each.operator, each.value) == (operator, value)]
    if same and (not replaced or len(rivals) == 1):
        return text
    for clause in reversed(rivals):
        if clause.operator in replaced:
            text = without(text, clause)
    return _joined(text, written(operator, value))


def parted(text: str) -> tuple[list[str], str]:
    """Split a query into its filters, each written in the grammar, and the rest."""
    filters = [clause for clause in clauses(text) if clause.operator]
    for clause in reversed(filters):
        text = without(text, clause)
    return [written(each.operator, each.value, excluded=each.excluded) for each in filters], text


def without_filters(text: str) -> str:
    """Remove all filters; phrases and excluded words stay."""
    return parted(text)[1]


def quoted_phrases(text: str) -> str:
    """Return the phrases of a query in quotation marks, for display."""
    phrases = [each.value for each in clauses(text) if not (each.operator or each.excluded)]
    return ", ".join(map(QLocale().quoteString, phrases))


def inside(path: str, text: str = "") -> str:
    """Restrict a query to one document; this replaces other restrictions to files."""
    for clause in reversed(clauses(text)):
        if clause.operator in {"in", "like"}:
            text = without(text, clause)
    return _joined(text, written("in", path))


def similar_to(hit: Hit) -> str:
    """Return the query for text like a passage, or like the document of a hit without one."""
    passage = hit.start < hit.end
    return written("like", place_of(hit.path, (hit.start, hit.end)) if passage else hit.path)


def place_of(path: str, span: tuple[int, int]) -> str:
    """Return the value by which filters name a passage of a document."""
    return f"{path}#{span[0]}-{span[1]}"


def asks(text: str) -> bool:
    """Return whether a query has words or ``like:``, and not only filters."""
    alike = any(each.operator == "like" for each in clauses(text))
    return alike or bool(parted(text)[1].strip())


def _joined(text: str, clause: str) -> str:
    """Append a clause to a query, or prepend it if a quote is still open."""
    behind = f"{text.rstrip()} {clause} ".lstrip()
    kept = any(behind[each.start : each.end] == clause for each in clauses(behind)[-1:])
    return behind if kept else f"{clause} {text.strip()}"


def _replaced(operator: str) -> frozenset[str]:
    if operator in _DATES:
        return _DATES
    if operator in _KINDS:
        return _KINDS
    return frozenset({operator}) if operator in _SINGLE else frozenset()


def link_of(hit: Hit) -> str:
    """Return the link to a passage; "" if it has too few words to be found by."""
    made = plain(hit, [hit.best])  # without running heads, as no phrase can contain these
    best = made.text[slice(*made.spans[0])] if made.spans else ""
    return link_to((best, made.text))


def is_link(text: str) -> bool:
    """Whether a text has the scheme of our links."""
    return text.strip().lower().startswith(f"{SCHEME}:")


def query_of(link: str) -> str:
    """Return the query that follows a link; "" if the link is not valid."""
    try:
        parts = urlsplit(link.strip())
        text = parse_qs(parts.query).get("text", [""])[0]
    except ValueError:
        return ""
    words = " ".join(shown(text).text.split())
    return written("", words) if parts.netloc == PLACE and words else ""


MOST = 8
MOST_SHOWN = 20

_VALUE = re.compile(r'(?:^|(?<=\s))(-?)([A-Za-z]{2,}):(?:"([^"]*)|([^\s"]*))$')
_NAME = re.compile(r"(?:^|(?<=\s))(-?)([A-Za-z]*)$")


class Offers(Struct, frozen=True):
    """The values that completions are taken from."""

    folders: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    saved: tuple[Saved, ...] = ()


class Suggestion(Struct, frozen=True):
    """A completion; ``text`` and ``cursor`` describe the box after it was chosen."""

    label: str
    hint: str
    text: str
    cursor: int


def suggest(text: str, cursor: int, offers: Offers, today: date) -> list[Suggestion]:
    """Return values for the operator at the cursor, while the person types."""
    before, after = text[:cursor], text[cursor:]
    match = _VALUE.search(before)
    operator = OPERATORS.get(match[2].lower()) if match else None
    if match is None or operator is None:
        return []
    typed = (match[3] if match[3] is not None else match[4]).casefold()
    after = after.removeprefix('"') if match[3] is not None else after
    excluded = bool(match[1]) and operator.can_be_excluded
    made = []
    values = _VALUES.get(operator.name)
    for value, hint in values(offers, today) if values is not None else ():
        if typed in f"{value} {hint}".casefold() and typed != value.casefold():
            clause = written(operator.name, value, excluded=excluded)
            head = before[: match.start()] + clause + " "
            made.append(Suggestion(value, hint, head + after.lstrip(), len(head)))
    made.sort(key=lambda each: not each.label.casefold().startswith(typed))
    return made[:MOST]


def suggest_all(text: str, cursor: int, offers: Offers, today: date) -> list[Suggestion]:
    """Return all completions, for the key that asks for them: values, or searches and operators."""
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


def listed_extensions(extensions: Sequence[str]) -> str:
    """Return the first extensions of a group, as a hint."""
    return ", ".join([*extensions[:MOST_SHOWN], *(["…"] if len(extensions) > MOST_SHOWN else [])])


def _languages(offers: Offers, _today: date) -> Iterator[tuple[str, str]]:
    names = {code: name for name, code in LANGUAGES.items()}
    codes = dict.fromkeys([*offers.languages, *LANGUAGES.values()])
    yield from ((code, names.get(code, "").title()) for code in codes)


def _dates(_offers: Offers, today: date) -> Iterator[tuple[str, str]]:
    month = today.replace(day=1)
    return _plain(
        f"{today:%Y}", f"{today:%Y-%m}", f"{today:%Y-%m-%d}", f"{today.year - 1}",
        f"{month - timedelta(days=1):%Y-%m}", f"{today.year - 5}..{today.year}",
    )  # fmt: skip


def _plain(*values: str) -> Iterator[tuple[str, str]]:
    """Yield values without hints."""
    return ((value, "") for value in values)


_VALUES: dict[str, Callable[[Offers, date], Iterator[tuple[str, str]]]] = {
    "in": lambda offers, _today: _plain(*offers.collections, *offers.folders),
    "ext": lambda _o, _today: ((each, kind) for kind, known in TYPES.items() for each in known),
    "type": lambda _o, _today: ((kind, listed_extensions(each)) for kind, each in TYPES.items()),
    "size": lambda _o, _today: _plain(">1mb", ">10mb", ">100mb", "<100kb"),
    "page": lambda _o, _today: _plain("1", "<=10", "10..20", ">100"),
    "lang": _languages,
    **dict.fromkeys(_DATES, _dates),
}
