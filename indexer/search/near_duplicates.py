"""Near-duplicate grouping: the same text in several documents is listed once.

Owns the comparison of listed passages: Jaccard similarity of their word trigrams, with a threshold
that groups the same paragraph of two years but not tables with different numbers. Passages that
differ in a word of the query are not grouped, since that word was asked for, nor are those of one
document, which are on different pages.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SHINGLE = 3  # words
MIN_JACCARD = 0.8
# Passages are compared only if they share one of so many smallest hashes (MinHash), as
# near-duplicates nearly always do: a list of ten thousand is too long to compare every pair.
SKETCH = 16


@dataclass(frozen=True, slots=True)
class _Member:
    doc: int
    shingles: frozenset[int]
    query_words: frozenset[str]
    sketch: list[int]  # its smallest hashes


@dataclass(slots=True)
class NearDuplicates:
    """Groups the passages of a list under the first near-duplicate in another document.

    Attributes:
        query_words: The folded words of the query.
    """

    query_words: frozenset[str]
    _members: list[_Member] = field(default_factory=list)
    _by_hash: dict[int, list[int]] = field(default_factory=dict)
    # The first passages, as long as all are of one document: none of them is compared.
    _unread: list[tuple[int, str]] = field(default_factory=list)

    def add(self, doc: int, text: str) -> int | None:
        """Return the number of the group that a passage joins.

        Returns:
            None if it opens a group of its own, which then has the next number, from 0.
        """
        if not self._members and (not self._unread or self._unread[0][0] == doc):
            self._unread.append((doc, text))
            return None
        for one in self._unread:
            self._open(self._read(*one))
        self._unread.clear()
        here = self._read(doc, text)
        for number in self._nearby(here.sketch):
            if _near_duplicate(here, self._members[number]):
                return number
        self._open(here)
        return None

    def _read(self, doc: int, text: str) -> _Member:
        found = words(text)
        shingles = frozenset(_shingles(found))
        asked = self.query_words.intersection(found)
        return _Member(doc, shingles, asked, sorted(shingles)[:SKETCH])

    def _open(self, member: _Member) -> None:
        """Open a group."""
        for each in member.sketch:
            self._by_hash.setdefault(each, []).append(len(self._members))
        self._members.append(member)

    def _nearby(self, sketch: Iterable[int]) -> list[int]:
        """Groups that share a hash, the best of the list first."""
        return sorted({number for each in sketch for number in self._by_hash.get(each, ())})


def _near_duplicate(one: _Member, other: _Member) -> bool:
    if one.doc == other.doc or one.query_words != other.query_words:
        return False
    return len(one.shingles & other.shingles) >= MIN_JACCARD * len(one.shingles | other.shingles)


def _shingles(found: list[str]) -> Iterator[int]:
    """Hashes of word trigrams, the same in every process; a shorter text is one shingle."""
    encoded = [word.encode("utf-8", "replace") for word in found]
    for at in range(max(1, len(found) - SHINGLE + 1)):
        yield zlib.crc32(b" ".join(encoded[at : at + SHINGLE]))
