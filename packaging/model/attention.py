"""Attention as nodes of a graph: full, or in blocks for long sequences (``embed.blocks``).

The rows of the blocks are inputs of the graph; the blocks become a batch for the fused
``MultiHeadAttention`` operator.

The activations of a layer for 4,096 tokens exceed the processor's cache (25 MB after the widest
product), so the 8-bit graph computes a layer for a few blocks at a time. With it windows of 4,096
tokens take 1.08 times the seconds of single passages on chunking-eval, without it 1.35
(`python -m tests.benchmarks windows`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from graph import MICROSOFT

from indexer.embed.encoder import IDS, KEYS, LENGTHS, PLACES, QUERIES, SEEN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from architecture import Architecture
    from graph import Graph
    from linear import FloatLinear

    # Adds the nodes of a layer after attention. Arguments: the output of attention, and the input
    # of the layer for the residual connection.
    Rest = Callable[[str, str], str]


class Attention:
    """The attention of one encoder.

    Args:
        graph: The graph to which nodes are added.
        shape: Heads, width, blocks and anchors.
        linear: Whether a layer is computed for one group of blocks after the other, and whether
            sequences may be padded.
    """

    def __init__(self, graph: Graph, shape: Architecture, linear: FloatLinear) -> None:
        self.heads = shape.heads
        self.blocks = bool(shape.block)
        self._graph = graph
        self._grouped = linear.grouped and self.blocks
        self._padded = linear.padded
        self._anchors = shape.anchors
        if self.blocks:
            self._write_sizes()

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
        if not self.blocks:
            return rest(self._fused(parts, self._lengths), x)
        flat = [self._flat(part) for part in (*parts, x)]
        inside = rest if self._grouped else _nothing
        if self._grouped:
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
        return rest(self._fused([query, key, value], *counts), x)

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

    @property
    def _lengths(self) -> str:
        """The input with the lengths of padded sequences."""
        return LENGTHS if self._padded else ""

    def _fused(self, parts: Sequence[str], counts: str = "") -> str:
        """Attention; of the keys only the first ``counts`` are real, if that is given."""
        inputs = [*parts, *(["", counts] if counts else [])]
        return self._graph.node(
            "MultiHeadAttention", inputs, domain=MICROSOFT, num_heads=self.heads
        )


def _nothing(context: str, _: str) -> str:
    """A ``Rest`` without nodes."""
    return context
