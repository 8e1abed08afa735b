"""The encoders in plain numpy: what a compiled graph must compute, written as in the papers.

It is slow, and needs memory by the square of the length. Attention is full, or a sliding window for
ModernBERT; blocks with anchors are not covered. It must not know graphs or sessions.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from indexer.compiler.adapter import POSITIONS, TYPES, WORDS
from indexer.compiler.modernbert_graph import TOKENS
from indexer.embed.models import Family

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from indexer.embed.models import Architecture

    Floats = NDArray[np.float32]
    Weights = Callable[[str], Floats]

# Abramowitz and Stegun, 7.1.26: the error function to 1.5e-7.
_ERF = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)
_ERF_SCALE = 0.3275911


def reference_states(shape: Architecture, weights: Weights, ids: NDArray[np.int32]) -> Floats:
    """The token states of one sequence, ``(len(ids), hidden)``."""
    compute = _modernbert if shape.family is Family.MODERNBERT else _bert
    return compute(shape, weights, ids)


def _bert(shape: Architecture, weights: Weights, ids: NDArray[np.int32]) -> Floats:
    def dense(x: Floats, name: str) -> Floats:
        return x @ weights(f"{name}.weight").T + weights(f"{name}.bias")

    def norm(x: Floats, name: str) -> Floats:
        return _normal(x, shape) * weights(f"{name}.weight") + weights(f"{name}.bias")

    x = weights(WORDS)[ids] + weights(TYPES)[0]
    x = x + weights(POSITIONS)[shape.first_position :][: len(ids)]
    x = norm(x, "embeddings.LayerNorm")
    for layer in shape.kept_layers:
        stem = f"encoder.layer.{layer}"
        parts = [dense(x, f"{stem}.attention.self.{part}") for part in ("query", "key", "value")]
        context = dense(_attention(parts, shape.heads), f"{stem}.attention.output.dense")
        x = norm(x + context, f"{stem}.attention.output.LayerNorm")
        inner = _gelu(dense(x, f"{stem}.intermediate.dense"))
        x = norm(x + dense(inner, f"{stem}.output.dense"), f"{stem}.output.LayerNorm")
    return x


def _modernbert(shape: Architecture, weights: Weights, ids: NDArray[np.int32]) -> Floats:
    def dense(x: Floats, name: str) -> Floats:
        return x @ weights(f"{name}.weight").T

    def norm(x: Floats, name: str) -> Floats:
        return _normal(x, shape) * weights(f"{name}.weight")

    places = np.arange(len(ids))
    near = np.abs(places[:, None] - places) <= shape.local
    x = norm(weights(TOKENS)[ids], "embeddings.norm")
    for layer in shape.kept_layers:
        stem, local = f"layers.{layer}", layer % shape.global_every > 0
        normal = norm(x, f"{stem}.attn_norm") if layer else x
        query, key, value = np.split(dense(normal, f"{stem}.attn.Wqkv"), 3, axis=1)
        base = shape.rotary_bases[int(local)]
        parts = [_rotated(part, shape.heads, base) for part in (query, key)]
        context = _attention([*parts, value], shape.heads, near if local else None)
        x = x + dense(context, f"{stem}.attn.Wo")
        inner, gate = np.split(dense(norm(x, f"{stem}.mlp_norm"), f"{stem}.mlp.Wi"), 2, axis=1)
        x = x + dense(_gelu(inner) * gate, f"{stem}.mlp.Wo")
    return norm(x, "final_norm")


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


def _rotated(x: Floats, heads: int, base: float) -> Floats:
    """Rotate the pairs of channels ``i`` and ``i + width / 2`` of each head by their position."""
    width = x.shape[1] // heads
    angles = np.arange(len(x))[:, None] * base ** (-np.arange(0, width, 2) / width)
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    first, second = np.split(x.reshape(len(x), heads, width), 2, axis=2)
    turned = np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=2)
    return turned.reshape(x.shape).astype(np.float32)


def _attention(parts: list[Floats], heads: int, allowed: NDArray[np.bool_] | None = None) -> Floats:
    """Attention over tokens, head by head; ``allowed[i, j]``: whether ``i`` attends to ``j``."""
    contexts = []
    for query, key, value in zip(*(np.split(part, heads, axis=1) for part in parts), strict=True):
        scores = query @ key.T / np.float32(sqrt(query.shape[1]))
        if allowed is not None:
            scores = np.where(allowed, scores, -np.inf)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        contexts.append(shares @ value / shares.sum(axis=1, keepdims=True))
    return np.concatenate(contexts, axis=1).astype(np.float32)
