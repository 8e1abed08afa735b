"""The matrix products of the encoder in 8-bit integers.

How activations are quantized decides both speed and accuracy. Measured with ONNX Runtime 1.31 on
one core with AVX-512 VNNI: tokens/s at 128 tokens a sequence, and the cosine of pooled vectors with
float32 over the 200 reference passages of the tests:

| one scale for | tokens/s | lowest | mean | depends on the batch |
|---|---|---|---|---|
| (float32) | 8,900 | 1 | 1 | no |
| the tensor, found at run time | 22,000 | .980 | .993 | yes, down to .97 |
| the tensor, fixed in advance | 21,900 | .981 | .992 | no |
| each row, found at run time | 17,900 | .986 | .997 | no |
| 128 channels of each row (MatMulNBits) | 10,700 | .996 | .999 | a little |
| **each channel, fixed; each row after GELU** | 20,500 | .997 | .999 | no |

So the outputs of layer norms get a fixed scale for each channel (folded into the weights, at the
cost of one multiplication), the context of attention one for the tensor, and the output of GELU,
where single tokens have large values, one for each row at run time.

Processors without 8-bit dot products add two neighbouring products in 16 bits, saturating. Weights
are scaled so that no two can saturate, hence all processors compute the same. On an EPYC without
AVX-512, lowest and median cosine with float32 over 120 passages of chunking-eval: .9981 and .9988;
with saturation, by weights as large as a byte holds, .9954 and .9973; with weights of 7 bits .9948
and .9974, at the same speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from graph import MICROSOFT, Graph
from linear import PARTS, FloatLinear

if TYPE_CHECKING:
    from collections.abc import Mapping

    from linear import Matrix
    from numpy.typing import NDArray
    from tensors import StoredWeights

    Floats = NDArray[np.float32]

LEVELS = 127  # the largest integer of a weight
# The most that the sizes of two neighbours in a column add up to: 255 times it fits 16 bits.
PAIR_LEVELS = 128
_ROUNDED = 0.01  # less than ``PAIR_LEVELS``, so that rounding both up stays below it
_SMALLEST_SHARE = 1e-3  # of the largest channel: smaller ones need no finer scale
_SMALLEST_SCALE = 1e-12
_GELU_FLOOR = 20  # of 255 levels, for negative values
_GELU_PEAK = 2.0  # 20/235 of this covers GELU's minimum, -0.17


@dataclass(frozen=True, slots=True)
class Range:
    """The lowest and highest observed value of each channel of an activation, [channels]."""

    low: Floats
    high: Floats


def quantize_columns(weight: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Quantize the factor of a product, [in, out], to int8 with one scale for each column.

    The sizes of rows 0 and 1, 2 and 3 and so on add up to at most ``PAIR_LEVELS``.

    Returns:
        The integers [in, out] and the scales [out]; ``integers * scales`` is about ``weight``.
    """
    sizes = np.abs(weight)
    pairs = np.add.reduceat(sizes, np.arange(0, len(sizes), 2), axis=0)
    scales = np.maximum(sizes.max(axis=0) / LEVELS, pairs.max(axis=0) / (PAIR_LEVELS - _ROUNDED))
    # Below the smallest normal number a scale has too few bits; such a column counts as zeros.
    scales = np.where(scales > np.finfo(np.float32).tiny, scales, 1).astype(np.float32)
    return np.rint(weight / scales).astype(np.int8), scales


def smoothing(seen: Range, weight: Floats, share: float) -> Floats:
    """The divisor of each channel of an activation (SmoothQuant: Xiao et al., 2022).

    Args:
        seen: The range of the activation.
        weight: Its weight, [in, out], whose rows must be multiplied by the result.
        share: How much of the range of a channel moves into the weight, 0 to 1 (their alpha).

    Returns:
        Positive factors, [in].
    """
    inputs = np.maximum(np.abs(seen.low), np.abs(seen.high))
    weights = np.abs(weight).max(axis=1)
    inputs = np.maximum(inputs, max(inputs.max() * _SMALLEST_SHARE, _SMALLEST_SHARE))
    weights = np.maximum(weights, max(weights.max() * _SMALLEST_SHARE, _SMALLEST_SHARE))
    factors: Floats = (inputs**share / weights ** (1 - share)).astype(np.float32)
    return factors


def affine(low: float, high: float) -> tuple[np.float32, np.uint8]:
    """The scale and zero point that map ``low`` to ``high`` onto 0 to 255."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = np.float32(max((high - low) / 255, _SMALLEST_SCALE))
    return scale, np.uint8(np.clip(round(-low / float(scale)), 0, 255))


class IntegerLinear(FloatLinear):
    """Products of 8-bit integers; the result of a sequence does not depend on its batch.

    Args:
        ranges: Of each activation with a fixed scale, by the name of its product.
        stored: The file of weights beside the graph, whose embeddings are looked up as they are.
    """

    # Without a mask ONNX Runtime computes attention in tiles that fit the cache.
    masked = False
    grouped = True

    def __init__(self, ranges: Mapping[str, Range], stored: StoredWeights | None = None) -> None:
        super().__init__(stored)
        self._ranges = ranges

    def project(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> list[str]:
        rounded, scale, zero, smooth = self._smoothed(graph, x, name, weight.values, 1.0)
        # Three products, because splitting one into three copies all of it.
        parts = zip(PARTS, np.split(smooth, 3, axis=1), np.split(bias, 3), strict=True)
        return [
            self._integer_product(graph, rounded, f"{name}.{part}", own, shift, scale, zero)
            for part, own, shift in parts
        ]

    def mix(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> str:
        seen = self._ranges[name]
        scale, zero = self._fixed(graph, name, float(seen.low.min()), float(seen.high.max()))
        rounded = graph.node("QuantizeLinear", [x, scale, zero])
        return self._integer_product(graph, rounded, name, weight.values, bias, scale, zero)

    def widen(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> str:
        rounded, scale, zero, smooth = self._smoothed(graph, x, name, weight.values, 0.75)
        product = self._integer_product(graph, rounded, name, smooth, bias, scale, zero)
        return graph.node("Gelu", [product], domain=MICROSOFT)

    def narrow(self, graph: Graph, x: str, name: str, weight: Matrix, bias: Floats) -> str:
        """The product with one scale for each row, as the range after GELU differs by token."""
        axis = graph.constant("last", np.array([-1], np.int64))
        peak = graph.node("ReduceMax", [x, axis], keepdims=1)
        peak = graph.node("Max", [peak, graph.constant("peak", np.float32(_GELU_PEAK))])
        scale = graph.constant("row.scale", np.float32(1 / (255 - _GELU_FLOOR)))
        zero = graph.constant("row.zero", np.uint8(_GELU_FLOOR))
        rounded = graph.node("QuantizeLinear", [graph.node("Div", [x, peak]), scale, zero])
        product = self._integer_product(graph, rounded, name, weight.values, None, scale, zero)
        restored = graph.node("Mul", [product, peak])
        return graph.node("Add", [restored, graph.constant(f"{name}.bias", bias)])

    def _smoothed(
        self, graph: Graph, x: str, name: str, weight: Floats, share: float
    ) -> tuple[str, str, str, Floats]:
        """Smooth and quantize ``x``; returns it, its scale and zero point, and the new weight."""
        seen = self._ranges[name]
        factors = smoothing(seen, weight, share)
        quiet = graph.node("Mul", [x, graph.constant(f"{name}.quiet", 1 / factors)])
        low, high = float((seen.low / factors).min()), float((seen.high / factors).max())
        scale, zero = self._fixed(graph, name, low, high)
        rounded = graph.node("QuantizeLinear", [quiet, scale, zero])
        return rounded, scale, zero, weight * factors[:, None]

    def _integer_product(
        self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats | None,
        scale: str, zero: str,
    ) -> str:  # fmt: skip
        integers, scales = self._columns(graph, name, weight)
        inputs = [x, integers, scale, scales, zero]
        if bias is not None:
            inputs += ["", graph.constant(f"{name}.bias", bias)]
        return graph.node("MatMulIntegerToFloat", inputs, domain=MICROSOFT)

    def _columns(self, graph: Graph, name: str, weight: Floats) -> tuple[str, str]:
        integers, scales = quantize_columns(weight)
        return (
            graph.constant(f"{name}.weight", integers),
            graph.constant(f"{name}.scales", scales),
        )

    @staticmethod
    def _fixed(graph: Graph, name: str, low: float, high: float) -> tuple[str, str]:
        scale, zero = affine(low, high)
        return graph.constant(f"{name}.scale", scale), graph.constant(f"{name}.zero", zero)
