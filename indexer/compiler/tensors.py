"""The tensors of a safetensors file, by the names that an encoder has for itself.

Owns reading bfloat16, which numpy lacks, the prefix that files of a larger model put before the
encoder's names, and the places of matrices in the file. It must not know the order of the layers.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.compiler.adapter import WORDS
from indexer.compiler.packed import NIBBLES, SCALES
from indexer.embed.sentence_folder import DENSE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.embed.architecture import Architecture

    Array = NDArray[Any]

# Word embeddings of ModernBERT, and of Qwen and Gemma.
TOKENS, EMBEDDED = "embeddings.tok_embeddings.weight", "embed_tokens.weight"
HEAD = "head.dense", "head.norm", "classifier"  # of a cross-encoder of ModernBERT
PROJECTION = "projection.weight"  # of the states of a whole encoder, from files of their own
_LENGTH_BYTES = 8


def bert_head(shape: Architecture) -> tuple[str, str]:
    """The two layers after the encoder of a cross-encoder of BERT or XLM-R."""
    if shape.pooled:
        return "pooler.dense", "classifier"
    return "classifier.dense", "classifier.out_proj"


def open_tensors(path: Path) -> tuple[list[str], Callable[[str], Array]]:
    """The names of a file's tensors, and a function that reads one; bfloat16 becomes float32.

    Raises:
        ValueError: If the file is no valid safetensors file.
    """
    tensors, names = _open(path)

    def read(name: str) -> Array:
        if tensors.get_slice(names[name]).get_dtype() == "BF16":
            return _read_bfloat16(path, names[name])
        values: Array = tensors.get_tensor(names[name])
        return values

    return list(names), read


def open_shapes(path: Path) -> dict[str, tuple[str, tuple[int, ...]]]:
    """The type and the shape of each tensor of a file, by its name.

    Raises:
        ValueError: If the file is no valid safetensors file.
    """
    tensors, names = _open(path)
    slices = {name: tensors.get_slice(stored) for name, stored in names.items()}
    return {name: (part.get_dtype(), tuple(part.get_shape())) for name, part in slices.items()}


def count_parameters(path: Path) -> int:
    """The number of weights in a file: packed ones are two in a byte, and scales are none.

    Raises:
        ValueError: If the file is no valid safetensors file.
    """
    return sum(
        math.prod(shape) * (2 if name.endswith(NIBBLES) else 1)
        for name, (_, shape) in open_shapes(path).items()
        if not name.endswith(SCALES)
    )


class HalfMatrices:
    """Where a file has its matrices of half precision, found by their values.

    Raises:
        ValueError: If the file is no valid safetensors file.
    """

    def __init__(self, path: Path) -> None:
        self._places = dict(_half_matrices(path))

    def __bool__(self) -> bool:
        return bool(self._places)

    def find(self, matrix: NDArray[np.float32]) -> int:
        """The offset in bytes of a matrix, row after row; -1 if the file does not have it."""
        with np.errstate(over="ignore"):
            half = np.ascontiguousarray(matrix, np.float16)
        return self._places.get(_digest(half), -1) if (half == matrix).all() else -1


def _half_matrices(path: Path) -> Iterator[tuple[bytes, int]]:
    tensors, names = _open(path)
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        entries = json.loads(file.read(length))
    for name in names.values():
        entry = entries[name]
        if entry["dtype"] == "F16" and len(entry["shape"]) == 2:
            offset = _LENGTH_BYTES + length + entry["data_offsets"][0]
            yield _digest(tensors.get_tensor(name)), offset


def _digest(half: Array) -> bytes:
    return hashlib.sha256(half.data).digest()


def open_projection(folder: Path, shape: tuple[int, int]) -> Array:
    """The product of the files named ``DENSE`` in a folder, of this shape.

    Raises:
        ValueError: If they do not fit.
    """
    product = np.eye(shape[1], dtype=np.float32)
    for path in sorted(folder.glob(DENSE)):
        product = np.asarray(open_tensors(path)[1]("linear.weight"), np.float32) @ product
    if product.shape != shape:
        raise ValueError(f"{DENSE} make {list(product.shape)} and should make {list(shape)}")
    return product


def _open(path: Path) -> tuple[Any, dict[str, str]]:
    """A file of tensors, and the names it has for them by the names of the encoder."""
    from safetensors import SafetensorError, safe_open

    try:
        tensors: Any = safe_open(path, "numpy")
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    stored = list(tensors.keys())
    prefix = _prefix(stored)
    return tensors, {name.removeprefix(prefix): name for name in stored}


def _prefix(names: Iterable[str]) -> str:
    for name in names:
        for table in (WORDS, WORDS + NIBBLES, TOKENS, EMBEDDED):
            if name.endswith(table):
                return name.removesuffix(table)
    return ""


def _read_bfloat16(path: Path, name: str) -> NDArray[np.float32]:
    """A bfloat16 tensor, whose values are the upper halves of float32 ones."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        entry = json.loads(file.read(length))[name]
        start, end = entry["data_offsets"]
        file.seek(_LENGTH_BYTES + length + start)
        halves = np.frombuffer(file.read(end - start), "<u2")
    return (halves.astype(np.uint32) << 16).view(np.float32).reshape(entry["shape"])
