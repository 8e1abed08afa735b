"""Writes a sheet: its name, the names of its columns, its rows, and formatted numbers.

Shared by all spreadsheet formats. Empty cells are left out. If the first row of a long table has
column names, it becomes a heading of the rows below it. Numbers are written as they are displayed,
and again in brackets as they are stored if that differs by more than separators. Currencies and
colours are ignored.
"""

from __future__ import annotations

import datetime as dt
import operator
import re
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.extract.plain.table import are_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.extract.page_writer import PageWriter

EPOCH, EPOCH_1904 = dt.datetime(1899, 12, 30), dt.datetime(1904, 1, 1)  # noqa: DTZ001  # local times
# The codes of built-in formats, which no file has.
BUILTIN_FORMATS = {
    1: "0", 2: "0.00", **dict.fromkeys((3, 37, 38), "#,##0"),
    **dict.fromkeys((4, 39, 40), "#,##0.00"), 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "d", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "d", 45: "mm:ss", 46: "[h]:mm:ss",
    47: "mm:ss", 48: "##0.0E+0",
}  # fmt: skip
# The languages in which months and days are named, by Windows' primary language number.
_LANGUAGES = {7: "de", 10: "es", 12: "fr", 16: "it", 19: "nl", 22: "pt"}
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:hh?|mm?|ss?)\])[^\]]*\]', re.IGNORECASE)
_DURATION = re.compile(r"\[(?:hh?|mm?|ss?)\]", re.IGNORECASE)
_DATE = re.compile(r"[dmhys]", re.IGNORECASE)
_DAY_MS = 86_400_000
_DATE_PART = re.compile(r"AM/PM|A/P|y+|m+|d+|h+|s+(?:\.0+)?|[^ymdhs]+?", re.IGNORECASE)
_LANGUAGE = re.compile(r"\[\$[^\]-]*-(?:[0-9A-F]*)([0-9A-F]{2})\]", re.IGNORECASE)
_DIGITS = re.compile(r"(?P<whole>[#0?][#0?,]*|(?=\.))(?:\.(?P<places>[#0?]*))?")
_NO_DIGITS = re.compile(r"[a-z@/]|\*\*", re.IGNORECASE)  # "General", scientific numbers, fractions
_SCIENTIFIC = re.compile(r"[0#]+(?:\.(?P<places>[0#]+))?E[+-]0+", re.IGNORECASE)
_FRACTION = re.compile(r"(?:(?P<whole>[#0]+) *)?[#?0]*/(?P<below>[?#]+|[1-9]\d{0,3})")
_MASK = re.compile(r"(?=.*[0#][() /-]+.*[0#])[0#() /+-]+")
_THOUSANDS = re.compile(",+")
_HELD = "\ue000"  # takes the place of a literal of a code
_CURRENCIES = "$\u20ac\xa3\xa5 "
_SIGNS = frozenset("-+()" + _CURRENCIES)
_CONDITION = re.compile(r"\[(<=?|>=?|=|<>)(-?\d{1,15}(?:\.\d{1,15})?)\]")
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "<>": operator.ne,
}  # fmt: skip
_LARGEST = 1e15  # larger numbers are not exact
_MAX_FIGURES = 4  # in the denominator of a fraction
_MAX_PLACES = 30
_EXACT, _ABOVE_HALF = 1e12, 1 + 1e-14
_LONG_NUMBER = 12  # characters; nobody searches for more stored digits


def formatted(value: float, code: str, epoch: dt.datetime = EPOCH) -> str | None:
    """Format a number, or a date in days since the epoch, by a format code.

    Returns "" for a date out of range, and ``None`` without a date, duration or percentage.
    """
    code = _LITERAL.sub("", code.partition(";")[0])
    try:
        if _DURATION.search(code):
            minutes, seconds = divmod(round(value * 86_400), 60)
            return f"{minutes // 60}:{minutes % 60:02d}:{seconds:02d}".removesuffix(":00")
        if _DATE.search(code):
            return _moment(value, epoch)
    except (OverflowError, ValueError):
        return ""
    return f"{value * 100:.12g}%" if code.rstrip().endswith("%") else None


def displayed(value: float, code: str, epoch: dt.datetime = EPOCH) -> str | None:
    """Format a number as its cell displays it, then as ``formatted``: "05.03.2024 (2024-03-05)".

    >>> displayed(1234.5, "#,##0.00"), displayed(7, "0000"), displayed(45356, "DD.MM.YYYY")
    ('1,234.50', '0007 (7)', '05.03.2024 (2024-03-05)')
    """
    stored = formatted(value, code, epoch)
    if stored is None or stored.endswith("%"):
        return _figures(value, code) or stored
    if not stored or _DURATION.search(code):
        return stored
    shown = _date(_moment_of(value, epoch), code)
    return (
        stored
        if shown.rjust(len(stored), "0") == stored or shown.isdecimal()
        else f"{shown} ({stored})"
    )


def _literal(found: re.Match[str]) -> str:
    """Return the displayed text of a literal in a code, "" for colours and the like."""
    if found[0].startswith("[$"):  # a currency and a language
        return found[0][2:-1].partition("-")[0]
    return found[0].strip('"').removeprefix("\\") if found[0][0] in '"\\' else ""


def _date(moment: dt.datetime, code: str) -> str:
    """Return a date and time as a code displays it, with names in the code's language."""
    language = _LANGUAGE.search(code)
    names = _names(_LANGUAGES.get(int(language[1], 16), "en") if language else "en")
    literals: list[str] = []

    def held(found: re.Match[str]) -> str:
        literals.append(_literal(found))
        return _HELD

    parts = _DATE_PART.findall(_LITERAL.sub(held, code.partition(";")[0]))
    half = any(part.upper() in ("AM/PM", "A/P") for part in parts)
    kept, shown, before = iter(literals), [], ""
    for at, part in enumerate(parts):
        name = part[0].lower()
        if part == _HELD:
            shown.append(next(kept))
            continue
        after = next((each[0].lower() for each in parts[at + 1 :] if each[0].isalpha()), "")
        minutes = name == "m" and len(part) < 3 and (before == "h" or after == "s")
        shown.append(_date_part("n" * len(part) if minutes else part, moment, names, half=half))
        before = name if name in "ymdhs" else before
    return " ".join("".join(shown).split())


@cache
def _names(language: str) -> tuple[str, ...]:
    """Return the names of months and days, Monday first."""
    from icu4py.messageformat import MessageFormat

    month, day = (
        MessageFormat(f"{{at,date,{part}}}", language).format for part in ("MMMM", "EEEE")
    )
    january = [dt.datetime(2001, 1, at, 12) for at in range(1, 8)]  # noqa: DTZ001  # local times
    months = [january[0].replace(month=at) for at in range(1, 13)]
    return (*(month({"at": each}) for each in months), *(day({"at": each}) for each in january))


def _date_part(part: str, moment: dt.datetime, names: Sequence[str], *, half: bool) -> str:
    size, name = len(part), part[0].lower()
    if name == "a":
        return ("AM" if moment.hour < 12 else "PM")[: 2 if size > 3 else 1]
    if name == "y":
        return f"{moment:%Y}"[-2 if size < 3 else -4 :]
    if size > 2 and name in "md":
        word = names[moment.month - 1] if name == "m" else names[12 + moment.weekday()]
        return word if size == 4 else word[: 1 if size > 4 else 3]
    hour = (moment.hour % 12 or 12) if half else moment.hour
    number = {"m": moment.month, "d": moment.day, "h": hour, "n": moment.minute,
              "s": moment.second}.get(name)  # fmt: skip
    return part if number is None else f"{number:0{min(size, 2)}d}"


def _figures(value: float, code: str) -> str | None:
    """Format a number by a code, with its stored form in brackets; ``None`` without a pattern."""
    if abs(value) > _LARGEST:
        return None
    section, size = _section(value, code.split(";"))
    literals: list[str] = []

    def held(found: re.Match[str]) -> str:
        text = _literal(found)
        if any(map(str.isalpha, text)) or not set(text) <= _SIGNS:
            literals.append(text)
            return _HELD
        return text if text in _SIGNS else ""

    bare = _LITERAL.sub(held, section)
    found = _in_pattern(size, bare) or (("", (0, 0)) if bare.strip(_HELD + " ") == "" else None)
    if found is None or not bare.strip():
        return None
    figures, (start, end) = found
    kept = iter(literals)
    before, after = (
        "".join(next(kept) if sign == _HELD else sign if sign in _SIGNS else "" for sign in part)
        for part in (bare[:start], bare[end:])
    )
    text = f"{before}{figures}{after}".strip()
    stored = str(value) if isinstance(value, int) else f"{value:.15g}"
    if figures.endswith("%"):
        stored = f"{value * 100:.12g}%"
    plain = text.replace(",", "").strip(_CURRENCIES)
    same = plain == stored or ("." in plain and plain.rstrip("0").rstrip(".") == stored)
    return text if same or len(stored) > _LONG_NUMBER else f"{text} ({stored})"


def _section(value: float, sections: list[str]) -> tuple[str, float]:
    """Return the section of a code that applies to a number, and the number for that section."""
    conditions = [_CONDITION.search(section) for section in sections]
    if any(conditions):
        for section, found in zip(sections, conditions, strict=True):
            if found is None or _COMPARED[found[1]](value, float(found[2])):
                return section, value
    if value < 0 and len(sections) > 1 and sections[1].strip():
        return sections[1], abs(value)
    if not value and len(sections) > 2 and sections[2].strip():
        return sections[2], value
    return sections[0], value


def _in_pattern(value: float, code: str) -> tuple[str, tuple[int, int]] | None:
    """Return a number in the pattern of a code, and the place of the pattern in the code."""
    if found := _SCIENTIFIC.search(code):
        return f"{value:.{min(len(found['places'] or ''), _MAX_PLACES)}E}", found.span()
    if found := _FRACTION.search(code):
        return _mixed(value, found), found.span()
    if found := _MASK.fullmatch(code):
        return _masked(value, code), (0, len(code))
    found = _DIGITS.search(code)
    if found is None or _NO_DIGITS.search(code):
        return None
    whole, places = found["whole"], found["places"] or ""
    share = code.endswith("%")
    thousands = _THOUSANDS.match(code, found.end())
    scaled = len(whole) - len(whole.rstrip(",")) or (len(thousands[0]) if thousands else 0)
    zeros, grouped = whole.count("0"), "," in whole.rstrip(",")
    value = value * 100 if share else value / 1000**scaled
    # Halves are rounded up, as in Excel.
    size = abs(value) * _ABOVE_HALF if abs(value) < _EXACT else abs(value)
    text = f"{size:{',' if grouped else ''}.{min(len(places), _MAX_PLACES)}f}"
    for _ in range(len(places) - places.count("0")):
        text = text.removesuffix("0")
    whole, point, rest = text.rstrip(".").partition(".")
    text = ("-" if value < 0 else "") + whole.zfill(min(zeros, _MAX_PLACES)) + point + rest
    return (f"{text}%", (found.start(), len(code))) if share else (text, found.span())


def _mixed(value: float, found: re.Match[str]) -> str:
    """Return a number as a fraction, with its whole part first if the code has a place for it."""
    below = found["below"]
    most = int(below) if below.isdecimal() else 10 ** min(len(below), _MAX_FIGURES) - 1
    size = Fraction(abs(value))
    near = Fraction(round(size * most), most) if below.isdecimal() else size.limit_denominator(most)
    whole = int(near) if found["whole"] else 0
    above = near - whole
    sign = "-" if value < 0 else ""
    if not above:
        return f"{sign}{whole}"
    under = most if below.isdecimal() else above.denominator
    part = f"{above * under}/{under}"
    return f"{sign}{whole} {part}" if whole else sign + part


def _masked(value: float, code: str) -> str:
    """Return the figures of a number between the signs of a code, as in "(555) 123-4567"."""
    places = sum(sign in "0#" for sign in code)
    figures = f"{abs(round(value)):0{min(places, _MAX_PLACES)}d}"
    head, rest = figures[: len(figures) - places], iter(figures[len(figures) - places :])
    return head + "".join(next(rest) if sign in "0#" else sign for sign in code)


def _moment(value: float, epoch: dt.datetime) -> str:
    moment = _moment_of(value, epoch)
    if 0 <= value < 1:
        return f"{moment:%H:%M:%S}".removesuffix(":00")
    return without_zero_time(f"{moment:%Y-%m-%d %H:%M:%S}")


def _moment_of(value: float, epoch: dt.datetime) -> dt.datetime:
    days, fraction = divmod(value, 1)
    days += epoch is EPOCH and 1 <= value < 60  # Excel has a 29 February 1900
    moment = epoch + dt.timedelta(days, milliseconds=round(fraction * _DAY_MS))
    return moment if 0 <= value < 1 else moment + dt.timedelta(milliseconds=500)  # round to seconds


def without_zero_time(moment: str) -> str:
    """Remove midnight, or zero seconds, from a date with a time."""
    date = moment.removesuffix(" 00:00:00")
    return date if date != moment else moment.removesuffix(":00")


# The default names of sheets.
UNNAMED = re.compile(
    r"(?:sheet|tabelle|feuil|hoja|foglio|blad|planilha|ark|лист|arkusz)\s?\d+$", re.IGNORECASE
)
_NAME_LEVEL, _COLUMNS_LEVEL = 1, 2
_LONG_ROWS = 12  # rows; a shorter table is one passage with its column names
_MIN_COLUMNS = 2
_LONG_TEXT = 600  # characters; a longer single cell is a paragraph


class SheetWriter:
    """Writes the rows of one sheet. A default name is ""."""

    def __init__(self, writer: PageWriter, name: str = "") -> None:
        self._writer = writer
        self._name = name
        self._waiting: list[list[str]] | None = []

    def add_row(self, cells: Sequence[str]) -> None:
        """Write a row. The first rows are buffered until the table proves long or ends."""
        filled = [cell for cell in cells if cell and not cell.isspace()]
        if not filled:
            return
        if self._waiting is None:
            self._write(filled)
            return
        self._waiting.append(filled)
        if len(self._waiting) > _LONG_ROWS:
            self._flush_head()

    def begin(self) -> None:
        """Write the name of the sheet, once, before its first text."""
        name, self._name = self._name, ""
        self._writer.add_block(name, BlockKind.HEADING, _NAME_LEVEL)

    def finish(self) -> None:
        self._flush_head()
        self._writer.end_table()

    def _flush_head(self) -> None:
        rows, self._waiting = self._waiting or [], None
        if rows:
            self.begin()
        if len(rows) > _LONG_ROWS:
            head = next((i for i, row in enumerate(rows) if len(row) >= _MIN_COLUMNS), 0)
            if _names_columns(rows, head):
                for row in rows[:head]:
                    self._write(row)
                names = " | ".join(" ".join(cell.split()) for cell in rows[head])
                self._writer.add_block(names, BlockKind.HEADING, _COLUMNS_LEVEL)
                rows = rows[head + 1 :]
        for row in rows:
            self._write(row)

    def _write(self, cells: list[str]) -> None:
        if len(cells) == 1 and len(cells[0]) > _LONG_TEXT:
            self._writer.add_block(cells[0])
        else:
            self._writer.add_row(cells)


def _names_columns(rows: list[list[str]], at: int) -> bool:
    """Whether a row has the column names of the rows below it."""
    head, below = rows[at], rows[at + 1 :]
    wide = sum(1 for row in below if len(row) >= max(_MIN_COLUMNS, len(head) // 2))
    return len(head) >= _MIN_COLUMNS and wide * 2 > len(below) and are_names(head)
