"""Writes the ONNX graph of an encoder from its weights.

Owns the order of BERT's operators; that of ModernBERT is in ``modernbert_graph``. Matrix products
are those of a ``FloatLinear`` or its subclass, attention is in ``attention``. It must not know
sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.compiler.adapter import POSITIONS, TYPES, WORDS
from indexer.compiler.attention import Attention
from indexer.compiler.graph import Graph
from indexer.compiler.modernbert_graph import add_modernbert
from indexer.embed.compiled import DATA, GRAPH
from indexer.embed.encoder import ANCHORS, BLOCK, IDS, LENGTHS, REACH, STATES
from indexer.embed.models import Family

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.compiler.linear import FloatLinear
    from indexer.embed.models import Architecture

    Floats = NDArray[np.float32]
    Weights = Callable[[str], Floats]


def write_encoder(
    shape: Architecture,
    weights: Weights,
    linear: FloatLinear,
    folder: Path,
    extra: Mapping[str, str] | None = None,
) -> Path:
    """Write the encoder into a folder, as ``GRAPH`` and ``DATA``.

    Args:
        shape: The architecture.
        weights: Returns a tensor by its name in the safetensors file, [out, in].
        linear: Adds the matrix products.
        folder: Destination; it must exist.
        extra: Names of further outputs besides the states; ``linear`` fills it.

    Returns:
        The path of the graph.

    Raises:
        KeyError: If a tensor is missing.
        OSError: If the folder cannot be written.
    """
    with (folder / DATA).open("wb") as data:
        graph = Graph(data)
        add = add_modernbert if shape.family is Family.MODERNBERT else _add_bert
        x, attention = add(graph, shape, weights, linear)
        graph.node("Identity", [x], STATES)
    masked = linear.masked and attention.masked
    lengths = {LENGTHS: ["batch"]} if masked else {}
    inputs = {IDS: ["batch", "sequence"], **lengths, **attention.inputs}
    outputs = [STATES, *dict.fromkeys((extra or {}).values())]
    facts = {BLOCK: shape.block, REACH: shape.reach, ANCHORS: shape.anchors}
    path = folder / GRAPH
    path.write_bytes(graph.finish(inputs, outputs, shape.hidden, facts))
    return path


def _add_bert(
    graph: Graph, shape: Architecture, weights: Weights, linear: FloatLinear
) -> tuple[str, Attention]:
    attention = Attention(graph, shape, grouped=linear.grouped)
    x = _embeddings(graph, shape, weights, linear)
    for layer in shape.kept_layers:
        x = _layer(graph, shape, weights, linear, attention, layer, x)
    return x, attention


def _embeddings(graph: Graph, shape: Architecture, weights: Weights, linear: FloatLinear) -> str:
    # All tokens are of type 0, so its embedding is added to the position embeddings beforehand.
    positions = weights(POSITIONS)[shape.first_position :]
    positions = positions + weights(TYPES)[0]
    words = linear.lookup(graph, "words", weights(WORDS))
    zero = graph.constant("zero", np.array([0], np.int64))
    length = graph.node("Shape", [IDS], start=1, end=2)
    here = graph.node("Slice", [graph.constant("positions", positions), zero, length, zero])
    return _normalised(graph, shape, weights, words, here, "embeddings.LayerNorm")


def _layer(
    graph: Graph,
    shape: Architecture,
    weights: Weights,
    linear: FloatLinear,
    attention: Attention,
    layer: int,
    x: str,
) -> str:
    stem = f"encoder.layer.{layer}."

    def dense(name: str) -> tuple[Floats, Floats]:
        return weights(f"{stem}{name}.weight").T, weights(f"{stem}{name}.bias")

    parts = [dense(f"attention.self.{part}") for part in ("query", "key", "value")]
    weight = np.concatenate([part[0] for part in parts], axis=1)
    bias = np.concatenate([part[1] for part in parts])

    def rest(context: str, x: str) -> str:
        mixed = linear.mix(graph, context, f"{layer}.mix", *dense("attention.output.dense"))
        x = _normalised(graph, shape, weights, mixed, x, f"{stem}attention.output.LayerNorm")
        inner = linear.widen(graph, x, f"{layer}.widen", *dense("intermediate.dense"))
        outer = linear.narrow(graph, inner, f"{layer}.narrow", *dense("output.dense"))
        return _normalised(graph, shape, weights, outer, x, f"{stem}output.LayerNorm")

    return linear.attention(graph, x, f"{layer}.attention", (weight, bias), attention, rest)


def _normalised(
    graph: Graph, shape: Architecture, weights: Weights, new: str, old: str, name: str
) -> str:
    # The fused SkipLayerNormalization takes several times as long on the CPU.
    total = graph.node("Add", [new, old])
    scale = graph.constant(f"{name}.scale", weights(f"{name}.weight"))
    shift = graph.constant(f"{name}.shift", weights(f"{name}.bias"))
    return graph.node(
        "LayerNormalization", [total, scale, shift], axis=-1, epsilon=shape.norm_epsilon
    )
