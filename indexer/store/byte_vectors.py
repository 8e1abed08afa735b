"""Vectors of 8 bits a component, and their products with a query.

100,000 vectors of 384 dimensions take 38 MB of memory and 2 ms of processor a query. The rounding
errors of both vectors bound that of a product; for unit vectors its deviation is some .0005.

Processors without 8-bit dot products add two products in 16 bits, which may saturate. There a query
has 7 bits, since 2 * 127 * 127 fits, and the deviation is .0008.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from msgspec import Struct

from indexer.embed.devices import load_runtime

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.arrays import Float32s, Int32s, Mask


# The ONNX graph of one MatMulInteger: a, uint8 (1, d), by b, int8 (d, n). A zero point for a would
# take four times as long.
_GRAPH = bytes.fromhex(
    "08083a600a180a01610a0162120163220d4d61744d756c496e74656765721201675a140a0161120f"
    "0a0d080212090a0208010a031201645a150a016212100a0e0803120a0a031201640a0312016e6214"
    "0a0163120f0a0d080612090a0208010a0312016e42040a00100d"
)
_TOP = 127
_SATURATING_TOP = 63  # the largest code of a query where products saturate
# The components and vectors of the product that shows whether this processor saturates.
_TRIED = 64


class ByteVectors(Struct, frozen=True):
    """The vectors of n rows.

    Attributes:
        codes: Shape (dim, n).
        units: The value of code 1 in each vector.
        lost: The length of each vector's rounding error.
        offsets: The sum of each vector's codes, times the number that is added to a query's.
    """

    codes: NDArray[np.int8]
    units: Float32s
    lost: Float32s
    offsets: Int32s

    @classmethod
    def of(cls, vectors: Float32s) -> Self:
        """Quantise vectors, (n, dim), each by its largest component."""
        units = (np.abs(vectors).max(axis=1, initial=0.0) / _TOP).astype(np.float32)
        units[units == 0] = 1.0
        rounded = np.rint(vectors / units[:, None])
        return cls(
            codes=np.ascontiguousarray(rounded.T, np.int8),
            units=units,
            lost=np.linalg.norm(vectors - rounded * units[:, None], axis=1).astype(np.float32),
            offsets=_zero() * rounded.sum(axis=1).astype(np.int32),
        )

    @classmethod
    def joined(cls, parts: Sequence[ByteVectors]) -> Self:
        """Concatenate the vectors of some parts."""
        return cls(
            np.concatenate([part.codes for part in parts], axis=1),
            np.concatenate([part.units for part in parts]),
            np.concatenate([part.lost for part in parts]),
            np.concatenate([part.offsets for part in parts]),
        )

    def kept(self, left: Mask) -> ByteVectors:
        """Select the vectors with a true value in a mask, (n,)."""
        units, lost, offsets = self.units[left], self.lost[left], self.offsets[left]
        return ByteVectors(self.codes[:, left], units, lost, offsets)

    def products(self, query: Float32s) -> Float32s:
        """The products with a query, (dim,): float32 (n,), 0 for a vector of zeros."""
        rounded, unit = rounded_query(query)
        inputs = {"a": (rounded + _zero()).astype(np.uint8)[None], "b": self.codes}
        found = _session().run(None, inputs)[0][0] - self.offsets
        products: Float32s = found * (self.units * np.float32(unit))
        return products


def rounded_query(query: Float32s) -> tuple[Float32s, float]:
    """The codes of a query, and the value of code 1."""
    unit = float(np.abs(query).max()) / (_zero() - 1) or 1.0
    return np.rint(query / unit), unit


@cache
def _zero() -> int:
    """The number added to the codes of a query so that none is negative."""
    codes = np.full((1, _TRIED), 2 * _TOP + 1, np.uint8)
    found = _session().run(None, {"a": codes, "b": np.full((_TRIED, _TRIED), _TOP, np.int8)})[0]
    exact = bool((found == codes.sum(dtype=np.int32) * _TOP).all())
    return (_TOP if exact else _SATURATING_TOP) + 1


@cache
def _session() -> Any:
    runtime = load_runtime()
    settings = runtime.SessionOptions()
    settings.intra_op_num_threads = 1
    settings.log_severity_level = 3
    return runtime.InferenceSession(_GRAPH, settings, providers=["CPUExecutionProvider"])
