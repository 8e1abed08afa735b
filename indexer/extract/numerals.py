"""Writes numbers as letters and Roman numerals, and figures above or below the line."""

from __future__ import annotations

import re

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_LETTERS = 40
_VALUES = {letters: number for number, letters in _ROMAN if len(letters) == 1}


# The forms of ``written_number``, by the forms of lists in HTML and OpenDocument.
FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


def written_number(value: int, form: str) -> str:
    """Format a number; ``form`` is a value of OOXML's ``numFmt``, decimal if it is unknown."""
    if form in ("lowerLetter", "upperLetter") and value > 0:
        letter = chr(ord("a") + (value - 1) % 26) * min((value - 1) // 26 + 1, _MAX_LETTERS)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman") and 0 < value < 4000:
        roman, rest = "", value
        for number, letters in _ROMAN:
            roman += letters * (rest // number)
            rest %= number
        return roman.upper() if form == "upperRoman" else roman
    return f"{value:02d}" if form == "decimalZero" else str(value)


def roman_value(text: str) -> int:
    """Return the value of a lower-case Roman numeral.

    Raises ``KeyError`` if a letter is not a Roman digit.
    """
    values = [_VALUES[letter] for letter in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)


_FIGURES = re.compile(r"(?=.*[0-9])[0-9+\-\u2212=(),;*\s]*")
_PLAIN, _RAISED, _LOWERED = "0123456789+-=()\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾⁻", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎₋"
_UP, _DOWN = str.maketrans(_PLAIN, _RAISED), str.maketrans(_PLAIN, _LOWERED)


def raised(text: str) -> str:
    """Write figures as superscripts, so that "section 14³" is not section 143.

    Letters and marks in brackets stay as they are. The result is as long as the text.

    >>> raised("6"), raised("st"), raised("[3]")
    ('⁶', 'st', '[3]')
    """
    return text.translate(_UP) if _FIGURES.fullmatch(text) else text


def lowered(text: str) -> str:
    """Write figures as subscripts; see ``raised``."""
    return text.translate(_DOWN) if _FIGURES.fullmatch(text) else text


def power(base: str, exponent: str) -> str:
    """Write a base with its exponent in one line.

    >>> power("10", "6"), power("e", "x"), power("e", "a+b")
    ('10⁶', 'e^x', 'e^(a+b)')
    """
    exponent = exponent.strip()
    above = raised(exponent)
    return base + above if above != exponent or not exponent else f"{base}^{in_brackets(exponent)}"


def fraction(above: str, below: str) -> str:
    """Write a fraction in one line, with brackets around parts longer than a number or word.

    >>> fraction("3", "40"), fraction("a+b", "c")
    ('3/40', '(a+b)/c')
    """
    return f"{in_brackets(above.strip())}/{in_brackets(below.strip())}"


def in_brackets(part: str) -> str:
    """Put a part of a formula into brackets unless it is a number or word."""
    return part if part.isalnum() else f"({part})"
