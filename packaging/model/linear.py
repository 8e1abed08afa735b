"""The matrix products of the encoder in floating point, and recorded for calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from graph import MICROSOFT, Graph

from indexer.embed.encoder import IDS, LENGTHS

if TYPE_CHECKING:
    from collections.abc import Callable

    from architecture import Architecture
    from attention import Attention, Rest
    from numpy.typing import NDArray
    from tensors import StoredWeights

    Floats = NDArray[np.float32]
    Weights = Callable[[str], Floats]

# The names of the products of attention.
PARTS = ("query", "key", "value")


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix, or those of some layers side by side.

    Attributes:
        names: Of the tensors, [out, in] each.
        values: float32, [in, out of all]; a table of embeddings is as it is stored.
    """

    names: tuple[str, ...]
    values: Floats


class FloatLinear:
    """Products in floating point, with ONNX Runtime's fused operator for full attention.

    ``mix`` is the product after attention, ``widen`` and ``narrow`` those of the feed-forward
    layer. ``masked``: attention uses ``LENGTHS``; if not, batches must not be padded. ``padded``:
    sequences of any lengths share a batch, whatever the attention, and the graph sums states too.
    ``half``: the graph computes in float16; its states and sums are float32. ``grouped``: a layer
    is computed for a few blocks of attention at a time, so that they fit the processor's cache.

    Args:
        stored: The file of weights beside the graph; without it the graph has values of its own.
        padded: Whether the graph is for accelerators, which like few large batches.
        half: Whether it computes in float16.
    """

    masked = True
    grouped = False

    def __init__(
        self, stored: StoredWeights | None = None, *, padded: bool = False, half: bool = False
    ) -> None:
        self._stored = stored
        # The operator for attention with a mask takes no matrix in 4 bits.
        self.masked = self.masked and (padded or stored is None or not stored.has_packed)
        self.padded = padded
        self.half = half

    def attention(
        self, graph: Graph, x: str, name: str, dense: tuple[Matrix, Floats], how: Attention,
        rest: Rest,
    ) -> str:  # fmt: skip
        """Project to query, key and value by one weight [hidden, 3 hidden] and bias, and attend.

        ``rest`` adds the rest of the layer.
        """
        weight, bias = dense
        if not self.masked or how.blocks:
            return how.attend(self.project(graph, x, name, weight, bias), x, rest)
        inputs = [
            x,
            self._weight(graph, f"{name}.weight", weight),
            graph.constant(f"{name}.bias", bias),
            LENGTHS,
        ]
        return rest(graph.node("Attention", inputs, domain=MICROSOFT, num_heads=how.heads), x)

    def project(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> list[str]:
        """Query, key and value, split from their common product."""
        product = self._product(graph, x, name, weight, bias)
        widths = np.array([len(bias) // 3] * 3, np.int64)
        sizes = graph.constant(f"{name}.widths", widths)
        parts = [f"{name}.{part}" for part in PARTS]
        return graph.nodes_out("Split", [product, sizes], parts, axis=-1)

    def mix(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> str:
        return self._product(graph, x, name, weight, bias)

    def widen(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> str:
        """The product and its exact GELU."""
        # The fused BiasGelu is slower on the CPU.
        product = self._product(graph, x, name, weight, bias)
        return graph.node("Gelu", [product], domain=MICROSOFT)

    def narrow(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> str:
        """The product of the output of ``widen``."""
        return self._product(graph, x, name, weight, bias)

    def positions(self, graph: Graph, table: Floats) -> str:
        """The table of positions [most, hidden], in float32."""
        if self._stored is not None:
            return self._stored.add_positions(graph)
        return graph.constant("positions", table, exact=True)

    def lookup(self, graph: Graph, name: str, table: Matrix) -> str:
        """The rows of a table [vocabulary, hidden] for the input ids."""
        if self._stored is not None:
            return self._stored.add_lookup(graph, *table.names)
        return graph.node("Gather", [graph.constant(name, table.values), IDS])

    def _product(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> str:
        if self._stored is not None and self._stored.is_packed(weight.names) and not self.padded:
            product = self._stored.add_product(graph, x, weight.names)
        else:
            product = graph.node("MatMul", [x, self._weight(graph, f"{name}.weight", weight)])
        return graph.node("Add", [product, graph.constant(f"{name}.bias", bias)])

    def _weight(self, graph: Graph, name: str, weight: Matrix) -> str:
        if self._stored is not None:
            return self._stored.add_matrix(graph, weight.names)
        values = graph.constant(name, weight.values, exact=True)
        return graph.node("Cast", [values], to=graph.float) if graph.half else values


@dataclass(frozen=True, slots=True)
class Build:
    """An encoder's graph under construction, and what all of its layers are made from.

    ``weights`` returns a tensor by its name in the safetensors file, [out, in].
    """

    graph: Graph
    shape: Architecture
    weights: Weights
    linear: FloatLinear

    def dense(self, *names: str) -> tuple[Matrix, Floats]:
        """The matrices and the biases of some layers side by side."""
        tensors = tuple(f"{name}.weight" for name in names)
        values = np.concatenate([self.weights(name).T for name in tensors], axis=1)
        biases = np.concatenate([self.weights(f"{name}.bias") for name in names])
        return Matrix(tensors, values), biases

    def normalised(self, new: str, old: str, name: str) -> str:
        """The layer normalization of a sum."""
        # The fused SkipLayerNormalization takes several times as long on the CPU.
        values = [
            self.graph.constant(f"{name}.{kind}", self.weights(f"{name}.{part}"))
            for kind, part in (("scale", "weight"), ("shift", "bias"))
        ]
        x = self.graph.node("Add", [new, old])
        return self.graph.node(
            "LayerNormalization", [x, *values], axis=-1, epsilon=self.shape.norm_epsilon
        )


class RecordingLinear(FloatLinear):
    """Float products, with every activation that needs a range as an output of the graph."""

    def __init__(self) -> None:
        super().__init__()
        self.activations: dict[str, str] = {}

    def attention(
        self, graph: Graph, x: str, name: str, dense: tuple[Matrix, Floats], how: Attention,
        rest: Rest,
    ) -> str:  # fmt: skip
        self.activations[name] = x
        return super().attention(graph, x, name, dense, how, rest)

    def mix(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> str:
        self.activations[name] = x
        return super().mix(graph, x, name, weight, bias)

    def widen(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> str:
        self.activations[name] = x
        return super().widen(graph, x, name, weight, bias)
