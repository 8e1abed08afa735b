"""Attention as nodes of a graph: over whole sequences, or within blocks of long ones.

Owns the nodes between the products: which tokens attend to which, and which parts of a layer run a
few blocks at a time. The rows of the blocks are inputs of the graph, made for each length by
``embed.blocks``; blocks become a batch, so that the one fused operator serves both. It must not
know weights or how products are carried out.

What a layer makes of 4,096 tokens is larger than a processor's cache (25 MB behind its widest
product). Carried out group by group it stays in it: in 8 bits windows of 4,096 tokens took 1.35
times the seconds of passages alone on chunking-eval before, and 1.08 since
(`python -m tests.benchmarks windows`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.compiler.graph import MICROSOFT
from indexer.embed.encoder import IDS, KEYS, PLACES, QUERIES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indexer.compiler.graph import Graph
    from indexer.embed.models import Architecture

    # Writes what follows attention in a layer, for some tokens: given what attention made of them
    # and what they were before it.
    Rest = Callable[[str, str], str]


class Attention:
    """The attention of one encoder.

    Args:
        graph: The graph to which nodes are added.
        shape: Heads, width, blocks and anchors.
        grouped: Whether a layer is carried out a group of blocks at a time.
    """

    def __init__(self, graph: Graph, shape: Architecture, *, grouped: bool) -> None:
        self.heads = shape.heads
        self.blocks = bool(shape.block)
        self._graph = graph
        self._grouped = grouped
        self._anchors = shape.anchors
        self._width = shape.hidden
        if self.blocks:
            self._write_sizes()

    @property
    def inputs(self) -> dict[str, list[str]]:
        """The inputs of the graph besides ids, by their axes."""
        if not self.blocks:
            return {}
        return {
            QUERIES: ["groups", "blocks", "block"],
            KEYS: ["groups", "blocks", "seen"],
            PLACES: ["batch", "sequence"],
        }

    def attend(self, parts: Sequence[str], x: str, rest: Rest) -> str:
        """Write the attention of query, key and value, and the rest of the layer.

        All tensors are ``[batch, sequence, hidden]``, and nothing is padding.
        """
        if not self.blocks:
            return rest(self._meet(parts), x)
        flat = [self._flat(part) for part in (*parts, x)]
        if self._grouped:
            groups = self._graph.each([QUERIES, KEYS], lambda rows: self._group(rows, flat, rest))
            return self._together(self._first(parts, x, rest), groups)
        rows = [self._flat(name) for name in (QUERIES, KEYS)]
        context = self._together(self._first(parts, x, _alone), self._group(rows, flat, _alone))
        return rest(context, x)

    def _group(self, rows: Sequence[str], flat: Sequence[str], rest: Rest) -> str:
        """The layer for some blocks, ``[blocks, block, hidden]``.

        Args:
            rows: Names of the rows of each block and of those that it sees.
            flat: Query, key, value and the tokens before attention, ``[tokens, hidden]``.
            rest: What follows.
        """
        own, seen = rows
        query, key, value, x = (
            self._graph.node("Gather", [part, numbers], axis=0)
            for part, numbers in zip(flat, (own, seen, seen, own), strict=True)
        )
        return rest(self._meet([query, key, value]), x)

    def _first(self, parts: Sequence[str], x: str, rest: Rest) -> str:
        """The layer for the anchors, which see everything; "" without any."""
        if not self._anchors:
            return ""
        query, key, value = parts
        return rest(self._meet([self._ahead(query), key, value]), self._ahead(x))

    def _ahead(self, x: str) -> str:
        zero, one = (self._graph.constant(f"number.{n}", np.array([n], np.int64)) for n in (0, 1))
        return self._graph.node("Slice", [x, zero, self._count, one])

    def _together(self, first: str, groups: str) -> str:
        """Anchors and blocks in the order of the tokens, ``[batch, sequence, hidden]``."""
        made = [self._flat(part) for part in (first, groups) if part]
        whole = self._graph.node("Concat", made, axis=0) if first else made[0]
        return self._graph.node("Gather", [whole, PLACES], axis=0)

    def _write_sizes(self) -> None:
        """Nodes for what all layers share."""
        graph = self._graph
        length = graph.node("Shape", [IDS], start=1, end=2)
        one = graph.constant("number.1", np.array([1], np.int64))
        anchors = graph.constant("anchors", np.array([self._anchors], np.int64))
        # A sequence of fewer tokens has one behind its anchors too.
        self._count = graph.node("Min", [anchors, graph.node("Sub", [length, one])])

    def _flat(self, x: str) -> str:
        """All but the last axis as one."""
        graph = self._graph
        if x in (QUERIES, KEYS):
            last = graph.node("Shape", [x], start=2, end=3)
        else:
            last = graph.constant("width", np.array([self._width], np.int64))
        rest = graph.constant("rest", np.array([-1], np.int64))
        return graph.node("Reshape", [x, graph.node("Concat", [rest, last], axis=0)])

    def _meet(self, parts: Sequence[str]) -> str:
        return self._graph.node(
            "MultiHeadAttention", list(parts), domain=MICROSOFT, num_heads=self.heads
        )


def _alone(context: str, _: str) -> str:
    """No further nodes."""
    return context
