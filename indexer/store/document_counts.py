"""How often each word occurs in each document, packed and read at place.

Owns a part of the index of documents' words: sorted words and stems in blocks (``sorted_words``),
and of each word the documents with it (``postings``, whose stems are numbers of words here, and
whose rows are indices of documents). A part is the same bytes in a file and in memory. It must not
know tables, nor which documents are there still.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from indexer.store.postings import NO_POSTINGS, BlockPlace, Found, Postings, merged, unpacked
from indexer.store.recent import Recent
from indexer.store.sorted_words import SortedWords, WordPlaces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.store.sorted_words import Read
    from indexer.store.values import Int32s, Int64s

END_BYTES = 8
#: Whatever reading a part may raise whose file is gone, or has other bytes than were written.
UNREADABLE = (OSError, ValueError, LookupError, BadZipFile)
# Bytes of unpacked blocks of postings that are kept.
_KEPT_BYTES = 8 << 20


class Lists:
    """The packed postings of all numbers from 0, of which only the needed blocks are read."""

    def __init__(self, read: Read, places: Sequence[BlockPlace]) -> None:
        self._read = read
        self._places = places
        self._firsts = [place.first for place in places]
        self._kept: Recent[int, Postings] = Recent(_KEPT_BYTES, lambda found: found.nbytes)

    def __len__(self) -> int:
        return sum(place.postings for place in self._places)

    def of(self, number: int) -> Found:
        """Those of a number."""
        block = bisect_right(self._firsts, number) - 1
        postings = self._kept.get(block, self._unpacked)
        at = number - self._firsts[block]
        inside = slice(int(postings.ends[at - 1]) if at else 0, int(postings.ends[at]))
        return Found(postings.rows[inside], postings.times[inside])

    def between(self, first: int, last: int) -> Postings:
        """Those of the numbers from one up to another."""
        blocks = range(max(0, bisect_right(self._firsts, first) - 1), len(self._firsts))
        parts = [self._unpacked(block) for block in blocks if self._firsts[block] < last]
        found = merged(parts, [0] * len(parts)) if parts else NO_POSTINGS
        begin, end = np.searchsorted(found.stems, np.array([first, last], np.uint64)).tolist()
        return found.part(begin, end)

    def borders(self, groups: int) -> list[int]:
        """Ascending numbers that part the postings in so many groups, or fewer."""
        ends = np.cumsum([place.postings for place in self._places], dtype=np.int64)
        apart = np.flatnonzero(np.diff(ends * groups // max(1, len(self)))) + 1
        return [self._firsts[block] for block in apart.tolist()]

    def _unpacked(self, block: int) -> Postings:
        place = self._places[block]
        return unpacked(self._read(place.offset, place.length), place).postings()


class Part:
    """The words of some documents. Any thread may ask.

    Attributes:
        docs: The documents, ascending, (n,).
        lengths: How many words each has, (n,).
        words: All words, each with the number of documents that have it.
        stems: All stems, each with its words, separated by spaces.
        postings: Of each word, the indices of documents, one or more times, and counts.
    """

    def __init__(self, read: Read, size: int) -> None:
        """Read what lies in ``size`` bytes."""
        (length,) = np.frombuffer(read(size - END_BYTES, END_BYTES), "<i8").tolist()
        stored = io.BytesIO(read(size - END_BYTES - length, length))
        with np.load(stored, allow_pickle=False) as directory:
            self.docs: Int32s = directory["docs"]
            self.lengths: Int64s = directory["lengths"]
            self.words, self.stems = (
                SortedWords(
                    read,
                    WordPlaces(
                        directory[f"{name}_firsts"].tobytes().decode().split(),
                        directory[f"{name}_places"],
                        int(directory[f"{name}_count"]),
                    ),
                )
                for name in ("words", "stems")
            )
            places = [BlockPlace(*place) for place in directory["postings"].tolist()]
            self.postings = Lists(read, places)

    @classmethod
    def in_memory(cls, blocks: Iterator[bytes]) -> Part:
        """A part of packed bytes."""
        content = b"".join(blocks)
        return cls(lambda offset, count: content[offset : offset + count], len(content))
