"""Counts the words of a document, for the lexicon.

Text is split at white space first, and only distinct pieces are split into words, because most of a
text is repetition. So words must not span white space; those of ``indexer.text.terms`` do not.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_TERMS = 100_000  # above it only the most frequent half is kept
_HYPHENATED = re.compile(r"[-\u00ad\u2010](?<=\w[-\u00ad\u2010])\r?\n(?=[a-z])")


class TermCounts:
    """Counts the words of texts.

    Args:
        words: Splits a text into folded words.
    """

    def __init__(self, words: Callable[[str], Iterable[str]]) -> None:
        self._words = words
        self._pieces: Counter[str] = Counter()
        self._terms: Counter[str] = Counter()

    def add(self, text: str) -> None:
        """Count the words of a text; words hyphenated at the end of a line are joined."""
        if "\n" in text:
            text = _HYPHENATED.sub("", text)
        self._pieces.update(text.split())
        if len(self._pieces) > MAX_TERMS:
            self._count_words()

    def counts(self) -> dict[str, int]:
        """Return the distinct words and how often each occurs."""
        self._count_words()
        return dict(self._terms)

    def _count_words(self) -> None:
        """Count the words of the pieces, which are split together if their counts are equal."""
        by_count: defaultdict[int, list[str]] = defaultdict(list)
        for piece, count in self._pieces.items():
            by_count[count].append(piece)
        self._pieces.clear()
        for count, pieces in by_count.items():
            for word in self._words(" ".join(pieces)):
                self._terms[word] += count
        if len(self._terms) > MAX_TERMS:
            self._terms = Counter(dict(self._terms.most_common(MAX_TERMS // 2)))
