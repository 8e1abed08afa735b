"""The student: the genuine weights, and the little that is learnt on top of them.

Owns what is learnt and its names, which are those of the file it ships in (``passages.…``, see
``indexer.compiler.adapter``): a matrix of a layer is changed by the product of two thin ones (LoRA,
Hu et al. 2021), and so is the table of positions; biases and norms are learnt whole, and the
vectors of words stay. So one file holds both encoders: queries are read by the genuine one,
exactly. It must not know texts or losses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from indexer.compiler.adapter import ADAPTED, DOWN, POSITIONS, UP

if TYPE_CHECKING:
    from bert import Weights

WORDS = "embeddings.word_embeddings.weight"
# Whole tensors follow every token, thin matrices start from nothing: the one rate is not the other.
WHOLE_SHARE = 1 / 5


class Student:
    """What is learnt, in ``learnt``, and the weights it makes.

    Args:
        base: The genuine weights; its table of positions may have been made longer.
        rank: Of the change to each matrix.
        seed: Draws the second halves of the changes; the first are 0, so that nothing is changed
            yet.
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
            tensor.requires_grad_(True)  # noqa: FBT003  # torch's own signature

    def weights(self) -> Weights:
        """The encoder of passages, as a function of what is learnt."""
        return {name: self._changed(name, tensor) for name, tensor in self._base.items()}

    def groups(self, rate: float) -> list[dict[str, Any]]:
        """What is learnt, as an optimiser takes it; each group has its full rate in ``scale``."""
        thin = [tensor for name, tensor in self.learnt.items() if name.endswith((UP, DOWN))]
        whole = [tensor for name, tensor in self.learnt.items() if not name.endswith((UP, DOWN))]
        return [
            {"params": thin, "scale": rate},
            {"params": whole, "scale": rate * WHOLE_SHARE},
        ]

    def take(self, learnt: Weights) -> None:
        """Go on from what was learnt before."""
        with torch.no_grad():
            for name, tensor in self.learnt.items():
                tensor.copy_(learnt[name])

    def _changed(self, name: str, tensor: Any) -> Any:
        stem = ADAPTED + name
        if stem + UP in self.learnt:
            return tensor + self.learnt[stem + UP] @ self.learnt[stem + DOWN]
        return self.learnt.get(stem, tensor)
