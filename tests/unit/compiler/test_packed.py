"""Matrices in 4 bits are read as the values they stand for, or refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from indexer.compiler.packed import BLOCK, NIBBLES, SCALES, readable, unpack

Array = np.ndarray[Any, Any]
ROWS, COLUMNS = 3, 2 * BLOCK


def _packed(values: Array) -> Array:
    """Values from -8 to 7, ``[rows, columns]``, written out one by one."""
    found = np.zeros((ROWS, COLUMNS // 2), np.uint8)
    for row in range(ROWS):
        for column in range(COLUMNS):
            block, place = divmod(column, BLOCK)
            byte = block * BLOCK // 2 + place % (BLOCK // 2)
            found[row, byte] |= (int(values[row, column]) + 8) << (0 if place < BLOCK // 2 else 4)
    return found


@pytest.fixture
def values() -> Array:
    return np.random.default_rng(3).integers(-8, 8, (ROWS, COLUMNS))


@pytest.fixture
def scales() -> Array:
    return np.random.default_rng(4).random((ROWS, COLUMNS // BLOCK)).astype(np.float16)


def test_each_block_has_its_scale(values: Array, scales: Array) -> None:
    wanted = values * np.repeat(scales.astype(np.float32), BLOCK, axis=1)
    np.testing.assert_array_equal(unpack(_packed(values), scales), wanted)


def test_packed_and_plain_tensors_are_read_alike(values: Array, scales: Array) -> None:
    file = {
        "a": np.ones(2, np.float16), "b" + NIBBLES: _packed(values),
        "b" + SCALES: scales, "c": np.zeros(1, np.float16),
    }  # fmt: skip
    names, read = readable(file, file.__getitem__)
    assert names == ["a", "b", "c"]
    assert read("a") is file["a"]
    assert read("b").shape == (ROWS, COLUMNS)


@pytest.mark.parametrize(
    ("nibbles", "scales"),
    [
        (np.zeros((2, 16), np.uint8), np.zeros((2, 2), np.float16)),
        (np.zeros((2, 16), np.uint8), np.zeros((3, 1), np.float16)),
        (np.zeros((2, 16), np.int8), np.zeros((2, 1), np.float16)),
        (np.zeros((2, 16), np.uint8), np.zeros((2, 1), np.float32)),
        (np.zeros((2, 16), np.uint8), np.full((2, 1), np.inf, np.float16)),
        (np.zeros(16, np.uint8), np.zeros(1, np.float16)),
    ],
)
def test_what_is_no_matrix_is_refused(nibbles: Array, scales: Array) -> None:
    with pytest.raises(ValueError, match="no matrix in 4 bits"):
        unpack(nibbles, scales)


def test_a_matrix_without_its_scales_is_missed() -> None:
    file = {"b" + NIBBLES: np.zeros((2, 16), np.uint8)}
    _, read = readable(file, file.__getitem__)
    with pytest.raises(KeyError):
        read("b")
