"""The encoder as an ONNX graph, written node by node from its weights.

Owns the order of the operators. How a matrix product is carried out (float or integer) is a
``Linear`` passed in, how tokens meet is ``attention``'s. It must not know caches or sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from indexer.compiler.adapter import POSITIONS
from indexer.compiler.attention import Attention
from indexer.compiler.graph import Graph
from indexer.embed.compiled import DATA, GRAPH
from indexer.embed.encoder import ANCHORS, BLOCK, IDS, LENGTHS, REACH, STATES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.compiler.attention import Rest
    from indexer.embed.models import Architecture

    Floats = NDArray[np.float32]
    Weights = Callable[[str], Floats]


class Linear(Protocol):
    """Writes the products of a layer into a graph. Weights are [in, out]."""

    @property
    def masked(self) -> bool:
        """Whether attention can look at ``LENGTHS``; if not, nothing in a batch may be padded."""
        ...

    @property
    def grouped(self) -> bool:
        """Whether a layer may be carried out a few blocks of attention at a time."""
        ...

    def attention(
        self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats, how: Attention,
        rest: Rest,
    ) -> str:  # fmt: skip
        """Project to query, key and value with one ``weight`` [hidden, 3 hidden], and attend.

        ``rest`` writes what follows.
        """
        ...

    def mix(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        """The product after attention."""
        ...

    def widen(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        """The product into the wide layer, and the exact GELU of it."""
        ...

    def narrow(self, graph: Graph, x: str, name: str, weight: Floats, bias: Floats) -> str:
        """The product out of the wide layer."""
        ...

    def lookup(self, graph: Graph, name: str, table: Floats) -> str:
        """The rows of ``table`` [vocabulary, hidden] that the ids name."""
        ...


def write_encoder(
    shape: Architecture,
    weights: Weights,
    linear: Linear,
    folder: Path,
    extra: Mapping[str, str] | None = None,
) -> Path:
    """Write the encoder into a folder, as ``GRAPH`` and ``DATA``.

    Args:
        shape: Layers, heads and the like.
        weights: Gives a tensor by its name in the safetensors file, [out, in].
        linear: How products are carried out.
        folder: Where to; it must exist.
        extra: Filled by ``linear``: further tensors to put out, beside the states.

    Returns:
        The path of the graph.

    Raises:
        KeyError: If a tensor is missing.
        OSError: If the folder cannot be written.
    """
    with (folder / DATA).open("wb") as data:
        graph = Graph(data)
        attention = Attention(graph, shape, grouped=linear.grouped)
        x = _embeddings(graph, shape, weights, linear)
        for layer in shape.read:
            x = _layer(graph, shape, weights, linear, attention, layer, x)
        graph.node("Identity", [x], STATES)
    masked = linear.masked and not attention.blocks
    lengths = {LENGTHS: ["batch"]} if masked else {}
    inputs = {IDS: ["batch", "sequence"], **lengths, **attention.inputs}
    outputs = [STATES, *dict.fromkeys((extra or {}).values())]
    facts = {BLOCK: shape.block, REACH: shape.reach, ANCHORS: shape.anchors}
    path = folder / GRAPH
    path.write_bytes(graph.finish(inputs, outputs, shape.hidden, facts))
    return path


def _embeddings(graph: Graph, shape: Architecture, weights: Weights, linear: Linear) -> str:
    # Every token is of type 0, so that row is part of each position.
    positions = weights(POSITIONS) + weights("embeddings.token_type_embeddings.weight")[0]
    words = linear.lookup(graph, "words", weights("embeddings.word_embeddings.weight"))
    zero = graph.constant("zero", np.array([0], np.int64))
    length = graph.node("Shape", [IDS], start=1, end=2)
    here = graph.node("Slice", [graph.constant("positions", positions), zero, length, zero])
    return _normalised(graph, shape, weights, words, here, "embeddings.LayerNorm")


def _layer(
    graph: Graph,
    shape: Architecture,
    weights: Weights,
    linear: Linear,
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

    return linear.attention(graph, x, f"{layer}.attention", weight, bias, attention, rest)


def _normalised(
    graph: Graph, shape: Architecture, weights: Weights, new: str, old: str, name: str
) -> str:
    # Not the fused SkipLayerNormalization: on the CPU it takes several times as long as the two.
    total = graph.node("Add", [new, old])
    scale = graph.constant(f"{name}.scale", weights(f"{name}.weight"))
    shift = graph.constant(f"{name}.shift", weights(f"{name}.bias"))
    return graph.node(
        "LayerNormalization", [total, scale, shift], axis=-1, epsilon=shape.norm_epsilon
    )
