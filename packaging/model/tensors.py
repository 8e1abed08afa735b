"""The tensors of a safetensors file: their values, and references to them in a graph."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from adapter import ADAPTED, DOWN, UP
from packed import BLOCK, NIBBLES, SCALES

from indexer.embed.encoder import IDS
from indexer.embed.models import Side

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from graph import Graph
    from numpy.typing import NDArray

    Array = NDArray[Any]

_LENGTH_BYTES = 8
_KINDS = {"F32": np.float32, "F16": np.float16, "U8": np.uint8}


def open_tensors(path: Path) -> tuple[list[str], Callable[[str], Array]]:
    """The names of a file's tensors, and a function that reads one.

    Raises:
        ValueError: If the file is no valid safetensors file.
    """
    from safetensors import SafetensorError, safe_open

    try:
        tensors: Any = safe_open(path, "numpy")
    except SafetensorError as error:
        raise ValueError(str(error)) from error
    return list(tensors.keys()), tensors.get_tensor


def count_parameters(path: Path) -> int:
    """The number of weights in a file: packed ones are two in a byte, and scales are none.

    Raises:
        ValueError: If the file is no valid safetensors file.
    """
    names, read = open_tensors(path)
    return sum(
        read(name).size * (2 if name.endswith(NIBBLES) else 1)
        for name in names
        if not name.endswith(SCALES)
    )


class StoredWeights:
    """The weights of one encoder as nodes of a graph that refer to the file of the checkpoint.

    The nodes that unpack, merge and transpose a matrix have no inputs but constants, so that ONNX
    Runtime computes them once, when it opens the graph: all forms in floating point share one file.

    Args:
        path: The safetensors file, which must lie beside the graph.
        side: The encoder.
    """

    def __init__(self, path: Path, side: Side) -> None:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            self._entries: dict[str, Any] = json.loads(file.read(length))
        self._begin = _LENGTH_BYTES + length
        self._file = path.name
        self._passages = side is Side.PASSAGES

    def add_matrix(self, graph: Graph, names: Sequence[str]) -> str:
        """Add the matrices of some layers side by side, [in, out of all]."""
        if all(self._is_plain(name) for name in names):
            parts = [self._refer(graph, name) for name in names]
            whole = graph.node("Concat", parts, axis=0) if len(parts) > 1 else parts[0]
            return graph.node("Cast", [graph.node("Transpose", [whole])], to=graph.float)
        parts = [self._add_values(graph, name) for name in names]
        whole = graph.node("Concat", parts, axis=0) if len(parts) > 1 else parts[0]
        return self._in_precision(graph, graph.node("Transpose", [whole]))

    def is_packed(self, name: str) -> bool:
        """Whether a matrix is in 4 bits, without an adapter."""
        return name + NIBBLES in self._entries and not self._is_adapted(name)

    def _is_plain(self, name: str) -> bool:
        return name in self._entries and not self._is_adapted(name)

    def _is_adapted(self, name: str) -> bool:
        return self._passages and not {ADAPTED + name, ADAPTED + name + UP}.isdisjoint(
            self._entries
        )

    def add_lookup(self, graph: Graph, name: str) -> str:
        """Add the rows of a table [vocabulary, hidden] for the input ids."""
        if name + NIBBLES not in self._entries:
            rows = graph.node("Gather", [self._refer(graph, name), IDS])
            return self._in_precision(graph, graph.node("Cast", [rows], to=1))
        rows, scales = (
            graph.node("Cast", [graph.node("Gather", [self._refer(graph, name + part), IDS])], to=1)
            for part in (NIBBLES, SCALES)
        )
        # As numbers, since not every runtime computes with single bits.
        share, sixteen, eight = (
            graph.constant(f"nibble.{value}", np.array(value, np.float32), exact=True)
            for value in (1 / 16, 16, 8)
        )
        high = graph.node("Floor", [graph.node("Mul", [rows, share])])
        low = graph.node("Sub", [rows, graph.node("Mul", [high, sixteen])])
        half, one, whole = (
            graph.constant(f"{name}.{'.'.join(map(str, sizes))}", np.array(sizes, np.int64))
            for sizes in ([0, 0, -1, BLOCK // 2], [0, 0, -1, 1], [0, 0, -1])
        )
        parts = [graph.node("Reshape", [part, half]) for part in (low, high)]
        values = graph.node("Sub", [graph.node("Concat", parts, axis=3), eight])
        scaled = graph.node("Mul", [values, graph.node("Reshape", [scales, one])])
        return self._in_precision(graph, graph.node("Reshape", [scaled, whole]))

    def _add_values(self, graph: Graph, name: str) -> str:
        """Add a matrix in float32, [out, in], with the adapter for passages."""
        own = ADAPTED + name
        if self._passages and own in self._entries:
            name = own
        if name + NIBBLES in self._entries:
            values = self._add_unpacked(graph, name)
        else:
            values = graph.node("Cast", [self._refer(graph, name)], to=1)
        if not self._passages or own + UP not in self._entries:
            return values
        up, down = (
            graph.node("Cast", [self._refer(graph, own + part)], to=1) for part in (UP, DOWN)
        )
        return graph.node("Add", [values, graph.node("MatMul", [up, down])])

    def _add_unpacked(self, graph: Graph, name: str) -> str:
        rows, halves = self._entries[name + NIBBLES]["shape"]
        blocks = 2 * halves // BLOCK
        fifteen, four = (
            graph.constant(f"bits.{value}", np.array(value, np.uint8)) for value in (15, 4)
        )
        eight = graph.constant("nibble.8", np.array(8, np.float32), exact=True)
        half, one, whole = (
            graph.constant(f"sizes.{'.'.join(map(str, sizes))}", np.array(sizes, np.int64))
            for sizes in ([rows, blocks, BLOCK // 2], [rows, blocks, 1], [rows, 2 * halves])
        )
        nibbles = graph.node("Reshape", [self._refer(graph, name + NIBBLES), half])
        low = graph.node("BitwiseAnd", [nibbles, fifteen])
        high = graph.node("BitShift", [nibbles, four], direction="RIGHT")
        whole_blocks = graph.node("Concat", [low, high], axis=2)
        values = graph.node("Sub", [graph.node("Cast", [whole_blocks], to=1), eight])
        scales = graph.node("Cast", [self._refer(graph, name + SCALES)], to=1)
        scaled = graph.node("Mul", [values, graph.node("Reshape", [scales, one])])
        return graph.node("Reshape", [scaled, whole])

    def _refer(self, graph: Graph, name: str) -> str:
        entry = self._entries[name]
        kind, shape = _KINDS[entry["dtype"]], tuple(entry["shape"])
        start = self._begin + entry["data_offsets"][0]
        size = math.prod(shape) * np.dtype(kind).itemsize
        return graph.refer(f"stored.{name}", kind, shape, self._file, (start, size))

    @staticmethod
    def _in_precision(graph: Graph, values: str) -> str:
        return graph.node("Cast", [values], to=graph.float) if graph.half else values
