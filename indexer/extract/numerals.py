"""Numbers of lists, pages and headings as letters and Roman numerals."""

from __future__ import annotations

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_LETTERS = 40
_VALUES = {letters: number for number, letters in _ROMAN if len(letters) == 1}


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

    Raises:
        KeyError: If a letter is no Roman digit.
    """
    values = [_VALUES[letter] for letter in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)
