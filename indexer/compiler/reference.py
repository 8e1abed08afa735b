"""The encoders in plain numpy: what a compiled graph must compute, written as in the papers.

It is slow. Attention is full, causal or a sliding window; blocks with anchors are not covered. It
must not know graphs or sessions.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from indexer.compiler.adapter import POSITIONS, TYPES, WORDS
from indexer.compiler.attention import alibi_slopes
from indexer.compiler.tensors import EMBEDDED, HEAD, PROJECTION, TOKENS, bert_head
from indexer.embed.architecture import Family

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from indexer.embed.architecture import Architecture

    Floats = NDArray[np.float32]
    Weights = Callable[[str], Floats]

# Abramowitz and Stegun, 7.1.26: the error function to 1.5e-7.
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_SCALE = 0.3275911
_ROWS = 512  # of attention at a time, to bound memory


def reference_states(shape: Architecture, weights: Weights, ids: NDArray[np.int32]) -> Floats:
    """The token states of one sequence, ``(len(ids), hidden)``."""
    compute = {
        Family.MODERNBERT: _modernbert, Family.NOMICBERT: _nomicbert,
        Family.QWEN: _decoder, Family.GEMMA: _decoder,
    }.get(shape.family, _bert)  # fmt: skip
    states = compute(shape, weights, ids)
    if shape.scores:
        return _score(shape, weights, states[:1])
    return states @ weights(PROJECTION).T if shape.projected else states


def _bert(shape: Architecture, weights: Weights, ids: NDArray[np.int32]) -> Floats:
    def dense(x: Floats, name: str) -> Floats:
        return x @ weights(f"{name}.weight").T + weights(f"{name}.bias")

    def norm(x: Floats, name: str) -> Floats:
        return _normal(x, shape) * weights(f"{name}.weight") + weights(f"{name}.bias")

    jina = shape.family is Family.JINABERT
    ends = ids == ids[-1]  # the separators of a pair
    second = np.minimum(np.cumsum(ends) - ends, 1) if shape.typed else 0
    x = weights(WORDS)[ids] + weights(TYPES)[second]
    if not jina:
        x = x + weights(POSITIONS)[shape.first_position :][: len(ids)]
    x = norm(x, "embeddings.LayerNorm")
    for layer in shape.kept_layers:
        stem = f"encoder.layer.{layer}"
        parts = [dense(x, f"{stem}.attention.self.{part}") for part in ("query", "key", "value")]
        context = dense(_attention(parts, shape), f"{stem}.attention.output.dense")
        x = norm(x + context, f"{stem}.attention.output.LayerNorm")
        if jina:
            both = np.split(x @ weights(f"{stem}.mlp.gated_layers.weight").T, 2, axis=1)
            outer = dense(_gelu(both[0]) * both[1], f"{stem}.mlp.wo")
            x = norm(x + outer, f"{stem}.mlp.layernorm")
            continue
        inner = _gelu(dense(x, f"{stem}.intermediate.dense"))
        x = norm(x + dense(inner, f"{stem}.output.dense"), f"{stem}.output.LayerNorm")
    return x


def _nomicbert(shape: Architecture, weights: Weights, ids: NDArray[np.int32]) -> Floats:
    def dense(x: Floats, name: str) -> Floats:
        return x @ weights(f"{name}.weight").T

    def norm(x: Floats, name: str) -> Floats:
        return _normal(x, shape) * weights(f"{name}.weight") + weights(f"{name}.bias")

    x = norm(weights(WORDS)[ids] + weights(TYPES)[0], "emb_ln")
    for layer in shape.kept_layers:
        stem = f"encoder.layers.{layer}"
        query, key, value = np.split(dense(x, f"{stem}.attn.Wqkv"), 3, axis=1)
        turn = shape.rotary(shape.rotary_bases[0], local=False)
        parts = [_rotated(part, shape, *turn) for part in (query, key)]
        context = _attention([*parts, value], shape)
        x = norm(x + dense(context, f"{stem}.attn.out_proj"), f"{stem}.norm1")
        inner = _silu(dense(x, f"{stem}.mlp.fc12")) * dense(x, f"{stem}.mlp.fc11")
        x = norm(x + dense(inner, f"{stem}.mlp.fc2"), f"{stem}.norm2")
    return x


def _modernbert(shape: Architecture, weights: Weights, ids: NDArray[np.int32]) -> Floats:
    def dense(x: Floats, name: str) -> Floats:
        return x @ weights(f"{name}.weight").T

    def norm(x: Floats, name: str) -> Floats:
        return _normal(x, shape) * weights(f"{name}.weight")

    x = norm(weights(TOKENS)[ids], "embeddings.norm")
    for layer in shape.kept_layers:
        stem, local = f"layers.{layer}", shape.is_local(layer)
        normal = norm(x, f"{stem}.attn_norm") if layer else x
        query, key, value = np.split(dense(normal, f"{stem}.attn.Wqkv"), 3, axis=1)
        turn = shape.rotary(shape.rotary_bases[int(local)], local=local)
        parts = [_rotated(part, shape, *turn) for part in (query, key)]
        context = _attention([*parts, value], shape, shape.local if local else 0)
        x = x + dense(context, f"{stem}.attn.Wo")
        inner, gate = np.split(dense(norm(x, f"{stem}.mlp_norm"), f"{stem}.mlp.Wi"), 2, axis=1)
        active = (_silu if shape.silu else _gelu)(inner)
        x = x + dense(active * gate, f"{stem}.mlp.Wo")
    return norm(x, "final_norm")


def _decoder(shape: Architecture, weights: Weights, ids: NDArray[np.int32]) -> Floats:
    gemma = shape.family is Family.GEMMA

    def dense(x: Floats, name: str) -> Floats:
        return x @ weights(f"{name}.weight").T

    def norm(x: Floats, name: str) -> Floats:
        size = np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + np.float32(shape.norm_epsilon))
        return np.asarray(x / size * (weights(f"{name}.weight") + np.float32(gemma)), np.float32)

    def by_head(x: Floats, name: str) -> Floats:
        return norm(x.reshape(len(x), -1, shape.channels), name).reshape(x.shape)

    x = weights(EMBEDDED)[ids] * np.float32(shape.hidden**0.5 if gemma else 1)
    for layer in shape.kept_layers:
        stem, local = f"layers.{layer}", shape.is_local(layer)
        normal, own = norm(x, f"{stem}.input_layernorm"), f"{stem}.self_attn"
        turn = shape.rotary(shape.rotary_bases[int(local)], local=local)
        query, key = (
            by_head(dense(normal, f"{own}.{part}_proj"), f"{own}.{part}_norm") for part in "qk"
        )
        rotated = (_rotated(part, shape, *turn) for part in (query, key))
        parts = [*rotated, dense(normal, f"{own}.v_proj")]
        context = dense(_attention(parts, shape, shape.local if local else 0), f"{own}.o_proj")
        x = x + (norm(context, f"{stem}.post_attention_layernorm") if gemma else context)
        before = "pre_feedforward_layernorm" if gemma else "post_attention_layernorm"
        normal = norm(x, f"{stem}.{before}")
        gate = (_tanh_gelu if gemma else _silu)(dense(normal, f"{stem}.mlp.gate_proj"))
        outer = dense(gate * dense(normal, f"{stem}.mlp.up_proj"), f"{stem}.mlp.down_proj")
        x = x + (norm(outer, f"{stem}.post_feedforward_layernorm") if gemma else outer)
    return norm(x, "norm")


def _score(shape: Architecture, weights: Weights, x: Floats) -> Floats:
    if shape.family is Family.MODERNBERT:
        active = _gelu(x @ weights(f"{HEAD[0]}.weight").T)
        x, last = _normal(active, shape) * weights(f"{HEAD[1]}.weight"), HEAD[2]
    else:
        first, last = bert_head(shape)
        x = np.tanh(x @ weights(f"{first}.weight").T + weights(f"{first}.bias"))
    return x @ weights(f"{last}.weight").T + weights(f"{last}.bias")


def _normal(x: Floats, shape: Architecture) -> Floats:
    centred = x - x.mean(axis=1, keepdims=True)
    variance = np.square(centred).mean(axis=1, keepdims=True)
    normal: Floats = centred / np.sqrt(variance + np.float32(shape.norm_epsilon))
    return normal


def _gelu(x: Floats) -> Floats:
    size = np.abs(x) / np.float32(sqrt(2))
    turn = 1 / (1 + _ERF_SCALE * size)
    tail = sum(factor * turn ** (power + 1) for power, factor in enumerate(_ERF))
    erf = np.sign(x) * (1 - tail * np.exp(-size * size))
    return np.asarray(x * (1 + erf) / 2, np.float32)


def _silu(x: Floats) -> Floats:
    return np.asarray(x / (1 + np.exp(-x)), np.float32)


def _tanh_gelu(x: Floats) -> Floats:
    inner = np.float32(sqrt(2 / pi)) * (x + np.float32(0.044715) * x**3)
    return np.asarray(x * (1 + np.tanh(inner)) / 2, np.float32)


def _rotated(x: Floats, shape: Architecture, base: float, divisor: float) -> Floats:
    """Rotate the pairs of channels ``i`` and ``i + width / 2`` of each head by their position."""
    width = shape.channels
    angles = np.arange(len(x))[:, None] / divisor * base ** (-np.arange(0, width, 2) / width)
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    first, second = np.split(x.reshape(len(x), -1, width), 2, axis=2)
    turned = np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=2)
    return turned.reshape(x.shape).astype(np.float32)


def _attention(parts: list[Floats], shape: Architecture, local: int = 0) -> Floats:
    """Attention over tokens, head by head; with ``local`` only to that many on either side."""
    heads = [part.reshape(len(part), -1, shape.channels).swapaxes(0, 1) for part in parts]
    shared = shape.heads // (shape.kv_heads or shape.heads)
    slopes = alibi_slopes(shape.heads) * (shape.family is Family.JINABERT)
    context, length = np.empty_like(heads[0]), len(parts[0])
    for start in range(0, length, _ROWS):
        rows = slice(start, start + _ROWS)
        seen = slice(max(0, start - local) if local else 0,
                     start + _ROWS + local if local or shape.causal else length)  # fmt: skip
        places = np.arange(length, dtype=np.float32)
        behind = places[rows, None] - places[seen]
        outside = (behind < 0) & shape.causal | (np.abs(behind) > (local or length))
        for head, query in enumerate(heads[0][:, rows]):
            key, value = (part[head // shared, seen] for part in heads[1:])
            scores = query @ key.T / np.float32(sqrt(shape.channels))
            scores -= slopes[head] * np.abs(behind)
            scores[outside] = -np.inf
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            context[head, rows] = shares @ value / shares.sum(axis=1, keepdims=True)
    return context.swapaxes(0, 1).reshape(parts[0].shape)
