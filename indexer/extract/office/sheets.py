"""The text of a sheet: its name, the names of its columns, its rows, and formatted numbers.

Shared by all spreadsheet formats. Empty cells are left out. If the first row of a long table has
column names, it becomes a heading of the rows below it. Numbers are written as they are displayed,
in brackets as they are stored where that differs by more than separators; currencies and colours
are ignored.
"""

from __future__ import annotations

import datetime as dt
import operator
import re
from fractions import Fraction
from typing import TYPE_CHECKING

from indexer.api.types import BlockKind
from indexer.extract.plain.table import are_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.extract.page_writer import PageWriter

EPOCH, EPOCH_1904 = dt.datetime(1899, 12, 30), dt.datetime(1904, 1, 1)  # noqa: DTZ001  # local times
# Built-in formats, whose codes are not in the file.
BUILTIN_FORMATS = {
    1: "0", 2: "0.00", **dict.fromkeys((3, 37, 38), "#,##0"),
    **dict.fromkeys((4, 39, 40), "#,##0.00"), **dict.fromkeys((9, 10), "0%"),
    **dict.fromkeys((*range(14, 23), 45, 47), "d"), 46: "[h]:mm:ss",
}  # fmt: skip
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:hh?|mm?|ss?)\])[^\]]*\]', re.IGNORECASE)
_DURATION = re.compile(r"\[(?:hh?|mm?|ss?)\]", re.IGNORECASE)
_DATE = re.compile(r"[dmhys]", re.IGNORECASE)
_DAY_MS = 86_400_000
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_DATE_PART = re.compile(r"[a-z]+|[^a-z;@]+", re.IGNORECASE)
_DATE_PARTS = frozenset({"d", "dd", "m", "mm", "yy", "yyyy"})
_DIGITS = re.compile(r"(?P<whole>[#0?][#0?,]*|(?=\.))(?:\.(?P<places>[#0?]*))?")
_NO_DIGITS = re.compile(r"[a-z@/]|\*\*", re.IGNORECASE)  # "General", scientific, fractions
_SCIENTIFIC = re.compile(r"[0#]+(?:\.(?P<places>[0#]+))?E[+-]0+", re.IGNORECASE)
_FRACTION = re.compile(r"(?:(?P<whole>[#0]+) *)?[#?0]*/(?P<below>[?#]+|[1-9]\d{0,3})")
_MASK = re.compile(r"(?=.*[0#][() /-]+.*[0#])[0#() /-]+")
_THOUSANDS = re.compile(",+")
_HELD = "\ue000"  # stands for a literal of a code
_SIGNS = frozenset("-+() ")
_CONDITION = re.compile(r"\[(<=?|>=?|=|<>)(-?\d{1,15}(?:\.\d{1,15})?)\]")
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "<>": operator.ne,
}  # fmt: skip
_LARGEST = 1e15  # beyond it figures are not exact
_MAX_FIGURES = 4  # below the line of a fraction
_MAX_PLACES = 30
_EXACT, _ABOVE_HALF = 1e12, 1 + 1e-14
_LONG_NUMBER = 12  # characters; nobody looks for a longer one by its stored digits


def formatted(value: float, code: str, epoch: dt.datetime = EPOCH) -> str | None:
    """Format a number, or a date in days since the epoch, by a format code.

    It is "" for a date out of range, ``None`` for what is no date, duration or percentage.
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
    """Format a number as ``formatted``, and as its cell displays it: "05.03.2024 (2024-03-05)".

    >>> displayed(1234.5, "#,##0.00"), displayed(7, "0000"), displayed(45356, "DD.MM.YYYY")
    ('1,234.50', '0007 (7)', '05.03.2024 (2024-03-05)')
    """
    stored = formatted(value, code, epoch)
    if stored is None:
        return _figures(value, code)
    parts = _DATE_PART.findall(_LITERAL.sub(_literal, code))
    date = _ISO_DATE.fullmatch(stored)
    named = {part[0].lower() for part in parts if part.isalpha()}
    known = all(not part.isalpha() or part.lower() in _DATE_PARTS for part in parts)
    if date is None or named != set("ymd") or not known:
        return stored
    shown = "".join(_date_part(part, date) for part in parts).strip()
    return stored if shown == stored or not shown else f"{shown} ({stored})"


def _literal(found: re.Match[str]) -> str:
    """Return the text that a literal of a code shows, "" for colours and the like."""
    return found[0].strip('"').removeprefix("\\") if found[0][0] in '"\\' else ""


def _date_part(part: str, date: re.Match[str]) -> str:
    name = part.lower()
    if name not in _DATE_PARTS:
        return part
    number = date["ymd".index(name[0]) + 1]
    if name[0] == "y":
        return number[-len(name) :]
    return number if len(name) == 2 else number.lstrip("0")


def _figures(value: float, code: str) -> str | None:
    """Format a number by a code, ``None`` if it has no pattern; in brackets as it is stored."""
    if abs(value) > _LARGEST:
        return None
    section, size = _section(value, code.split(";"))
    literals: list[str] = []

    def held(found: re.Match[str]) -> str:
        text = _literal(found)
        if any(map(str.isalpha, text)):
            literals.append(text)
            return _HELD
        return text if text in _SIGNS else ""

    bare = _LITERAL.sub(held, section)
    found = _in_pattern(size, bare)
    if found is None:
        return None
    figures, (start, end) = found
    kept = iter(literals)
    before, after = (
        "".join(next(kept) if sign == _HELD else sign if sign in _SIGNS else "" for sign in part)
        for part in (bare[:start], bare[end:])
    )
    text = f"{before}{figures}{after}".strip()
    stored = str(value) if isinstance(value, int) else f"{value:.15g}"
    plain = text.replace(",", "")
    same = plain == stored or ("." in plain and plain.rstrip("0").rstrip(".") == stored)
    return text if same or len(stored) > _LONG_NUMBER else f"{text} ({stored})"


def _section(value: float, sections: list[str]) -> tuple[str, float]:
    """Return the section of a code for a number, and the number as that section shows it."""
    conditions = [_CONDITION.search(section) for section in sections]
    if any(conditions):
        for section, found in zip(sections, conditions, strict=True):
            if found is None or _COMPARED[found[1]](value, float(found[2])):
                return section, value
    if value < 0 and len(sections) > 1 and sections[1].strip():
        return sections[1], abs(value)
    return sections[0], value


def _in_pattern(value: float, code: str) -> tuple[str, tuple[int, int]] | None:
    """Return a number as the pattern of a code shows it, and where the pattern stands."""
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
    thousands = _THOUSANDS.match(code, found.end())
    scaled = len(whole) - len(whole.rstrip(",")) or (len(thousands[0]) if thousands else 0)
    zeros, grouped = whole.count("0"), "," in whole.rstrip(",")
    value /= 1000**scaled
    # Halves are rounded up, as in Excel.
    size = abs(value) * _ABOVE_HALF if abs(value) < _EXACT else abs(value)
    text = f"{size:{',' if grouped else ''}.{min(len(places), _MAX_PLACES)}f}"
    for _ in range(len(places) - places.count("0")):
        text = text.removesuffix("0")
    whole, point, rest = text.rstrip(".").partition(".")
    text = ("-" if value < 0 else "") + whole.zfill(min(zeros, _MAX_PLACES)) + point + rest
    return text, found.span()


def _mixed(value: float, found: re.Match[str]) -> str:
    """Return a number as a fraction, after its whole part if the code has a place for one."""
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
    """Return the figures of a number between the signs of a code: "(555) 123-4567"."""
    places = sum(sign in "0#" for sign in code)
    figures = f"{abs(round(value)):0{min(places, _MAX_PLACES)}d}"
    head, rest = figures[: len(figures) - places], iter(figures[len(figures) - places :])
    return head + "".join(next(rest) if sign in "0#" else sign for sign in code)


def _moment(value: float, epoch: dt.datetime) -> str:
    days, fraction = divmod(value, 1)
    days += epoch is EPOCH and 1 <= value < 60  # Excel counts a 29 February 1900
    moment = epoch + dt.timedelta(days, milliseconds=round(fraction * _DAY_MS))
    if 0 <= value < 1:
        return f"{moment:%H:%M:%S}".removesuffix(":00")
    moment += dt.timedelta(milliseconds=500)  # rounds to seconds
    return without_zero_time(f"{moment:%Y-%m-%d %H:%M:%S}")


def without_zero_time(moment: str) -> str:
    """Remove a time of midnight, or zero seconds, from a date with time."""
    date = moment.removesuffix(" 00:00:00")
    return date if date != moment else moment.removesuffix(":00")


# The default names of sheets.
UNNAMED = re.compile(
    r"(?:sheet|tabelle|feuil|hoja|foglio|blad|planilha|ark|лист|arkusz)\s?\d+$", re.IGNORECASE
)
_NAME_LEVEL, _COLUMNS_LEVEL = 1, 2
_LONG_ROWS = 12  # rows; a smaller table is one passage with its column names
_MIN_COLUMNS = 2
_LONG_TEXT = 600  # characters; a longer single cell is a paragraph


class SheetWriter:
    """Writes the rows of one sheet; its name is "" if it is a default one."""

    def __init__(self, writer: PageWriter, name: str = "") -> None:
        self._writer = writer
        self._name = name
        self._waiting: list[list[str]] | None = []

    def row(self, cells: Sequence[str]) -> None:
        """Write a row; the first rows are buffered until it is known whether the table is long."""
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
        self._writer.add(name, BlockKind.HEADING, _NAME_LEVEL)

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
                self._writer.add(names, BlockKind.HEADING, _COLUMNS_LEVEL)
                rows = rows[head + 1 :]
        for row in rows:
            self._write(row)

    def _write(self, cells: list[str]) -> None:
        if len(cells) == 1 and len(cells[0]) > _LONG_TEXT:
            self._writer.add(cells[0])
        else:
            self._writer.row(cells)


def _names_columns(rows: list[list[str]], at: int) -> bool:
    """Whether a row has the column names of the rows below it."""
    head, below = rows[at], rows[at + 1 :]
    wide = sum(1 for row in below if len(row) >= max(_MIN_COLUMNS, len(head) // 2))
    return len(head) >= _MIN_COLUMNS and wide * 2 > len(below) and are_names(head)
