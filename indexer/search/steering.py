"""Steers a search towards passages that one wants more of, and away from others.

Owns what is added to the score: the similarity of a passage to those after ``more:``, less that to
those after ``less:``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import WorldError
from indexer.search.score_normalisation import CosineScale
from indexer.search.similar import mean_direction
from indexer.search.source import find_source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indexer.api.phrases import Note
    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.query.filters import Filters
    from indexer.store.store import Store

    Floats = NDArray[np.float32]
    Keys = NDArray[np.int64]


# Taken off the score of a passage that the person wants less of: more than its words give.
UNWANTED = np.float32(2.0)


@dataclass(frozen=True, slots=True)
class Steering:
    """Vectors (dim,) to be near to and far from; without any, nothing is steered.

    ``unwanted`` are the passages after ``less:`` themselves.
    """

    more: tuple[Floats, ...] = ()
    less: tuple[Floats, ...] = ()
    unwanted: Keys = field(default_factory=lambda: np.zeros(0, np.int64))
    notes: tuple[Note, ...] = ()

    @classmethod
    def read(cls, filters: Filters, catalog: Catalog, store: Store, space: Space) -> Steering:
        """Find what a query names; a note says what is not in the library."""
        notes: list[Note] = []

        def vectors(texts: Sequence[str], passages: list[Keys]) -> tuple[Floats, ...]:
            found = []
            for text in texts:
                try:
                    keys = find_source(catalog, store, text).keys
                except WorldError as error:
                    notes.append(error.note())
                    continue
                passages.append(keys)
                if (mean := mean_direction(store, space, keys)) is not None:
                    found.append(mean)
            return tuple(found)

        unwanted: list[Keys] = [np.zeros(0, np.int64)]
        more, less = vectors(filters.more, []), vectors(filters.less, unwanted)
        return cls(more, less, np.concatenate(unwanted), tuple(notes))

    def scores(self, store: Store, space: Space, keys: Keys) -> Floats:
        """Return what is added to the scores of passages: (n,) to float32 (n,)."""
        total = np.zeros(len(keys), np.float32)
        if not self.more and not self.less:
            return total
        passages = store.vectors_of(space.key, keys)
        scale = CosineScale.from_space(space, "cosine_between")
        for sign, vectors in ((1, self.more), (-1, self.less)):
            for vector in vectors:
                total += np.float32(sign / len(vectors)) * scale.similarity(passages, vector)
        total[np.isin(keys, self.unwanted)] -= UNWANTED
        return total
