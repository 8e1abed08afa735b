"""The operators of ModernBERT (Warner et al., 2024) as nodes of a graph.

Pre-norm layers without biases, rotary positions, gated feed-forward layers. Some layers attend to
all tokens, the others to a sliding window, whose blocks bound memory by the length. Owns the order
of the operators; it must not know sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.compiler.attention import Attention
from indexer.compiler.tensors import TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from indexer.compiler.graph import Graph
    from indexer.compiler.linear import FloatLinear
    from indexer.embed.models import Architecture

    Weights = Callable[[str], NDArray[np.float32]]


def add_modernbert(
    graph: Graph, shape: Architecture, weights: Weights, linear: FloatLinear
) -> tuple[str, Attention]:
    """Add the nodes of the encoder.

    Returns:
        The name of the token states, and the attention with the graph's further inputs.
    """
    everywhere, nearby = shape.rotary_bases
    whole = Attention(graph, shape.whole, grouped=False, rotary_base=everywhere)
    local = Attention(graph, shape, grouped=linear.grouped, rotary_base=nearby)
    x = _normalised(graph, shape, weights, linear.lookup(graph, "words", weights(TOKENS)),
                    "embeddings.norm")  # fmt: skip
    for layer in shape.kept_layers:
        attention = local if shape.is_local(layer) else whole
        x = _layer(graph, shape, weights, linear, attention, layer, x)
    return _normalised(graph, shape, weights, x, "final_norm"), local


def _layer(
    graph: Graph,
    shape: Architecture,
    weights: Weights,
    linear: FloatLinear,
    attention: Attention,
    layer: int,
    x: str,
) -> str:
    stem = f"layers.{layer}"

    def matrix(name: str) -> NDArray[np.float32]:
        return weights(f"{stem}.{name}.weight").T

    def rest(context: str, x: str) -> str:
        mixed = linear.mix(graph, context, f"{layer}.mix", matrix("attn.Wo"), None)
        x = graph.node("Add", [x, mixed])
        normal = _normalised(graph, shape, weights, x, f"{stem}.mlp_norm")
        inner = linear.gate(graph, normal, f"{layer}.gate", matrix("mlp.Wi"))
        outer = linear.narrow(graph, inner, f"{layer}.narrow", matrix("mlp.Wo"), None)
        return graph.node("Add", [x, outer])

    # The embeddings are normalised already.
    normal = _normalised(graph, shape, weights, x, f"{stem}.attn_norm") if layer else x
    name, dense = f"{layer}.attention", (matrix("attn.Wqkv"), None)
    return linear.attention(graph, normal, name, dense, attention, rest, x)


def _normalised(graph: Graph, shape: Architecture, weights: Weights, x: str, name: str) -> str:
    scale = graph.constant(f"{name}.scale", weights(f"{name}.weight"))
    return graph.node("LayerNormalization", [x, scale], axis=-1, epsilon=shape.norm_epsilon)
