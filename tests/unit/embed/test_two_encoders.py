"""Models with separate encoders of queries and passages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from indexer.api.errors import InternalError, WorldError
from indexer.compiler.adapter import POSITIONS
from indexer.config import Precision
from indexer.embed.compiled import ensure_compiled, intact
from indexer.embed.factory import open_embedder
from indexer.embed.models import WEIGHTS, Side
from indexer.embed.record_files import find_record, write_record
from indexer.embed.spaces import space_of
from tests.tiny_model import TINY, install_tiny_model, tiny_weights
from tests.two_encoders import (
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

both = pytest.mark.parametrize("precision", list(Precision))
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
    return open_embedder(record, models, precision, side, threads=1, download=False)


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
    record = install_two_encoders(tmp_path)
    write_record(replace(record, architecture=replace(record.architecture, skipped=(0,))), tmp_path)
    skipping = find_record(TINY, tmp_path)
    last, first = "encoder.layer.1.", "encoder.layer.0."
    install_its_passages(tmp_path / "whole")
    tensors = load_file(tmp_path / "whole" / TINY / "source" / WEIGHTS)
    fewer = {
        name.replace(last, first): tensor
        for name, tensor in tensors.items()
        if not name.startswith(first)
    }
    short = install_tiny_model(tmp_path / "short", late=True, window=WINDOW, weights=fewer)
    short = replace(short, architecture=replace(short.architecture, layers=1))
    write_record(short, tmp_path / "short")
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


def test_each_encoder_is_compiled_once(tmp_path: Path) -> None:
    record = install_two_encoders(tmp_path)
    made = [
        ensure_compiled(record, tmp_path, precision, side, download=False)
        for precision in Precision
        for side in Side
    ]
    stamps = [one.graph.stat().st_mtime_ns for one in made]
    assert len({one.folder for one in made}) == len(made)
    assert len({one.folder.joinpath("model.bin").read_bytes() for one in made}) == len(made)
    for one in made:
        again = ensure_compiled(record, tmp_path, one.precision, one.side, download=False)
        assert again == one
    assert [one.graph.stat().st_mtime_ns for one in made] == stamps


def test_the_folder_of_the_other_encoder_is_not_used(tmp_path: Path) -> None:
    record = install_two_encoders(tmp_path)
    queries = ensure_compiled(record, tmp_path, Precision.FP32, Side.QUERIES, download=False)
    assert intact(queries)
    assert not intact(replace(queries, side=Side.PASSAGES))


def test_one_encoder_is_compiled_once_for_both(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    passages, queries = (
        ensure_compiled(record, tmp_path, Precision.INT8, side, download=False) for side in Side
    )
    assert passages.folder == queries.folder
    assert passages.folder.name.startswith("int8-")
    assert intact(passages)
    assert intact(queries)


def test_folders_of_a_former_single_encoder_are_deleted(tmp_path: Path) -> None:
    plain = ensure_compiled(install_tiny_model(tmp_path), tmp_path, Precision.INT8, download=False)
    record = install_two_encoders(tmp_path)
    made = [
        ensure_compiled(record, tmp_path, Precision.INT8, side, download=False) for side in Side
    ]
    assert not plain.folder.exists()
    again = ensure_compiled(install_tiny_model(tmp_path), tmp_path, Precision.INT8, download=False)
    assert intact(again)
    assert not any(one.folder.exists() for one in made)


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
    record = install_tiny_model(
        tmp_path, late=True, window=WINDOW, query_window=QUERY_WINDOW, weights=two_encoders(),
        probe=right, name="probed",
    )  # fmt: skip
    for side in Side:
        ensure_compiled(record, tmp_path, Precision.INT8, side, download=False)
    wrong = install_tiny_model(
        tmp_path, late=True, window=WINDOW, query_window=QUERY_WINDOW, weights=two_encoders(),
        probe=tuple(-value for value in right), name="wrong",
    )  # fmt: skip
    with pytest.raises(InternalError, match="compiled wrongly"):
        ensure_compiled(wrong, tmp_path, Precision.FP32, Side.QUERIES, download=False)


def _without(tensors: dict[str, NDArray[Any]], end: str) -> dict[str, NDArray[Any]]:
    return {name: one for name, one in tensors.items() if not name.endswith(end)}


DAMAGED = {
    "half of a change": _without(two_encoders(), ".down"),
    "no change": tiny_weights(),
    "too few positions": _without(two_encoders(), f"passages.{POSITIONS}"),
    "a wrong shape": {**two_encoders(), f"passages.{POSITIONS}": np.zeros((300, 5), np.float16)},
}


@both
@pytest.mark.parametrize("tensors", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_adapter_is_reported(
    tmp_path: Path, precision: Precision, tensors: dict[str, NDArray[Any]]
) -> None:
    record = install_tiny_model(
        tmp_path, late=True, window=WINDOW, query_window=QUERY_WINDOW, weights=tensors
    )
    with pytest.raises(WorldError) as caught:
        ensure_compiled(record, tmp_path, precision, Side.PASSAGES, download=False)
    assert caught.value.code == "model_damaged"
    assert [path.name for path in (tmp_path / TINY).iterdir() if path.is_dir()] == ["source"]


def test_a_record_of_one_encoder_rejects_a_file_with_two(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path, late=True, window=WINDOW, weights=two_encoders())
    assert any("passages." in name for name in load_file(tmp_path / TINY / "source" / WEIGHTS))
    with pytest.raises(WorldError) as caught:
        ensure_compiled(record, tmp_path, Precision.FP32, download=False)
    assert caught.value.code == "model_damaged"
