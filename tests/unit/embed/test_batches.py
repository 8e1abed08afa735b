"""Batches contain every sequence, keep their budget, and begin with the longest."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indexer.embed.batches import in_batches

lengths = st.lists(st.integers(1, 90), max_size=40)
budgets = st.integers(1, 200)


def _sequences(sizes: list[int]) -> list[np.ndarray[tuple[int], np.dtype[np.int32]]]:
    return [np.arange(1, size + 1, dtype=np.int32) + index for index, size in enumerate(sizes)]


@given(lengths, budgets, st.booleans())
def test_every_sequence_is_in_one_batch(sizes: list[int], budget: int, padded: bool) -> None:
    sequences = _sequences(sizes)
    seen = []
    for batch in in_batches(sequences, lambda: budget, padded=padded):
        for row, index in enumerate(batch.sequences):
            own = batch.ids[row]
            assert own[: batch.lengths[row]].tolist() == sequences[index].tolist()
            assert not own[batch.lengths[row] :].any()
            seen.append(index)
    assert sorted(seen) == list(range(len(sizes)))


@given(lengths, budgets, st.booleans())
def test_a_batch_keeps_to_its_budget(sizes: list[int], budget: int, padded: bool) -> None:
    for batch in in_batches(_sequences(sizes), lambda: budget, padded=padded):
        assert batch.ids.size <= budget or len(batch.sequences) == 1


@given(lengths, budgets)
def test_without_padding_a_batch_has_one_length(sizes: list[int], budget: int) -> None:
    for batch in in_batches(_sequences(sizes), lambda: budget, padded=False):
        assert set(batch.lengths) == {batch.ids.shape[1]}


@given(lengths, budgets, st.booleans())
def test_the_longest_come_first(sizes: list[int], budget: int, padded: bool) -> None:
    longest = [b.ids.shape[1] for b in in_batches(_sequences(sizes), lambda: budget, padded=padded)]
    assert longest == sorted(longest, reverse=True)


def test_the_budget_is_asked_before_each_batch() -> None:
    answers = iter([20, 5, 20])
    batches = in_batches(_sequences([5] * 6), lambda: next(answers), padded=False)
    assert [len(batch.sequences) for batch in batches] == [4, 1, 1]
