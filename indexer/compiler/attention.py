"""Attention as nodes of a graph: full, or in blocks for long sequences (``embed.blocks``).

The rows of the blocks are inputs of the graph; the blocks become a batch for the fused
``MultiHeadAttention`` operator. Rotary positions are applied before; the borders of a sliding
window, the order of causal attention and distances (ALiBi: Press et al., 2022) are a bias, for
which the blocks of one group after the other are computed, as for all tokens it takes memory by the
square. It must not know weights or how products are computed.

The activations of a layer for 4,096 tokens exceed the processor's cache (25 MB after the widest
product), so the 8-bit graph computes a layer for a few blocks at a time. With it windows of 4,096
tokens take 1.08 times the seconds of single passages on chunking-eval, without it 1.35
(`python -m tests.benchmarks windows`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.compiler.graph import MICROSOFT
from indexer.embed.encoder import IDS, KEYS, LENGTHS, PLACES, QUERIES, SEEN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from indexer.compiler.graph import Graph
    from indexer.compiler.linear import FloatLinear
    from indexer.embed.architecture import Architecture

    # Adds the nodes of a layer after attention. Arguments: the output of attention, and the input
    # of the layer for the residual connection.
    Rest = Callable[[str, str], str]


# Added to the similarity of a token outside the window, whose exponential is then 0.
_OUTSIDE = -1e9


class Attention:
    """The attention of one encoder.

    Args:
        graph: The graph to which nodes are added.
        shape: Heads, width, blocks and anchors.
        linear: Whether a layer is computed for one group of blocks after the other, and whether
            sequences may be padded.
        rotary_base: Of rotary positions; 0 without them.
        sloped: Whether similarity falls with the distance of tokens.
    """

    def __init__(
        self, graph: Graph, shape: Architecture, linear: FloatLinear, *, rotary_base: float = 0.0,
        sloped: bool = False,
    ) -> None:  # fmt: skip
        self.heads = shape.heads
        self.blocks = bool(shape.block)
        self._shape = shape
        self._local = shape.local
        self._causal = shape.causal
        self._sloped = sloped
        self._positions = shape.positions
        self._rotary_base = rotary_base
        self._graph = graph
        self._grouped = linear.grouped and self.blocks
        self._padded = linear.padded
        self._scanned = shape.causal or sloped  # for all tokens the bias is too large
        self._anchors = shape.anchors
        self._channels = shape.channels
        self._repeated = shape.heads // (shape.kv_heads or shape.heads)
        if self.blocks:
            self._write_sizes()

    @property
    def masked(self) -> bool:
        """Whether it is one operator with a mask of padding, which takes the lengths."""
        return not (self.blocks or self._rotary_base)

    @property
    def inputs(self) -> dict[str, list[str]]:
        """The further inputs of the graph, with the names of their axes."""
        if not self.blocks:
            return {}
        counts = {SEEN: ["groups", "blocks"]} if self._padded else {}
        return {
            QUERIES: ["groups", "blocks", "block"],
            KEYS: ["groups", "blocks", "seen"],
            PLACES: ["batch", "sequence"],
            **counts,
        }

    def attend(self, parts: Sequence[str], x: str, rest: Rest) -> str:
        """Add the attention of query, key and value, and the rest of the layer.

        All tensors are ``[batch, sequence, hidden]``, with padding only if ``linear.padded``.
        """
        if self._rotary_base:
            *rotated, value = parts
            parts = [*map(self._rotated, rotated), value]
        if not self.blocks:
            return rest(self._fused(parts, self._lengths), x)
        flat = [self._flat(part) for part in (*parts, x)]
        inside = rest if self._grouped else _nothing
        if self._grouped or self._scanned:
            names = [QUERIES, KEYS, *([SEEN] if self._padded else [])]
            groups = self._graph.each(names, lambda rows: self._group(rows, flat, inside))
        else:
            rows = [self._flat(name) for name in (QUERIES, KEYS)]
            if self._padded:
                every = self._graph.constant("rest", np.array([-1], np.int64))
                rows.append(self._graph.node("Reshape", [SEEN, every]))
            groups = self._group(rows, flat, inside)
        made = self._joined(self._anchor_layer(parts, x, inside), groups)
        return made if self._grouped else rest(made, x)

    def _group(self, rows: Sequence[str], flat: Sequence[str], rest: Rest) -> str:
        """The layer for some blocks, ``[blocks, block, hidden]``.

        Args:
            rows: The rows of each block, those that it attends to, and with padding how many of
                these there are.
            flat: Query, key, value and the input of the layer, ``[tokens, hidden]``.
            rest: The nodes after attention.
        """
        own, seen, *counts = rows
        query, key, value, x = (
            self._graph.node("Gather", [part, numbers], axis=0)
            for part, numbers in zip(flat, (own, seen, seen, own), strict=True)
        )
        biased = self._local or self._causal or self._sloped
        bias = self._bias(own, seen) if biased else ""
        return rest(self._fused([query, key, value], *counts, bias=bias), x)

    def _bias(self, own: str, seen: str) -> str:
        """What is added to the similarity of tokens, ``[blocks, 1 or heads, block, seen]``."""
        graph = self._graph
        sides = []
        for rows, axes in ((own, (1, 3)), (seen, (1, 2))):
            where = graph.constant(f"axes.{axes}", np.array(axes, np.int64))
            sides.append(graph.node("Unsqueeze", [rows, where]))
        behind = graph.node("Sub", sides)
        distance = graph.node("Abs", [behind])
        if self._sloped:
            slopes = -alibi_slopes(self.heads)[:, None, None]
            size = graph.node("Cast", [distance], to=graph.float)
            return graph.node("Mul", [size, graph.constant("slopes", slopes)])
        if self._causal:
            zero = graph.constant("number.0.int32", np.int32(0))
            allowed = graph.node("GreaterOrEqual", [behind, zero])
        else:
            near = graph.constant("local", np.int32(self._local))
            allowed = graph.node("LessOrEqual", [distance, near])
        inside, outside = (
            graph.constant(name, np.float32(value))
            for name, value in (("inside", 0), ("outside", _OUTSIDE))
        )
        return graph.node("Where", [allowed, inside, outside])

    def _rotated(self, x: str) -> str:
        """A query or key with rotary positions; the halves of a head are rotated together."""
        graph = self._graph
        start = graph.constant("rotary.start", np.array([0], np.int64))
        base, divisor = self._shape.rotary(self._rotary_base, local=bool(self._local))
        angles = rotary_angles(self._positions, self._channels, base) / np.float32(divisor)
        tables = [
            graph.constant(f"rotary.{base:g}.{divisor:g}.{name}", table(angles))
            for name, table in (("cos", np.cos), ("sin", np.sin))
        ]
        return graph.node("RotaryEmbedding", [x, start, *tables], domain=MICROSOFT)

    def _anchor_layer(self, parts: Sequence[str], x: str, rest: Rest) -> str:
        """The layer for the anchors, which attend to all tokens; "" without anchors."""
        if not self._anchors:
            return ""
        query, key, value = parts
        return rest(self._fused([self._head(query), key, value], self._lengths), self._head(x))

    def _head(self, x: str) -> str:
        """The rows of the anchors."""
        zero, one = (self._graph.constant(f"number.{n}", np.array([n], np.int64)) for n in (0, 1))
        return self._graph.node("Slice", [x, zero, self._count, one])

    def _joined(self, anchors: str, groups: str) -> str:
        """Anchors and blocks in the order of the tokens, ``[batch, sequence, hidden]``."""
        made = [self._flat(part) for part in (anchors, groups) if part]
        whole = self._graph.node("Concat", made, axis=0) if anchors else made[0]
        return self._graph.node("Gather", [whole, PLACES], axis=0)

    def _write_sizes(self) -> None:
        """Add the number of anchors, which all layers use."""
        graph = self._graph
        length = graph.node("Shape", [IDS], start=1, end=2)
        one = graph.constant("number.1", np.array([1], np.int64))
        anchors = graph.constant("anchors", np.array([self._anchors], np.int64))
        # As in ``plan_blocks``, a short sequence has at least one token after its anchors.
        self._count = graph.node("Min", [anchors, graph.node("Sub", [length, one])])

    def _flat(self, x: str) -> str:
        """``x`` with all axes but the last flattened."""
        graph = self._graph
        last = graph.node("Shape", [x], start=-1)
        rest = graph.constant("rest", np.array([-1], np.int64))
        return graph.node("Reshape", [x, graph.node("Concat", [rest, last], axis=0)])

    def normalised(self, x: str, name: str, scale: NDArray[np.float32], epsilon: float) -> str:
        """A query or key, ``[batch, sequence, channels of all heads]``, normalised by head."""
        split = self._split(x)
        scales = self._graph.constant(name, scale)
        normal = self._graph.node(
            "SimplifiedLayerNormalization", [split, scales], axis=-1, epsilon=epsilon
        )
        return self._whole(normal)

    def repeated(self, x: str) -> str:
        """A key or value, once for each of the heads that share it."""
        if self._repeated == 1:
            return x
        shared = np.arange(self.heads) // self._repeated
        heads = self._graph.constant("heads", shared)
        return self._whole(self._graph.node("Gather", [self._split(x), heads], axis=2))

    def _split(self, x: str) -> str:
        heads = self._graph.constant("split", np.array([0, 0, -1, self._channels], np.int64))
        return self._graph.node("Reshape", [x, heads])

    def _whole(self, x: str) -> str:
        joined = self._graph.constant("joined", np.array([0, 0, -1], np.int64))
        return self._graph.node("Reshape", [x, joined])

    @property
    def _lengths(self) -> str:
        """The input with the lengths of padded sequences; in order no token sees the padding."""
        ends = self._padded or self._shape.unattended
        return LENGTHS if ends and not self._causal else ""

    def _fused(self, parts: Sequence[str], counts: str = "", *, bias: str = "") -> str:
        """Attention; of the keys only the first ``counts`` are real, if that is given."""
        inputs = [*parts, *(["", counts, bias] if bias else ["", counts] if counts else [])]
        return self._graph.node(
            "MultiHeadAttention", inputs, domain=MICROSOFT, num_heads=self.heads,
            unidirectional=int(self._causal and not self.blocks),
        )  # fmt: skip


def alibi_slopes(heads: int) -> NDArray[np.float32]:
    """How much similarity falls with each token of distance, ``(heads,)``."""
    power = 1 << (heads.bit_length() - 1)
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-4 * np.arange(1, 2 * power, 2) / power)
    return np.concatenate([slopes, between])[:heads].astype(np.float32)


def rotary_angles(positions: int, width: int, base: float) -> NDArray[np.float32]:
    """The angle of each position and pair of channels, ``(positions, width / 2)``, in float32."""
    steps = np.arange(0, width, 2, dtype=np.float32) / np.float32(width)
    turns = np.float32(1) / np.float32(base) ** steps
    angles: NDArray[np.float32] = np.arange(positions, dtype=np.float32)[:, None] * turns
    return angles


def _nothing(context: str, _: str) -> str:
    """A ``Rest`` without nodes."""
    return context
