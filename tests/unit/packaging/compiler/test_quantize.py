"""Quantization errors are bounded, and graphs compute the same as the plain encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs
from onnxruntime import InferenceSession

from indexer.config import Precision
from indexer.embed.batches import Batch
from indexer.embed.encoder import Encoder
from indexer.embed.imported import calibration_texts
from indexer.embed.model_files import find_form
from indexer.text.language import detect_language
from tests.compiler import compiler
from tests.tiny_model import TINY, install_tiny_model, tiny_weights
from tests.unit.embed.reference import plain_states

if TYPE_CHECKING:
    from pathlib import Path


quantize = compiler("quantize")
LEVELS, PAIR_LEVELS, Range = quantize.LEVELS, quantize.PAIR_LEVELS, quantize.Range
affine, quantize_columns = quantize.affine, quantize.quantize_columns
smoothing = quantize.smoothing
read_checkpoint = compiler("architecture").read_checkpoint
seeds = st.integers(0, 10_000)


@given(seeds, st.integers(1, 9))
def test_the_rounding_error_of_weights_is_at_most_half_a_step(seed: int, rows: int) -> None:
    weight = np.random.default_rng(seed).standard_normal((rows, 5)).astype(np.float32)
    integers, scales = quantize_columns(weight)
    assert np.abs(integers).max() <= LEVELS
    assert (np.abs(integers * scales - weight) <= scales * 0.501).all()


@given(st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=2))
@example([1.1196374729955288e-42, 1.1196374729955288e-42])
def test_neighbouring_weights_of_a_product_add_up_to_little(pair: list[float]) -> None:
    """The other column's largest pair is that of two equal weights."""
    weight = np.array([[pair[0], 1], [pair[1], 1]], np.float32)
    integers, _ = quantize_columns(weight)
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
    path = tmp_path / "product.onnx"
    with compiler("graph").DataFile(tmp_path / "product.bin") as data:
        graph = compiler("graph").Graph(data)
        linear = quantize.IntegerLinear({"product": Range(zero, top)})
        floats = graph.node("Cast", ["x"], to=graph.float)
        matrix = compiler("linear").Matrix(("product",), weight)
        none = np.zeros(32, np.float32)
        graph.node("Identity", [linear.mix(graph, floats, "product", matrix, none)], "y")
        made = graph.finish({"x": ["n", "rows"]}, {"y": ["n", 32]}, {})
    path.write_bytes(made)
    (y,) = InferenceSession(path, providers=["CPUExecutionProvider"]).run(["y"], {"x": x})
    integers, scales = quantize_columns(weight)
    np.testing.assert_allclose(y, (x @ integers.astype(np.int64)) * scales, rtol=1e-5, atol=1e-3)


def test_a_column_of_zeros_stays_zero() -> None:
    integers, scales = quantize_columns(np.zeros((3, 2), np.float32))
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


@pytest.mark.parametrize("blocks", [(0, 0, 0), (8, 8, 0), (8, 4, 5), (20, 7, 8), (8, 0, 1)])
@pytest.mark.parametrize(
    ("precision", "worst"), [(Precision.FP32, 0.99999), (Precision.INT8, 0.99)]
)
def test_the_graph_computes_what_the_plain_encoder_does(
    tmp_path: Path, precision: Precision, worst: float, blocks: tuple[int, int, int]
) -> None:
    record = install_tiny_model(tmp_path, late=True, blocks=blocks)
    encoder = Encoder(find_form(record, tmp_path, precision).path, "cpu")
    shape = read_checkpoint(tmp_path / TINY).architecture
    random = np.random.default_rng(1)
    for length in (2, 6, 29, 40, 160):
        ids = random.integers(5, shape.vocabulary, (2, length)).astype(np.int32)
        both = encoder.states(Batch((0, 1), ids, np.array([length] * 2, np.int32)))
        for row, states in zip(ids, both, strict=True):
            plain = plain_states(shape, tmp_path / TINY, row)
            sizes = np.linalg.norm(states, axis=1) * np.linalg.norm(plain, axis=1)
            assert ((states * plain).sum(1) / sizes).min() > worst
            if precision is Precision.FP32:
                np.testing.assert_allclose(states, plain, atol=1e-4)


def test_a_graph_with_block_attention_does_not_support_padding(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path, late=True, blocks=(8, 4, 5))
    for card in (False, True):
        form = find_form(record, tmp_path, Precision.FP32, card=card)
        assert Encoder(form.path, "cpu").padded == card


def test_a_graph_that_fails_its_probe_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="compiled wrongly"):
        install_tiny_model(tmp_path, probe=(1.0, 1.0))


def test_a_record_that_does_not_match_its_file_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="number of encoders"):
        install_tiny_model(tmp_path, query_window=80)
    with pytest.raises(ValueError, match="fewer positions"):
        install_tiny_model(tmp_path, window=161)
    assert list(tmp_path.iterdir()) == []


def test_models_are_compiled_once_and_anew_when_something_changed(tmp_path: Path) -> None:
    install_tiny_model(tmp_path)
    folder, forms = tmp_path / TINY, compiler("compile_forms")
    stamps = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert forms.is_compiled(folder)
    forms.compile_model(folder)
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == stamps
    (folder / "int8.onnx").unlink()
    assert not forms.is_compiled(folder)
    forms.compile_model(folder)
    record = (folder / "record.json").read_text("utf-8")
    (folder / "record.json").write_text(record.replace('"window": 160', '"window": 150'))
    assert not forms.is_compiled(folder)


def test_forms_share_the_file_of_weights(tmp_path: Path) -> None:
    halves = {name: values.astype(np.float16) for name, values in tiny_weights().items()}
    record = install_tiny_model(tmp_path, weights=halves)
    weights = (tmp_path / TINY / "model.safetensors").stat().st_size
    assert 2 * (tmp_path / TINY / "constants.bin").stat().st_size < weights
    for precision in Precision:
        form = find_form(record, tmp_path, precision)
        assert "model.safetensors" in form.graph.data


def test_calibration_texts_of_a_multilingual_model_have_many_languages(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    texts = calibration_texts(record)
    assert len(texts) > 40
    assert all(texts)
    more = calibration_texts(structs.replace(record, languages=("en", "zh")))
    assert more[: len(texts)] == texts
    assert {"zh", "ar", "de", "hi", "th"} <= {detect_language(text) for text in more[len(texts) :]}
