"""How alike unrelated text is to a library's passages, by one model: the background of meaning.

Owns the measuring of it, by questions on everyday subjects that few libraries answer, and the
keeping. Median and median deviation are taken, so that a library on one of the subjects does not
shift it. Some of the library's own passages are asked of its other documents too: between yearly
reports or contracts they reach what an answer does, between a lease and a diary no more than a
question on another subject. It must not know how hits are judged
(``indexer.search.answerability``).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from indexer.api.errors import WorldError
from indexer.search.fusion import DEFAULT_WEIGHTS, best_of_groups
from indexer.search.normalisation_questions import QUESTIONS
from indexer.store import DocFilter, docs_of, key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from indexer.catalog import Catalog, Space
    from indexer.embed.models_in_use import ModelsInUse
    from indexer.store import Store

# Of each question, by pooled vectors; the best of them by sentences too is likely the best of all.
NEAREST = 16
# Passages that are asked of other documents. How alike those are is plain from few.
ASKED = 12
# In fewer passages nothing is usual, and no hits are called bad.
FEWEST = 50
# Measured anew when the library has grown or shrunk by so much.
CHANGED = 1.5
# The deviation of a normal distribution over its median deviation.
_NORMAL = 1.4826
_LEAST_SPREAD = 0.02


@dataclass(frozen=True, slots=True)
class Background:
    """The likeness of the best passage to questions it does not answer, over a whole library.

    Attributes:
        centre: The usual likeness.
        spread: Its deviation.
        across: The usual likeness of a passage to the best one of all other documents.
        passages: How many the library had.
    """

    centre: float
    spread: float
    across: float
    passages: int

    def deviations(self, meaning: float) -> float:
        """How far a likeness lies above the background."""
        return (meaning - self.centre) / self.spread

    @property
    def alike(self) -> float:
        """How far above the background documents are alike, in deviations."""
        return self.deviations(self.across)


def known(catalog: Catalog, space: Space) -> Background | None:
    """The background of a space as it was last measured, if it was."""
    kept = catalog.meta(_key(space))
    if kept is None:
        return None
    try:
        return Background(**json.loads(kept))
    except (TypeError, ValueError):
        return None


def refresh(catalog: Catalog, store: Store, models: ModelsInUse) -> None:
    """Measure the background of the space that is searched, if the library has changed much.

    Without a model that can be had nothing is measured, and no hits are called bad either.
    """
    space = catalog.spaces.active()
    if space is None:
        return
    passages = catalog.spaces.totals().embedded
    before = known(catalog, space)
    if passages < FEWEST or (before is not None and _alike(before.passages, passages)):
        return
    try:
        embedder = models.query(space.record)
        vectors = np.stack([embedder.encode_query(question) for question in QUESTIONS])
    except WorldError:
        return
    some = spread_out(catalog.docs.expected(), ASKED)
    found = measure(store, space.key, vectors, some, passages)
    if found is not None:
        catalog.set_meta(_key(space), json.dumps(asdict(found)))


def measure(
    store: Store,
    space: str,
    vectors: NDArray[np.float32],
    some: NDArray[np.int64],
    passages: int,
) -> Background | None:
    """Ask the library something else; None without passages.

    Args:
        store: The passages' vectors.
        space: The space that is asked.
        vectors: Of the questions, float32 (n, dim).
        some: Passages that are asked of the other documents; their keys.
        passages: How many passages have vectors.
    """
    best = [found for vector in vectors if (found := _best(store, space, vector)) is not None]
    if not best:
        return None
    centre = float(np.median(best))
    spread = _NORMAL * float(np.median(np.abs(np.array(best) - centre)))
    # A document that is alone resembles none.
    others = _across(store, space, some) or [centre]
    return Background(centre, max(spread, _LEAST_SPREAD), float(np.median(others)), passages)


def spread_out(documents: Mapping[int, int], count: int) -> NDArray[np.int64]:
    """Choose passages at even distances over a library: their keys, ascending.

    Args:
        documents: How many passages each document has.
        count: How many are wanted; all, where there are fewer.
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


def _across(store: Store, space: str, some: NDArray[np.int64]) -> list[float]:
    """The most meaning that each of some passages has in common with any of another document."""
    pairs = zip(docs_of(some).tolist(), store.vectors_of(space, some), strict=True)
    found = [
        _best(store, space, vector, DocFilter.of([doc], allowed=False))
        for doc, vector in pairs
        if vector.any()  # it has one
    ]
    return [best for best in found if best is not None]


def _best(
    store: Store, space: str, vector: NDArray[np.float32], docs: DocFilter | None = None
) -> float | None:
    """The most meaning that any passage has in common with a question, as ``fusion`` has it."""
    keys = np.sort(store.approximate_knn(space, vector, NEAREST, docs).keys)
    if not len(keys):
        return None
    flat, offsets = store.sentence_vectors_of(space, keys)
    sentence, _ = best_of_groups(flat @ vector, offsets)
    share = DEFAULT_WEIGHTS.sentence
    pooled = store.vectors_of(space, keys) @ vector
    return float((share * np.maximum(sentence, 0.0) + (1 - share) * pooled).max())


def _alike(before: int, now: int) -> bool:
    return now <= CHANGED * before and before <= CHANGED * now


def _key(space: Space) -> str:
    return f"background_{space.id}"
