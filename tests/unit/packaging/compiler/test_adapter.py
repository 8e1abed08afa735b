"""The two encoders of one file: merging the adapter, and rejecting invalid ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.embed.models import Side
from tests.compiler import compiler

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Tensors = dict[str, NDArray[Any]]

adapter = compiler("adapter")
MOST_POSITIONS, POSITIONS = adapter.MOST_POSITIONS, adapter.POSITIONS
own_names, weights_of = adapter.own_names, adapter.weights_of
MATRIX, BIAS = "encoder.layer.0.output.dense.weight", "encoder.layer.0.output.dense.bias"
both = pytest.mark.parametrize("side", list(Side))


def _tensors() -> Tensors:
    random = np.random.default_rng(5)
    shapes = {
        MATRIX: (6, 4), BIAS: (6,), POSITIONS: (8, 4),
        f"passages.{MATRIX}.up": (6, 2), f"passages.{MATRIX}.down": (2, 4),
        f"passages.{BIAS}": (6,), f"passages.{POSITIONS}": (12, 4),
    }  # fmt: skip
    return {name: random.standard_normal(s).astype(np.float16) for name, s in shapes.items()}


def _read(tensors: Tensors, side: Side) -> Tensors:
    weights = weights_of(tensors, tensors.__getitem__, side)
    return {name: weights(name) for name in own_names(tensors)}


def test_adapted_weights_are_used_for_passages() -> None:
    tensors = _tensors()
    found = _read(tensors, Side.PASSAGES)
    up, down = (tensors[f"passages.{MATRIX}.{part}"].astype(np.float32) for part in ("up", "down"))
    np.testing.assert_array_equal(found[MATRIX], tensors[MATRIX].astype(np.float32) + up @ down)
    for name in (BIAS, POSITIONS):
        np.testing.assert_array_equal(found[name], tensors[f"passages.{name}"])
    assert {one.dtype for one in found.values()} == {np.dtype(np.float32)}


def test_base_weights_are_used_for_queries() -> None:
    tensors = _tensors()
    found = _read(tensors, Side.QUERIES)
    assert sorted(found) == sorted([MATRIX, BIAS, POSITIONS])
    for name, tensor in found.items():
        np.testing.assert_array_equal(tensor, tensors[name])


def test_an_adapter_with_more_positions_repeats_the_base_table() -> None:
    tensors = _tensors()
    random = np.random.default_rng(6)
    del tensors[f"passages.{POSITIONS}"]
    up, down = (random.standard_normal(s).astype(np.float16) for s in ((19, 3), (3, 4)))
    tensors |= {f"passages.{POSITIONS}.up": up, f"passages.{POSITIONS}.down": down}
    found = _read(tensors, Side.PASSAGES)[POSITIONS]
    table = tensors[POSITIONS].astype(np.float32)
    repeated = np.concatenate([table, table, table[:3]])
    np.testing.assert_allclose(found, repeated + up.astype(np.float32) @ down.astype(np.float32))


@pytest.mark.parametrize("rows", [7, MOST_POSITIONS + 1])
def test_the_number_of_positions_is_bounded(rows: int) -> None:
    tensors = _tensors()
    del tensors[f"passages.{POSITIONS}"]
    tensors[f"passages.{POSITIONS}.up"] = np.zeros((rows, 1), np.float16)
    tensors[f"passages.{POSITIONS}.down"] = np.zeros((1, 4), np.float16)
    with pytest.raises(ValueError, match="do not fit"):
        _read(tensors, Side.PASSAGES)


@both
def test_a_file_without_adapter_serves_both_sides(side: Side) -> None:
    tensors = {name: one for name, one in _tensors().items() if not name.startswith("passages.")}
    for name, tensor in _read(tensors, side).items():
        np.testing.assert_array_equal(tensor, tensors[name])


@given(st.sampled_from([f"passages.{MATRIX}.up", f"passages.{MATRIX}.down"]), st.data())
def test_a_merged_matrix_keeps_its_shape(name: str, data: st.DataObject) -> None:
    tensors = _tensors()
    shape = data.draw(st.lists(st.integers(0, 9), max_size=3).map(tuple))
    fits = shape == tensors[name].shape
    tensors[name] = np.ones(shape, np.float16)
    if fits:
        assert _read(tensors, Side.PASSAGES)[MATRIX].shape == tensors[MATRIX].shape
    else:
        with pytest.raises(ValueError, match="do not fit encoder"):
            _read(tensors, Side.PASSAGES)


def test_a_rank_above_that_of_the_matrix_is_rejected() -> None:
    tensors = _tensors()
    tensors[f"passages.{MATRIX}.up"] = np.zeros((6, 5), np.float16)
    tensors[f"passages.{MATRIX}.down"] = np.zeros((5, 4), np.float16)
    with pytest.raises(ValueError, match="do not fit"):
        _read(tensors, Side.PASSAGES)


@pytest.mark.parametrize(
    ("name", "shape"),
    [(BIAS, (7,)), (BIAS, ()), (POSITIONS, (7, 4)), (POSITIONS, (12, 5)), (POSITIONS, (12,))],
)
def test_a_replacement_of_another_shape_is_rejected(name: str, shape: tuple[int, ...]) -> None:
    tensors = {**_tensors(), f"passages.{name}": np.zeros(shape, np.float16)}
    with pytest.raises(ValueError, match="cannot replace"):
        _read(tensors, Side.PASSAGES)


@pytest.mark.parametrize("name", [f"passages.{MATRIX}.up", f"passages.{BIAS}"])
@pytest.mark.parametrize("harm", [np.nan, np.inf, "integers"])
def test_values_that_are_not_finite_are_rejected(name: str, harm: object) -> None:
    tensors = _tensors()
    if isinstance(harm, float):
        tensors[name].flat[0] = harm
    else:
        tensors[name] = tensors[name].astype(np.int32)
    with pytest.raises(ValueError, match="not finite"):
        _read(tensors, Side.PASSAGES)


@both
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("passages.nothing.weight", "no base tensor"),
        ("passages.nothing.weight.up", "no base tensor"),
        (f"passages.{BIAS}.down", "lacks its other factor"),
        (f"passages.{MATRIX}", "both replaced and adapted"),
    ],
)
def test_an_invalid_adapter_is_rejected(name: str, said: str, side: Side) -> None:
    tensors = {**_tensors(), name: np.zeros((6, 4), np.float16)}
    with pytest.raises(ValueError, match=said):
        weights_of(tensors, tensors.__getitem__, side)
