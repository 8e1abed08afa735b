"""How the products of the encoder are carried out: in float32, or in 8-bit integers.

Owns the two implementations of ``graph.Linear`` and the rounding of weights. It must not know the
order of the layers, files or sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.embed.graph import LENGTHS, MICROSOFT, Graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WEIGHT_LEVELS = 127


def quantize_columns(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Round a matrix to int8 with one scale a column.

    Args:
        weight: [in, out].

    Returns:
        The integers [in, out] and the scales [out]; ``integers * scales`` is about ``weight``.
    """
    scales = np.abs(weight).max(axis=0) / WEIGHT_LEVELS
    scales = np.where(scales > 0, scales, 1).astype(np.float32)
    return np.rint(weight / scales).astype(np.int8), scales


class FloatLinear:
    """Everything in float32, with ONNX Runtime's fused attention and GELU."""

    def attention(
        self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats, heads: int
    ) -> str:
        inputs = [
            x,
            graph.constant(f"{name}.weight", weight),
            graph.constant(f"{name}.bias", bias),
            LENGTHS,
        ]
        return graph.node("Attention", inputs, domain=MICROSOFT, num_heads=heads)

    def product(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        product = graph.node("MatMul", [x, graph.constant(f"{name}.weight", weight)])
        return graph.node("Add", [product, graph.constant(f"{name}.bias", bias)])

    def gelu(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        product = graph.node("MatMul", [x, graph.constant(f"{name}.weight", weight)])
        shift = graph.constant(f"{name}.bias", bias)
        return graph.node("BiasGelu", [product, shift], domain=MICROSOFT)

    def lookup(self, graph: Graph, ids: str, name: str, table: Floats) -> str:
        return graph.node("Gather", [graph.constant(name, table), ids])


class IntegerLinear:
    """Products in int8: weights with one scale a column, activations scaled as they come."""

    def attention(
        self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats, heads: int
    ) -> str:
        integers, scales = quantize_columns(weight)
        rounded, scale, zero = graph.nodes_out(
            "DynamicQuantizeLinear", [x], [f"{name}.{part}" for part in ("x", "scale", "zero")]
        )
        inputs = [
            rounded,
            graph.constant(f"{name}.weight", integers),
            graph.constant(f"{name}.bias", bias),
            scale,
            graph.constant(f"{name}.scales", scales),
            LENGTHS,
            zero,
            graph.constant(f"{name}.zeros", np.zeros(scales.shape, np.int8)),
        ]
        return graph.node("QAttention", inputs, domain=MICROSOFT, num_heads=heads)

    def product(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        shift = graph.constant(f"{name}.bias", bias)
        return graph.node("Add", [self._product(graph, x, name, weight), shift])

    def gelu(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        shift = graph.constant(f"{name}.bias", bias)
        product = self._product(graph, x, name, weight)
        return graph.node("BiasGelu", [product, shift], domain=MICROSOFT)

    def lookup(self, graph: Graph, ids: str, name: str, table: Floats) -> str:
        integers, scales = quantize_columns(table.T)
        rows = graph.node("Gather", [graph.constant(name, integers.T), ids])
        factors = graph.node("Gather", [graph.constant(f"{name}.scales", scales[:, None]), ids])
        return graph.node("Mul", [graph.node("Cast", [rows], to=1), factors])

    @staticmethod
    def _product(graph: Graph, x: str, name: str, weight: Floats) -> str:
        integers, scales = quantize_columns(weight)
        inputs = [
            x,
            graph.constant(f"{name}.weight", integers),
            graph.constant(f"{name}.scales", scales),
        ]
        return graph.node("DynamicQuantizeMatMul", inputs, domain=MICROSOFT)
