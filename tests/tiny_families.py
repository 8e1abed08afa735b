"""Tiny random models of the families that are compiled, and how torch computes them.

``tests/data/families.npz`` holds the token states that transformers' own classes compute from these
weights, written by ``python -m tests.tiny_families`` where torch is installed (``make
test-convert``, which also compares them live).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.embed.models import Architecture, Family
from tests.tiny_model import tiny_vocabulary, tiny_weights

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
FAMILIES = {"modernbert": MODERNBERT, "xlm-roberta": ROBERTA}


def family_weights(name: str) -> Tensors:
    """The weights of a family's tiny model, by the names that its files have."""
    return _modernbert() if name == "modernbert" else tiny_weights()


def family_config(name: str) -> dict[str, Any]:
    """The content of ``config.json``, as published models of the family have it."""
    shape = FAMILIES[name]
    common: dict[str, Any] = {
        "model_type": name, "vocab_size": WORDS, "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate, "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads, "pad_token_id": 1,
    }  # fmt: skip
    if name == "modernbert":
        return common | {
            "max_position_embeddings": shape.positions, "norm_eps": shape.norm_epsilon,
            "hidden_activation": "gelu", "local_attention": 2 * shape.local,
            "global_attn_every_n_layers": shape.global_every, "global_rope_theta": 160_000.0,
            "local_rope_theta": 10_000.0, "attention_bias": False, "mlp_bias": False,
            "norm_bias": False,
        }  # fmt: skip
    return common | {
        "max_position_embeddings": shape.positions + 2, "layer_norm_eps": shape.norm_epsilon,
        "type_vocab_size": 2, "hidden_act": "gelu", "position_embedding_type": "absolute",
    }  # fmt: skip


def sequences() -> list[NDArray[np.int32]]:
    """Token ids to compare; none is one of padding."""
    random = np.random.default_rng(5)
    return [random.integers(5, WORDS, length).astype(np.int32) for length in LENGTHS]


def torch_states(name: str) -> list[NDArray[np.float32]]:
    """The token states of ``sequences()`` as transformers computes them."""
    import torch
    from transformers import AutoConfig, AutoModel

    config = dict(family_config(name))
    model = AutoModel.from_config(AutoConfig.for_model(config.pop("model_type"), **config))
    tensors = {key: torch.from_numpy(value) for key, value in family_weights(name).items()}
    wrong = model.load_state_dict(tensors, strict=False)
    assert not wrong.unexpected_keys
    assert {key.split(".")[0] for key in wrong.missing_keys} <= {"pooler"}
    model.eval()
    with torch.no_grad():
        return [
            np.asarray(model(torch.from_numpy(ids[None]).long()).last_hidden_state[0])
            for ids in sequences()
        ]


def kept_states(name: str) -> list[NDArray[np.float32]]:
    """The same, from the file."""
    with np.load(STATES) as file:
        return [file[f"{name}.{length}"] for length in LENGTHS]


def _modernbert() -> Tensors:
    random, shape = np.random.default_rng(11), MODERNBERT
    hidden, inner = shape.hidden, shape.intermediate

    def matrix(rows: int, columns: int, size: float = 0.2) -> NDArray[np.float32]:
        return (random.standard_normal((rows, columns)) * size).astype(np.float32)

    def norm() -> NDArray[np.float32]:
        return (1 + 0.1 * random.standard_normal(hidden)).astype(np.float32)

    weights = {
        "embeddings.tok_embeddings.weight": matrix(WORDS, hidden, 1.0),
        "embeddings.norm.weight": norm(),
        "final_norm.weight": norm(),
    }
    for layer in range(shape.layers):
        stem = f"layers.{layer}"
        weights |= {
            f"{stem}.attn.Wqkv.weight": matrix(3 * hidden, hidden),
            f"{stem}.attn.Wo.weight": matrix(hidden, hidden),
            f"{stem}.mlp.Wi.weight": matrix(2 * inner, hidden),
            f"{stem}.mlp.Wo.weight": matrix(hidden, inner),
            f"{stem}.mlp_norm.weight": norm(),
        }
        if layer:
            weights[f"{stem}.attn_norm.weight"] = norm()
    return weights


def main() -> None:
    """Write the file of token states."""
    found: Mapping[str, NDArray[np.float32]] = {
        f"{name}.{len(states)}": states for name in FAMILIES for states in torch_states(name)
    }
    np.savez_compressed(STATES, **dict(found))  # type: ignore[arg-type]  # its stub names one key


if __name__ == "__main__":
    main()
