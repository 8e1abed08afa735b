"""Score normalisation by a cohort: the best similarities of questions without an answer.

Owns measuring and storing the cohort's statistics for each space. The scale of cosines differs by
model and library, so the similarity of a query's best passage is expressed in deviations from those
of everyday questions (cohort normalisation of speaker recognition: Auckenthaler et al. 2000).
Median and median absolute deviation are used, as they are robust to a library on one of these
subjects. The cohort is in English, and in a multilingual model every language has its own level, so
the mean similarity of the query to passages in the hit's language is subtracted: in part for a hit
in the query's language, whole for one in another. Some passages are also searched in the other
documents, to measure how similar documents are to each other: yearly reports are as similar as
answers.
"""

from __future__ import annotations

import json
from dataclasses import asdict, astuple, dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import WorldError
from indexer.arrays import segment_max
from indexer.search import language_means
from indexer.search.answerability import classifier_for
from indexer.search.cohort_questions import QUESTIONS
from indexer.search.fusion import DEFAULT_WEIGHTS
from indexer.search.sampling import spread_out
from indexer.store.values import DocSet, docs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.embed.models_in_use import ModelsInUse
    from indexer.store.store import Store

# Passages by pooled vectors for each question; the best by sentences too is likely among them.
NEAREST = 16
# Passages that are searched in the other documents.
PROBES = 12
# The deviation of a normal distribution over its median deviation.
_NORMAL = 1.4826
_LEAST_SPREAD = 0.02
# The share of the usual similarity that is subtracted for hits in the language of the query. All of
# it would remove what distinguishes answers in English libraries.
USUAL_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class CosineScale:
    """Maps a model's cosines to similarities that are comparable between models."""

    centre: float = 0.0
    spread: float = 1.0

    @classmethod
    def from_space(cls, space: Space, centre: str = "cosine_centre") -> CosineScale:
        """The scale of the model that made a space; ``cosine_between`` is that of two passages."""
        return cls(space.record.get(centre, 0.0), space.record.get("cosine_spread", 1.0))

    def similarity(self, vectors: Floats, vector: Floats) -> Floats:
        """The similarities of (n, dim) vectors to one; 0 for missing vectors, which are all 0.

        ``dim`` is 0 if a space has no vectors of that kind yet: the first sentences of a library
        may be committed after its first passages.

        Returns:
            float32 (n,).
        """
        if not vectors.size:
            return np.zeros(len(vectors), np.float32)
        return self.scaled(vectors @ vector)

    def scaled(self, cosines: Floats) -> Floats:
        """The similarities of cosines, float32 of the same shape; 0 stays 0."""
        scaled = (cosines - np.float32(self.centre)) / np.float32(self.spread)
        return np.where(cosines == 0.0, np.float32(0.0), scaled).astype(np.float32, copy=False)


@dataclass(frozen=True, slots=True)
class Cohort:
    """Statistics of the best similarities of questions without an answer in a library.

    Similarities are less a share of the usual one; see ``LanguageMeans.usual``.

    Attributes:
        centre: Its median.
        spread: Its deviation.
        lead: The median of its excess over the usual similarity.
        lead_spread: The deviation of that.
        across: The median similarity of a passage to the best one of all other documents.
        passages: How many the library had.
        weights: What similarities and scores were weighed by; see ``weights_of``.
        baseline: What the library's own sentences score; see ``indexer.search.calibration``.
    """

    centre: float
    spread: float
    lead: float
    lead_spread: float
    across: float
    passages: int
    weights: tuple[float, ...]
    baseline: float = 0.0

    def deviations(self, meaning: float, usual: float) -> float:
        """A similarity to a query in deviations from the cohort."""
        return (meaning - USUAL_SHARE * usual - self.centre) / self.spread

    def lead_deviations(self, meaning: float, usual: float) -> float:
        """The same for a passage in another language than the query."""
        return (meaning - usual - self.lead) / self.lead_spread

    @property
    def between_documents(self) -> float:
        """The median similarity of a passage to other documents, in deviations."""
        return (self.across - self.centre) / self.spread


def load_cohort(catalog: Catalog, space: Space) -> Cohort | None:
    """The cohort of a space, as last measured; None if it never was, or of other weights."""
    stored = catalog.meta(_key(space))
    if stored is None:
        return None
    try:
        fields = json.loads(stored)
        cohort = Cohort(**{**fields, "weights": tuple(fields["weights"])})
    except (KeyError, TypeError, ValueError):
        return None
    return cohort if cohort.weights == weights_of(space) else None


def save_cohort(catalog: Catalog, space: Space, cohort: Cohort) -> None:
    """Keep the cohort of a space."""
    catalog.set_meta(_key(space), json.dumps(asdict(cohort)))


def weights_of(space: Space) -> tuple[float, ...]:
    """What a cohort depends on: the share of the best sentence, and the classifier."""
    return (DEFAULT_WEIGHTS.sentence, *astuple(classifier_for(space.languages)))


def measure(
    catalog: Catalog, store: Store, models: ModelsInUse, space: Space, passages: int
) -> Cohort | None:
    """Measure the cohort of a space; None without passages, or if its model is not available."""
    try:
        embedder = models.query(space.record)
        vectors = np.stack([embedder.encode_query(question) for question in QUESTIONS])
    except WorldError:
        return None
    return _Measurement(catalog, store, space).cohort(vectors, passages)


class _Measurement:
    """Searches the passages of one space for the cohort."""

    def __init__(self, catalog: Catalog, store: Store, space: Space) -> None:
        self._store, self._space = store, space
        self._means = language_means.load_means(catalog, space)
        self._expected = catalog.docs.expected()
        rows = catalog.docs.get(list(self._expected))
        self._languages = {doc: row.language for doc, row in rows.items()}

    def cohort(self, vectors: Floats, passages: int) -> Cohort | None:
        """Search for the questions, float32 (n, dim); None without passages."""
        scale = CosineScale.from_space(self._space)
        reached = [found for vector in vectors if (found := self._best(scale, vector))]
        if not reached:
            return None
        best, usual = np.array(reached).T
        centre, spread = _middle(best - USUAL_SHARE * usual)
        lead, lead_spread = _middle(best - usual)
        # A single document is similar to no other.
        others = self._across() or [centre]
        across, weights = float(np.median(others)), weights_of(self._space)
        return Cohort(centre, spread, lead, lead_spread, across, passages, weights)

    def _across(self) -> list[float]:
        """The similarity of some passages to the best one of the other documents."""
        scale = CosineScale.from_space(self._space, "cosine_between")
        probes = spread_out(self._expected, PROBES)
        vectors = self._store.vectors_of(self._space.key, probes)
        found = [
            self._best(scale, vector, DocSet.from_docs([doc], allowed=False))
            for doc, vector in zip(docs_of(probes).tolist(), vectors, strict=True)
            if vector.any()  # it has one
        ]
        return [pair[0] - USUAL_SHARE * pair[1] for pair in found if pair]

    def _best(
        self, scale: CosineScale, vector: Floats, docs: DocSet | None = None
    ) -> tuple[float, float] | None:
        """The similarity of the best passage, weighted as in ``fusion``, and the usual one."""
        space, store = self._space.key, self._store
        asked = (vector, self._means.without(vector)) if self._means.by_language else (vector,)
        found = [store.approximate_knn(space, one, NEAREST, docs).keys for one in asked]
        keys = np.unique(np.concatenate(found))
        if not len(keys):
            return None
        pooled = store.vectors_of(space, keys)
        flat, offsets = store.sentence_vectors_of(space, keys, pooled)
        sentence, _ = segment_max(scale.similarity(flat, vector), offsets)
        share = DEFAULT_WEIGHTS.sentence
        whole = scale.similarity(pooled, vector)
        similarity = share * np.maximum(sentence, 0.0) + (1 - share) * whole
        languages = [self._languages.get(doc, "") for doc in docs_of(keys).tolist()]
        at = int(np.argmax(similarity + self._means.missing(scale, vector, languages)))
        return float(similarity[at]), self._means.usual(scale, vector, languages[at])


def _middle(values: NDArray[np.float64]) -> tuple[float, float]:
    """The median of some values and their deviation from it."""
    centre = float(np.median(values))
    return centre, max(_NORMAL * float(np.median(np.abs(values - centre))), _LEAST_SPREAD)


def _key(space: Space) -> str:
    return f"cohort_{space.id}"
