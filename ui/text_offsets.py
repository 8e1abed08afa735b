"""Converts between our offsets, in code points, and Qt's, in UTF-16 units."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

# Characters that a QTextDocument drops, joins or reads as structure. Each is replaced by one
# character of one UTF-16 unit, so that offsets stay.
_CARRIAGE_RETURN = re.compile(r"\r(?=\n)")
_BREAKS = re.compile("[\r\f\v\u0085\u2029]")
_FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\ufdd0\ufdd1\ufffc]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def for_qt(text: str) -> str:
    """Replace what a QTextDocument would change; the length stays the same."""
    text = _CARRIAGE_RETURN.sub(" ", text)
    return _FORBIDDEN.sub("\ufffd", _BREAKS.sub("\n", text))


class Utf16Map:
    """Converts offsets into one text, either way, in logarithmic time."""

    def __init__(self, text: str) -> None:
        self._astral = [found.start() for found in _ASTRAL.finditer(text)]
        # The end, in units, of each character of two units.
        self._ends = [place + i + 2 for i, place in enumerate(self._astral)]

    def to_utf16(self, place: int) -> int:
        """Return the offset in units of a code point."""
        return place + bisect_left(self._astral, place)

    def to_code_points(self, unit: int) -> int:
        """Return the code point at an offset in units, which may be inside a surrogate pair."""
        whole = bisect_right(self._ends, unit)
        inside = whole < len(self._ends) and unit == self._ends[whole] - 1
        return unit - whole - inside
