"""Near-duplicate grouping: the same text in several documents is listed once.

Two passages are near-duplicates by the Jaccard similarity of their word trigrams, and only if they
say the same: a passage with another number, date, name or negation is another statement, as in two
versions of a contract. Nor are passages grouped that differ in a word of the query, which was asked
for, or that are of one document, which are on different pages.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.search.compare_statements import NEGATIONS, NUMBER_WORDS
from indexer.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SHINGLE = 3  # words
MIN_JACCARD = 0.8
# Passages are compared only if they share one of so many smallest hashes (MinHash), as
# near-duplicates nearly always do: a list of ten thousand is too long to compare every pair.
SKETCH = 16
# A word behind another one of its sentence, where a capital is that of a name.
_INSIDE = re.compile(r"(?<=[^\s.!?:])[ \t]+(\w+)")


@dataclass(frozen=True, slots=True)
class _Member:
    doc: int
    text: str
    words: frozenset[str]
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
        return _Member(doc, text, frozenset(found), shingles, asked, sorted(shingles)[:SKETCH])

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
    if len(one.shingles & other.shingles) < MIN_JACCARD * len(one.shingles | other.shingles):
        return False
    return not (_states_alone(one, other) or _states_alone(other, one))


def _states_alone(one: _Member, other: _Member) -> bool:
    """Whether a passage has a number, a name or a negation that another one lacks."""
    alone = one.words - other.words
    if not alone:
        return False
    figures = (any(sign.isdigit() for sign in word) for word in alone)
    if any(figures) or alone & NEGATIONS or alone & NUMBER_WORDS:
        return True
    if one.text.isupper():
        return False  # its capitals tell no names
    inside = (found[1] for found in _INSIDE.finditer(one.text))
    return not alone.isdisjoint(words(" ".join(word for word in inside if word[0].isupper())))


def _shingles(found: list[str]) -> Iterator[int]:
    """Hashes of word trigrams, the same in every process; a shorter text is one shingle."""
    encoded = [word.encode("utf-8", "replace") for word in found]
    for at in range(max(1, len(found) - SHINGLE + 1)):
        yield zlib.crc32(b" ".join(encoded[at : at + SHINGLE]))
