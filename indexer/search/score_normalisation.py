"""Makes similarities comparable, between libraries by a cohort of questions, and between languages.

The scale of cosines differs by model and library. So the similarity of a query's best passage is
expressed in deviations from that of a cohort: everyday questions that few libraries answer, with
different subjects, lengths and forms (as in speaker recognition: Auckenthaler et al. 2000). Median
and median absolute deviation are robust if a library is about one of these subjects. Some passages
are also searched in the other documents, to measure how similar documents are to each other: yearly
reports are as similar as answers.

The cohort is in English, and in a multilingual model every language has its own level. So the mean
similarity of the query to passages in the hit's language is subtracted: a part of it if the hit is
in the query's language, else all of it. Any passage in the language of a question tends to be
nearer to it than an answer in another language. Therefore most of the difference between the
query's cosines with the means of languages is added. In a library of 24 articles in English and one
translation of each, a question in a third language finds its article with mrr .87 instead of .64,
and questions in the language of their answer lose nothing.

Statistics are measured over a sample of passages and kept in the catalog for each space.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import astuple, replace

from indexer.api.errors import WorldError
from indexer.arrays import Float32s, Int64s, segment_max
from indexer.search.answerability import classifier_for
from indexer.search.fusion import DEFAULT_WEIGHTS, PageEvidence
from indexer.store.values import DocSet, docs_of, key_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.embed.factory import ModelsInUse
    from indexer.store.store import Store


# Passages averaged for a language. The mean of fewer than ``MEANS_LEAST`` is that of a subject.
MEANS_SAMPLE, MEANS_LEAST = 64, 8
# The share of the difference that is added. All of it costs questions in their own language .004.
MEANS_SHARE = 0.85
_WHOLE_LIBRARY = ""  # the key of the whole library


class LanguageMeans(Struct, frozen=True):
    """The mean vectors of passages, float32 (dim,).

    Attributes:
        by_language: The mean of each language; empty if there is only one language.
        whole: The mean of the library; None if not measured.
    """

    by_language: Mapping[str, Float32s]
    whole: Float32s | None = None

    def usual(self, scale: CosineScale, vector: Float32s, language: str) -> float:
        """The mean similarity of the passages in a language to a query; 0 if unknown."""
        mean = self.by_language.get(language, self.whole)
        return 0.0 if mean is None else float(scale.similarity(mean[None], vector)[0])

    def missing(self, scale: CosineScale, vector: Float32s, languages: Sequence[str]) -> Float32s:
        """The correction of similarities to a query for passages' languages: float32 (n,)."""
        if not self.by_language:
            return np.zeros(len(languages), np.float32)
        found = scale.similarity(np.stack(list(self.by_language.values())), vector)
        lacks = dict(zip(self.by_language, MEANS_SHARE * (found.max() - found), strict=True))
        return np.array([lacks.get(one, 0.0) for one in languages], np.float32)

    def without(self, vector: Float32s) -> Float32s:
        """The query's vector without components along differences of the means, for retrieval."""
        if not self.by_language:
            return vector
        means = np.stack(list(self.by_language.values()))
        between, _ = np.linalg.qr((means[1:] - means[0]).T)
        rest = vector - between @ (between.T @ vector)
        return (rest / np.linalg.norm(rest)).astype(np.float32)


def raised(pages: PageEvidence, missing: Float32s) -> PageEvidence:
    """Add the correction ``missing``, (n,), to the similarities of n passages."""

    def more(similarity: Float32s) -> Float32s:
        return np.where(similarity != 0.0, similarity + missing, similarity)

    return replace(
        pages,
        pooled=more(pages.pooled),
        pooled_question=more(pages.pooled_question),
        sentence=more(pages.sentence),
        sentence_question=more(pages.sentence_question),
    )


def load_means(catalog: Catalog, space: Space) -> LanguageMeans:
    """The means of a space, as last measured."""
    means = {
        language: np.frombuffer(mean, np.float16).astype(np.float32)
        for language, mean in _stored_means(catalog, space)[1].items()
    }
    whole = means.pop(_WHOLE_LIBRARY, None)
    return LanguageMeans(means if len(means) > 1 else {}, whole)


def refresh_language_means(catalog: Catalog, store: Store) -> None:
    """Measure the means of the space that is searched, if the library has changed much.

    A monolingual model has none.
    """
    space = catalog.spaces.active()
    if space is None or len(space.languages) < 2:
        return
    passages = catalog.spaces.totals().embedded
    before, known = _stored_means(catalog, space)
    if _WHOLE_LIBRARY in known and is_similar(before, passages):
        return
    expected = catalog.docs.expected()
    documents = {_WHOLE_LIBRARY: expected}
    for doc, row in catalog.docs.docs_by_id(list(expected)).items():
        if row.language:
            documents.setdefault(row.language, {})[doc] = expected[doc]
    means = {}
    for language, counts in documents.items():
        vectors = store.vectors_of(space.key, spread_out(counts, MEANS_SAMPLE))
        vectors = vectors[vectors.any(axis=1)]
        if len(vectors) >= MEANS_LEAST:
            means[language] = vectors.mean(axis=0).astype(np.float16).tobytes()
    catalog.set_meta(_means_key(space), msgspec.json.encode((passages, means)).decode())


def _stored_means(catalog: Catalog, space: Space) -> tuple[int, dict[str, bytes]]:
    """The number of passages at the last measurement, and the means, float16."""
    stored = catalog.meta(_means_key(space)) or "[0, {}]"
    return msgspec.json.decode(stored, type=tuple[int, dict[str, bytes]])


def _means_key(space: Space) -> str:
    return f"language_means_{space.id}"


# Statistics are measured again when the library has grown or shrunk by this factor.
REMEASURE = 1.5


def spread_out(documents: Mapping[int, int], count: int) -> Int64s:
    """Choose passages evenly spread over a library; return their keys, ascending.

    ``documents`` is the number of passages by document.
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


def is_similar(before: int, now: int) -> bool:
    """Whether the number of passages has changed so little that statistics are still valid."""
    return now <= REMEASURE * before and before <= REMEASURE * now


# One question on each line.
_QUESTIONS = Path(__file__).resolve().parents[2] / "resources" / "questions.txt"
# Passages found by pooled vectors for each question; the best one overall is likely among them.
NEAREST = 16
# The number of passages that are searched in the other documents.
PROBES = 12
# The standard deviation of a normal distribution divided by its median absolute deviation.
_NORMAL = 1.4826
_LEAST_SPREAD = 0.02
# The share of the usual similarity that is subtracted for hits in the language of the query.
# Subtracting all of it would remove what distinguishes answers in English libraries.
USUAL_SHARE = 0.5


class CosineScale(Struct, frozen=True):
    """Maps a model's cosines to similarities that are comparable between models."""

    centre: float = 0.0
    spread: float = 1.0

    @classmethod
    def from_space(cls, space: Space, centre: str = "cosine_centre") -> CosineScale:
        """The scale of a space's model; for two passages ``centre`` is ``cosine_between``."""
        return cls(space.record.get(centre, 0.0), space.record.get("cosine_spread", 1.0))

    def similarity(self, vectors: Float32s, vector: Float32s) -> Float32s:
        """The similarities of (n, dim) vectors to one; 0 for missing vectors, which are zeros.

        ``dim`` is 0 if a space has no vectors of that kind yet: the first sentences of a library
        may be committed after its first passages.

        Returns:
            float32 (n,).
        """
        if not vectors.size:
            return np.zeros(len(vectors), np.float32)
        return self.scaled(vectors @ vector)

    def scaled(self, cosines: Float32s) -> Float32s:
        """Map cosines to similarities, float32 of the same shape; 0 stays 0."""
        scaled = (cosines - np.float32(self.centre)) / np.float32(self.spread)
        return np.where(cosines == 0.0, np.float32(0.0), scaled).astype(np.float32, copy=False)


class Cohort(Struct, frozen=True):
    """Statistics of the best similarities of questions without an answer in a library.

    A share of the usual similarity is subtracted from each; see ``LanguageMeans.usual``.

    Attributes:
        centre: The median similarity of the cohort.
        spread: The deviation of these similarities.
        lead: The median excess over the usual similarity.
        lead_spread: The deviation of that excess.
        across: The median similarity of a passage to the best one of all other documents.
        passages: The number of passages when it was measured.
        weights: The weights of similarities and scores; see ``weights_of``.
        baseline: The baseline of ``indexer.search.calibration``.
        telling: The lead from which an answer differs from a passage that is merely close; see
            there.
    """

    centre: float
    spread: float
    lead: float
    lead_spread: float
    across: float
    passages: int
    weights: tuple[float, ...]
    baseline: float
    telling: float

    def deviations(self, meaning: float, usual: float) -> float:
        """Express a similarity to a query in deviations from the cohort."""
        return (meaning - USUAL_SHARE * usual - self.centre) / self.spread

    def lead_deviations(self, meaning: float, usual: float) -> float:
        """The same for a passage in another language than the query."""
        return (meaning - usual - self.lead) / self.lead_spread

    @property
    def between_documents(self) -> float:
        """The median similarity of a passage to other documents, in deviations."""
        return (self.across - self.centre) / self.spread


def load_cohort(catalog: Catalog, space: Space) -> Cohort | None:
    """The cohort of a space, as last measured; None if never, or with other weights."""
    stored = catalog.meta(_cohort_key(space)) or "null"
    try:
        cohort = msgspec.json.decode(stored, type=Cohort | None)
    except msgspec.MsgspecError:  # another version of the program wrote it
        return None
    return cohort if cohort and cohort.weights == weights_of(space) else None


def save_cohort(catalog: Catalog, space: Space, cohort: Cohort) -> None:
    """Store the cohort of a space."""
    catalog.set_meta(_cohort_key(space), msgspec.json.encode(cohort).decode())


def weights_of(space: Space) -> tuple[float, ...]:
    """The weights on which a cohort depends: the share of the best sentence, and the classifier."""
    return (DEFAULT_WEIGHTS.sentence, *astuple(classifier_for(space.languages)))


def measure_cohort(
    catalog: Catalog, store: Store, models: ModelsInUse, space: Space, passages: int
) -> Cohort | None:
    """Measure the cohort of a space; None without passages or without its model."""
    try:
        embedder = models.query(space.record)
        questions = _QUESTIONS.read_text("utf-8").splitlines()
        vectors = np.stack([embedder.encode_query(question) for question in questions])
    except WorldError:
        return None
    return _Measurement(catalog, store, space).cohort(vectors, passages)


class _Measurement:
    """Searches the passages of one space for the cohort."""

    def __init__(self, catalog: Catalog, store: Store, space: Space) -> None:
        self._store, self._space = store, space
        self._means = load_means(catalog, space)
        self._expected = catalog.docs.expected()
        rows = catalog.docs.docs_by_id(list(self._expected))
        self._languages = {doc: row.language for doc, row in rows.items()}

    def cohort(self, vectors: Float32s, passages: int) -> Cohort | None:
        """Search with the questions' vectors, float32 (n, dim); None without passages."""
        scale = CosineScale.from_space(self._space)
        reached = [found for vector in vectors if (found := self._best(scale, vector))]
        if not reached:
            return None
        best, usual = np.array(reached).T
        centre, spread = _middle(best - USUAL_SHARE * usual)
        lead, lead_spread = _middle(best - usual)
        # A single document has no other to be similar to.
        others = self._across() or [centre]
        across, weights = float(np.median(others)), weights_of(self._space)
        return Cohort(centre, spread, lead, lead_spread, across, passages, weights, 0.0, 0.0)

    def _across(self) -> list[float]:
        """The similarity of some passages to the most similar one of another document."""
        scale = CosineScale.from_space(self._space, "cosine_between")
        probes = spread_out(self._expected, PROBES)
        vectors = self._store.vectors_of(self._space.key, probes)
        found = [
            self._best(scale, vector, DocSet.from_docs([doc], allowed=False))
            for doc, vector in zip(docs_of(probes).tolist(), vectors, strict=True)
            if vector.any()  # zeros if it is missing
        ]
        return [pair[0] - USUAL_SHARE * pair[1] for pair in found if pair]

    def _best(
        self, scale: CosineScale, vector: Float32s, docs: DocSet | None = None
    ) -> tuple[float, float] | None:
        """The similarity of the best passage, weighted as in ``fusion``, and the usual value."""
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
    """The median of some values, and their deviation."""
    centre = float(np.median(values))
    return centre, max(_NORMAL * float(np.median(np.abs(values - centre))), _LEAST_SPREAD)


def _cohort_key(space: Space) -> str:
    return f"cohort_{space.id}"
