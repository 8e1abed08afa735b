"""The cross-encoder in torch: BERT's encoder with its pooler and one score, and the listwise loss.

Owns the forward pass of lists and their targets. It must not know where lists come from, optimisers
or files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from bert import UNUSED, load_weights, product, token_states
from distil import groups, padded
from torch.nn import functional

from indexer.embed.layout import pairs

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence
    from pathlib import Path

    from architecture import Architecture
    from bert import Weights
    from lists import CandidateList

    from indexer.embed.layout import TextTokenizer

    Ints = Any
    Tensor = Any

LAYER = re.compile(r"encoder\.layer\.\d+\.")
POOLER, LAST = "pooler.dense", "classifier"
# The spread of the fused scores of a list's passages becomes this, before the softmax.
SPREAD = 2.0


@dataclass(frozen=True, slots=True)
class Drawing:
    """How the pairs of a list are drawn.

    Attributes:
        size: How many passages.
        window: The most tokens of a pair.
        own: What its own passage gets of the target distribution; the rest is the fused ranking's.
        removed: The share of lists whose sentence is taken out of its passage.
    """

    size: int
    window: int
    own: float
    removed: float


@dataclass(frozen=True, slots=True)
class Lesson:
    """The pairs of one list, the types of their tokens, and their target distribution, (n,)."""

    ids: tuple[Ints, ...]
    first: int  # tokens of type 0 of each
    aim: Tensor


def lesson(
    found: CandidateList, tokenizer: TextTokenizer, drawn: Drawing, chance: random.Random
) -> Lesson:
    """Draw some candidates of a list, one of its own passages among them.

    Args:
        found: The list.
        tokenizer: Of the model.
        drawn: How it is drawn.
        chance: Draws the passages, and whether a question's sentence is taken out of its passage.
    """
    own = chance.choice([at for at, one in enumerate(found.own) if one])
    others = [at for at, one in enumerate(found.own) if not one]
    chosen = [own, *chance.sample(others, min(drawn.size - 1, len(others)))]
    texts = [found.passages[at] for at in chosen]
    if found.sentence and chance.random() < drawn.removed:
        texts = [text.replace(found.sentence, " ") for text in texts]
    scores = np.array([found.scores[at] for at in chosen])
    taught = SPREAD * (scores - scores.mean()) / max(float(scores.std()), 1e-6)
    aim = (1 - drawn.own) * np.exp(taught) / np.exp(taught).sum()
    aim[0] += drawn.own
    (asked,) = tokenizer.encode([found.question])
    first = len(tokenizer.lead) + len(asked.ids) + len(tokenizer.between())
    ids = pairs(tokenizer, found.question, texts, drawn.window)
    return Lesson(tuple(ids), first, torch.from_numpy(aim.astype(np.float32)))


def scores(weights: Weights, shape: Architecture, lessons: Sequence[Lesson]) -> list[Tensor]:
    """The scores of the pairs of each list, float32."""
    ids = [pair for one in lessons for pair in one.ids]
    first = torch.tensor([one.first for one in lessons for _ in one.ids])
    order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
    found = []
    for group in groups(order, ids):
        read, mask = padded([ids[at] for at in group])
        types = (torch.arange(read.shape[1]) >= first[group, None]).long()
        states = token_states(weights, shape, read, mask, types)[:, 0]
        pooled = torch.tanh(product(weights, states, POOLER))
        found.append(product(weights, pooled, LAST)[:, 0].float())
    back = torch.empty(len(order), dtype=torch.long)
    back[order] = torch.arange(len(order))
    return list(torch.cat(found)[back].split([len(one.ids) for one in lessons]))


def losses(
    weights: Weights, shape: Architecture, lessons: Sequence[Lesson]
) -> tuple[Tensor, float]:
    """The mean divergence from the targets, and the share of lists whose own passage is first."""
    found = scores(weights, shape, lessons)
    apart = [
        functional.kl_div(functional.log_softmax(seen, -1), one.aim, reduction="sum")
        for seen, one in zip(found, lessons, strict=True)
    ]
    return torch.stack(apart).mean(), sum(int(seen.argmax()) == 0 for seen in found) / len(found)


def first_weights(path: Path, kept: Sequence[int], seed: int) -> Weights:
    """The weights of an encoder's file, of these layers only, and a random last layer."""
    read = load_weights(path, unused=UNUSED[:1])
    chance = torch.Generator().manual_seed(seed)
    numbers = {f"encoder.layer.{layer}.": f"encoder.layer.{at}." for at, layer in enumerate(kept)}
    found = {}
    for name, tensor in read.items():
        stem = LAYER.match(name)
        if stem is None:
            found[name] = tensor
        elif stem[0] in numbers:
            found[numbers[stem[0]] + name.removeprefix(stem[0])] = tensor
    hidden = read[f"{POOLER}.bias"].shape[0]
    last = {
        f"{LAST}.weight": torch.randn(1, hidden, generator=chance) / hidden**0.5,
        f"{LAST}.bias": torch.zeros(1),
    }
    return found | last
