"""Embeds new names of files and folders.

Owns when names are embedded: at intervals among documents, and when nothing else is left. They are
few and short. It must not know how searches use names.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.embed.base import EmbedInput
from indexer.pipeline.embedding import Unit
from indexer.pipeline.events import PendingPassage

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.pipeline.events import Embedded

EVERY_S = 5.0
# The document id of a name in a unit; the ordinal is the name's id.
NAME = -1


@dataclass(slots=True)
class NameFeed:
    """Makes units of names without vectors, and stores the vectors."""

    catalog: Catalog
    space: Space
    _after: int = 0
    _more: bool = True  # names of an earlier run may lack vectors
    _out: int = 0
    _fed: float = float("-inf")

    def next_unit(self, count: int, *, last: bool = False) -> Unit | None:
        """The next names, at most ``count``, or None; ``last``: no documents are left."""
        now = time.monotonic()
        if self._out or (not last and now - self._fed < EVERY_S):
            return None
        self._fed = now
        if self.catalog.names.bind() == 0 and not self._more:
            return None
        missing = self.catalog.names.missing(self.space.id, count, self._after)
        self._more = len(missing) == count
        self._out = len(missing)
        if not missing:
            return None
        self._after = missing[-1][0]
        return Unit(
            [EmbedInput("", (), text.replace("_", " "), (0,)) for _, text in missing],
            [PendingPassage(NAME, name) for name, _ in missing],
            [1] * len(missing),
        )

    def store(self, batch: Embedded) -> None:
        """Store the vectors of names."""
        self._out -= len(batch.pending)
        names = [pending.ordinal for pending in batch.pending]
        self.catalog.names.store(self.space.id, names, batch.vectors)
