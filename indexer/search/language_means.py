"""Corrects similarities for the bias of multilingual models towards the query's own language.

Owns the mean vector of each language, its storage and the correction. In a multilingual model any
passage in the language of a question tends to be nearer to it than an answer in another language.
Most of the difference between the query's cosines to the means is therefore added: in a library of
24 articles in English and one translation of each, a question in a third language finds its article
with mrr .87 instead of .64, and questions in the language of their answer lose nothing. The means
also give the usual similarity in a language, against which answers are judged. It must not rank.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from indexer.search.sampling import is_similar, spread_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.catalog.catalog import Catalog
    from indexer.catalog.records import Space
    from indexer.search.fusion import PageEvidence
    from indexer.search.score_normalisation import CosineScale
    from indexer.store.store import Store

    Floats = NDArray[np.float32]

# Passages of each language that are averaged; the mean of fewer than ``LEAST`` is of their subject.
SAMPLE, LEAST = 64, 8
# The share of the difference that is added; all of it costs questions in their own language .004.
SHARE = 0.85
_WHOLE = ""  # no language


@dataclass(frozen=True, slots=True)
class LanguageMeans:
    """The mean vectors of passages, float32 (dim,).

    Attributes:
        by_language: Of each language; empty for a single language.
        whole: Of the library; None where it was not measured.
    """

    by_language: Mapping[str, Floats]
    whole: Floats | None = None

    def usual(self, scale: CosineScale, vector: Floats, language: str) -> float:
        """The similarity of the passages in a language to a query on average; 0 where unknown."""
        mean = self.by_language.get(language, self.whole)
        return 0.0 if mean is None else float(scale.similarity(mean[None], vector)[0])

    def missing(self, scale: CosineScale, vector: Floats, languages: Sequence[str]) -> Floats:
        """The correction of similarities to a query, by the passages' languages: float32 (n,)."""
        if not self.by_language:
            return np.zeros(len(languages), np.float32)
        found = scale.similarity(np.stack(list(self.by_language.values())), vector)
        lacks = dict(zip(self.by_language, SHARE * (found.max() - found), strict=True))
        return np.array([lacks.get(one, 0.0) for one in languages], np.float32)

    def without(self, vector: Floats) -> Floats:
        """The query without its components along differences of the means, for retrieval."""
        if not self.by_language:
            return vector
        means = np.stack(list(self.by_language.values()))
        between, _ = np.linalg.qr((means[1:] - means[0]).T)
        rest = vector - between @ (between.T @ vector)
        return (rest / np.linalg.norm(rest)).astype(np.float32)


def raised(pages: PageEvidence, missing: Floats) -> PageEvidence:
    """Evidence of n passages with the correction ``missing``, (n,), added to its similarities."""

    def more(similarity: Floats, times: int = 1) -> Floats:
        return np.where(similarity != 0.0, similarity + times * missing, similarity)

    return replace(
        pages,
        pooled=more(pages.pooled),
        pooled_question=more(pages.pooled_question),
        sentence=more(pages.sentence),
        sentence_question=more(pages.sentence_question),
        around=more(pages.around, 2),
    )


def load_means(catalog: Catalog, space: Space) -> LanguageMeans:
    """The means of a space, as last measured."""
    means = {
        language: np.frombuffer(base64.b64decode(mean), np.float16).astype(np.float32)
        for language, mean in _stored(catalog, space)[1].items()
    }
    whole = means.pop(_WHOLE, None)
    return LanguageMeans(means if len(means) > 1 else {}, whole)


def refresh(catalog: Catalog, store: Store) -> None:
    """Measure the means of the space that is searched, if the library has changed much.

    A model that reads one language alone has none.
    """
    space = catalog.spaces.active()
    if space is None or len(space.languages) < 2:
        return
    passages = catalog.spaces.totals().embedded
    before, known = _stored(catalog, space)
    if _WHOLE in known and is_similar(before, passages):
        return
    expected = catalog.docs.expected()
    documents = {_WHOLE: expected}
    for doc, row in catalog.docs.get(list(expected)).items():
        if row.language:
            documents.setdefault(row.language, {})[doc] = expected[doc]
    means = {}
    for language, counts in documents.items():
        vectors = store.vectors_of(space.key, spread_out(counts, SAMPLE))
        vectors = vectors[vectors.any(axis=1)]
        if len(vectors) >= LEAST:
            mean = vectors.mean(axis=0).astype(np.float16)
            means[language] = base64.b64encode(mean.tobytes()).decode("ascii")
    catalog.set_meta(_key(space), json.dumps([passages, means]))


def _stored(catalog: Catalog, space: Space) -> tuple[int, dict[str, str]]:
    """The number of passages at the last measurement, and the encoded means."""
    passages, means = json.loads(catalog.meta(_key(space)) or "[0, {}]")
    return passages, means


def _key(space: Space) -> str:
    return f"language_means_{space.id}"
