"""Groups documents into shards of bounded size, which change little when files come and go.

The bits of the hash of a document's content determine its leaf in a binary tree. So equal contents,
whose text is kept once, are together. A leaf that is too large becomes two. A new or deleted file
thus changes only its own shard, and at most divides it or joins it with its sibling.

The number of a leaf also determines the numbers of its documents, so that no two shards of a
library have equal ones and their tables can be put side by side.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from msgspec import Struct

from indexer.shards.sources import SourceFile  # noqa: TC001  # jobs are decoded by it

# About 250,000 passages of average documents.
SHARD_BYTES = 512 << 20
# The most documents of a shard. It has twice as many numbers, as those of failed attempts are not
# reused.
MOST_DOCUMENTS, NUMBERS = 8_192, 16_384
# Numbers of documents have 31 bits.
_DEEPEST = 16


class PlannedShard(Struct, frozen=True):
    """A leaf with its documents. ``name`` is a hash of all that determines the shard's content."""

    name: str
    leaf: int
    documents: tuple[SourceFile, ...]

    @property
    def first_document(self) -> int:
        """The first of the numbers of its documents."""
        return self.leaf * NUMBERS + 1

    @property
    def size(self) -> int:
        """The bytes of its documents."""
        return sum(each.size for each in self.documents)


def planned(
    documents: Iterable[SourceFile], reader: str, most_bytes: int = SHARD_BYTES
) -> list[PlannedShard]:
    """Group documents into shards.

    Args:
        documents: The documents in any order.
        reader: The way in which they are read and embedded, which is part of the shards' names.
        most_bytes: The most bytes of a shard's documents, unless equal ones have more.
    """
    marked = sorted((_hash(one.mark), one.source, one.path, one) for one in documents)
    shards: list[PlannedShard] = []

    def divide(leaf: int, depth: int, some: Sequence[tuple[int, str, str, SourceFile]]) -> None:
        size = sum(one.size for *_, one in some)
        small = size <= most_bytes and len(some) <= MOST_DOCUMENTS
        if not some:
            return
        if small or depth == _DEEPEST or some[0][0] == some[-1][0]:
            own = tuple(one for *_, one in some)
            shards.append(PlannedShard(_name(reader, leaf, own), leaf, own))
            return
        for bit in (0, 1):
            inside = [each for each in some if each[0] >> (255 - depth) & 1 == bit]
            divide(2 * leaf + bit, depth + 1, inside)

    divide(1, 0, marked)
    return shards


def _hash(mark: str) -> int:
    return int.from_bytes(hashlib.sha256(mark.encode()).digest(), "big")


def _name(reader: str, leaf: int, documents: Sequence[SourceFile]) -> str:
    rows = sorted((one.source, one.path, one.mark) for one in documents)
    return hashlib.sha256(json.dumps([reader, leaf, rows]).encode()).hexdigest()
