"""The labels that a document gives its own pages: "iv", "12", "A-3".

Owns their making from the rules of the file; it must not know how the file is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
# A hostile file may begin to count anywhere; a label is a short thing.
_MAX_NUMBER = 100_000
_MAX_CHARS = 40
_BLANKS = re.compile(r"[\s\x00-\x1f]+")


def page_labels(rules: Sequence[Mapping[str, Any]], pages: int) -> list[str]:
    """Return the label of every page, or nothing if the labels only say the pages' numbers.

    Args:
        rules: Each with ``startpage`` (from 0) and, as far as the file says so, ``prefix``,
            ``style`` (``D``, ``R``, ``r``, ``A``, ``a`` or "") and ``firstpagenum``.
        pages: How many pages there are.
    """
    ordered = sorted(rules, key=lambda rule: int(rule.get("startpage") or 0))
    labels: list[str] = []
    for number in range(pages):
        while len(ordered) > 1 and int(ordered[1].get("startpage") or 0) <= number:
            ordered.pop(0)
        if ordered and int(ordered[0].get("startpage") or 0) <= number:
            labels.append(_label(ordered[0], number))
        else:
            labels.append(str(number + 1))
    plain = all(label == str(number) for number, label in enumerate(labels, 1))
    return [] if plain else labels


def _label(rule: Mapping[str, Any], page: int) -> str:
    first = int(rule.get("firstpagenum") or 1)
    number = min(max(first + page - int(rule.get("startpage") or 0), 1), _MAX_NUMBER)
    count = _STYLES.get(str(rule.get("style") or ""))
    prefix = _BLANKS.sub(" ", str(rule.get("prefix") or "").encode("utf-8", "replace").decode())
    label = prefix + (count(number) if count else "")
    return label.strip()[:_MAX_CHARS] or str(page + 1)


def roman(number: int) -> str:
    """Return a number in small Roman numerals."""
    parts = []
    for value, letters in _ROMAN:
        parts.append(letters * (number // value))
        number %= value
    return "".join(parts)


def letters(number: int) -> str:
    """Return a, b, … z, aa, bb, … as PDF counts."""
    repeated, place = divmod(number - 1, 26)
    return chr(ord("a") + place) * (repeated + 1)


_STYLES: dict[str, Callable[[int], str]] = {
    "D": str,
    "r": roman,
    "R": lambda number: roman(number).upper(),
    "a": letters,
    "A": lambda number: letters(number).upper(),
}
