"""The encoder and late pooling in plain numpy, as a reference."""

from __future__ import annotations

from math import ceil, erf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors.numpy import load_file

from tests.tiny_model import WEIGHTS

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


def plain_states(shape: Any, source: Path, ids: NDArray[np.int32]) -> Floats:
    """Token states of one sequence, shape ``(len(ids), hidden)``."""
    w = load_file(source / WEIGHTS)

    def norm(x: Floats, name: str) -> Floats:
        mean, deviation = x.mean(-1, keepdims=True), x.std(-1, keepdims=True)
        normal = (x - mean) / np.sqrt(deviation**2 + shape.norm_epsilon)
        return np.asarray(normal * w[f"{name}.weight"] + w[f"{name}.bias"], np.float32)

    def dense(x: Floats, name: str) -> Floats:
        return np.asarray(x @ w[f"{name}.weight"].T + w[f"{name}.bias"], np.float32)

    mask = plain_attention_mask(len(ids), shape)
    gelu = np.vectorize(lambda v: v * 0.5 * (1 + erf(v / sqrt(2))), otypes=[np.float32])
    x = w["embeddings.word_embeddings.weight"][ids]
    x = x + w["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(shape.layers):
        stem = f"encoder.layer.{layer}"
        parts = [dense(x, f"{stem}.attention.self.{part}") for part in ("query", "key", "value")]
        size = shape.hidden // shape.heads
        context = np.zeros_like(x)
        for head in range(shape.heads):
            q, k, v = (part[:, head * size : (head + 1) * size] for part in parts)
            scores = np.exp(q @ k.T / sqrt(size)) * mask
            context[:, head * size : (head + 1) * size] = scores / scores.sum(1, keepdims=True) @ v
        mixed = dense(context, f"{stem}.attention.output.dense")
        x = norm(x + mixed, f"{stem}.attention.output.LayerNorm")
        inner = gelu(dense(x, f"{stem}.intermediate.dense"))
        x = norm(x + dense(inner, f"{stem}.output.dense"), f"{stem}.output.LayerNorm")
    return x


def plain_attention_mask(length: int, shape: Any) -> NDArray[np.bool_]:
    """Which token (row) attends to which (column), computed token by token."""
    mask = np.ones((length, length), bool)
    block, anchors, seen = shape.block, shape.anchors, shape.block + 2 * shape.reach
    body = length - anchors
    if not block or body <= seen:
        return mask
    size = ceil(body / ceil(body / block))
    for token in range(anchors, length):
        begin = min((token - anchors) // size * size, body - size)
        first = anchors + min(max(begin - (seen - size) // 2, 0), body - seen)
        mask[token, anchors:first] = False
        mask[token, first + seen :] = False
    return mask
