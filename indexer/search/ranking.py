"""The ranking of one query's candidates, and its explanation.

Owns the order, and the explanation of a score by its components, which are defined in
``indexer.search.fusion``.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.types import HitExplanation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.search.candidates import CandidateEvidence
    from indexer.search.fusion import DocumentEvidence, PageEvidence, Scored, Weights

    Keys = NDArray[np.int64]

DIGITS = 4


@dataclass(frozen=True, slots=True)
class Ranking:
    """n candidates of m documents, scored and in order.

    Attributes:
        candidates: The candidates and their evidence.
        documents: The evidence for each document.
        owner: Shape (n,): the index of each candidate's document among the m.
        scored: The parts of their scores.
        weights: The parameters of the scores.
        phrases: The passages with the exact phrase, if one is asked for.
        missing: Shape (n,): the language correction added to the similarities of each.
    """

    candidates: CandidateEvidence
    documents: DocumentEvidence
    owner: NDArray[np.intp]
    scored: Scored
    weights: Weights
    phrases: Keys | None
    missing: NDArray[np.float32]

    def meaning_of(self, at: int) -> float:
        """The similarity of a candidate without the language correction; 0 without a vector."""
        meaning = float(self.scored.meaning[at])
        return meaning - float(self.missing[at]) if meaning else 0.0

    def clarity_of(self, at: int) -> float:
        """How far a candidate's document leads all others by words; 0 if it does not."""
        return self.documents.clarity * float(self.documents.words[self.owner[at]])

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Shape (n,): which candidates hold the exact phrase."""
        keys = self.candidates.keys
        return np.zeros(len(keys), bool) if self.phrases is None else np.isin(keys, self.phrases)

    @property
    def order(self) -> NDArray[np.intp]:
        """Best first; passages with the exact phrase before all others; ties by key."""
        return np.lexsort((self.candidates.keys, -self.scored.total, ~self.exact))

    def explain(self, at: int) -> HitExplanation:
        """Explain one candidate."""
        return HitExplanation(
            score=_at(self.scored, at),
            passage=_at(self.candidates.pages, at),
            document=_at(self.documents, int(self.owner[at])),
            weights=asdict(self.weights),
        )


def _at(evidence: Scored | PageEvidence | DocumentEvidence, at: int) -> dict[str, float]:
    values = {field.name: getattr(evidence, field.name) for field in fields(evidence)}
    return {
        name: round(float(value[at] if isinstance(value, np.ndarray) else value), DIGITS)
        for name, value in values.items()
    }
