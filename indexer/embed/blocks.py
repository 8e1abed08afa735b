"""Which tokens see which where attention is kept within blocks, so that windows may be long.

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
    """Who sees whom in a sequence of one length.

    Attributes:
        anchors: How many tokens at the start see everything.
        queries: The rows of each block, ``(blocks, tokens)``. The last block ends with the
            sequence, so it may share rows with the one before.
        keys: The rows that each block sees, ``(blocks, seen)``.
        places: For each row after the anchors, where it stands among all rows of ``queries``.
    """

    anchors: int
    queries: Rows
    keys: Rows
    places: Rows


def plan_blocks(length: int, block: int, reach: int, anchors: int) -> Blocks:
    """Cut a sequence into blocks.

    A block near an end of the sequence sees as many tokens as one in the middle. In a sequence no
    longer than that and the anchors, every token sees every other.

    Args:
        length: Tokens of the sequence, at least 2.
        block: Tokens of a block.
        reach: Tokens that it sees on either side.
        anchors: Tokens at the start that see everything; a shorter sequence has fewer.
    """
    anchors = min(anchors, length - 1)
    body = length - anchors
    seen = min(block + 2 * reach, body)
    block = min(block, body)
    begins = np.minimum(np.arange(0, body, block), body - block)
    first_seen = np.clip(begins - reach, 0, body - seen)
    rows = np.arange(body)
    own = rows // block
    keys = anchors + first_seen[:, None] + np.arange(seen)
    return Blocks(
        anchors,
        queries=anchors + begins[:, None] + np.arange(block),
        keys=np.concatenate([np.broadcast_to(np.arange(anchors), (len(keys), anchors)), keys], 1),
        places=own * block + rows - begins[own],
    )
