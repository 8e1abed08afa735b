"""The encoder in torch: a post-norm BERT with absolute positions.

It has the forward pass, and extends the position embeddings. The weights are a mapping with the
names of the file. It must not know texts and losses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from adapter import POSITIONS, TYPES, own_names, weights_of
from packed import readable
from torch.nn import functional

from indexer.embed.encoder import plan_blocks
from indexer.embed.models import Side

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from architecture import Architecture

    Tensor = Any
    Weights = dict[str, Tensor]

UNUSED = ("embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias")


def load_weights(path: Path, side: Side = Side.PASSAGES, unused: Sequence[str] = UNUSED) -> Weights:
    """Load one encoder of a safetensors file in float32, without unused tensors."""
    from safetensors.numpy import load_file

    tensors = load_file(path)
    held, read = readable(tensors, tensors.__getitem__)
    weights = weights_of(held, read, side)
    names = [name for name in own_names(held) if name not in unused]
    return {name: torch.tensor(weights(name)) for name in names}


def with_positions(weights: Weights, count: int, start: str) -> Weights:
    """Extend the position embeddings.

    Args:
        weights: The weights, with at most ``count`` positions.
        count: The number of positions.
        start: ``"interpolated"`` or ``"repeated"``: how new rows are made from the old ones.
    """
    old = weights[POSITIONS]
    if count == len(old):
        return weights
    if start == "repeated":
        table = old[torch.arange(count) % len(old)]
    elif start == "interpolated":
        drawn = functional.interpolate(old.T[None], size=count, mode="linear", align_corners=True)
        table = drawn[0].T.contiguous()
    else:
        raise ValueError(f"unknown start of position embeddings: {start!r}")
    return {**weights, POSITIONS: table.clone()}


def token_states(
    weights: Weights, shape: Architecture, ids: Tensor, mask: Tensor | None = None,
    types: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Return the states of tokens.

    Args:
        weights: The weights of the encoder.
        shape: Its layers, heads and other sizes.
        ids: int64, ``[batch, sequence]``.
        mask: bool, ``[batch, sequence]``, false for padding; none if there is no padding, which
            block attention requires.
        types: int64, ``[batch, sequence]``, the types of tokens; none if all are 0.

    Returns:
        float32, ``[batch, sequence, hidden]``.
    """
    words = functional.embedding(ids, weights["embeddings.word_embeddings.weight"])
    here = weights[POSITIONS][: ids.shape[1]]
    table = weights[TYPES]
    kind = table[0] if types is None else functional.embedding(types, table)
    x = _normalised(weights, shape, words + here + kind, "embeddings.LayerNorm")
    seen = None if mask is None else mask[:, None, None, :]
    for layer in shape.kept_layers:
        x = _layer(weights, shape, f"encoder.layer.{layer}.", x, seen)
    return x.float()


def _layer(weights: Weights, shape: Architecture, stem: str, x: Tensor, seen: Tensor) -> Tensor:
    query, key, value = (
        product(weights, x, f"{stem}attention.self.{part}") for part in ("query", "key", "value")
    )
    if shape.block:
        context = _in_blocks(query, key, value, shape)
    else:
        context = _attend(query, key, value, shape.heads, seen)
    mixed = product(weights, context, f"{stem}attention.output.dense")
    x = _normalised(weights, shape, x + mixed, f"{stem}attention.output.LayerNorm")
    inner = functional.gelu(product(weights, x, f"{stem}intermediate.dense"))
    outer = product(weights, inner, f"{stem}output.dense")
    return _normalised(weights, shape, x + outer, f"{stem}output.LayerNorm")


def _attend(query: Tensor, key: Tensor, value: Tensor, heads: int, seen: Tensor = None) -> Tensor:
    """Attention of each query, ``[batch, n, hidden]``, to all keys, ``[batch, m, hidden]``."""

    def split(x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], heads, -1).transpose(1, 2)

    context = functional.scaled_dot_product_attention(
        split(query), split(key), split(value), attn_mask=seen
    )
    return context.transpose(1, 2).reshape(query.shape)


def _in_blocks(query: Tensor, key: Tensor, value: Tensor, shape: Architecture) -> Tensor:
    """Block attention, with the blocks as rows of a larger batch."""
    batch, sequence, hidden = query.shape
    plan = plan_blocks(sequence, shape.block, shape.reach, shape.anchors)

    def rows(x: Tensor, numbers: Any) -> Tensor:
        chosen = x.index_select(1, torch.from_numpy(numbers.reshape(-1)))
        return chosen.view(batch * len(numbers), -1, hidden)

    blocks = _attend(
        rows(query, plan.queries), rows(key, plan.keys), rows(value, plan.keys), shape.heads
    )
    body = blocks.view(batch, -1, hidden).index_select(1, torch.from_numpy(plan.places))
    first = _attend(query[:, : plan.anchors], key, value, shape.heads)
    return torch.cat([first, body], 1)


def product(weights: Weights, x: Tensor, name: str) -> Tensor:
    """A linear layer."""
    return functional.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])


def _normalised(weights: Weights, shape: Architecture, x: Tensor, name: str) -> Tensor:
    scale, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
    return functional.layer_norm(x, (shape.hidden,), scale, shift, shape.norm_epsilon)
