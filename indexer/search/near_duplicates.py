"""The same text in several documents, shown once.

Owns the comparison of passages that are listed: three yearly reports repeat a paragraph, a draft
and its final version nearly everything. Within one document nothing is folded: there a repetition
stands in another place for a reason. Passages are alike if most runs of three words are the
same (Jaccard of word trigrams), so that one year's paragraph folds onto the next year's but a table
with other numbers does not; and two that differ in a word of the query are never folded, because
that word tells them apart for whoever asked. Deterministic and pure but for the memory of a list;
it must not know how hits are ranked or shown.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexer.text.terms import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RUN = 3  # words
# Of all different runs of two passages, so many stand in both.
ALIKE = 0.8
# Passages are compared if one of so many smallest hashes is the same: of alike ones it nearly
# always is, and a list of ten thousand is not compared each with each.
SKETCH = 16


@dataclass(frozen=True, slots=True)
class _Seen:
    doc: int
    runs: frozenset[int]
    telling: frozenset[str]


@dataclass(slots=True)
class Folder:
    """Finds for each passage of a list an earlier one of another document that says the same.

    Attributes:
        wanted: The folded words of the query.
    """

    wanted: frozenset[str]
    _seen: list[_Seen] = field(default_factory=list)
    _by_hash: dict[int, list[int]] = field(default_factory=dict)

    def place(self, doc: int, text: str) -> int | None:
        """Give the number of the earlier passage that a passage is folded under.

        Args:
            doc: The passage's document.
            text: What it says.

        Returns:
            None if it says something of its own; it then has the next number, from 0.
        """
        found = words(text)
        here = _Seen(doc, frozenset(_runs(found)), self.wanted.intersection(found))
        sketch = sorted(here.runs)[:SKETCH]
        for number in self._near(sketch):
            if _alike(here, self._seen[number]):
                return number
        for each in sketch:
            self._by_hash.setdefault(each, []).append(len(self._seen))
        self._seen.append(here)
        return None

    def _near(self, sketch: Iterable[int]) -> list[int]:
        """Earlier passages that may be alike, the best of the list first."""
        return sorted({number for each in sketch for number in self._by_hash.get(each, ())})


def _alike(one: _Seen, other: _Seen) -> bool:
    if one.doc == other.doc or one.telling != other.telling:
        return False
    return len(one.runs & other.runs) >= ALIKE * len(one.runs | other.runs)


def _runs(found: list[str]) -> Iterator[int]:
    """Hashes of runs of words, the same in every process; a short text is one run."""
    for at in range(max(1, len(found) - RUN + 1)):
        yield zlib.crc32(" ".join(found[at : at + RUN]).encode("utf-8", "replace"))
