"""Attention as nodes of a graph: over whole sequences, or within blocks of long ones.

Owns the nodes between the products: which tokens meet which. The rows of the blocks are inputs of
the graph, made for each length by ``embed.blocks``; blocks become a larger batch, so that the one
fused operator serves both. It must not know weights or how products are carried out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.embed.graph import IDS, KEYS, MICROSOFT, PLACES, QUERIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.embed.graph import Graph
    from indexer.embed.models import Architecture


class Attention:
    """How the tokens of one encoder meet.

    Args:
        graph: What the nodes are written into.
        shape: Heads, width, blocks and anchors.
    """

    def __init__(self, graph: Graph, shape: Architecture) -> None:
        self.heads = shape.heads
        self.blocks = bool(shape.block)
        self._graph = graph
        self._anchors = shape.anchors
        self._width = shape.hidden
        if self.blocks:
            self._write_sizes()

    @property
    def inputs(self) -> dict[str, list[str]]:
        """What the graph takes beside ids, by its axes."""
        if not self.blocks:
            return {}
        return {QUERIES: ["blocks", "block"], KEYS: ["blocks", "seen"], PLACES: ["body"]}

    def attend(self, query: str, key: str, value: str) -> str:
        """Write the attention of tensors ``[batch, sequence, hidden]``; nothing is padding."""
        if not self.blocks:
            return self._meet([query, key, value])
        graph = self._graph
        blocks = self._meet(
            [self._rows(query, QUERIES), self._rows(key, KEYS), self._rows(value, KEYS)]
        )
        joined = graph.node("Reshape", [blocks, self._whole])
        body = graph.node("Gather", [joined, PLACES], axis=1)
        if not self._anchors:
            return body
        zero, one = (graph.constant(f"number.{n}", np.array([n], np.int64)) for n in (0, 1))
        first = graph.node("Slice", [query, zero, self._first, one])
        return graph.node("Concat", [self._meet([first, key, value]), body], axis=1)

    def _write_sizes(self) -> None:
        """Nodes for the shapes that all layers share."""
        graph = self._graph
        rest = graph.constant("rest", np.array([-1], np.int64))
        width = graph.constant("width", np.array([self._width], np.int64))

        def size(name: str, axis: int) -> str:
            return graph.node("Shape", [name], start=axis, end=axis + 1)

        self._sizes = {
            name: graph.node("Concat", [rest, size(name, 1), width], axis=0)
            for name in (QUERIES, KEYS)
        }
        self._whole = graph.node("Concat", [size(IDS, 0), rest, width], axis=0)
        self._first = graph.node("Sub", [size(IDS, 1), size(PLACES, 0)])

    def _rows(self, x: str, numbers: str) -> str:
        """The rows of each block, as sequences of a batch: ``[batch * blocks, rows, hidden]``."""
        chosen = self._graph.node("Gather", [x, numbers], axis=1)
        return self._graph.node("Reshape", [chosen, self._sizes[numbers]])

    def _meet(self, parts: Sequence[str]) -> str:
        return self._graph.node(
            "MultiHeadAttention", list(parts), domain=MICROSOFT, num_heads=self.heads
        )
