"""The operators of ModernBERT (Warner et al., 2024) as nodes of a graph.

Pre-norm layers without biases, rotary positions, gated feed-forward layers. Some layers attend to
all tokens, the others to a sliding window, whose blocks bound memory by the length. Owns the order
of the operators; it must not know sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.compiler.attention import Attention
from indexer.compiler.linear import GELU, SILU
from indexer.compiler.tensors import TOKENS

if TYPE_CHECKING:
    from indexer.compiler.linear import Build


def add_modernbert(build: Build) -> tuple[str, Attention]:
    """Add the nodes of the encoder.

    Returns:
        The name of the token states, and the attention with the graph's further inputs.
    """
    graph, shape, linear = build.graph, build.shape, build.linear
    everywhere, nearby = shape.rotary_bases
    whole = Attention(graph, shape.whole, linear, rotary_base=everywhere)
    local = Attention(graph, shape, linear, rotary_base=nearby)
    words = linear.lookup(graph, "words", build.weights(TOKENS))
    x = build.normalised(words, "embeddings.norm")
    for layer in shape.kept_layers:
        x = _layer(build, local if shape.is_local(layer) else whole, layer, x)
    return build.normalised(x, "final_norm"), local


def _layer(build: Build, attention: Attention, layer: int, x: str) -> str:
    graph, linear, stem = build.graph, build.linear, f"layers.{layer}"

    def rest(context: str, x: str) -> str:
        mixed = linear.mix(graph, context, f"{layer}.mix", build.matrix(f"{stem}.attn.Wo"), None)
        x = graph.node("Add", [x, mixed])
        normal = build.normalised(x, f"{stem}.mlp_norm")
        both, active = build.matrix(f"{stem}.mlp.Wi"), SILU if build.shape.silu else GELU
        inner = linear.gate(graph, normal, f"{layer}.gate", both, active)
        narrow = build.matrix(f"{stem}.mlp.Wo")
        return graph.node("Add", [x, linear.narrow(graph, inner, f"{layer}.narrow", narrow, None)])

    # The embeddings are normalised already.
    normal = build.normalised(x, f"{stem}.attn_norm") if layer else x
    name, dense = f"{layer}.attention", (build.matrix(f"{stem}.attn.Wqkv"), None)
    return linear.attention(graph, normal, name, dense, attention, rest, x)
