"""The matrix products of the encoder in float32, and recorded for calibration; layer norms.

It must not know the order of the layers, files or sessions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.compiler.graph import MICROSOFT, Graph
from indexer.compiler.packed import BLOCK
from indexer.embed.encoder import IDS, LENGTHS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from indexer.compiler.attention import Attention, Rest
    from indexer.embed.architecture import Architecture

    Floats = NDArray[np.float32]
    Weights = Callable[[str], Floats]
    Dense = tuple[Floats, Floats | None]

# The names of the products of attention, and of those of a gated layer.
PARTS = ("query", "key", "value")
HALVES = ("inner", "gate")
# Activations of a gated layer: exact GELU, its approximation by tanh, and SiLU.
GELU, TANH_GELU, SILU = "Gelu", "FastGelu", "QuickGelu"


def gated(graph: Graph, inner: str, gate: str, activation: str) -> str:
    options: dict[str, Any] = {"alpha": 1.0} if activation == SILU else {}
    active = graph.node(activation, [inner], domain=MICROSOFT, **options)
    return graph.node("Mul", [active, gate])


class FloatLinear:
    """Products in float32, with ONNX Runtime's fused operator for full attention.

    Weights are [in, out]; ``mix`` is the product after attention, ``widen`` and ``narrow`` those of
    the feed-forward layer. ``masked``: attention uses ``LENGTHS``; if not, batches must not be
    padded. ``padded``: sequences of any lengths share a batch, whatever the attention, and the
    graph sums states too. ``half``: the graph computes in float16.

    Args:
        words: Word embeddings in 4 bits, as ``packed.integers`` and their scales. The graph is then
            a third as large and computes the same.
        stored: Returns the offset of a matrix in the file of weights, which is then beside the
            graph, if that has it in half precision, else -1. A session casts these when it opens.
        grouped: Whether a layer is computed for a few blocks of attention at a time, which takes
            less memory; accelerators are faster with a whole layer.
    """

    masked = True
    padded = False
    half = False

    def __init__(
        self,
        words: tuple[NDArray[np.int8], NDArray[np.float16]] | None = None,
        stored: Callable[[Floats], int] = lambda _matrix: -1,
        *,
        grouped: bool = False,
    ) -> None:
        self.grouped = grouped
        self._words = words
        self._stored = stored

    def attention(
        self, graph: Graph, x: str, name: str, dense: Dense, how: Attention, rest: Rest,
        old: str = "",
    ) -> str:  # fmt: skip
        """Project to query, key and value by one weight [hidden, 3 hidden] and bias, and attend.

        ``rest`` adds the rest of the layer; ``old`` is its input where that is not ``x``.
        """
        weight, bias = dense
        if not (self.masked and how.masked) or bias is None:
            third = weight.shape[1] // 3
            return how.attend(self.project(graph, x, name, dense, [third] * 3), old or x, rest)
        inputs = [
            x,
            self._weight(graph, f"{name}.weight", weight),
            graph.constant(f"{name}.bias", bias),
            LENGTHS,
        ]
        return rest(graph.node("Attention", inputs, domain=MICROSOFT, num_heads=how.heads), x)

    def project(
        self, graph: Graph, x: str, name: str, dense: Dense, widths: Sequence[int]
    ) -> list[str]:
        """Query, key and value of so many channels, split from their common product."""
        product = self._product(graph, x, name, *dense)
        sizes = graph.constant(f"{name}.widths", np.array(widths, np.int64))
        parts = [f"{name}.{part}" for part in PARTS]
        return graph.nodes_out("Split", [product, sizes], parts, axis=-1)

    def mix(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats | None) -> str:
        return self._product(graph, x, name, weight, bias)

    def widen(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        """The product and its exact GELU."""
        # The fused BiasGelu is slower on the CPU.
        product = self._product(graph, x, name, weight, bias)
        return graph.node("Gelu", [product], domain=MICROSOFT)

    def gate(self, graph: Graph, x: str, name: str, weight: Floats, activation: str = GELU) -> str:
        """The activation of the first half of the product, times the second half."""
        product = self._product(graph, x, name, weight, None)
        parts = [f"{name}.{part}" for part in HALVES]
        halves = graph.nodes_out("Split", [product], parts, axis=-1, num_outputs=2)
        return gated(graph, halves[0], halves[1], activation)

    def narrow(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats | None) -> str:
        """The product of the output of ``widen``, or without ``bias`` of that of ``gate``."""
        return self._product(graph, x, name, weight, bias)

    def lookup(self, graph: Graph, name: str, table: Floats) -> str:
        """The rows of ``table`` [vocabulary, hidden] for the input ids."""
        if (place := self._stored(table)) >= 0:
            half = graph.node("Gather", [graph.half(name, table.shape, place), IDS])
            return graph.node("Cast", [half], to=1)
        if self._words is None:
            return graph.node("Gather", [graph.constant(name, table), IDS])
        parts = []
        for part, values, width in zip(
            ("integers", "scales"), self._words, (BLOCK, 1), strict=True
        ):
            rows = graph.node("Gather", [graph.constant(f"{name}.{part}", values), IDS])
            blocks = graph.constant(f"{name}.{part}.blocks", np.array([0, 0, -1, width], np.int64))
            parts.append(
                graph.node("Reshape", [graph.node("Cast", [rows], to=graph.float), blocks])
            )
        whole = graph.constant(f"{name}.whole", np.array([0, 0, -1], np.int64))
        return graph.node("Reshape", [graph.node("Mul", parts), whole])

    def _product(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats | None) -> str:
        product = graph.node("MatMul", [x, self._weight(graph, f"{name}.weight", weight)])
        if bias is None:
            return product
        return graph.node("Add", [product, graph.constant(f"{name}.bias", bias)])

    def _weight(self, graph: Graph, name: str, weight: Floats) -> str:
        """Add a weight, out of the file of weights if that has it, whole or in three parts."""
        for count in (1, 3):
            parts = np.array_split(weight.T, count)
            places = [self._stored(part) for part in parts]
            if min(places) >= 0:
                halves = [
                    graph.half(f"{name}.{number}", part.shape, place)
                    for number, (part, place) in enumerate(zip(parts, places, strict=True))
                ]
                whole = graph.node("Concat", halves, axis=0) if count > 1 else halves[0]
                return graph.node("Cast", [graph.node("Transpose", [whole])], to=1)
        return graph.constant(name, weight)


class PaddedLinear(FloatLinear):
    """Float products of a graph for accelerators, which like few large batches.

    Args:
        half: Whether it computes in float16; its states and sums are float32.
    """

    padded = True

    def __init__(self, *, half: bool = False) -> None:
        super().__init__()
        self.half = half


@dataclass(frozen=True, slots=True)
class Build:
    """An encoder's graph under construction, and what all of its layers are made from.

    ``weights`` returns a tensor by its name in the safetensors file, [out, in].
    """

    graph: Graph
    shape: Architecture
    weights: Weights
    linear: FloatLinear

    def matrix(self, *names: str) -> Floats:
        """The matrices of some layers side by side, [in, out of all]."""
        return np.concatenate([self.weights(f"{name}.weight").T for name in names], axis=1)

    def shift(self, name: str) -> Floats:
        return self.weights(f"{name}.bias")

    def normalised(self, x: str, name: str, *, shifted: bool = False) -> str:
        """Layer normalization; ``shifted``: it has a bias too."""
        values = [self.graph.constant(f"{name}.scale", self.weights(f"{name}.weight"))]
        if shifted:
            values.append(self.graph.constant(f"{name}.shift", self.shift(name)))
        return self.graph.node(
            "LayerNormalization", [x, *values], axis=-1, epsilon=self.shape.norm_epsilon
        )


class RecordingLinear(FloatLinear):
    """Float products, with every activation that needs a range as an output of the graph."""

    def __init__(self) -> None:
        super().__init__()
        self.activations: dict[str, str] = {}

    def attention(
        self, graph: Graph, x: str, name: str, dense: Dense, how: Attention, rest: Rest,
        old: str = "",
    ) -> str:  # fmt: skip
        self.activations[name] = x
        return super().attention(graph, x, name, dense, how, rest, old)

    def project(
        self, graph: Graph, x: str, name: str, dense: Dense, widths: Sequence[int]
    ) -> list[str]:
        self.activations[name] = x
        return super().project(graph, x, name, dense, widths)

    def mix(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats | None) -> str:
        self.activations[name] = x
        return super().mix(graph, x, name, weight, bias)

    def widen(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        self.activations[name] = x
        return super().widen(graph, x, name, weight, bias)

    def gate(self, graph: Graph, x: str, name: str, weight: Floats, activation: str = GELU) -> str:
        self.activations[name] = x
        return super().gate(graph, x, name, weight, activation)
