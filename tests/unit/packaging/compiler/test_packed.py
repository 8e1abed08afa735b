"""Matrices in 4 bits: unpacking, and rejecting invalid ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexer.config import Precision
from indexer.embed.factory import open_embedder
from tests.compiler import compiler
from tests.tiny_model import install_tiny_model, tiny_weights

if TYPE_CHECKING:
    from pathlib import Path

Array = np.ndarray[Any, Any]
WORDS: str = compiler("adapter").WORDS
packed = compiler("packed")
BLOCK, NIBBLES, SCALES = packed.BLOCK, packed.NIBBLES, packed.SCALES
readable, unpack = packed.readable, packed.unpack
ROWS, COLUMNS = 3, 2 * BLOCK


def _packed(values: Array) -> Array:
    """Pack values from -8 to 7, ``[rows, columns]``, one by one."""
    rows, columns = values.shape
    found = np.zeros((rows, columns // 2), np.uint8)
    for row in range(rows):
        for column in range(columns):
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


def test_packed_and_plain_tensors_are_read_by_their_plain_names(
    values: Array, scales: Array
) -> None:
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
def test_an_invalid_4_bit_matrix_is_rejected(nibbles: Array, scales: Array) -> None:
    with pytest.raises(ValueError, match="not a 4-bit matrix"):
        unpack(nibbles, scales)


def test_missing_scales_raise_an_error() -> None:
    file = {"b" + NIBBLES: np.zeros((2, 16), np.uint8)}
    _, read = readable(file, file.__getitem__)
    with pytest.raises(KeyError):
        read("b")


def test_packed_word_embeddings_in_a_float32_graph_change_no_result(tmp_path: Path) -> None:
    """Every vector is equal to the bit."""
    plain: dict[str, Array] = dict(tiny_weights())
    random = np.random.default_rng(5)
    rows, columns = plain[WORDS].shape
    numbers = random.integers(-8, 8, (rows, columns))
    scales = random.random((rows, columns // BLOCK)).astype(np.float16)
    plain[WORDS] = unpack(_packed(numbers), scales)
    smaller = {name: one for name, one in plain.items() if name != WORDS}
    smaller |= {WORDS + NIBBLES: _packed(numbers), WORDS + SCALES: scales}
    found = []
    for name, weights in (("plain", plain), ("packed", smaller)):
        record = install_tiny_model(tmp_path, name=name, weights=weights)
        embedder = open_embedder(record, tmp_path, Precision.FP32)
        found.append(embedder.encode_query("a question of the lighthouse"))
    np.testing.assert_array_equal(found[0], found[1])
