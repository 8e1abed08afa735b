"""How much an indexing run gathers before it writes.

Owns the numbers. The defaults are measured; smaller ones take tests through every step with a few
pages.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from indexer.store import Upkeep


@dataclass(frozen=True, slots=True)
class Pace:
    """What makes a batch.

    Attributes:
        passages: Passages of one commit. It costs about as much as ten passages; many small ones
            cost disk as well.
        vectors: Vectors of one commit.
        unit: Passages the model is handed together: enough to sort by length into full batches.
        upkeep: When tables are tidied.
        room_s: Seconds after which a full disk is looked at again.
        grace_s: Seconds that what is in hand gets to come to its end before a pause.
    """

    passages: int = 2048
    vectors: int = 1024
    unit: int = 256
    upkeep: Upkeep = field(default_factory=Upkeep)
    room_s: float = 5.0
    grace_s: float = 5.0
