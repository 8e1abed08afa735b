"""Models with separate encoders of queries and passages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexer.config import Precision
from indexer.embed.factory import open_embedder
from indexer.embed.model_files import find_record
from indexer.embed.models import Side, space_of
from tests.tiny_model import TINY, install_tiny_model, tiny_shape, tiny_weights
from tests.two_encoders import (
    POSITIONS,
    QUERY_WINDOW,
    WINDOW,
    install_its_passages,
    install_its_queries,
    install_two_encoders,
    two_encoders,
)
from tests.unit.embed.test_embedder import SENTENCES, passage

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.embed.embedder import OnnxEmbedder
    from indexer.embed.models import ModelRecord

_SHAPE = tiny_shape()
# Float16 is for accelerators, which read no queries.
both = pytest.mark.parametrize("precision", [Precision.FP32, Precision.INT8])
PASSAGES = [passage(*SENTENCES[: 1 + n % 3], title="Log", headings=("Sea",)) for n in range(14)]
QUERY = "who slept at dawn?"
LONG = "the sea was calm and grey. " * 20


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    install_two_encoders(folder)
    return folder


def _open(
    record: ModelRecord, models: Path, precision: Precision, side: Side = Side.PASSAGES
) -> OnnxEmbedder:
    return open_embedder(record, models, precision, side, threads=1)


@both
def test_passages_are_encoded_by_merged_weights(
    models: Path, tmp_path: Path, precision: Precision
) -> None:
    adapted = _open(find_record(TINY, models), models, precision)
    merged = _open(install_its_passages(tmp_path), tmp_path, precision)
    assert max(map(len, adapted.sequences(PASSAGES))) > QUERY_WINDOW
    pairs = zip(adapted.encode_passages(PASSAGES), merged.encode_passages(PASSAGES), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one.vector, other.vector, atol=1e-6)
        np.testing.assert_allclose(one.sentences, other.sentences, atol=1e-6)


@both
@pytest.mark.parametrize("text", [QUERY, LONG, ""], ids=["short", "long", "empty"])
def test_queries_are_encoded_as_by_the_base_model_alone(
    models: Path, tmp_path: Path, precision: Precision, text: str
) -> None:
    adapted = _open(find_record(TINY, models), models, precision, Side.QUERIES)
    plain = _open(install_its_queries(tmp_path), tmp_path, precision)
    vector = adapted.encode_query(text)
    np.testing.assert_allclose(vector, plain.encode_query(text), atol=1e-6)
    states, others = adapted.query_states(text), plain.query_states(text)
    np.testing.assert_allclose(states.states, others.states, atol=1e-5)
    np.testing.assert_array_equal(states.starts, others.starts)


@both
def test_the_encoder_of_passages_may_skip_layers(tmp_path: Path, precision: Precision) -> None:
    shape = replace(_SHAPE, skipped=(0,))
    skipping = install_tiny_model(
        tmp_path, late=True, window=WINDOW, query_window=QUERY_WINDOW, weights=two_encoders(),
        shape=shape,
    )  # fmt: skip
    last, first = "encoder.layer.1.", "encoder.layer.0."
    fewer = {
        name.replace(last, first): tensor
        for name, tensor in two_encoders().items()
        if first not in name
    }
    short = install_tiny_model(
        tmp_path / "short", late=True, window=WINDOW, query_window=QUERY_WINDOW, weights=fewer,
        shape=replace(_SHAPE, layers=1),
    )  # fmt: skip
    pairs = zip(
        _open(skipping, tmp_path, precision).encode_passages(PASSAGES),
        _open(short, tmp_path / "short", precision).encode_passages(PASSAGES),
        strict=True,
    )
    for one, other in pairs:
        np.testing.assert_allclose(one.vector, other.vector, atol=1e-6)
    whole = install_its_queries(tmp_path / "queries")
    np.testing.assert_allclose(
        _open(skipping, tmp_path, precision, Side.QUERIES).encode_query(QUERY),
        _open(whole, tmp_path / "queries", precision).encode_query(QUERY),
        atol=1e-6,
    )


@both
def test_the_two_encoders_differ(models: Path, precision: Precision) -> None:
    record = find_record(TINY, models)
    query = _open(record, models, precision, Side.QUERIES).encode_query(SENTENCES[0])
    (read,) = _open(record, models, precision).encode_passages([passage(SENTENCES[0])])
    assert float(query @ read.vector) < 0.98


def test_an_encoder_rejects_the_inputs_of_the_other(models: Path) -> None:
    record = find_record(TINY, models)
    passages = _open(record, models, Precision.INT8)
    queries = _open(record, models, Precision.INT8, Side.QUERIES)
    for wrong in (
        lambda: passages.encode_query(QUERY),
        lambda: passages.query_states(QUERY),
        lambda: queries.encode_passages(PASSAGES),
        lambda: queries.passage_states(PASSAGES, 0),
        lambda: queries.sequences(PASSAGES),
    ):
        with pytest.raises(ValueError, match="was opened for"):
            wrong()


def test_vectors_of_another_file_are_in_another_space(tmp_path: Path) -> None:
    first = install_two_encoders(tmp_path)
    second = install_two_encoders(tmp_path, seed=4)
    plain = install_its_passages(tmp_path)
    names = {space_of(record, Precision.INT8) for record in (first, second, plain)}
    assert len(names) == 3
    assert space_of(install_two_encoders(tmp_path), Precision.INT8) == space_of(
        first, Precision.INT8
    )


def test_a_record_without_query_window_has_one_encoder(tmp_path: Path) -> None:
    install_two_encoders(tmp_path)
    path = tmp_path / TINY / "record.json"
    kept = path.read_text("utf-8").replace(f',\n "query_window": {QUERY_WINDOW}', "")
    assert "query_window" not in kept
    path.write_text(kept, "utf-8")
    record = find_record(TINY, tmp_path)
    assert not record.adapted
    assert all(record.encoder_of(side) == record for side in Side)


def test_the_probe_tests_the_encoder_of_queries(tmp_path: Path) -> None:
    record = install_two_encoders(tmp_path)
    vector = _open(record, tmp_path, Precision.FP32, Side.QUERIES).encode_query("a probe")
    right = tuple(float(value) for value in vector[:4])
    how: dict[str, Any] = {
        "late": True, "window": WINDOW, "query_window": QUERY_WINDOW, "weights": two_encoders(),
    }  # fmt: skip
    install_tiny_model(tmp_path, probe=right, name="probed", **how)
    with pytest.raises(ValueError, match="compiled wrongly"):
        install_tiny_model(tmp_path, probe=tuple(-value for value in right), name="wrong", **how)


def _without(tensors: dict[str, NDArray[Any]], end: str) -> dict[str, NDArray[Any]]:
    return {name: one for name, one in tensors.items() if not name.endswith(end)}


DAMAGED = {
    "half of a change": _without(two_encoders(), ".down"),
    "no change": tiny_weights(),
    "too few positions": _without(two_encoders(), f"passages.{POSITIONS}"),
    "a wrong shape": {**two_encoders(), f"passages.{POSITIONS}": np.zeros((300, 5), np.float16)},
}


@pytest.mark.parametrize("tensors", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_adapter_is_rejected(tmp_path: Path, tensors: dict[str, NDArray[Any]]) -> None:
    with pytest.raises((ValueError, KeyError)):
        install_tiny_model(
            tmp_path, late=True, window=WINDOW, query_window=QUERY_WINDOW, weights=tensors
        )
    assert list(tmp_path.iterdir()) == []


def test_a_record_of_one_encoder_rejects_a_file_with_two(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="number of encoders"):
        install_tiny_model(tmp_path, late=True, window=WINDOW, weights=two_encoders())
