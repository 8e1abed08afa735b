"""How far the student is from the teacher, and from what a query should find.

Owns the loss and the runs of both over a lesson. The teacher reads each passage alone, with its
title and headings in front; the student reads whole windows, and the mean over a passage's own
tokens is to be the teacher's vector. Queries are read by the genuine model on both sides; what they
find among the student's passages is to be what they find among the teacher's, and in part the
passages they were taken from. It must not know where lessons come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from bert import token_states
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bert import Weights
    from lessons import Lesson

    from indexer.embed.models import Architecture

    Ints = Any
    Tensor = Any

# Of the softmax over cosines, for a model whose cosines spread as those of MiniLM do.
TEMPERATURE = 1 / 20
# Of what a query is to find, so much is its own passages, the rest what it finds with the teacher.
OWN_SHARE = 0.5
_TEACHER_TOKENS = 2048


@dataclass(frozen=True, slots=True)
class Losses:
    """The parts of the loss; ``total`` is what is minimised."""

    total: Tensor
    cosine: float  # one minus it, of the two vectors of a passage
    divergence: float  # of what passages find among passages
    queries: float  # of what queries find among passages
    hits: float  # share of queries that find a passage of their own first


def losses(
    student: Weights, teacher: Weights, shape: Architecture, lesson: Lesson,
    temperature: float = TEMPERATURE,
) -> Losses:  # fmt: skip
    """Compare the two over a lesson; ``shape`` is the student's, the teacher sees everything.

    Where cosines lie closer together the temperature is lower, and a distance weighs more.
    """
    alone = [passage.alone for window in lesson.windows for passage in window.passages]
    # What is learnt from comes first, so that both are read in one go.
    wanted = encode_alone(teacher, shape.dense, [*alone, *(query.ids for query in lesson.queries)])
    passages, queries = wanted[: len(alone)], wanted[len(alone) :]
    found = late_vectors(student, shape, lesson)
    cosine = 1 - (found * passages).sum(-1).mean()
    divergence = _divergence(
        passages @ found.T / temperature, _chosen(passages @ passages.T / temperature)
    )
    own = _own(lesson, len(alone))
    aim = (1 - OWN_SHARE) * _chosen(queries @ passages.T / temperature) + OWN_SHARE * own
    seen = queries @ found.T / temperature
    apart = _divergence(seen, aim)
    hits = (own.gather(1, seen.argmax(-1, keepdim=True)) > 0).float().mean()
    total = cosine * TEMPERATURE / temperature + divergence + apart
    return Losses(total, cosine.item(), divergence.item(), apart.item(), hits.item())


def late_vectors(student: Weights, shape: Architecture, lesson: Lesson) -> Tensor:
    """Vectors of all passages of a lesson from inside their windows, ``[passages, hidden]``."""
    ids = torch.from_numpy(np.stack([window.ids for window in lesson.windows])).long()
    states = token_states(student, shape, ids)
    rows = [
        states[number, passage.start : passage.end].mean(0)
        for number, window in enumerate(lesson.windows)
        for passage in window.passages
    ]
    return functional.normalize(torch.stack(rows), dim=-1)


def encode_alone(weights: Weights, shape: Architecture, sequences: Sequence[Ints]) -> Tensor:
    """Means over whole sequences, special tokens included, as the genuine model has them."""
    order = sorted(range(len(sequences)), key=lambda index: len(sequences[index]))
    found = torch.empty(len(sequences), shape.hidden)
    with torch.no_grad():
        for group in _groups(order, sequences):
            ids, mask = _padded([sequences[index] for index in group])
            found[group] = _mean(token_states(weights, shape, ids, mask), mask)
    return found


def _groups(order: Sequence[int], sequences: Sequence[Ints]) -> Iterator[list[int]]:
    group: list[int] = []
    for index in order:
        if group and (len(group) + 1) * len(sequences[index]) > _TEACHER_TOKENS:
            yield group
            group = []
        group.append(index)
    yield group


def _chosen(similarity: Tensor) -> Tensor:
    return functional.softmax(similarity, dim=-1)


def _divergence(similarity: Tensor, aim: Tensor) -> Tensor:
    """How differently passages are chosen from what is aimed at; both ``[askers, passages]``."""
    seen = functional.log_softmax(similarity, dim=-1)
    return functional.kl_div(seen, aim, reduction="batchmean")


def _own(lesson: Lesson, passages: int) -> Tensor:
    """The passages each query was taken from, in equal shares: ``[queries, passages]``."""
    own = torch.zeros(len(lesson.queries), passages)
    for row, query in enumerate(lesson.queries):
        own[row, query.first : query.last] = 1 / (query.last - query.first)
    return own


def _padded(sequences: Sequence[Ints]) -> tuple[Tensor, Tensor]:
    longest = max(len(ids) for ids in sequences)
    ids = np.zeros((len(sequences), longest), np.int64)
    mask = np.zeros((len(sequences), longest), bool)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = True
    return torch.from_numpy(ids), torch.from_numpy(mask)


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    sums = (states * mask[..., None]).sum(1)
    return functional.normalize(sums, dim=-1)
