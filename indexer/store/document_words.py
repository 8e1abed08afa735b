"""The words of documents, from parts that were counted: how often they occur, and look-ups.

Owns counts over the documents that are there, whatever else the parts have; so every answer is the
same however documents are parted. It must not know tables or files (see ``document_parts``), how
documents are scored, nor their names.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.store.document_counts import Part
    from indexer.store.postings import Bytes
    from indexer.store.values import Float32s, Int32s

# Words whose documents are counted at once, of those that may be the most frequent.
_COUNTED = 64


@dataclass(frozen=True, slots=True)
class Placed:
    """A part, and the documents of it that are valid, -1 in place of the others, (n,)."""

    part: Part
    docs: Int32s


class DocumentWords:
    """The words of some documents. Any thread may ask.

    Attributes:
        lengths: How many words each document has, indexed by document, at least 1; 0 where there
            is no document.
    """

    def __init__(self, docs: Int32s, parts: Sequence[Placed]) -> None:
        """``docs`` are there, ascending; what the parts have of others counts for nothing."""
        self._docs = docs
        self._parts = [
            Placed(one.part, np.where(np.isin(one.docs, docs), one.docs, -1)) for one in parts
        ]
        lengths = np.zeros(int(docs[-1]) + 1 if len(docs) else 0, np.int64)
        for one in self._parts:
            np.add.at(lengths, one.docs[one.docs >= 0], one.part.lengths[one.docs >= 0])
        self.lengths: Float32s = np.zeros(len(lengths), np.float32)
        self.lengths[docs] = np.maximum(lengths[docs], 1)

    @classmethod
    def of_parts(cls, docs: Int32s, parts: Sequence[Part]) -> Self:
        """The words that parts have of some documents, ascending."""
        return cls(docs, [Placed(one, one.docs) for one in parts])

    def with_parts(self, parts: Sequence[Part]) -> DocumentWords:
        """These and more words of the same documents."""
        return DocumentWords(self._docs, [*self._parts, *(Placed(one, one.docs) for one in parts)])

    def counts(self, words: Sequence[str]) -> Float32s:
        """How often any of some words occurs in each document, indexed by document."""
        found = [
            (one, number) for one, numbers in self._numbers(words) for number in numbers.values()
        ]
        docs, times = _cells(found)
        return np.bincount(docs, times, len(self.lengths)).astype(np.float32)

    def frequencies(self, words: Sequence[str]) -> dict[str, int]:
        """The number of documents with each word, without words that no document has."""
        return {word: len(docs) for word, docs in self.documents(words).items()}

    def documents(self, words: Sequence[str]) -> dict[str, Int32s]:
        """The documents with each word, ascending, without words that no document has."""
        there: defaultdict[str, list[tuple[Placed, int]]] = defaultdict(list)
        for one, numbers in self._numbers(words):
            for word, number in numbers.items():
                there[word].append((one, number))
        every = {word: np.unique(_cells(found)[0]) for word, found in there.items()}
        return {word: docs for word, docs in every.items() if len(docs)}

    def beginning(self, prefix: str, limit: int) -> list[tuple[str, int]]:
        """The words with a prefix and their numbers of documents, frequent ones first."""
        most: defaultdict[str, int] = defaultdict(int)
        for one in self._parts:
            for word, count in one.part.words.beginning(prefix):
                most[word] += int(count)
        return self._frequent(most, limit)

    def has_beginning(self, prefixes: Iterable[str]) -> bool:
        """Whether a word or a stem has one of some prefixes; no document may have it any more."""
        return any(
            one.part.words.has_beginning(prefix) or one.part.stems.has_beginning(prefix)
            for prefix in prefixes
            for one in self._parts
        )

    def ending(self, ending: str, limit: int) -> list[tuple[str, int]]:
        """The words that end with another, as ``beginning``; all words are looked at."""
        found = {word for one in self._parts for word in one.part.words.ending(ending)}
        return ordered(self.frequencies(sorted(found)))[:limit]

    def with_stems(self, stems: Iterable[str]) -> dict[str, set[str]]:
        """The words of each stem that has any; no document may have them any more."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        listed = list(stems)
        for one in self._parts:
            for stem, text in one.part.stems.texts(listed).items():
                found[stem].update(text.split())
        return found

    def stems_beginning(self, prefix: str) -> set[str]:
        """The stems with a prefix."""
        found = (one.part.stems.beginning(prefix) for one in self._parts)
        return {stem for stems in found for stem, _ in stems}

    def _numbers(self, words: Sequence[str]) -> list[tuple[Placed, dict[str, int]]]:
        return [(one, one.part.words.numbers(words)) for one in self._parts]

    def _frequent(self, most: Mapping[str, int], limit: int) -> list[tuple[str, int]]:
        """The most frequent of some words; ``most`` is how many documents may have each."""
        likely = ordered(most)
        found: list[tuple[str, int]] = []
        for start in range(0, len(likely), _COUNTED):
            if len(found) == limit and found[-1][1] > likely[start][1]:
                break
            chosen = [word for word, _ in likely[start : start + _COUNTED]]
            found = ordered(dict(found) | self.frequencies(chosen))[:limit]
        return found


def ordered(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Words with their numbers of documents, the most frequent first."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _cells(found: Sequence[tuple[Placed, int]]) -> tuple[Int32s, Bytes]:
    """The documents with words of parts, one or more times, and counts."""
    docs, times = [np.empty(0, np.int32)], [np.empty(0, np.uint8)]
    for one, number in found:
        postings = one.part.postings.of(number)
        docs.append(one.docs[postings.rows])
        times.append(postings.times)
    every = np.concatenate(docs)
    valid = every >= 0
    return every[valid], np.concatenate(times)[valid]
