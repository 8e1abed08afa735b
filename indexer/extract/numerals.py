"""Numbers as lists, pages and headings write them: letters and Roman numerals."""

from __future__ import annotations

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_LETTERS = 40
_VALUES = {sign: worth for worth, sign in _ROMAN if len(sign) == 1}


def written_number(value: int, form: str) -> str:
    """Write the number of a list item; ``form`` is one of Word's, decimal if it is unknown."""
    if form in ("lowerLetter", "upperLetter") and value > 0:
        letter = chr(ord("a") + (value - 1) % 26) * min((value - 1) // 26 + 1, _MAX_LETTERS)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman") and 0 < value < 4000:
        roman, rest = "", value
        for worth, sign in _ROMAN:
            roman += sign * (rest // worth)
            rest %= worth
        return roman.upper() if form == "upperRoman" else roman
    return f"{value:02d}" if form == "decimalZero" else str(value)


def roman_value(text: str) -> int:
    """Return what a Roman numeral of small letters says."""
    values = [_VALUES[letter] for letter in text]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < following else value for value, following in pairs)
