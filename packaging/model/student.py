"""The student: the base weights with a trainable adapter (LoRA: Hu et al., 2021).

It has the parameters, with the names of the exported file (``passages.…``, see ``adapter``).
Matrices of layers and the position embeddings get low-rank changes, biases and norms are trained
as a whole, and word embeddings are fixed. So one file has both encoders. It must not know texts or
losses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from adapter import ADAPTED, DOWN, POSITIONS, UP

if TYPE_CHECKING:
    from bert import Weights

WORDS = "embeddings.word_embeddings.weight"
# The learning rate of whole tensors, relative to that of low-rank matrices.
WHOLE_SHARE = 1 / 5


class Student:
    """The trainable parameters, ``learnt``, and the weights they yield.

    Args:
        base: The base weights, perhaps with more positions.
        rank: The rank of the low-rank changes.
        seed: The seed of the first ``down`` matrices; ``up`` is 0 at first, so nothing changes.
    """

    def __init__(self, base: Weights, rank: int, seed: int) -> None:
        self._base = base
        self.learnt: Weights = {}
        torch.manual_seed(seed)
        for name, tensor in base.items():
            if name == WORDS:
                continue
            if name == POSITIONS or (name.startswith("encoder.") and tensor.ndim == 2):
                out, into = tensor.shape
                self.learnt[ADAPTED + name + UP] = torch.zeros(out, rank)
                self.learnt[ADAPTED + name + DOWN] = torch.randn(rank, into) / into**0.5
            else:
                self.learnt[ADAPTED + name] = tensor.clone()
        for tensor in self.learnt.values():
            tensor.requires_grad_(True)  # noqa: FBT003  # torch's signature

    def weights(self) -> Weights:
        """The weights of the encoder of passages."""
        return {name: self._changed(name, tensor) for name, tensor in self._base.items()}

    def groups(self, rate: float) -> list[dict[str, Any]]:
        """The parameter groups of the optimiser; ``scale`` is the full rate of a group."""
        thin = [tensor for name, tensor in self.learnt.items() if name.endswith((UP, DOWN))]
        whole = [tensor for name, tensor in self.learnt.items() if not name.endswith((UP, DOWN))]
        return [
            {"params": thin, "scale": rate},
            {"params": whole, "scale": rate * WHOLE_SHARE},
        ]

    def take(self, learnt: Weights) -> None:
        """Set the parameters to those of a checkpoint."""
        with torch.no_grad():
            for name, tensor in self.learnt.items():
                tensor.copy_(learnt[name])

    def _changed(self, name: str, tensor: Any) -> Any:
        stem = ADAPTED + name
        if stem + UP in self.learnt:
            return tensor + self.learnt[stem + UP] @ self.learnt[stem + DOWN]
        return self.learnt.get(stem, tensor)
