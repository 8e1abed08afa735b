"""The tensors that the file of an encoder must have, by its architecture.

Owns the names and shapes of each family, as published files have them. Pure; it must not know
files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.compiler.adapter import POSITIONS, TYPES, WORDS
from indexer.compiler.tensors import EMBEDDED, HEAD, TOKENS, bert_head
from indexer.embed.architecture import Family

if TYPE_CHECKING:
    from indexer.embed.architecture import Architecture

    Shapes = dict[str, tuple[int, ...]]


def expected_shapes(shape: Architecture, types: int) -> Shapes:
    """The shape of each tensor by its name; ``types`` is the number of token types."""
    table = {
        Family.MODERNBERT: _modernbert, Family.NOMICBERT: _nomicbert,
        Family.QWEN: _decoder, Family.GEMMA: _decoder,
    }.get(shape.family, _bert)(shape)  # fmt: skip
    if shape.scores:
        table |= _head(shape)
    return table | ({TYPES: (types, shape.hidden)} if WORDS in table else {})


def _head(shape: Architecture) -> Shapes:
    hidden = shape.hidden
    if shape.family is Family.MODERNBERT:
        dense, norm, last = HEAD
        return {
            f"{dense}.weight": (hidden, hidden), f"{norm}.weight": (hidden,),
            f"{last}.weight": (1, hidden), f"{last}.bias": (1,),
        }  # fmt: skip
    first, last = bert_head(shape)
    return {
        f"{first}.weight": (hidden, hidden), f"{first}.bias": (hidden,),
        f"{last}.weight": (1, hidden), f"{last}.bias": (1,),
    }  # fmt: skip


def _bert(shape: Architecture) -> Shapes:
    hidden, inner, jina = shape.hidden, shape.intermediate, shape.family is Family.JINABERT
    shapes: Shapes = {WORDS: (shape.vocabulary, hidden)}
    if not jina:
        shapes[POSITIONS] = (shape.positions + shape.first_position, hidden)
    norms = ["embeddings.LayerNorm"]
    for layer in shape.kept_layers:
        stem = f"encoder.layer.{layer}"
        matrices = dict.fromkeys(
            ("attention.self.query", "attention.self.key", "attention.self.value",
             "attention.output.dense"), (hidden, hidden),
        )  # fmt: skip
        if jina:
            matrices["mlp.wo"] = hidden, inner
            shapes[f"{stem}.mlp.gated_layers.weight"] = 2 * inner, hidden
        else:
            matrices |= {"intermediate.dense": (inner, hidden), "output.dense": (hidden, inner)}
        for name, matrix in matrices.items():
            shapes |= {f"{stem}.{name}.weight": matrix, f"{stem}.{name}.bias": matrix[:1]}
        last = "mlp.layernorm" if jina else "output.LayerNorm"
        norms += [f"{stem}.attention.output.LayerNorm", f"{stem}.{last}"]
    return shapes | _norms(shape, norms, "weight", "bias")


def _nomicbert(shape: Architecture) -> Shapes:
    hidden, inner = shape.hidden, shape.intermediate
    shapes: Shapes = {WORDS: (shape.vocabulary, hidden)}
    norms = ["emb_ln"]
    for layer in shape.kept_layers:
        stem = f"encoder.layers.{layer}"
        shapes |= {
            f"{stem}.attn.Wqkv.weight": (3 * hidden, hidden),
            f"{stem}.attn.out_proj.weight": (hidden, hidden),
            f"{stem}.mlp.fc11.weight": (inner, hidden),
            f"{stem}.mlp.fc12.weight": (inner, hidden),
            f"{stem}.mlp.fc2.weight": (hidden, inner),
        }
        norms += [f"{stem}.norm1", f"{stem}.norm2"]
    return shapes | _norms(shape, norms, "weight", "bias")


def _modernbert(shape: Architecture) -> Shapes:
    hidden, inner = shape.hidden, shape.intermediate
    shapes: Shapes = {TOKENS: (shape.vocabulary, hidden)}
    norms = ["embeddings.norm", "final_norm"]
    for layer in shape.kept_layers:
        stem = f"layers.{layer}"
        shapes |= {
            f"{stem}.attn.Wqkv.weight": (3 * hidden, hidden),
            f"{stem}.attn.Wo.weight": (hidden, hidden),
            f"{stem}.mlp.Wi.weight": (2 * inner, hidden),
            f"{stem}.mlp.Wo.weight": (hidden, inner),
        }
        norms += [f"{stem}.mlp_norm", *([f"{stem}.attn_norm"] if layer else [])]
    return shapes | _norms(shape, norms, "weight")


def _decoder(shape: Architecture) -> Shapes:
    hidden, inner = shape.hidden, shape.intermediate
    own, shared = (count * shape.channels for count in (shape.heads, shape.kv_heads or shape.heads))
    shapes: Shapes = {EMBEDDED: (shape.vocabulary, hidden)}
    norms, gemma = ["norm"], shape.family is Family.GEMMA
    for layer in shape.kept_layers:
        stem = f"layers.{layer}"
        shapes |= {
            f"{stem}.self_attn.q_proj.weight": (own, hidden),
            f"{stem}.self_attn.k_proj.weight": (shared, hidden),
            f"{stem}.self_attn.v_proj.weight": (shared, hidden),
            f"{stem}.self_attn.o_proj.weight": (hidden, own),
            f"{stem}.self_attn.q_norm.weight": (shape.channels,),
            f"{stem}.self_attn.k_norm.weight": (shape.channels,),
            f"{stem}.mlp.gate_proj.weight": (inner, hidden),
            f"{stem}.mlp.up_proj.weight": (inner, hidden),
            f"{stem}.mlp.down_proj.weight": (hidden, inner),
        }
        norms += [f"{stem}.input_layernorm", f"{stem}.post_attention_layernorm"]
        if gemma:
            norms += [f"{stem}.pre_feedforward_layernorm", f"{stem}.post_feedforward_layernorm"]
    return shapes | _norms(shape, norms, "weight")


def _norms(shape: Architecture, names: list[str], *parts: str) -> Shapes:
    return {f"{name}.{part}": (shape.hidden,) for name in names for part in parts}
