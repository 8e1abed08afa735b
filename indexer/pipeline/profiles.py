"""The profile of a document: the mean of its passages' vectors, for finding similar documents.

Owns the sums while a document's passages are embedded. It must not know where profiles are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from indexer.store import DocumentRow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.catalog import DocRow
    from indexer.pipeline.events import Embedded

    Floats = NDArray[np.float32]


@dataclass(slots=True)
class Profiles:
    """Sums of vectors by document."""

    _sums: dict[int, Floats] = field(default_factory=dict)

    def start(self, doc: int, vectors: Floats) -> None:
        """Begin with the vectors an interrupted run has written: (n, dim)."""
        self._sums[doc] = vectors.sum(axis=0)

    def add(self, made: Embedded) -> None:
        """Add the vectors of a batch."""
        docs = np.array([pending.doc for pending in made.pending])
        for doc in np.unique(docs).tolist():
            total = made.vectors[docs == doc].sum(axis=0)
            known = self._sums.get(doc)
            self._sums[doc] = total if known is None else known + total

    def pop(self, row: DocRow) -> DocumentRow:
        """Give the row of a finished document, with the mean of its vectors at length 1."""
        total = self._sums.pop(row.doc, None)
        length = 0.0 if total is None else float(np.linalg.norm(total))
        return DocumentRow(
            doc=row.doc,
            text_id=row.text_id,
            title=row.title,
            author=row.author,
            language=row.language,
            pages=row.pages,
            created=row.created,
            vector=total / np.float32(length) if total is not None and length else None,
        )
