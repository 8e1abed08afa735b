"""Text that is made of figures, and questions that ask for some.

Owns the telling of both. The answer to "the margin of 2018" or "which brought in more than 5 %"
stands in a table more often than in a sentence, and a table has hardly a word of the question. A
question with a figure, a percent sign or a currency is taken to ask for figures: that needs no
list of words, and holds in every language. Pure functions of text; it must not know what figures
count for.
"""

from __future__ import annotations

import unicodedata

_SIGNS = "%‰"
_DIGITS = "0123456789"


def asked_for(question: str) -> bool:
    """Whether a question has a figure in it, or what figures are written with.

    >>> asked_for("operating margin of FY2018"), asked_for("who pays in €?")
    (True, True)
    >>> asked_for("who may terminate the lease?")
    False
    """
    return any(
        char.isdigit() or char in _SIGNS or unicodedata.category(char) == "Sc" for char in question
    )


def share(text: str) -> float:
    """The share of digits among the characters of a text, 0 to 1.

    >>> share("Cash 12, 45")
    0.36363636363636365
    """
    return sum(map(text.count, _DIGITS)) / len(text) if text else 0.0
