"""A tiny model with two encoders in its file, and what each of them is by itself.

For tests of models that read queries and passages differently. Its passages may take more tokens
than its queries, and everything that may differ between the two does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.compiler import compiler
from tests.tiny_model import TINY, install_tiny_model, tiny_weights

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from indexer.embed.models import ModelRecord

POSITIONS: str = compiler("adapter").POSITIONS
QUERY_WINDOW, WINDOW = 160, 224
_RANK = 4


def two_encoders(seed: int = 3) -> dict[str, NDArray[Any]]:
    """The tensors of the file, in float16."""
    random = np.random.default_rng(seed)
    own = {name: tensor.astype(np.float16) for name, tensor in tiny_weights().items()}
    tensors: dict[str, NDArray[Any]] = dict(own)

    def drawn(*shape: int) -> NDArray[np.float16]:
        return (random.standard_normal(shape) * 0.1).astype(np.float16)

    for name, tensor in own.items():
        if name == POSITIONS:
            tensors[f"passages.{name}"] = np.concatenate([tensor, drawn(64, tensor.shape[1])])
        elif tensor.ndim == 2 and name.startswith("encoder."):
            tensors[f"passages.{name}.up"] = drawn(tensor.shape[0], _RANK)
            tensors[f"passages.{name}.down"] = drawn(_RANK, tensor.shape[1])
        elif name != "embeddings.word_embeddings.weight":
            tensors[f"passages.{name}"] = tensor + drawn(*tensor.shape)
    return tensors


def install_two_encoders(models: Path, *, name: str = TINY, seed: int = 3) -> ModelRecord:
    """Make the model known; see ``install_tiny_model``."""
    return install_tiny_model(
        models, name=name, late=True, window=WINDOW, query_window=QUERY_WINDOW,
        weights=two_encoders(seed),
    )  # fmt: skip


def install_its_passages(models: Path) -> ModelRecord:
    """The encoder of its passages, merged by hand, as a model of its own."""
    tensors = two_encoders()
    merged = {}
    for name in tiny_weights():
        change = f"passages.{name}"
        merged[name] = tensors.get(change, tensors[name]).astype(np.float32)
        if f"{change}.up" in tensors:
            up, down = (tensors[f"{change}.{part}"].astype(np.float32) for part in ("up", "down"))
            merged[name] = merged[name] + up @ down
    return install_tiny_model(models, late=True, window=WINDOW, weights=merged)


def install_its_queries(models: Path) -> ModelRecord:
    """The encoder of its queries as a model of its own."""
    tensors = two_encoders()
    own = {name: tensors[name] for name in tiny_weights()}
    return install_tiny_model(models, window=QUERY_WINDOW, weights=own)
