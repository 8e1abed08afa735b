"""The operators of the query grammar, in one table, and their values: dates, sizes and ranges.

The help of the command line and of the window derive from the table.
"""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Callable
from datetime import date, timedelta
from operator import add
from typing import Any, TypeVar

from msgspec import Struct, field

from indexer.api.formats import GROUPS, endings_of
from indexer.api.translation import N_
from indexer.text import stop_words


class DateRange(Struct, frozen=True):
    """Days from ``first`` to ``last``, both included; ``None`` leaves that side open."""

    first: date | None = None
    last: date | None = None


class NumberRange(Struct, frozen=True):
    """Whole numbers from ``first`` to ``last``, both included; ``None`` leaves that side open.

    ``labels`` are printed page labels in small letters, such as "iv"; a page may have any of them.
    """

    first: int | None = None
    last: int | None = None
    labels: tuple[str, ...] = ()


class Filters(Struct, frozen=True):
    """Conditions that must all hold.

    A document must match one of the values in a tuple, and none of the values in a ``not_`` tuple.
    Extensions and languages are in small letters, without a dot. Folders and ``like`` are kept as
    typed. Sizes are in bytes. ``within`` names a collection that bounds the search; no typed text
    sets it.
    """

    folders: tuple[str, ...] = ()
    not_folders: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    not_extensions: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    not_titles: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    not_authors: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    not_languages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    not_kinds: tuple[str, ...] = ()
    dates: DateRange = field(default_factory=DateRange)
    sizes: NumberRange = field(default_factory=NumberRange)
    pages: NumberRange = field(default_factory=NumberRange)
    like: str = ""
    within: str = ""

    def __bool__(self) -> bool:
        return self != Filters()


class Operator(Struct, frozen=True):
    """One row of the grammar. ``read`` parses typed text to values of ``field``.

    ``help`` may contain {kinds}, see ``help_of``.

    Raises (from ``read``):
        ValueError: If the text is invalid. The message is the code of a phrase that says which
            values are valid (``indexer.api.phrases``).
    """

    name: str
    example: str
    help: str
    field: str = ""
    read: Callable[[str], Any] | None = None
    can_be_excluded: bool = False
    aliases: tuple[str, ...] = ()


TYPES = {group: endings_of(group) for group in GROUPS}

LANGUAGES = stop_words.LANGUAGES
ANNOTATION = "annotation"  # the only kind of passage so far
_ANNOTATIONS = frozenset({ANNOTATION, "comment", "highlight", "note"})
_T = TypeVar("_T", date, int)
_DAY = re.compile(r"([1-9]\d{3})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?")
_SIZE = re.compile(r"(\d{1,12}(?:\.\d{1,6})?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_PAGE = re.compile(r"\d{1,9}")
_LABEL = re.compile(r"(?=.{0,39}[^\W\d_])\w(?:[-/:]?\w){0,39}|\d{1,9}(?:[-/.]\w{1,9}){1,4}")
_COMPARED = re.compile(r"(>=|<=|>|<|=)?(.*)", re.DOTALL)


def _days(text: str) -> tuple[date, date]:
    """The first and the last day of a year, a month or a day."""
    match = _DAY.fullmatch(text)
    try:
        if match is None:
            raise ValueError
        year, month, day = (int(group) if group else 0 for group in match.groups())
        if not month:
            return date(year, 1, 1), date(year, 12, 31)
        last = calendar.monthrange(year, month)[1]
        return date(year, month, day or 1), date(year, month, day or last)
    except ValueError:
        raise ValueError("date_is") from None


def _bytes(text: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(text)
    if match is None:
        raise ValueError("size_is")
    size = int(float(match[1]) * _UNITS[match[2].lower()])
    return size, size


def _page(text: str) -> tuple[int, int]:
    if _PAGE.fullmatch(text) is None:
        raise ValueError("page_is")
    return int(text), int(text)


def _range(
    text: str, read: Callable[[str], tuple[_T, _T]], step: Callable[[_T, int], _T]
) -> tuple[_T | None, _T | None]:
    """Parse ``a``, ``a..b``, ``a..``, ``..b``, ``>a``, ``>=a``, ``<a`` or ``<=a``."""
    low, dots, high = text.partition("..")
    if dots and (low or high):
        return read(low)[0] if low else None, read(high)[1] if high else None
    match = _COMPARED.match(text)
    sign, value = (match[1], match[2]) if match else (None, text)
    first, last = read(value.strip())
    if sign == ">":
        return step(last, 1), None
    if sign == ">=":
        return first, None
    if sign == "<":
        return None, step(first, -1)
    if sign == "<=":
        return None, last
    return first, last


def _step_day(day: date, by: int) -> date:
    try:
        return day + timedelta(days=by)
    except OverflowError:
        raise ValueError("date_beyond") from None


def _dates(text: str) -> DateRange:
    return DateRange(*_range(text, _days, _step_day))


def _after(text: str) -> DateRange:
    return DateRange(first=_days(text)[0])


def _before(text: str) -> DateRange:
    return DateRange(last=_step_day(_days(text)[0], -1))


def _sizes(text: str) -> NumberRange:
    first, last = _range(text, _bytes, add)
    exact = first is not None and first == last and ".." not in text
    return NumberRange(first, None if exact else last)  # an exact size in bytes is rarely meant


def _pages(text: str) -> NumberRange:
    if _LABEL.fullmatch(text):
        return NumberRange(labels=(clean(text).lower(),))
    return NumberRange(*_range(text, _page, add))


def _words(text: str) -> tuple[str, ...]:
    return (clean(text),)


def clean(text: str) -> str:
    """Replace characters that cannot be encoded."""
    return unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode())


def _extensions(text: str) -> tuple[str, ...]:
    found = tuple(part.strip().lstrip(".").lower() for part in clean(text).split(","))
    if not all(found):
        raise ValueError("extension_is")
    return found


def _types(text: str) -> tuple[str, ...]:
    return TYPES.get(text.lower().removesuffix("s")) or TYPES.get(text.lower()) or _extensions(text)


def _languages(text: str) -> tuple[str, ...]:
    code = LANGUAGES.get(text.casefold(), text.lower())
    if re.fullmatch("[a-z]{2}", code) is None:
        raise ValueError("language_is")
    return (code,)


def _kinds(text: str) -> tuple[str, ...]:
    if text.casefold().removesuffix("s") not in _ANNOTATIONS:
        raise ValueError("kind_is")
    return (ANNOTATION,)


# The one table of the grammar; help texts and documentation derive from it. The scanner of
# ``grammar`` parses the rows without a field.
GRAMMAR: tuple[Operator, ...] = (
    Operator("words", "rental income after the merger", N_("what you look for, in your own words")),
    Operator('"…"', '"to be or not to be"', N_("these words, exactly and in this order; first")),
    Operator("-", "-draft", N_("not passages with this word")),
    Operator('-"…"', '-"for reference only"', N_("not passages with this phrase")),
    Operator("in", 'in:"My Folder"', N_("files in this folder; -in: leaves them out"),
             "folders", lambda text: (text,), aliases=("folder",), can_be_excluded=True),
    Operator("ext", "ext:pdf", N_("files with this extension"),
             "extensions", _extensions, aliases=("filetype",), can_be_excluded=True),
    Operator("type", "type:mail", N_("files of a kind ({kinds})"),
             "extensions", _types, can_be_excluded=True),
    Operator("date", "date:2024-03..2024-06", N_("files dated in this range"),
             "dates", _dates),
    Operator("after", "after:2024-03", N_("files of this date or later"), "dates", _after),
    Operator("before", "before:2024", N_("files of an earlier date"), "dates", _before),
    Operator("size", "size:>10mb", N_("larger files; < for smaller ones"), "sizes", _sizes),
    Operator("title", "title:lease", N_("documents with this in their title"),
             "titles", _words, can_be_excluded=True),
    Operator("author", 'author:"Jane Doe"', N_("documents by this author"),
             "authors", _words, can_be_excluded=True),
    Operator("lang", "lang:de", N_("documents in this language"),
             "languages", _languages, aliases=("language",), can_be_excluded=True),
    Operator("is", "is:annotation", N_("comments and highlights that readers left in documents"),
             "kinds", _kinds, can_be_excluded=True),
    Operator("page", "page:>100", N_("passages on these pages; 5, 5..10 and iv work too"),
             "pages", _pages, aliases=("pages",)),
    Operator("like", "like:report.pdf", N_("documents that resemble this one"), "like", str),
)  # fmt: skip

OPERATORS: dict[str, Operator] = {
    name: operator
    for operator in GRAMMAR
    if operator.read is not None
    for name in (operator.name, *operator.aliases)
}


def help_of(operator: Operator, translate: Callable[[str], str] = str) -> str:
    """The help text of an operator, translated."""
    return translate(operator.help).format(kinds=", ".join(TYPES))


def grammar_help() -> str:
    """The grammar as text with one aligned line per operator."""
    width = max(len(operator.example) for operator in GRAMMAR)
    return "\n".join(f"{operator.example:<{width}}  {help_of(operator)}" for operator in GRAMMAR)
