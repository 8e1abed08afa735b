"""The operators of Qwen3 and Gemma 3 (Zhang et al., 2025; Vera et al., 2025) as nodes of a graph.

Pre-norm layers without biases, rotary positions, normalised queries and keys, of which several
heads share one, and gated feed-forward layers. Qwen's attention is causal or full; Gemma's is full
in some layers and a sliding window in the others, and the output of each part is normalised too.
Owns the order of the operators; it must not know sessions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indexer.compiler.attention import Attention
from indexer.compiler.linear import SILU, TANH_GELU
from indexer.compiler.tensors import EMBEDDED
from indexer.embed.architecture import Family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.compiler.linear import Build

    Floats = NDArray[np.float32]


def add_decoder(build: Build) -> tuple[str, Attention]:
    """Add the nodes of the encoder.

    Returns:
        The name of the token states, and the attention with the graph's further inputs.
    """
    graph, shape, linear = build.graph, build.shape, build.linear
    everywhere, nearby = shape.rotary_bases[0], shape.rotary_bases[-1]
    local = Attention(graph, shape, linear, rotary_base=nearby)
    full = shape if shape.causal else shape.whole
    whole = Attention(graph, full, linear, rotary_base=everywhere)
    x = linear.lookup(graph, "words", build.weights(EMBEDDED))
    if shape.family is Family.GEMMA:
        x = graph.node("Mul", [x, graph.constant("size", np.float32(shape.hidden**0.5))])
    for layer in shape.kept_layers:
        x = _layer(build, local if shape.is_local(layer) else whole, layer, x)
    return _normalised(build, x, "norm"), local


def _layer(build: Build, attention: Attention, layer: int, x: str) -> str:
    graph, shape, linear = build.graph, build.shape, build.linear
    stem, gemma = f"layers.{layer}", shape.family is Family.GEMMA

    def matrix(*names: str) -> Floats:
        return build.matrix(*(f"{stem}.{name}" for name in names))

    def norm(x: str, name: str) -> str:
        return _normalised(build, x, f"{stem}.{name}")

    def rest(context: str, x: str) -> str:
        mixed = linear.mix(graph, context, f"{layer}.mix", matrix("self_attn.o_proj"), None)
        x = graph.node("Add", [x, norm(mixed, "post_attention_layernorm") if gemma else mixed])
        normal = norm(x, "pre_feedforward_layernorm" if gemma else "post_attention_layernorm")
        both, active = matrix("mlp.gate_proj", "mlp.up_proj"), TANH_GELU if gemma else SILU
        inner = linear.gate(graph, normal, f"{layer}.gate", both, active)
        outer = linear.narrow(graph, inner, f"{layer}.narrow", matrix("mlp.down_proj"), None)
        return graph.node("Add", [x, norm(outer, "post_feedforward_layernorm") if gemma else outer])

    kv = (shape.kv_heads or shape.heads) * shape.channels
    dense = matrix("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"), None
    widths = shape.heads * shape.channels, kv, kv
    parts = linear.project(graph, norm(x, "input_layernorm"), f"{layer}.attention", dense, widths)
    query, key = (
        attention.normalised(
            part, f"{stem}.{name}", _scale(build, f"{stem}.self_attn.{name}"), shape.norm_epsilon
        )
        for part, name in zip(parts, ("q_norm", "k_norm"), strict=False)
    )
    return attention.attend([query, *map(attention.repeated, (key, parts[2]))], x, rest)


def _normalised(build: Build, x: str, name: str) -> str:
    scale = build.graph.constant(f"{name}.scale", _scale(build, name))
    return build.graph.node(
        "SimplifiedLayerNormalization", [x, scale], axis=-1, epsilon=build.shape.norm_epsilon
    )


def _scale(build: Build, name: str) -> Floats:
    """The factors of a normalisation; Gemma's are stored without 1."""
    return build.weights(f"{name}.weight") + np.float32(build.shape.family is Family.GEMMA)
