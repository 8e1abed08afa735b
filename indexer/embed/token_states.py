"""The token states that a passage's vector is the mean of, with their offsets in its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import category

import numpy as np

from indexer.embed.batches import pooled_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from indexer.embed.batches import TokenSequence
    from indexer.embed.models import ModelRecord


@dataclass(frozen=True, slots=True)
class TokenStates:
    """The tokens that a vector is the mean of.

    Attributes:
        states: float32, shape ``(n, dimension)``, not normalised.
        starts: int32, shape ``(n,)``: the offset of each in its text, in code points; -1 for the
            prefix and special tokens.
    """

    states: NDArray[np.float32]
    starts: NDArray[np.int32]

    def inside(self, spans: Iterable[tuple[int, int]]) -> TokenStates:
        """Those that begin within some spans of the text; all, if there are none."""
        kept = np.zeros(len(self.starts), bool)
        for start, end in spans:
            kept |= (self.starts >= start) & (self.starts < end)
        return TokenStates(self.states[kept], self.starts[kept]) if kept.any() else self

    def of_words(self, text: str) -> TokenStates:
        """Those with something else than punctuation in ``text``; all, if there are none."""
        starts = np.unique(np.append(self.starts, len(text)))
        ends = starts[np.searchsorted(starts, self.starts, side="right").clip(max=len(starts) - 1)]
        kept = np.array([
            start >= 0 and any(category(sign)[0] in "LMNS" for sign in text[start:end])
            for start, end in zip(self.starts.tolist(), ends.tolist(), strict=True)
        ])  # fmt: skip
        return TokenStates(self.states[kept], self.starts[kept]) if kept.any() else self


def collect(
    record: ModelRecord,
    read: Iterable[tuple[TokenSequence, NDArray[np.float32]]],
    wanted: int,
    starts: NDArray[np.int32],
) -> TokenStates:
    """Collect the token states of one passage.

    Args:
        record: For the pooling.
        read: The sequences that contain it, in order, each with its states without padding.
        wanted: The index of the passage.
        starts: The offsets of its tokens.
    """
    states: list[NDArray[np.float32]] = []
    places: list[NDArray[np.int32]] = []
    taken = 0
    for sequence, found in read:
        for piece in sequence.pieces:
            if piece.passage != wanted:
                continue
            first, last = int(piece.bounds[0]), int(piece.bounds[-1])
            own = np.full(len(found), -1, np.int32)
            own[first:last] = starts[taken : taken + piece.rows]
            taken += piece.rows
            rows = pooled_rows(record, piece, len(found))
            states.append(found[rows])
            places.append(own[rows])
    return TokenStates(np.concatenate(states), np.concatenate(places))
