"""Block attention, whose cost per token does not grow with the window.

The first tokens of a window, its anchors (global tokens), attend to all and are attended to by all;
they contain the title. The others are split into blocks, which attend to the anchors, to themselves
and to some tokens on either side (Beltagy et al., "Longformer", 2020; Zaheer et al., "Big Bird",
2020). Pure functions; the rows are inputs of the graph, and training uses the same.
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
        anchors: The number of global tokens at the start.
        queries: The rows of each block, ``(blocks, tokens)``. The last block ends with the
            sequence, so it may overlap the one before.
        keys: The rows that each block attends to, ``(blocks, seen)``.
        places: For each row after the anchors, its index in the flattened ``queries``.
    """

    anchors: int
    queries: Rows
    keys: Rows
    places: Rows


def plan_blocks(length: int, block: int, reach: int, anchors: int) -> Blocks:
    """Split a sequence into the fewest blocks of equal size.

    All blocks attend to the same number of tokens, also at the ends of the sequence; in a short
    sequence attention is full.

    Args:
        length: Tokens of the sequence, at least 2.
        block: The most tokens of a block.
        reach: Tokens on either side of a block of that size; a smaller block sees as many in all.
        anchors: Global tokens at the start; a sequence not longer than that has fewer.
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
    """The blocks of a batch of sequences in groups; rows are indices into the flattened batch.

    Attributes:
        queries: The rows of each block, ``(groups, blocks, tokens)``. The last block may be
            repeated so that all groups have one size.
        keys: The rows that each block attends to, ``(groups, blocks, seen)``.
        places: The index of each token in the concatenation of the anchors of all sequences and
            the flattened ``queries``, ``(sequences, length)``.
    """

    queries: Rows
    keys: Rows
    places: Rows


def group(plan: Blocks, sequences: int, tokens: int) -> Groups:
    """Group the blocks of sequences of one length.

    Args:
        plan: The blocks of each sequence.
        sequences: Their number.
        tokens: The approximate size of a group.
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
    """The rows of each sequence in the flattened batch."""
    return (starts[:, None, None] + rows).reshape(-1, rows.shape[1])


def _group_size(blocks: int, wanted: int) -> int:
    """The number of blocks in a group: near ``wanted``, with few repeated blocks."""
    most = wanted + wanted // 2
    if blocks <= most:
        return blocks
    sizes = range(max(1, wanted - wanted // 4), most + 1)
    return min(sizes, key=lambda size: (-blocks % size, abs(size - wanted)))
