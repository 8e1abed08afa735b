"""The families as transformers computes them, and JinaBERT, which it has not, in torch."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors.numpy import save_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    States = Callable[[Any], Any]


def torch_model(
    name: str, config: Mapping[str, Any], weights: Mapping[str, NDArray[np.float32]]
) -> States:
    """A function of token ids, ``(1, n)``, that returns token states, ``(1, n, hidden)``."""
    import torch

    if name == "jina_bert":
        tensors = {key: torch.from_numpy(value) for key, value in weights.items()}
        return lambda ids: _jina(config["num_hidden_layers"], tensors, ids[0])[None]
    from transformers import AutoConfig, AutoModel

    kind = config["model_type"].removeprefix("bidirectional_pplx_")
    options = {key: value for key, value in config.items() if key != "model_type"}
    if kind == "nomic_bert":
        options |= {
            "rope_theta": config["rotary_emb_base"], "hidden_size": config["n_embd"],
            "num_attention_heads": config["n_head"], "num_hidden_layers": config["n_layer"],
            "intermediate_size": config["n_inner"],
            "max_position_embeddings": config["n_positions"],
        }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        AutoConfig.for_model(kind, **options).save_pretrained(folder)
        save_file(dict(weights), Path(folder) / "model.safetensors", {"format": "pt"})
        model, loaded = AutoModel.from_pretrained(
            folder, output_loading_info=True, attn_implementation="eager"
        )
    assert not loaded["unexpected_keys"]
    assert {key.split(".")[0] for key in loaded["missing_keys"]} <= {"pooler"}

    def states(ids: Any) -> Any:
        everywhere = torch.zeros(1, 1, ids.shape[1], ids.shape[1])
        mask = {"attention_mask": everywhere} if kind != config["model_type"] else {}
        return model(ids, **mask).last_hidden_state

    return states


def _jina(layers: int, weights: Mapping[str, Any], ids: Any) -> Any:
    """JinaBERT as its paper has it (Guenther et al., 2023), with two heads."""
    import torch
    from torch.nn import functional

    def dense(x: Any, name: str) -> Any:
        return functional.linear(x, weights[f"{name}.weight"], weights.get(f"{name}.bias"))

    def norm(x: Any, name: str) -> Any:
        own = weights[f"{name}.weight"], weights[f"{name}.bias"]
        return functional.layer_norm(x, x.shape[-1:], *own, eps=1e-12)

    x = weights["embeddings.word_embeddings.weight"][ids]
    x = norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    places = torch.arange(len(ids))
    slopes = torch.tensor([2.0**-4, 2.0**-8])
    bias = -slopes[:, None, None] * (places[:, None] - places).abs()
    for layer in range(layers):
        stem = f"encoder.layer.{layer}"
        query, key, value = (
            dense(x, f"{stem}.attention.self.{part}").reshape(len(ids), 2, -1).transpose(0, 1)
            for part in ("query", "key", "value")
        )
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        context = dense(seen.transpose(0, 1).reshape(x.shape), f"{stem}.attention.output.dense")
        x = norm(x + context, f"{stem}.attention.output.LayerNorm")
        gate, inner = dense(x, f"{stem}.mlp.gated_layers").chunk(2, dim=-1)
        outer = dense(functional.gelu(gate) * inner, f"{stem}.mlp.wo")
        x = norm(x + outer, f"{stem}.mlp.layernorm")
    return x
