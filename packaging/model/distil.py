"""The distillation loss.

The teacher encodes each passage alone, with title and headings. The student encodes whole windows,
and learns to make the mean over a passage's tokens equal to the teacher's vector. The base model
encodes queries. The student learns to give them the same distribution over passages as the teacher,
mixed with the passages from which they were taken. It must not know where lessons come from.
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

    from architecture import Architecture
    from bert import Weights
    from lessons import Lesson

    Ints = Any
    Tensor = Any

# The temperature of the softmax over cosines, for the spread of MiniLM's cosines.
TEMPERATURE = 1 / 20
# The share of a query's own passages in its target distribution; the rest is the teacher's.
OWN_SHARE = 0.5
_TEACHER_TOKENS = 2048


@dataclass(frozen=True, slots=True)
class Losses:
    """The parts of the loss; ``total`` is minimised."""

    total: Tensor
    cosine: float  # 1 - cosine of the two vectors of a passage
    divergence: float  # of the distributions of passages over passages
    queries: float  # of the distributions of queries over passages
    hits: float  # share of queries whose best passage is their own


def losses(
    student: Weights, teacher: Weights, shape: Architecture, lesson: Lesson,
    temperature: float,
) -> Losses:  # fmt: skip
    """Return the losses of a lesson.

    Args:
        student: The weights of the student.
        teacher: The weights of the base model.
        shape: The shape of the student; the teacher has full attention.
        lesson: The training examples.
        temperature: It is lower for a smaller spread of cosines, and scales the cosine loss.
    """
    alone = [passage.alone for window in lesson.windows for passage in window.passages]
    # Passages and queries are encoded in one call.
    wanted = encode_alone(teacher, shape.dense, [*alone, *(query.ids for query in lesson.queries)])
    passages, queries = wanted[: len(alone)], wanted[len(alone) :]
    ids = torch.from_numpy(np.stack([window.ids for window in lesson.windows])).long()
    found = late_vectors(token_states(student, shape, ids), lesson)
    cosine = 1 - (found * passages).sum(-1).mean()
    apart = divergence(
        passages @ found.T / temperature, _chosen(passages @ passages.T / temperature)
    )
    own = _own(lesson, len(alone))
    aim = (1 - OWN_SHARE) * _chosen(queries @ passages.T / temperature) + OWN_SHARE * own
    seen = queries @ found.T / temperature
    asked = divergence(seen, aim)
    hits = (own.gather(1, seen.argmax(-1, keepdim=True)) > 0).float().mean()
    total = cosine * TEMPERATURE / temperature + apart + asked
    return Losses(total, cosine.item(), apart.item(), asked.item(), hits.item())


def late_vectors(states: Tensor, lesson: Lesson) -> Tensor:
    """The vectors of all passages of a lesson, pooled in their windows, ``[passages, hidden]``.

    Args:
        states: The states of the windows' tokens, ``[windows, tokens, hidden]``.
        lesson: The training examples.
    """
    rows = [
        states[number, passage.start : passage.end].mean(0)
        for number, window in enumerate(lesson.windows)
        for passage in window.passages
    ]
    return functional.normalize(torch.stack(rows), dim=-1)


def encode_alone(weights: Weights, shape: Architecture, sequences: Sequence[Ints]) -> Tensor:
    """Normalised means over whole sequences with special tokens, ``[sequences, hidden]``."""
    order = sorted(range(len(sequences)), key=lambda index: len(sequences[index]))
    found = torch.empty(len(sequences), shape.hidden)
    with torch.no_grad():
        for group in groups(order, sequences):
            ids, mask = padded([sequences[index] for index in group])
            found[group] = _mean(token_states(weights, shape, ids, mask), mask)
    return found


def groups(order: Sequence[int], sequences: Sequence[Ints]) -> Iterator[list[int]]:
    """Split sequences in the order of their lengths into batches with little padding."""
    group: list[int] = []
    for index in order:
        if group and (len(group) + 1) * len(sequences[index]) > _TEACHER_TOKENS:
            yield group
            group = []
        group.append(index)
    yield group


def _chosen(similarity: Tensor) -> Tensor:
    return functional.softmax(similarity, dim=-1)


def divergence(similarity: Tensor, aim: Tensor) -> Tensor:
    """The KL divergence from the target distribution; both are ``[queries, passages]``."""
    seen = functional.log_softmax(similarity, dim=-1)
    return functional.kl_div(seen, aim, reduction="batchmean")


def _own(lesson: Lesson, passages: int) -> Tensor:
    """A uniform distribution over the passages of each query, ``[queries, passages]``."""
    own = torch.zeros(len(lesson.queries), passages)
    for row, query in enumerate(lesson.queries):
        own[row, query.first : query.last] = 1 / (query.last - query.first)
    return own


def padded(sequences: Sequence[Ints]) -> tuple[Tensor, Tensor]:
    """Return sequences as one batch, and a mask that is false for padding."""
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
