"""Writes the ONNX graph of a BERT encoder from its weights: the order of its operators.

Matrix products are those of a ``FloatLinear`` or its subclass, attention is in ``attention``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from adapter import POSITIONS, TYPES, WORDS
from attention import Attention
from graph import Graph
from linear import Build, Matrix

from indexer.embed.encoder import (
    ANCHORS,
    BLOCK,
    ENDS,
    IDS,
    LENGTHS,
    REACH,
    STARTS,
    STATES,
    SUMS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from architecture import Architecture
    from graph import DataFile
    from linear import FloatLinear, Weights


def write_encoder(
    shape: Architecture,
    weights: Weights,
    linear: FloatLinear,
    path: Path,
    data: DataFile,
    extra: Mapping[str, str] | None = None,
) -> set[str]:
    """Write the graph of an encoder.

    Args:
        shape: The architecture.
        weights: Returns a tensor by its name in the safetensors file, [out, in].
        linear: Adds the matrix products, and says for what the graph is.
        path: Of the graph.
        data: Of its constants, beside it.
        extra: Names of further outputs besides the states; ``linear`` fills it.

    Returns:
        The names of the files that the graph refers to.

    Raises:
        KeyError: If a tensor is missing.
        OSError: If the file cannot be written.
    """
    graph = Graph(data, half=linear.half)
    build = Build(graph, shape, weights, linear)
    attention = Attention(graph, shape, linear)
    x = _embeddings(build)
    for layer in shape.kept_layers:
        x = _layer(build, attention, layer, x)
    graph.node("Cast", [x], STATES, to=1)
    outputs: dict[str, Sequence[str | int]] = {STATES: ["batch", "rows", shape.hidden]}
    inputs = {IDS: ["batch", "sequence"], **attention.inputs}
    if linear.padded or (linear.masked and not attention.blocks):
        inputs[LENGTHS] = ["batch"]
    if linear.padded:
        inputs |= {name: ["batch", "segments"] for name in (STARTS, ENDS)}
        outputs[_sum(graph)] = "batch", "segments", shape.hidden
    outputs |= dict.fromkeys((extra or {}).values(), ("batch", "sequence", "width"))
    facts = {BLOCK: shape.block, REACH: shape.reach, ANCHORS: shape.anchors}
    path.write_bytes(graph.finish(inputs, outputs, facts))
    data.release()
    return graph.files


def _sum(graph: Graph) -> str:
    """Sum the states of each segment, so that an accelerator returns no states of tokens."""
    last = graph.constant("axis.last", np.array([-1], np.int64))
    zero, one = (graph.constant(f"scalar.{n}", np.int64(n)) for n in (0, 1))
    length = graph.node("Squeeze", [graph.node("Shape", [IDS], start=1, end=2)])
    rows = graph.node("Cast", [graph.node("Range", [zero, length, one])], to=6)
    start, end = (graph.node("Unsqueeze", [name, last]) for name in (STARTS, ENDS))
    inside = [graph.node("GreaterOrEqual", [rows, start]), graph.node("Less", [rows, end])]
    share = graph.node("Cast", [graph.node("And", inside)], to=1)
    return graph.node("MatMul", [share, STATES], SUMS)


def _embeddings(build: Build) -> str:
    graph = build.graph
    words = build.linear.lookup(graph, "words", Matrix((WORDS,), build.weights(WORDS)))
    # All tokens are of type 0, so its embedding is added to the position embeddings beforehand.
    positions = build.weights(POSITIONS) + build.weights(TYPES)[0]
    zero = graph.constant("zero", np.array([0], np.int64))
    length = graph.node("Shape", [IDS], start=1, end=2)
    table = build.linear.positions(graph, positions)
    here = graph.node("Slice", [table, zero, length, zero])
    if graph.half:
        here = graph.node("Cast", [here], to=graph.float)
    return build.normalised(words, here, "embeddings.LayerNorm")


def _layer(build: Build, attention: Attention, layer: int, x: str) -> str:
    graph, linear, stem = build.graph, build.linear, f"encoder.layer.{layer}."

    def rest(context: str, x: str) -> str:
        mixed = linear.mix(
            graph, context, f"{layer}.mix", *build.dense(f"{stem}attention.output.dense")
        )
        x = build.normalised(mixed, x, f"{stem}attention.output.LayerNorm")
        wide = build.dense(f"{stem}intermediate.dense")
        inner = linear.widen(graph, x, f"{layer}.widen", *wide)
        outer = linear.narrow(graph, inner, f"{layer}.narrow", *build.dense(f"{stem}output.dense"))
        return build.normalised(outer, x, f"{stem}output.LayerNorm")

    dense = build.dense(*(f"{stem}attention.self.{part}" for part in ("query", "key", "value")))
    return linear.attention(graph, x, f"{layer}.attention", dense, attention, rest)
