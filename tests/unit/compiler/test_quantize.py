"""Quantization errors are bounded, and graphs compute the same as the plain encoder."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnxruntime import InferenceSession

from indexer.api.errors import InternalError
from indexer.compiler import calibrate
from indexer.compiler.adapter import WORDS
from indexer.compiler.graph import Graph
from indexer.compiler.packed import BLOCK, NIBBLES, SCALES, unpack
from indexer.compiler.quantize import (
    LEVELS,
    PAIR_LEVELS,
    IntegerLinear,
    Range,
    affine,
    quantize_columns,
    smoothing,
)
from indexer.compiler.sequences import calibration_texts
from indexer.config import Precision
from indexer.embed.batches import Batch
from indexer.embed.compiled import DATA, GRAPH, compiled_folder
from indexer.embed.encoder import Encoder
from indexer.embed.models import Side
from indexer.text.language import detect
from tests.tiny_model import TINY, install_tiny_model, tiny_weights
from tests.unit.embed.reference import plain_states

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

seeds = st.integers(0, 10_000)


@given(seeds, st.integers(1, 9), st.booleans())
def test_the_rounding_error_of_weights_is_at_most_half_a_step(
    seed: int, rows: int, multiplied: bool
) -> None:
    weight = np.random.default_rng(seed).standard_normal((rows, 5)).astype(np.float32)
    integers, scales = quantize_columns(weight, multiplied=multiplied)
    assert np.abs(integers).max() <= LEVELS
    assert (np.abs(integers * scales - weight) <= scales * 0.501).all()


@given(st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=2))
def test_neighbouring_weights_of_a_product_add_up_to_little(pair: list[float]) -> None:
    """The other column's largest pair is that of two equal weights."""
    weight = np.array([[pair[0], 1], [pair[1], 1]], np.float32)
    integers, _ = quantize_columns(weight, multiplied=True)
    assert (np.abs(integers.astype(int)).sum(axis=0) <= PAIR_LEVELS).all()


@pytest.mark.parametrize("rows", [4, 64, 384])
def test_the_largest_products_do_not_saturate(tmp_path: Path, rows: int) -> None:
    """ONNX Runtime adds as integers do, on processors without 8-bit dot products too."""
    random = np.random.default_rng(rows)
    weight = random.choice([-1, 0, 0.98, 1], (rows, 32)).astype(np.float32)
    weight[:, 0] = 1
    x = random.choice([0, 254, 255], (2, rows)).astype(np.int32)
    x[0] = 255
    zero, top = np.zeros(1, np.float32), np.full(1, 255, np.float32)
    with (tmp_path / DATA).open("wb") as data:
        graph = Graph(data)
        linear = IntegerLinear({"product": Range(zero, top)})
        floats = graph.node("Cast", ["x"], to=graph.float)
        graph.node("Identity", [linear.mix(graph, floats, "product", weight, None)], "y")
        made = graph.finish({"x": ["n", "rows"]}, {"y": ["n", 32]}, {})
    (tmp_path / GRAPH).write_bytes(made)
    (y,) = InferenceSession(tmp_path / GRAPH, providers=["CPUExecutionProvider"]).run(
        ["y"], {"x": x}
    )
    integers, scales = quantize_columns(weight, multiplied=True)
    np.testing.assert_allclose(y, (x @ integers.astype(np.int64)) * scales, rtol=1e-5, atol=1e-3)


def test_a_column_of_zeros_stays_zero() -> None:
    integers, scales = quantize_columns(np.zeros((3, 2), np.float32), multiplied=True)
    assert not integers.any()
    assert (scales == 1).all()


@given(st.floats(-50, 50), st.floats(-50, 50))
def test_zero_is_represented_exactly(low: float, high: float) -> None:
    scale, zero = affine(min(low, high), max(low, high))
    assert scale > 0
    assert 0 <= int(zero) <= 255
    assert (255 - int(zero)) * scale >= max(low, high, 0) - scale
    assert int(zero) * scale >= -min(low, high, 0) - scale


@given(seeds, st.floats(0, 1))
def test_smoothing_does_not_change_the_product(seed: int, share: float) -> None:
    random = np.random.default_rng(seed)
    x = random.standard_normal((4, 6)).astype(np.float32)
    weight = random.standard_normal((6, 3)).astype(np.float32)
    factors = smoothing(Range(x.min(axis=0), x.max(axis=0)), weight, share)
    assert (factors > 0).all()
    smoothed = (x / factors) @ (weight * factors[:, None])
    np.testing.assert_allclose(smoothed, x @ weight, atol=1e-3)


def test_a_channel_of_zeros_does_not_divide_by_zero() -> None:
    silent = np.zeros(3, np.float32)
    assert (smoothing(Range(silent, silent), np.zeros((3, 2), np.float32), 0.5) > 0).all()


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.mark.parametrize("blocks", [(0, 0, 0), (8, 8, 0), (8, 4, 5), (20, 7, 8), (8, 0, 1)])
@pytest.mark.parametrize(
    ("precision", "worst"), [(Precision.FP32, 0.99999), (Precision.INT8, 0.99)]
)
def test_the_graph_computes_what_the_plain_encoder_does(
    tmp_path: Path, precision: Precision, worst: float, blocks: tuple[int, int, int]
) -> None:
    record = install_tiny_model(tmp_path, late=True, blocks=blocks)
    folder = compiled_folder(record, tmp_path, precision)
    folder.mkdir(parents=True)
    source = tmp_path / TINY / "source"
    calibrate.compile_model(record, precision, Side.PASSAGES, source, folder)
    encoder = Encoder(folder / "model.onnx", "cpu")
    random = np.random.default_rng(1)
    for length in (2, 6, 29, 40, 160):
        ids = random.integers(5, record.architecture.vocabulary, (2, length)).astype(np.int32)
        both = encoder.states(Batch((0, 1), ids, np.array([length] * 2, np.int32)))
        for row, states in zip(ids, both, strict=True):
            plain = plain_states(record.architecture, source, row)
            sizes = np.linalg.norm(states, axis=1) * np.linalg.norm(plain, axis=1)
            assert ((states * plain).sum(1) / sizes).min() > worst
            if precision is Precision.FP32:
                np.testing.assert_allclose(states, plain, atol=1e-4)


def test_a_graph_with_block_attention_does_not_support_padding(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path, late=True, blocks=(8, 4, 5))
    source = tmp_path / TINY / "source"
    calibrate.compile_model(record, Precision.FP32, Side.PASSAGES, source, tmp_path)
    assert not Encoder(tmp_path / "model.onnx", "cpu").padded


def test_a_graph_that_fails_its_probe_is_rejected(models: Path, tmp_path: Path) -> None:
    record = install_tiny_model(models, probe=(1.0, 1.0))
    source = models / TINY / "source"
    with pytest.raises(InternalError, match="compiled wrongly"):
        calibrate.compile_model(record, Precision.FP32, Side.PASSAGES, source, tmp_path)


def test_a_record_that_does_not_match_its_file_is_rejected(models: Path, tmp_path: Path) -> None:
    record = install_tiny_model(models)
    source = models / TINY / "source"
    for wrong, match in (
        (replace(record, query_window=80), "number of encoders"),
        (replace(record, window=161), "fewer positions"),
    ):
        with pytest.raises(ValueError, match=match):
            calibrate.compile_model(wrong, Precision.FP32, Side.PASSAGES, source, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_float32_graph_keeps_word_embeddings_in_4_bits(tmp_path: Path) -> None:
    """The graph computes the same as one with float32 embeddings, to the bit."""
    random = np.random.default_rng(5)
    weights: dict[str, NDArray[Any]] = dict(tiny_weights())
    rows, columns = weights.pop(WORDS).shape
    nibbles = random.integers(0, 256, (rows, columns // 2), np.uint8)
    scales = random.random((rows, columns // BLOCK)).astype(np.float16)
    ids = random.integers(5, rows, (2, 9)).astype(np.int32)
    states, sizes = [], []
    for name, words in (
        ("plain", {WORDS: unpack(nibbles, scales)}),
        ("packed", {WORDS + NIBBLES: nibbles, WORDS + SCALES: scales}),
    ):
        record = install_tiny_model(tmp_path, name=name, weights=weights | words)
        folder, source = tmp_path / f"{name}-graph", tmp_path / name / "source"
        folder.mkdir()
        calibrate.compile_model(record, Precision.FP32, Side.PASSAGES, source, folder)
        encoder = Encoder(folder / GRAPH, "cpu")
        states.append(encoder.states(Batch((0, 1), ids, np.array([9, 9], np.int32))))
        sizes.append((folder / DATA).stat().st_size)
    np.testing.assert_array_equal(states[0], states[1])
    assert sizes[1] < sizes[0]


def test_calibration_texts_of_a_multilingual_model_have_many_languages(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    texts = calibration_texts(record)
    assert len(texts) > 40
    assert all(texts)
    more = calibration_texts(replace(record, languages=("en", "zh")))
    assert more[: len(texts)] == texts
    assert {"zh", "ar", "de", "hi", "th"} <= {detect(text) for text in more[len(texts) :]}
