"""Sliding-window attention: which tokens attend to which, so that windows may be long.

Owns the numbers of rows: a window's first tokens, its anchors, see every token and are seen by
every one, as the title in front should be; the tokens after them are cut into blocks, and a block
sees the anchors, itself and so many tokens on either side (sliding-window attention with global
tokens: Beltagy et al., "Longformer", 2020; Zaheer et al., "Big Bird", 2020). What a token costs no
longer grows with its window. Pure; graphs take these rows as they are, and the recipe of our
checkpoint is taught with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Blocks:
    """Which tokens attend to which in a sequence of one length.

    Attributes:
        anchors: How many tokens at the start see everything.
        queries: The rows of each block, ``(blocks, tokens)``. The last block ends with the
            sequence, so it may share rows with the one before.
        keys: The rows that each block sees, ``(blocks, seen)``.
        places: For each row after the anchors, its index among all rows of ``queries``.
    """

    anchors: int
    queries: Rows
    keys: Rows
    places: Rows


def plan_blocks(length: int, block: int, reach: int, anchors: int) -> Blocks:
    """Split a sequence into the fewest blocks of one size.

    A block near an end of the sequence sees as many tokens as one in the middle. In a sequence no
    longer than that and the anchors, every token sees every other.

    Args:
        length: Tokens of the sequence, at least 2.
        block: The most tokens of a block.
        reach: Tokens that such a block sees on either side; smaller ones see as many in all.
        anchors: Tokens at the start that see everything; a shorter sequence has fewer.
    """
    anchors = min(anchors, length - 1)
    body = length - anchors
    seen = min(block + 2 * reach, body)
    block = -(-body // -(-body // block))
    begins = np.minimum(np.arange(0, body, block), body - block)
    first_seen = np.clip(begins - (seen - block) // 2, 0, body - seen)
    rows = np.arange(body)
    own = rows // block
    keys = anchors + first_seen[:, None] + np.arange(seen)
    return Blocks(
        anchors,
        queries=anchors + begins[:, None] + np.arange(block),
        keys=np.concatenate([np.broadcast_to(np.arange(anchors), (len(keys), anchors)), keys], 1),
        places=own * block + rows - begins[own],
    )


@dataclass(frozen=True, slots=True)
class Groups:
    """The blocks of a batch of sequences, a few at a time; rows count through all its tokens.

    Attributes:
        queries: The rows of each block, ``(groups, blocks, tokens)``. The last blocks may occur
            more than once, so that all groups have one size.
        keys: The rows that each block sees, ``(groups, blocks, seen)``.
        places: The index of each token among the anchors of all sequences and then the rows of
            ``queries``, ``(sequences, length)``.
    """

    queries: Rows
    keys: Rows
    places: Rows


def group(plan: Blocks, sequences: int, tokens: int) -> Groups:
    """Group the blocks of sequences of one length.

    Args:
        plan: The blocks of each.
        sequences: How many.
        tokens: About how many a group should have.
    """
    body = len(plan.places)
    length = plan.anchors + body
    starts = np.arange(sequences) * length
    queries = _shifted(plan.queries, starts)
    keys = _shifted(plan.keys, starts)
    size = _group_size(len(queries), max(1, tokens // queries.shape[1]))
    last = -(-len(queries) // size) * size
    padded = np.minimum(np.arange(last), len(queries) - 1).reshape(-1, size)
    order = np.arange(sequences)[:, None]
    first = order * plan.anchors + np.arange(plan.anchors)
    rest = sequences * plan.anchors + order * plan.queries.size + plan.places
    return Groups(queries[padded], keys[padded], np.concatenate([first, rest], axis=1))


def _shifted(rows: Rows, starts: Rows) -> Rows:
    """The rows of one sequence, shifted for each sequence and concatenated."""
    return (starts[:, None, None] + rows).reshape(-1, rows.shape[1])


def _group_size(blocks: int, wanted: int) -> int:
    """The number of blocks in a group: near ``wanted``, with few of them computed twice."""
    most = wanted + wanted // 2
    if blocks <= most:
        return blocks
    sizes = range(max(1, wanted - wanted // 4), most + 1)
    return min(sizes, key=lambda size: (-blocks % size, abs(size - wanted)))
