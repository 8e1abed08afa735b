"""Score normalisation by a cohort: the best similarities of questions without an answer.

Owns measuring and storing the cohort's statistics for each space. The scale of cosines differs by
model and library, so the similarity of a query's best passage is expressed in deviations from those
of everyday questions (cohort normalisation of speaker recognition: Auckenthaler et al. 2000).
Median and median absolute deviation are used, as they are robust to a library on one of these
subjects. Some passages are also searched in the other documents, to measure how similar documents
are to each other: yearly reports are as similar as answers. It must not know how hits are
classified (``indexer.search.answerability``).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import WorldError
from indexer.search.cohort_questions import QUESTIONS
from indexer.search.fusion import DEFAULT_WEIGHTS, segment_max
from indexer.store.values import DocSet, docs_of, key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

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
# In a smaller library the statistics are unreliable, and every hit counts as good.
MIN_PASSAGES = 50
# Measured again when the library has grown or shrunk by this factor.
REMEASURE = 1.5
# The deviation of a normal distribution over its median deviation.
_NORMAL = 1.4826
_LEAST_SPREAD = 0.02


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
        cosines = vectors @ vector
        scaled = (cosines - np.float32(self.centre)) / np.float32(self.spread)
        return np.where(cosines == 0.0, np.float32(0.0), scaled).astype(np.float32, copy=False)


@dataclass(frozen=True, slots=True)
class Cohort:
    """Statistics of the best similarities of questions without an answer in a library.

    Attributes:
        centre: Its median.
        spread: Its deviation.
        across: The median similarity of a passage to the best one of all other documents.
        passages: How many the library had.
    """

    centre: float
    spread: float
    across: float
    passages: int

    def deviations(self, meaning: float) -> float:
        """A similarity in deviations from the cohort."""
        return (meaning - self.centre) / self.spread

    @property
    def between_documents(self) -> float:
        """The median similarity of a passage to other documents, in deviations."""
        return self.deviations(self.across)


def load_cohort(catalog: Catalog, space: Space) -> Cohort | None:
    """The cohort of a space, as last measured; None if it never was."""
    stored = catalog.meta(_key(space))
    if stored is None:
        return None
    try:
        return Cohort(**json.loads(stored))
    except (TypeError, ValueError):
        return None


def refresh(catalog: Catalog, store: Store, models: ModelsInUse) -> None:
    """Measure the cohort of the space that is searched, if the library has changed much.

    If the model is not available nothing is measured, and every hit counts as good.
    """
    space = catalog.spaces.active()
    if space is None:
        return
    passages = catalog.spaces.totals().embedded
    before = load_cohort(catalog, space)
    if passages < MIN_PASSAGES or (before is not None and is_similar(before.passages, passages)):
        return
    try:
        embedder = models.query(space.record)
        vectors = np.stack([embedder.encode_query(question) for question in QUESTIONS])
    except WorldError:
        return
    probes = spread_out(catalog.docs.expected(), PROBES)
    cohort = measure(store, space, vectors, probes, passages)
    if cohort is not None:
        catalog.set_meta(_key(space), json.dumps(asdict(cohort)))


def measure(
    store: Store,
    space: Space,
    vectors: Floats,
    probes: NDArray[np.int64],
    passages: int,
) -> Cohort | None:
    """Search a library for the cohort's questions; None without passages.

    Args:
        store: The passages' vectors.
        space: The space that is searched.
        vectors: Of the questions, float32 (n, dim).
        probes: Keys of passages that are searched in the other documents.
        passages: How many passages have vectors.
    """
    scale = CosineScale.from_space(space)
    reached = (_best(store, space.key, scale, vector) for vector in vectors)
    best = [found for found in reached if found is not None]
    if not best:
        return None
    centre = float(np.median(best))
    spread = _NORMAL * float(np.median(np.abs(np.array(best) - centre)))
    # A single document is similar to no other.
    others = _across(store, space, probes) or [centre]
    return Cohort(centre, max(spread, _LEAST_SPREAD), float(np.median(others)), passages)


def spread_out(documents: Mapping[int, int], count: int) -> NDArray[np.int64]:
    """Choose passages at even distances over a library: their keys, ascending.

    Args:
        documents: How many passages each document has.
        count: The most passages to choose.
    """
    docs = np.array(sorted(documents), np.int64)
    counts = np.array([documents[doc] for doc in docs.tolist()], np.int64)
    ends = np.cumsum(counts)
    total = int(counts.sum())
    places = np.unique(((np.arange(count) + 0.5) * total / count).astype(np.int64))
    at = np.searchsorted(ends, places[places < total], side="right")
    ordinals = places[: len(at)] - (ends - counts)[at]
    pairs = zip(docs[at].tolist(), ordinals.tolist(), strict=True)
    return np.array([key_of(doc, ordinal) for doc, ordinal in pairs], np.int64)


def _across(store: Store, space: Space, probes: NDArray[np.int64]) -> list[float]:
    """The similarity of each probe to the best passage of the other documents."""
    scale = CosineScale.from_space(space, "cosine_between")
    pairs = zip(docs_of(probes).tolist(), store.vectors_of(space.key, probes), strict=True)
    found = [
        _best(store, space.key, scale, vector, DocSet.from_docs([doc], allowed=False))
        for doc, vector in pairs
        if vector.any()  # it has one
    ]
    return [best for best in found if best is not None]


def _best(
    store: Store, space: str, scale: CosineScale, vector: Floats, docs: DocSet | None = None
) -> float | None:
    """The highest similarity of any passage to a vector, weighted as ``fusion`` does."""
    keys = np.sort(store.approximate_knn(space, vector, NEAREST, docs).keys)
    if not len(keys):
        return None
    flat, offsets = store.sentence_vectors_of(space, keys)
    sentence, _ = segment_max(scale.similarity(flat, vector), offsets)
    share = DEFAULT_WEIGHTS.sentence
    pooled = scale.similarity(store.vectors_of(space, keys), vector)
    return float((share * np.maximum(sentence, 0.0) + (1 - share) * pooled).max())


def is_similar(before: int, now: int) -> bool:
    """Whether a library with so many passages need not be measured again."""
    return now <= REMEASURE * before and before <= REMEASURE * now


def _key(space: Space) -> str:
    return f"cohort_{space.id}"
