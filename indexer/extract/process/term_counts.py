"""Counts the words of a document, for the lexicon.

Owns the counting and its bound; the caller says what a word is. Text is split at blanks first, and
only distinct pieces are split into words, because most of a text is repetition. Words must end at
blanks, as those of ``indexer.text.terms`` do.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_TERMS = 100_000  # beyond it the rarest are forgotten
_HYPHENATED = re.compile(r"(?<=\w)[-\u00ad\u2010]\r?\n(?=[a-z])")


class TermCounts:
    """Counts words text by text.

    Args:
        words: Splits a text into folded words.
    """

    def __init__(self, words: Callable[[str], Iterable[str]]) -> None:
        self._words = words
        self._pieces: Counter[str] = Counter()
        self._terms: Counter[str] = Counter()

    def add(self, text: str) -> None:
        """Count a text; a word torn at the end of a line counts whole."""
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
        """Turn pieces into words, all pieces of one frequency at a time."""
        by_count: defaultdict[int, list[str]] = defaultdict(list)
        for piece, count in self._pieces.items():
            by_count[count].append(piece)
        self._pieces.clear()
        for count, pieces in by_count.items():
            for word in self._words(" ".join(pieces)):
                self._terms[word] += count
        if len(self._terms) > MAX_TERMS:
            self._terms = Counter(dict(self._terms.most_common(MAX_TERMS // 2)))
