"""Every family's graph computes what transformers computes, and so does the numpy reference."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
from safetensors.numpy import save_file

from indexer.api.errors import WorldError
from indexer.compiler.adapter import weights_of
from indexer.compiler.calibrate import compile_model
from indexer.compiler.encoder_graph import write_encoder
from indexer.compiler.linear import FloatLinear, PaddedLinear
from indexer.compiler.reference import reference_states
from indexer.compiler.sequences import LENGTHS
from indexer.compiler.tensors import PROJECTION, open_tensors
from indexer.config import Precision
from indexer.embed.architecture import Family
from indexer.embed.batches import Batch, in_batches
from indexer.embed.compiled import GRAPH
from indexer.embed.devices import CPU
from indexer.embed.encoder import Encoder, largest_error
from indexer.embed.factory import open_embedder
from indexer.embed.models import WEIGHTS, Pooling, Side
from indexer.embed.pooling import unit
from tests.tiny_families import (
    FAMILIES,
    SCORERS,
    SHAPES,
    family_weights,
    kept_scores,
    kept_states,
    pairs,
    sequences,
)
from tests.tiny_model import install_tiny_model
from tests.unit.embed.test_embedder import SENTENCES, passage

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.embed.embedder import OnnxEmbedder

every_family = pytest.mark.parametrize("name", FAMILIES)


def _close(found: NDArray[np.float32], wanted: NDArray[np.float32]) -> None:
    np.testing.assert_allclose(found, wanted, atol=2e-5, rtol=1e-4)


def _states(encoder: Encoder, ids: NDArray[np.int32]) -> NDArray[np.float32]:
    states = encoder.states(Batch((0,), ids[None], np.array([len(ids)], np.int32)))
    return np.asarray(states[0])


@pytest.mark.parametrize("name", SHAPES)
def test_the_reference_computes_what_torch_does(name: str) -> None:
    weights = family_weights(name)
    for ids, wanted in zip(sequences(), kept_states(name), strict=True):
        found = reference_states(SHAPES[name], weights.__getitem__, ids)
        _close(found, wanted)


@pytest.mark.parametrize("name", SHAPES)
def test_the_graph_computes_what_torch_does(name: str, tmp_path: Path) -> None:
    weights = family_weights(name)
    graph = write_encoder(SHAPES[name], weights.__getitem__, FloatLinear(), tmp_path)
    encoder = Encoder(graph, CPU)
    for ids, wanted in zip(sequences(), kept_states(name), strict=True):
        _close(_states(encoder, ids), wanted)


@pytest.mark.parametrize("name", SCORERS)
def test_a_cross_encoder_scores_as_that_of_torch(name: str, tmp_path: Path) -> None:
    shape = replace(SHAPES[name], scores=True)
    weights = family_weights(name, shape)
    encoder = Encoder(write_encoder(shape, weights.__getitem__, FloatLinear(), tmp_path), CPU)
    wanted, found = kept_scores(name), np.empty(len(pairs()), np.float32)
    for batch in in_batches(pairs(), lambda: 1000, padded=encoder.padded):
        found[list(batch.sequences)] = encoder.states(batch)[:, 0, 0]
    _close(found, wanted)
    by_reference = [reference_states(shape, weights.__getitem__, ids)[0, 0] for ids in pairs()]
    _close(np.array(by_reference), wanted)


@every_family
def test_the_graph_is_the_reference_at_every_length(name: str, tmp_path: Path) -> None:
    first = 1 if FAMILIES[name].family is Family.GEMMA else 0  # one layer of each kind
    kept = range(first, first + FAMILIES[name].global_every)[:2]
    skipped = tuple(layer for layer in range(FAMILIES[name].layers) if layer not in kept)
    shape = replace(FAMILIES[name], positions=LENGTHS[-1], skipped=skipped)
    if shape.reach > shape.block:
        shape = replace(shape, reach=shape.positions)
    weights = family_weights(name, shape)
    encoder = Encoder(write_encoder(shape, weights.__getitem__, FloatLinear(), tmp_path), CPU)
    for length in LENGTHS:
        ids = np.resize(np.concatenate(sequences()), length)
        wanted = reference_states(shape, weights.__getitem__, ids)
        assert largest_error(_states(encoder, ids), wanted) < 3e-4


@pytest.mark.parametrize("name", ["modernbert", "nomic_bert", "qwen3", "gemma3_text"])
def test_a_stretched_window_is_that_of_the_reference(name: str, tmp_path: Path) -> None:
    (plain, weights), ids = (FAMILIES[name], family_weights(name)), sequences()[-1]
    found = []
    twice = replace(plain, stretch=2.0)
    for number, shape in enumerate((plain, twice, replace(twice, ntk=True))):
        folder = tmp_path / str(number)
        folder.mkdir()
        encoder = Encoder(write_encoder(shape, weights.__getitem__, FloatLinear(), folder), CPU)
        found.append(_states(encoder, ids))
        _close(found[-1], reference_states(shape, weights.__getitem__, ids))
    assert min(np.abs(one - other).max() for one, other in combinations(found, 2)) > 1e-3


_IN_BLOCKS = {"in blocks": replace(SHAPES["bert"], block=16, reach=8, anchors=4)}


@pytest.mark.parametrize("name", [*FAMILIES, *_IN_BLOCKS])
def test_states_and_their_sums_do_not_depend_on_the_batch(name: str, tmp_path: Path) -> None:
    shape = (FAMILIES | _IN_BLOCKS)[name]
    weights = family_weights(name, shape)
    plain, grouped, padded = (
        Encoder(write_encoder(form, weights.__getitem__, linear, _folder(tmp_path)), CPU)
        for form, linear in (
            (shape, FloatLinear()), (shape, FloatLinear(grouped=True)),
            (shape.fused, PaddedLinear()),
        )
    )  # fmt: skip
    ids = [each[:length] for each in sequences() for length in (len(each), 1 + len(each) // 2)] * 2
    wanted = [_states(plain, each) for each in ids]
    for encoder in (plain, grouped, padded):
        for batch in in_batches(ids, lambda: 1000, padded=encoder.padded):
            for index, states in zip(batch.sequences, encoder.states(batch), strict=True):
                found = states[: len(ids[index])]
                np.testing.assert_allclose(found, wanted[index], atol=1e-5)
    (batch,) = in_batches(ids, lambda: 10_000, padded=padded.padded)
    parts = [np.array([[0, size], [size // 2, size], [1, 1]]) for size in batch.lengths]
    for index, bounds, sums in zip(batch.sequences, parts, padded.sums(batch, parts), strict=True):
        own = [wanted[index][start:end].sum(axis=0) for start, end in bounds]
        np.testing.assert_allclose(sums, own, atol=1e-4)


def _folder(parent: Path) -> Path:
    """A new folder."""
    folder = parent / str(len(list(parent.iterdir())))
    folder.mkdir()
    return folder


@every_family
def test_files_with_a_prefix_or_in_bfloat16_are_read(name: str, tmp_path: Path) -> None:
    weights = family_weights(name)
    weights.pop(PROJECTION, None)  # in a file of its own
    save_file({f"model.{key}": value for key, value in weights.items()}, tmp_path / WEIGHTS)
    names, read = open_tensors(tmp_path / WEIGHTS)
    assert set(names) == set(weights)
    own = weights_of(names, read, Side.PASSAGES)
    assert all((own(key) == value).all() for key, value in weights.items())


def test_bfloat16_is_the_upper_half_of_float32(tmp_path: Path) -> None:
    values = np.array([[1.0, -2.5, 0.15625], [0.0, 3e38, -1e-30]], np.float32)
    halves = (values.view(np.uint32) >> 16).astype("<u2")
    header = b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},'
    header += b'"w":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]}}'
    content = len(header).to_bytes(8, "little") + header + bytes(4) + halves.tobytes()
    (tmp_path / WEIGHTS).write_bytes(content)
    _, read = open_tensors(tmp_path / WEIGHTS)
    assert read("w").dtype == np.float32
    np.testing.assert_allclose(read("w"), values, rtol=2**-7)


def test_a_file_that_is_none_is_rejected(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).write_bytes(b"\xff" * 64)
    with pytest.raises(ValueError, match="header"):
        open_tensors(tmp_path / WEIGHTS)


def _open(name: str, models: Path, precision: Precision, pooling: Pooling) -> OnnxEmbedder:
    record = install_tiny_model(
        models, name=name, window=150, weights=family_weights(name), shape=FAMILIES[name],
        pooling=pooling,
    )  # fmt: skip
    return open_embedder(record, models, precision, threads=1, download=False)


@every_family
@pytest.mark.parametrize("precision", [Precision.INT8, Precision.FP16])
def test_fewer_bits_are_close_to_float32(name: str, precision: Precision, tmp_path: Path) -> None:
    passages = [passage(*SENTENCES[: 1 + n % 3], title="Log") for n in range(12)]
    exact, coarse = (
        np.stack([
            made.vector
            for made in _open(name, tmp_path, each, Pooling.MEAN).encode_passages(passages)
        ])
        for each in (Precision.FP32, precision)
    )  # fmt: skip
    assert (exact * coarse).sum(axis=1).min() > 0.99


@pytest.mark.parametrize(("positions", "grouped"), [(160, False), (1 << 17, True)])
def test_only_where_windows_are_large_float32_is_computed_in_groups(
    positions: int, grouped: bool, tmp_path: Path
) -> None:
    record = install_tiny_model(
        tmp_path, weights=family_weights("modernbert"),
        shape=replace(FAMILIES["modernbert"], positions=positions),
    )  # fmt: skip
    compile_model(record, Precision.FP32, Side.PASSAGES, tmp_path / record.id / "source", tmp_path)
    graph = onnx.load(tmp_path / GRAPH, load_external_data=False).graph
    assert ("Scan" in {node.op_type for node in graph.node}) is grouped


@pytest.mark.parametrize("precision", [Precision.INT8, Precision.FP16])
def test_a_graph_that_loses_too_much_is_refused(
    precision: Precision, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = install_tiny_model(tmp_path)
    monkeypatch.setattr("indexer.compiler.calibrate.CLOSE_HALF", 1.1)
    monkeypatch.setattr("indexer.compiler.calibrate.USABLE_SCORES", 1.1)
    monkeypatch.setattr("indexer.compiler.calibrate.USABLE", 1.1)
    source = tmp_path / record.id / "source"
    with pytest.raises(WorldError) as caught:
        compile_model(record, precision, Side.PASSAGES, source, tmp_path)
    assert caught.value.code == "model_coarse"
    assert "lectern models use tiny --precision fp32" in caught.value.next_step


@every_family
@pytest.mark.parametrize(("pooling", "row"), [(Pooling.CLS, 0), (Pooling.LAST, -1)])
def test_one_token_is_the_vector_of_passage_sentences_and_query(
    name: str, pooling: Pooling, row: int, tmp_path: Path
) -> None:
    embedder = _open(name, tmp_path, Precision.FP32, pooling)
    one = passage(*SENTENCES)
    (ids,) = embedder.sequences([one])
    states = reference_states(FAMILIES[name], family_weights(name).__getitem__, ids)
    (made,) = embedder.encode_passages([one])
    np.testing.assert_allclose(made.vector, unit(states[row]), atol=2e-5)
    np.testing.assert_allclose(made.sentences, [made.vector] * 3, atol=1e-7)
    np.testing.assert_allclose(embedder.encode_query("".join(SENTENCES)), made.vector, atol=2e-5)
    found = embedder.passage_states([one], 0)
    assert (len(found.states), found.starts.tolist()) == (1, [-1])


@pytest.mark.parametrize("pooling", list(Pooling))
def test_all_of_a_long_passage_counts(pooling: Pooling, tmp_path: Path) -> None:
    embedder = _open("modernbert", tmp_path, Precision.FP32, pooling)
    filler = "the sea was calm and grey. " * 30
    calm, fire = embedder.encode_passages([passage(filler + "calm."), passage(filler + "fire!")])
    assert calm.tokens > embedder.record.window
    assert np.abs(calm.vector - fire.vector).max() > 1e-4
    assert np.isclose(np.linalg.norm(calm.vector), 1)
