"""Between our offsets, which count code points, and Qt's, which count UTF-16 units.

Owns the map of one text and the form in which a text is given to Qt. Pure.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

# What Qt's documents would swallow, join or take for structure. Each becomes one character of
# one unit, so that offsets stay.
_CARRIAGE_RETURN = re.compile(r"\r(?=\n)")
_BREAKS = re.compile("[\r\f\v\u0085\u2029]")
_FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1f\ufdd0\ufdd1\ufffc]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def for_qt(text: str) -> str:
    """Return a text as a QTextDocument keeps it, character by character."""
    text = _CARRIAGE_RETURN.sub(" ", text)
    return _FORBIDDEN.sub("\ufffd", _BREAKS.sub("\n", text))


class Utf16Map:
    """Converts offsets into one text, either way, in the time of a bisection."""

    def __init__(self, text: str) -> None:
        self._astral = [found.start() for found in _ASTRAL.finditer(text)]
        # Where, in units, each character of two units ends.
        self._ends = [place + i + 2 for i, place in enumerate(self._astral)]

    def to_utf16(self, place: int) -> int:
        """Return the offset in units of a code point."""
        return place + bisect_left(self._astral, place)

    def to_code_points(self, unit: int) -> int:
        """Return the code point at an offset in units; its own within a pair."""
        whole = bisect_right(self._ends, unit)
        inside = whole < len(self._ends) and unit == self._ends[whole] - 1
        return unit - whole - inside
