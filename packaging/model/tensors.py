"""The tensors of a safetensors file: their values, and references to them in a graph."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from adapter import ADAPTED, DOWN, POSITIONS, TYPES, UP, WORDS
from graph import MICROSOFT
from packed import BLOCK, NIBBLES, SCALES

from indexer.embed.encoder import IDS
from indexer.embed.models import Side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
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
            whole = self._joined(graph, names)
            return graph.node("Cast", [graph.node("Transpose", [whole])], to=graph.float)
        parts = [self._add_values(graph, name) for name in names]
        whole = graph.node("Concat", parts, axis=0) if len(parts) > 1 else parts[0]
        return self._in_precision(graph, graph.node("Transpose", [whole]))

    def is_packed(self, names: Iterable[str]) -> bool:
        """Whether some matrices are in 4 bits, without an adapter."""
        return all(name + NIBBLES in self._entries and not self._is_adapted(name) for name in names)

    @property
    def has_packed(self) -> bool:
        """Whether one of the matrices that are multiplied is in 4 bits, without an adapter."""
        names = {name.removesuffix(NIBBLES) for name in self._entries if name.endswith(NIBBLES)}
        return any(self.is_packed([name]) for name in names - {WORDS})

    def add_product(self, graph: Graph, x: str, names: Sequence[str]) -> str:
        """Add the product with packed matrices side by side, which are never unpacked as a whole.

        The operator wants neighbours in a byte: so the columns of ``x`` change their places.
        """
        rows = sum(self._entries[name + NIBBLES]["shape"][0] for name in names)
        columns = 2 * self._entries[names[0] + NIBBLES]["shape"][1]
        places = np.arange(columns).reshape(-1, 2, BLOCK // 2).transpose(0, 2, 1).ravel()
        shapes = [rows, columns // BLOCK, BLOCK // 2], [-1]
        nibbles, scales = (
            graph.node("Reshape", [
                self._joined(graph, [name + part for name in names]),
                graph.constant(f"sizes.{'.'.join(map(str, sizes))}", np.array(sizes, np.int64)),
            ])
            for part, sizes in zip((NIBBLES, SCALES), shapes, strict=True)
        )  # fmt: skip
        moved = graph.node("Gather", [x, graph.constant(f"places.{columns}", places)], axis=-1)
        inputs = [moved, nibbles, graph.node("Cast", [scales], to=graph.float)]
        sizes = {"K": columns, "N": rows, "bits": 4, "block_size": BLOCK, "accuracy_level": 1}
        return graph.node("MatMulNBits", inputs, domain=MICROSOFT, **sizes)

    def add_positions(self, graph: Graph) -> str:
        """Add the table of positions with the type of all tokens, [most, hidden], in float32."""
        own = self._passages and ADAPTED + TYPES in self._entries
        types = graph.node("Cast", [self._refer(graph, (ADAPTED if own else "") + TYPES)], to=1)
        first = graph.node("Gather", [types, graph.constant("zero", np.array([0], np.int64))])
        return graph.node("Add", [self._add_values(graph, POSITIONS), first])

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
        if name == POSITIONS:  # those of a shorter table are repeated
            held, wanted = (self._entries[each]["shape"][0] for each in (name, own + UP))
            places = graph.constant("positions.places", np.arange(wanted, dtype=np.int32) % held)
            values = graph.node("Gather", [values, places])
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

    def _joined(self, graph: Graph, names: Sequence[str]) -> str:
        """Tensors as they are stored, one below the other."""
        parts = [self._refer(graph, name) for name in names]
        return graph.node("Concat", parts, axis=0) if len(parts) > 1 else parts[0]

    def _refer(self, graph: Graph, name: str) -> str:
        entry = self._entries[name]
        kind, shape = _KINDS[entry["dtype"]], tuple(entry["shape"])
        start = self._begin + entry["data_offsets"][0]
        size = math.prod(shape) * np.dtype(kind).itemsize
        return graph.refer(f"stored.{name}", kind, shape, self._file, (start, size))

    @staticmethod
    def _in_precision(graph: Graph, values: str) -> str:
        return graph.node("Cast", [values], to=graph.float) if graph.half else values
