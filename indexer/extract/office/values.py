"""Formats numbers of spreadsheets: dates, durations and percentages.

Owns the meaning of number formats; separators, currencies and colours are ignored. Pure.
"""

from __future__ import annotations

import datetime as dt
import re

EPOCH, EPOCH_1904 = dt.datetime(1899, 12, 30), dt.datetime(1904, 1, 1)  # noqa: DTZ001  # local times
# Built-in formats, whose codes are not in the file.
BUILTIN_FORMATS = {
    **dict.fromkeys((9, 10), "0%"), **dict.fromkeys((*range(14, 23), 45, 47), "d"), 46: "[h]:mm:ss",
}  # fmt: skip
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:hh?|mm?|ss?)\])[^\]]*\]', re.IGNORECASE)
_DURATION = re.compile(r"\[(?:hh?|mm?|ss?)\]", re.IGNORECASE)
_DATE = re.compile(r"[dmhys]", re.IGNORECASE)
_DAY_MS = 86_400_000


def formatted(value: float, code: str, epoch: dt.datetime = EPOCH) -> str | None:
    """Format a number as a date, a duration or a percentage.

    Args:
        value: The number; a date is in days since the epoch.
        code: The format code.
        epoch: Of the workbook.

    Returns:
        The text; "" for a date out of range, ``None`` if the format is another one.
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
