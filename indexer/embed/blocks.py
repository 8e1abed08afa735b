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
    from collections.abc import Sequence

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
        seen: How many of these it attends to, ``(groups, blocks)``; the others fill up those of
            shorter sequences.
        places: The index of each token in the concatenation of the anchors of all sequences and
            the flattened ``queries``, ``(sequences, length)``; 0 for padding.
    """

    queries: Rows
    keys: Rows
    seen: Rows
    places: Rows


def group(plans: Sequence[Blocks], tokens: int) -> Groups:
    """Group the blocks of sequences, which are padded to the longest.

    Args:
        plans: The blocks of each sequence.
        tokens: The approximate size of a group.
    """
    anchors = max(plan.anchors for plan in plans)
    length = max(plan.anchors + len(plan.places) for plan in plans)
    block = max(plan.queries.shape[1] for plan in plans)
    widest = max(plan.keys.shape[1] for plan in plans)
    places = np.zeros((len(plans), length), np.int64)
    queries, keys, seen = [], [], []
    before = len(plans) * anchors
    for number, plan in enumerate(plans):
        own = plan.queries.shape[1]
        queries.append(_widened(plan.queries, block) + number * length)
        keys.append(_widened(plan.keys, widest) + number * length)
        seen.append(np.full(len(plan.keys), plan.keys.shape[1]))
        places[number, : plan.anchors] = number * anchors + np.arange(plan.anchors)
        body = before + plan.places // own * block + plan.places % own
        places[number, plan.anchors : plan.anchors + len(body)] = body
        before += len(plan.queries) * block
    count = sum(map(len, queries))
    size = _group_size(count, max(1, tokens // block))
    last = -(-count // size) * size
    whole = np.minimum(np.arange(last), count - 1).reshape(-1, size)
    own, others, most = (np.concatenate(part)[whole] for part in (queries, keys, seen))
    return Groups(own, others, most, places)


def _widened(rows: Rows, width: int) -> Rows:
    """Rows with the last of each repeated."""
    return np.pad(rows, ((0, 0), (0, width - rows.shape[1])), "edge")


def _group_size(blocks: int, wanted: int) -> int:
    """The number of blocks in a group: near ``wanted``, with few repeated blocks."""
    most = wanted + wanted // 2
    if blocks <= most:
        return blocks
    sizes = range(max(1, wanted - wanted // 4), most + 1)
    return min(sizes, key=lambda size: (-blocks % size, abs(size - wanted)))
