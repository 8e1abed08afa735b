"""Why a hit stands where it does: the evidence, the weights and the parts of the score.

Owns the record of one ranking. It is taken from what the ranking itself worked with, field by
field, so it cannot tell of other numbers than were used; what the fields mean stands with them in
``indexer.search.fusion``. It must not know how evidence is gathered.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.search.fusion import DocumentEvidence, PageEvidence, Scored, Weights

DIGITS = 4


@dataclass(frozen=True, slots=True)
class Explanation:
    """What ranked n passages of m documents.

    Attributes:
        scored: The parts of their scores.
        pages: What speaks for each passage.
        documents: What speaks for each document.
        owner: Shape (n,): the index of each passage's document among the m.
        weights: The parameters.
    """

    scored: Scored
    pages: PageEvidence
    documents: DocumentEvidence
    owner: NDArray[np.intp]
    weights: Weights

    def of(self, at: int) -> dict[str, Any]:
        """Explain one passage: ``score``, ``passage``, ``document`` and ``weights``, by name."""
        return {
            "score": _at(self.scored, at),
            "passage": _at(self.pages, at),
            "document": _at(self.documents, int(self.owner[at])),
            "weights": asdict(self.weights),
        }


def _at(evidence: Scored | PageEvidence | DocumentEvidence, at: int) -> dict[str, float]:
    values = {field.name: getattr(evidence, field.name) for field in fields(evidence)}
    return {
        name: round(float(value[at] if isinstance(value, np.ndarray) else value), DIGITS)
        for name, value in values.items()
    }
