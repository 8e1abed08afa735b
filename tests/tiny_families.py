"""Tiny random models of the families that are compiled, and how torch computes them.

``tests/data/families.npz`` holds the token states that transformers' own classes compute from these
weights, written by ``python -m tests.tiny_families`` where torch is installed (``make
test-convert``, which also compares them live).
"""

from __future__ import annotations

import tempfile
import zlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.compiler.adapter import WORDS as WORD_TABLE
from indexer.compiler.tensors import EMBEDDED, PROJECTION, TOKENS
from indexer.compiler.weight_shapes import expected_shapes
from indexer.embed.architecture import Architecture, Family
from tests.tiny_model import tiny_vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Tensors = dict[str, NDArray[np.float32]]

STATES = Path(__file__).parent / "data" / "families.npz"
LENGTHS = (2, 7, 40, 150)
WORDS = len(tiny_vocabulary())
MODERNBERT = Architecture(
    layers=4, heads=2, hidden=32, intermediate=48, vocabulary=WORDS, positions=160,
    norm_epsilon=1e-5, family=Family.MODERNBERT, global_every=3, local=8, block=16, reach=8,
    rotary_bases=(160_000.0, 10_000.0),
)  # fmt: skip
ROBERTA = Architecture(
    layers=2, heads=2, hidden=32, intermediate=64, vocabulary=WORDS, positions=158,
    norm_epsilon=1e-5, first_position=2,
)  # fmt: skip
_GATED = Architecture(
    layers=2, heads=4, hidden=32, intermediate=48, vocabulary=WORDS, positions=160,
    family=Family.NOMICBERT, rotary_bases=(1000.0,),
)  # fmt: skip
_QWEN = replace(
    _GATED, family=Family.QWEN, kv_heads=2, head_width=12, norm_epsilon=1e-6, rotary_bases=(1e6,)
)
FAMILIES = {
    "modernbert": MODERNBERT,
    "xlm-roberta": ROBERTA,
    "nomic_bert": _GATED,
    "jina_bert": replace(
        _GATED, family=Family.JINABERT, rotary_bases=(), heads=2, block=128, reach=160
    ),
    "qwen3": replace(_QWEN, causal=True, block=128, reach=160),
    "bidirectional_pplx_qwen3": _QWEN,
    "gemma3_text": replace(
        _QWEN, family=Family.GEMMA, layers=3, global_every=3, local=8, block=16, reach=8,
        rotary_bases=(1e6, 1e4), projected=24,
    ),
}  # fmt: skip
# All of them, and other options of some: the activation of ModernBERT, BERT with token types.
SHAPES = FAMILIES | {
    "modernbert-silu": replace(MODERNBERT, silu=True),
    "bert": replace(ROBERTA, first_position=0, positions=160),
}
# What GPT-2, and so published files of NomicBERT, call the options.
_NOMIC = {
    "hidden_size": "n_embd", "num_attention_heads": "n_head", "num_hidden_layers": "n_layer",
    "intermediate_size": "n_inner", "max_position_embeddings": "n_positions",
}  # fmt: skip


SCORERS = ("bert", "modernbert", "xlm-roberta")  # families of cross-encoders


def family_weights(name: str, shape: Architecture | None = None) -> Tensors:
    """Random weights of a family's tiny model, by the names that its files have."""
    shape = shape or SHAPES[name]
    random = np.random.default_rng(zlib.crc32(name.encode()))
    shapes = expected_shapes(shape, 2)
    if shape.projected:
        shapes[PROJECTION] = shape.projected, shape.hidden

    def tensor(key: str, size: tuple[int, ...]) -> NDArray[np.float32]:
        norm = len(size) == 1 and key.endswith("weight") and shape.family is not Family.GEMMA
        scale = 1.0 if key in {WORD_TABLE, TOKENS, EMBEDDED} else 0.2
        return np.asarray(random.standard_normal(size) * scale + norm, np.float32)

    return {key: tensor(key, size) for key, size in shapes.items()}


def family_config(name: str) -> dict[str, Any]:
    """The content of ``config.json``, as published models of the family have it."""
    shape = SHAPES[name]
    common: dict[str, Any] = {
        "model_type": name.partition("-silu")[0], "vocab_size": WORDS, "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate, "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads, "max_position_embeddings": shape.positions,
        "pad_token_id": 1,
    }  # fmt: skip
    grouped = {
        "num_key_value_heads": shape.kv_heads, "head_dim": shape.head_width, "rms_norm_eps": 1e-6,
        "rope_theta": 1e6, "attention_bias": False,
    }  # fmt: skip
    match shape.family:
        case Family.MODERNBERT:
            return common | {
                "norm_eps": shape.norm_epsilon,
                "hidden_activation": "silu" if shape.silu else "gelu",
                "local_attention": 2 * shape.local, "global_rope_theta": 160_000.0,
                "global_attn_every_n_layers": shape.global_every, "local_rope_theta": 10_000.0,
                "attention_bias": False, "mlp_bias": False, "norm_bias": False,
            }  # fmt: skip
        case Family.NOMICBERT:
            return {_NOMIC.get(key, key): value for key, value in common.items()} | {
                "layer_norm_epsilon": 1e-12, "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0,
                "activation_function": "swiglu", "rotary_scaling_factor": None,
                "qkv_proj_bias": False, "prenorm": False,
            }  # fmt: skip
        case Family.JINABERT:
            return common | {
                "model_type": "bert", "position_embedding_type": "alibi", "hidden_act": "gelu",
                "feed_forward_type": "geglu", "layer_norm_eps": 1e-12,
            }  # fmt: skip
        case Family.QWEN:
            both = {} if shape.causal else {"use_bidirectional_attention": True}
            silent = {"hidden_act": "silu", "use_sliding_window": False}
            return common | grouped | silent | both
        case Family.GEMMA:
            return common | grouped | {
                "hidden_activation": "gelu_pytorch_tanh", "use_bidirectional_attention": True,
                "query_pre_attn_scalar": shape.head_width, "rope_local_base_freq": 1e4,
                "sliding_window": 2 * shape.local,
                "layer_types": [*["sliding_attention"] * 2, "full_attention"],
            }  # fmt: skip
    return common | {
        "max_position_embeddings": shape.positions + shape.first_position,
        "layer_norm_eps": shape.norm_epsilon, "type_vocab_size": 2,
        "hidden_act": "gelu", "position_embedding_type": "absolute",
    }  # fmt: skip


def sequences() -> list[NDArray[np.int32]]:
    """Token ids to compare; none is one of padding."""
    random = np.random.default_rng(5)
    return [random.integers(5, WORDS, length).astype(np.int32) for length in LENGTHS]


def torch_states(name: str) -> list[NDArray[np.float32]]:
    """The token states of ``sequences()`` as transformers, or torch, computes them."""
    import torch

    from tests.convert.torch_families import torch_model

    weights = family_weights(name)
    projection = weights.pop(PROJECTION, np.eye(SHAPES[name].hidden, dtype=np.float32))
    model = torch_model(name, family_config(name), weights)
    with torch.no_grad():
        return [
            np.asarray(model(torch.from_numpy(ids[None]).long())[0]) @ projection.T
            for ids in sequences()
        ]


def pairs() -> list[NDArray[np.int32]]:
    """Token ids of a question and a passage, between the special tokens of BERT."""
    lead, separator = ([tiny_vocabulary().index(f"[{name}]")] for name in ("CLS", "SEP"))
    texts = sequences()
    return [
        np.concatenate([lead, first, separator, second, separator]).astype(np.int32)
        for first, second in pairwise(texts[:3])
    ]


def torch_scores(name: str) -> NDArray[np.float32]:
    """How well the passages of ``pairs()`` answer, as transformers computes it."""
    import torch
    from transformers import AutoModelForSequenceClassification

    from tests.sentence_folder import write_cross_encoder

    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        model = AutoModelForSequenceClassification.from_pretrained(
            write_cross_encoder(Path(folder) / name, name), attn_implementation="eager"
        )
        found = []
        for ids in pairs():
            second = np.arange(len(ids)) > ids.tolist().index(ids[-1])
            types = {"token_type_ids": torch.from_numpy(second[None]).long()}
            typed = types if name == "bert" else {}
            found.append(float(model(torch.from_numpy(ids[None]).long(), **typed).logits[0, 0]))
    return np.array(found, np.float32)


def kept_scores(name: str) -> NDArray[np.float32]:
    """The same, from the file."""
    with np.load(STATES) as file:
        scores: NDArray[np.float32] = file[f"{name}.scores"]
        return scores


def kept_states(name: str) -> list[NDArray[np.float32]]:
    """The same, from the file."""
    with np.load(STATES) as file:
        return [file[f"{name}.{length}"] for length in LENGTHS]


def main() -> None:
    """Write the file of token states."""
    found: Mapping[str, NDArray[np.float32]] = {
        f"{name}.{len(states)}": states for name in SHAPES for states in torch_states(name)
    }
    scores = {f"{name}.scores": torch_scores(name) for name in SCORERS}
    np.savez_compressed(STATES, **found, **scores)  # type: ignore[arg-type]  # its stub names one key


if __name__ == "__main__":
    main()
