"""How much of a heading a question asks for.

Owns the comparison of headings with the words of a query. Pure; it must not know where passages
are kept or how much a heading counts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from indexer.text.terms import stems, stop_words, words

if TYPE_CHECKING:
    from collections.abc import Sequence

# A passage's own heading and the one above: those further up are of chapters, and on every page.
NEAREST = 2


def heading_share(path: Sequence[str], wanted: frozenset[str], languages: tuple[str, ...]) -> float:
    """The share of the words of a passage's heading that a question has, 0 to 1.

    A heading is short and says what stands below it, so what counts is that all of it is asked
    for, not that all of the question stands in it.

    >>> wanted = frozenset(["cash", "flow", "statement", "2018"])
    >>> heading_share(["Item 8", "Consolidated Statements of Cash Flows"], wanted, ("en",))
    0.75

    Args:
        path: The headings above a passage, its own last.
        wanted: The stems of the question.
        languages: In which words are stemmed; a word counts if one of its stems is wanted.
    """
    return max(
        (_share(heading, wanted, languages) for heading in path[-NEAREST:]),
        default=0.0,
    )


def _share(heading: str, wanted: frozenset[str], languages: tuple[str, ...]) -> float:
    telling = _telling(heading, languages)
    return sum(not wanted.isdisjoint(forms) for forms in telling) / len(telling) if telling else 0.0


@lru_cache(maxsize=4096)
def _telling(heading: str, languages: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """The stems of each word of a heading that means something."""
    empty = {word for language in languages for word in stop_words(language)}
    found = [word for word in dict.fromkeys(words(heading)) if word not in empty]
    return tuple(
        frozenset(stem for one in languages or ("",) for stem in stems(word, one).split())
        for word in found
    )
