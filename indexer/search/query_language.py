"""The language of a query, where it is clear, and the words that say nothing in it.

A classifier would need a sentence, and 80 MB of memory. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.text.language import by_script_alone
from indexer.text.stop_words import ASKING_WORDS, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

# Fewer stop words are shared by too many languages.
_ENOUGH_WORDS = 2


def clear_language(text: str, terms: Sequence[str]) -> str:
    """The language of a query by its script or its stop words, or "" where it is not clear.

    Args:
        text: The query.
        terms: Its words, folded.
    """
    if script := by_script_alone(text):
        return script
    counts = {
        language: sum(term in words for term in terms) for language, words in STOP_WORDS.items()
    }
    first, second = sorted(counts, key=lambda language: -counts[language])[:2]
    clear = counts[first] >= _ENOUGH_WORDS and counts[first] > counts[second]
    return first if clear else ""


def function_words(text: str, terms: Sequence[str], languages: Sequence[str]) -> frozenset[str]:
    """The words of a query that any question has, and that so name no document.

    Documents written as questions ("How can I …") have them far more often than others.

    Args:
        text: The query.
        terms: Its words, folded.
        languages: Those of the library, in which it is asked unless its own is clear.
    """
    clear = clear_language(text, terms)
    spoken = (clear,) if clear else languages
    none = frozenset[str]()
    listed = (lists.get(one, none) for one in spoken for lists in (STOP_WORDS, ASKING_WORDS))
    return frozenset(terms).intersection(none.union(*listed))
