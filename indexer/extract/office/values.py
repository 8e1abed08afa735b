"""Numbers as spreadsheets show them: dates, durations and percentages.

Owns what number formats mean; separators, currencies and colours are left out. Pure.
"""

from __future__ import annotations

import datetime as dt
import re

EPOCH, EPOCH_1904 = dt.datetime(1899, 12, 30), dt.datetime(1904, 1, 1)  # noqa: DTZ001  # local times
# Formats without a code of their own in the file.
BUILTIN_FORMATS = {
    **dict.fromkeys((9, 10), "0%"), **dict.fromkeys((*range(14, 23), 45, 47), "d"), 46: "[h]:mm:ss",
}  # fmt: skip
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:hh?|mm?|ss?)\])[^\]]*\]', re.IGNORECASE)
_DURATION = re.compile(r"\[(?:hh?|mm?|ss?)\]", re.IGNORECASE)
_DATE = re.compile(r"[dmhys]", re.IGNORECASE)
_DAY_MS = 86_400_000


def formatted(value: float, code: str, epoch: dt.datetime = EPOCH) -> str | None:
    """Return a number as a date, a duration or a percentage, ``None`` if its format is of none.

    Args:
        value: The number; of dates, in days since the epoch.
        code: The format.
        epoch: Of the workbook.

    Returns:
        What is shown, "" for a date outside of the calendar.
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
    text = f"{moment:%Y-%m-%d %H:%M:%S}"
    return (
        text.removesuffix(" 00:00:00") if text.endswith(" 00:00:00") else text.removesuffix(":00")
    )
