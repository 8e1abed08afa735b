"""By which vector passages are searched, and what stands around one."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.embed.batches import unit_vectors
from indexer.search.candidates import QueryVectors, neighbour_similarity
from indexer.search.fusion import DEFAULT_WEIGHTS
from indexer.search.score_normalisation import CosineScale, LanguageMeans


def test_passages_are_searched_in_the_order_of_their_meaning_to_question_and_query() -> None:
    random = np.random.default_rng(5)
    passages, (whole, question) = (
        unit_vectors(random.normal(size=(count, 16)).astype(np.float32)) for count in (200, 2)
    )
    scale = CosineScale()
    vectors = QueryVectors(whole, question, scale, LanguageMeans({}))
    share = DEFAULT_WEIGHTS.question
    meaning = share * scale.scaled(passages @ question) + (1 - share) * scale.scaled(
        passages @ whole
    )
    assert np.argsort(passages @ vectors.combined).tolist() == np.argsort(meaning).tolist()
    assert np.linalg.norm(vectors.combined) == pytest.approx(1)


def test_a_question_without_context_is_its_own_vector() -> None:
    alone = unit_vectors(np.arange(1, 17, dtype=np.float32))
    vectors = QueryVectors(alone, alone, CosineScale(), LanguageMeans({}))
    assert vectors.combined == pytest.approx(alone)


def test_the_ends_of_a_document_lose_nothing_to_its_middle() -> None:
    # In the middle, at the start, at the end, alone.
    before = np.array([0.2, 0.0, 0.3, 0.0], np.float32)
    after = np.array([0.4, 0.3, 0.0, 0.0], np.float32)
    assert neighbour_similarity(before, after) == pytest.approx([0.6, 0.6, 0.6, 0.6])


def test_where_all_are_alone_nothing_stands_around() -> None:
    none = np.zeros(2, np.float32)
    assert neighbour_similarity(none, none) == pytest.approx([0.0, 0.0])
