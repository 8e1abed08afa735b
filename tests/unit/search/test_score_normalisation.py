"""Which passages stand for a library."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from indexer.catalog.catalog import Catalog
from indexer.catalog.records import Space
from indexer.config import EngineConfig
from indexer.embed.factory import ModelsInUse
from indexer.embed.model_files import write_record
from indexer.search.score_normalisation import (
    USUAL_SHARE,
    Cohort,
    CosineScale,
    load_cohort,
    save_cohort,
    spread_out,
    weights_of,
)
from indexer.store.values import docs_of
from tests.store_rows import ordinals_of
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

SPACE = Space(1, "new", active=True, record={})
COHORT = Cohort(
    0.25,
    0.07,
    lead=0.10,
    lead_spread=0.10,
    across=0.25,
    passages=100,
    weights=weights_of(SPACE),
    baseline=0.0,
    telling=0.0,
)
libraries = st.dictionaries(st.integers(0, 1000), st.integers(0, 300), max_size=20)


@given(libraries, st.integers(1, 40))
def test_passages_stand_at_even_distances(documents: dict[int, int], count: int) -> None:
    keys = spread_out(documents, count)
    total = sum(documents.values())
    assert len(keys) == min(count, total)
    before = {doc: sum(n for one, n in documents.items() if one < doc) for doc in documents}
    docs, ordinals = docs_of(keys).tolist(), ordinals_of(keys)
    assert all(ordinal < documents[doc] for doc, ordinal in zip(docs, ordinals, strict=True))
    places = [before[doc] + ordinal for doc, ordinal in zip(docs, ordinals, strict=True)]
    steps = np.diff(places)
    assert not len(steps) or (steps.min() >= 1 and steps.max() <= max(1, -(-total // count)))


def test_documents_are_compared_in_deviations() -> None:
    assert replace(COHORT, across=0.25).between_documents == 0.0
    assert replace(COHORT, across=0.60).between_documents == pytest.approx(5.0)


def test_what_is_usual_counts_in_part_in_one_language_and_whole_between_two() -> None:
    assert COHORT.deviations(0.39, 0.0) == pytest.approx(2.0)
    assert COHORT.deviations(0.39, 0.14) == pytest.approx(2.0 - USUAL_SHARE * 2.0)
    assert COHORT.lead_deviations(0.39, 0.14) == pytest.approx(1.5)


def test_cosines_of_all_models_lie_alike() -> None:
    vectors = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 0.0]], np.float32)
    question = np.array([1.0, 0.0], np.float32)
    assert CosineScale().similarity(vectors, question) == pytest.approx([1.0, 0.6, 0.0])
    found = CosineScale(centre=0.4, spread=0.5).similarity(vectors, question)
    # A vector that is missing is similar to nothing, and does not count against its passage.
    assert found == pytest.approx([1.2, 0.4, 0.0])
    assert found.dtype == np.float32


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 2)])
def test_vectors_that_are_not_there_yet_are_similar_to_nothing(shape: tuple[int, int]) -> None:
    found = CosineScale(0.4, 0.5).similarity(np.zeros(shape, np.float32), np.ones(2, np.float32))
    assert found.tolist() == [0.0] * shape[0]


def test_a_cohort_of_other_weights_is_measured_again(tmp_path: Path) -> None:
    with Catalog(tmp_path / "catalog.sqlite") as catalog:
        assert load_cohort(catalog, SPACE) is None
        save_cohort(catalog, SPACE, replace(COHORT, baseline=2.5))
        assert load_cohort(catalog, SPACE) == replace(COHORT, baseline=2.5)
        save_cohort(catalog, SPACE, replace(COHORT, weights=(0.9, *COHORT.weights[1:])))
        assert load_cohort(catalog, SPACE) is None
        old = {name: value for name, value in asdict(COHORT).items() if name != "weights"}
        catalog.set_meta("cohort_1", json.dumps(old))
        assert load_cohort(catalog, SPACE) is None


def test_a_space_knows_its_scale_and_an_old_one_has_none() -> None:
    old = Space(1, "old", active=True, record={"dimension": 2})
    new = Space(2, "new", active=True, record={"cosine_centre": 0.3, "cosine_spread": 0.5})
    assert CosineScale.from_space(old) == CosineScale()
    assert CosineScale.from_space(new) == CosineScale(0.3, 0.5)
    assert CosineScale.from_space(old, "cosine_between") == CosineScale()
    passages = replace(new, record={**new.record, "cosine_between": 0.4})
    assert CosineScale.from_space(passages, "cosine_between") == CosineScale(0.4, 0.5)


def test_a_new_space_takes_the_scale_of_its_model(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path / "models")
    write_record(replace(record, cosine_centre=0.3, cosine_spread=0.5), tmp_path / "models")
    config = EngineConfig(tmp_path, tmp_path / "models", model=record.id)
    with Catalog(tmp_path / "catalog.sqlite") as catalog:
        space = ModelsInUse(config).space(catalog)
    assert CosineScale.from_space(space) == CosineScale(0.3, 0.5)
