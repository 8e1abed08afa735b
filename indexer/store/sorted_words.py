"""Words in ascending order, each with a text, in compressed blocks; one is read to find a word.

Owns the blocks and the look-ups of words, prefixes and endings. A word is known by its number, its
index in the order. It must not know what the words or their texts mean.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.store.compression import compressed, decompressed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from indexer.store.values import Int64s

    Read = Callable[[int, int], bytes]

#: Words of a block; it takes some 800 bytes.
TOGETHER = 256
# A block in memory takes some 3 KB.
_KEPT = 512
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class WordPlaces:
    """Where blocks lie.

    Attributes:
        firsts: The first word of each, (b,).
        places: Their offsets and lengths, (b, 2).
        count: How many words there are. All blocks but the last have ``TOGETHER``.
    """

    firsts: Sequence[str]
    places: Int64s
    count: int


class WordWriter:
    """Packs ascending words without white space, each with a text without line breaks."""

    def __init__(self, write: Callable[[bytes], int]) -> None:
        """``write`` stores a block and returns its offset."""
        self._write = write
        self._lines: list[str] = []
        self._firsts: list[str] = []
        self._places: list[tuple[int, int]] = []
        self.count = 0

    def add(self, words: Iterable[tuple[str, str]]) -> None:
        """Words, each with its text."""
        before = len(self._lines)
        self._lines += [f"{word} {text}" for word, text in words]
        self.count += len(self._lines) - before
        while len(self._lines) >= TOGETHER:
            self._flush()

    def end(self) -> WordPlaces:
        """Write what is left."""
        if self._lines:
            self._flush()
        places = np.array(self._places, np.int64).reshape(-1, 2)
        return WordPlaces(self._firsts, places, self.count)

    def _flush(self) -> None:
        lines, self._lines = self._lines[:TOGETHER], self._lines[TOGETHER:]
        block = compressed("\n".join(["", *lines, ""]).encode())
        self._places.append((self._write(block), len(block)))
        self._firsts.append(lines[0].partition(" ")[0])


class SortedWords:
    """Look-ups in packed words. Any thread may ask."""

    def __init__(self, read: Read, places: WordPlaces) -> None:
        self._read = read
        self._places = places
        self._kept: dict[int, str] = {}

    def __len__(self) -> int:
        return self._places.count

    def numbers(self, words: Iterable[str]) -> dict[str, int]:
        """The numbers of the words that are there."""
        return {
            word: block * TOGETHER + content.count("\n", 0, at)
            for word, block, content, at in self._found(words)
        }

    def texts(self, words: Iterable[str]) -> dict[str, str]:
        """The texts of the words that are there."""
        ends = ((*one, one[-1] + len(one[0]) + 2) for one in self._found(words))
        return {word: content[at : content.index("\n", at)] for word, _, content, _, at in ends}

    def place(self, word: str) -> int:
        """The number of the first word that does not come before another."""
        block = bisect_left(self._places.firsts, word) - 1
        if block < 0:
            return 0
        # White space comes before all characters of words.
        return block * TOGETHER + bisect_left(self._block(block).splitlines()[1:], word)

    def between(self, first: int, last: int) -> list[tuple[str, str]]:
        """The words, with their texts, from one number up to another."""
        lines: list[str] = []
        for block in range(first // TOGETHER, -(-last // TOGETHER)):
            inside = slice(max(0, first - block * TOGETHER), last - block * TOGETHER)
            lines += self._block(block).splitlines()[1:][inside]
        return [(word, text) for word, _, text in (line.partition(" ") for line in lines)]

    def beginning(self, prefix: str) -> list[tuple[str, str]]:
        """The words with a prefix, and their texts."""
        return self.between(self.place(prefix), self.place(prefix + _LAST))

    def has_beginning(self, prefix: str) -> bool:
        """Whether there is a word with a prefix; at most one block is read."""
        firsts = self._places.firsts
        block = bisect_left(firsts, prefix)
        if block < len(firsts) and firsts[block].startswith(prefix):
            return True
        return block > 0 and f"\n{prefix}" in self._block(block - 1)

    def ending(self, ending: str) -> list[str]:
        """The words that end with a text and are longer; all blocks are read."""
        found = []
        for block in range(len(self._places.firsts)):
            content = self._unpacked(block)
            if ending + " " in content:
                words = (line.partition(" ")[0] for line in content.splitlines()[1:])
                found += [one for one in words if one.endswith(ending) and one != ending]
        return found

    def _found(self, words: Iterable[str]) -> Iterator[tuple[str, int, str, int]]:
        """Words that are there, the block and its content, and where the word's line begins."""
        firsts = self._places.firsts
        for word in words:
            block = bisect_right(firsts, word) - 1
            if block >= 0:
                content = self._block(block)
                at = content.find(f"\n{word} ")
                if at >= 0:
                    yield word, block, content, at

    def _block(self, block: int) -> str:
        found = self._kept.get(block)
        if found is None:
            if len(self._kept) >= _KEPT:
                self._kept = {}
            found = self._kept[block] = self._unpacked(block)
        return found

    def _unpacked(self, block: int) -> str:
        return decompressed(self._read(*self._places.places[block].tolist())).decode()
