"""Graphs that others exported: taken over if they give the states of tokens, else refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexer.api.errors import WorldError
from indexer.compiler.foreign import adopt
from indexer.config import Precision
from indexer.embed.architecture import Family
from indexer.embed.batches import Batch
from indexer.embed.compiled import GRAPH
from indexer.embed.devices import CPU
from indexer.embed.encoder import Encoder
from indexer.embed.factory import open_embedder
from indexer.embed.imported import import_model
from indexer.embed.models import GIVEN_GRAPH, GIVEN_INT8, WEIGHTS
from indexer.embed.pooling import unit
from tests.exported_graph import INPUTS, TABLE, write_graph
from tests.sentence_folder import change, write_folder
from tests.tiny_families import WORDS
from tests.unit.embed.test_embedder import SENTENCES, passage

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = write_folder(tmp_path / "mine", "xlm-roberta")
    (folder / WEIGHTS).unlink()
    write_graph(folder / "onnx" / GIVEN_GRAPH, location=f"{GIVEN_GRAPH}_data")
    return folder


def test_an_exported_graph_becomes_a_model(folder: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    write_graph(folder / "onnx" / GIVEN_INT8, table=np.round(TABLE, 1))
    record = import_model(folder, models)
    assert record.architecture.family is Family.ONNX
    assert [file.name for file in record.package.files] == [
        GIVEN_GRAPH, f"{GIVEN_GRAPH}_data", GIVEN_INT8, "tokenizer.json",
    ]  # fmt: skip
    for precision, table in ((Precision.FP32, TABLE), (Precision.INT8, np.round(TABLE, 1))):
        embedder = open_embedder(record, models, precision, threads=1, download=False)
        one = passage(*SENTENCES, title="Log")
        (ids,) = embedder.sequences([one])
        (made,) = embedder.encode_passages([one])
        np.testing.assert_allclose(made.vector, unit(table[ids].mean(axis=0)), atol=2e-5)


def test_a_family_that_cannot_be_converted_is_computed_by_its_graph(
    folder: Path, tmp_path: Path
) -> None:
    change(folder / "config.json", model_type="strange")
    (folder / WEIGHTS).write_bytes(b"of no use")
    write_graph(folder / "onnx" / GIVEN_GRAPH, positions=150)
    record = import_model(folder, tmp_path / "models")
    assert (record.architecture.family, record.window) == (Family.ONNX, 150)
    assert WEIGHTS not in {file.name for file in record.package.files}


def test_an_exported_graph_sums_states_for_an_accelerator(folder: Path, tmp_path: Path) -> None:
    Encoder(adopt(folder / "onnx" / GIVEN_GRAPH, tmp_path, sums=True), CPU).test(WORDS, 150)
    encoder = Encoder(tmp_path / GRAPH, CPU)
    ids = np.array([[1, 2, 3, 4], [5, 6, 0, 0]], np.int32)
    batch = Batch((0, 1), ids, np.array([4, 2], np.int32))
    states = encoder.states(batch)
    found = encoder.sums(batch, [np.array([[0, 1], [1, 4]]), np.array([[0, 2]])])
    np.testing.assert_allclose(found[0], [states[0, 0], states[0, 1:].sum(axis=0)], rtol=1e-6)
    np.testing.assert_allclose(found[1, 0], states[1, :2].sum(axis=0), rtol=1e-6)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"output": "logits"}, "gives no states of tokens"),
        ({"inputs": (*INPUTS, "position_ids")}, "takes attention_mask, input_ids, position_ids"),
        ({"domain": "somebody"}, "operators of its own"),
        ({"location": "other"}, "weights lie elsewhere"),
    ],
)
def test_what_is_no_encoder_is_refused(
    tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    write_graph(tmp_path / "onnx" / GIVEN_GRAPH, **changes)
    with pytest.raises(ValueError, match=reason):
        adopt(tmp_path / "onnx" / GIVEN_GRAPH, tmp_path)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"masked": False}, "differs from the reference"),
        ({"table": TABLE[:, :16]}, "another size"),
        ({"positions": 149}, "cannot read 150 tokens"),
    ],
)
def test_a_graph_with_other_numbers_is_refused(
    folder: Path, tmp_path: Path, changes: dict[str, Any], reason: str
) -> None:
    write_graph(folder / "onnx" / GIVEN_GRAPH, **changes)
    with pytest.raises(WorldError, match=reason) as caught:
        import_model(folder, tmp_path / "models")
    assert caught.value.code == "model_refused"


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / GIVEN_GRAPH).write_bytes(b"\x08\xff no graph")
    with pytest.raises(ValueError, match=r"model\.onnx cannot be read|older than opset"):
        adopt(tmp_path / GIVEN_GRAPH, tmp_path)
