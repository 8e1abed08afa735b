"""The language of a query, where it is clear.

Owns a guess for display; nothing is searched or ranked by it. A classifier would need a sentence,
and 80 MB of memory. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.text.language import by_script_alone
from indexer.text.stop_words import STOP_WORDS

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
