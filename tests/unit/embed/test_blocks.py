"""Blocks hold every token once, see what stands near them, and see all where there is little."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from indexer.embed.blocks import Blocks, plan_blocks

LENGTHS, ANCHORS = st.integers(2, 400), st.integers(0, 20)
BLOCKS, REACHES = st.integers(1, 40), st.integers(0, 40)


def _seen(plan: Blocks, length: int) -> np.ndarray:
    """For each row and each row, whether the first sees the second."""
    seen = np.zeros((length, length), bool)
    seen[: plan.anchors] = True
    for row, place in enumerate(plan.places, plan.anchors):
        seen[row, plan.keys[place // plan.queries.shape[1]]] = True
    return seen


@given(LENGTHS, BLOCKS, REACHES, ANCHORS)
def test_every_row_after_the_anchors_has_its_place(
    length: int, block: int, reach: int, anchors: int
) -> None:
    plan = plan_blocks(length, block, reach, anchors)
    rows = plan.queries.reshape(-1)[plan.places]
    np.testing.assert_array_equal(rows, np.arange(plan.anchors, length))


@given(LENGTHS, BLOCKS, REACHES, ANCHORS)
def test_a_row_sees_the_anchors_and_a_block_around_it(
    length: int, block: int, reach: int, anchors: int
) -> None:
    plan = plan_blocks(length, block, reach, anchors)
    seen = _seen(plan, length)
    assert seen[:, : plan.anchors].all()
    rows = np.arange(length)
    near = np.abs(rows[:, None] - rows) <= reach
    assert seen[near].all()
    assert seen.sum(1)[plan.anchors :].max() <= plan.anchors + block + 2 * reach


@given(LENGTHS, BLOCKS, REACHES, ANCHORS)
def test_no_row_is_seen_twice(length: int, block: int, reach: int, anchors: int) -> None:
    for keys in plan_blocks(length, block, reach, anchors).keys.tolist():
        assert len(set(keys)) == len(keys)
        assert set(keys) <= set(range(length))


@given(BLOCKS, REACHES, ANCHORS, st.data())
def test_in_a_short_sequence_all_see_all(
    block: int, reach: int, anchors: int, data: st.DataObject
) -> None:
    whole = anchors + block + 2 * reach
    assume(whole >= 2)
    length = data.draw(st.integers(2, whole))
    assert _seen(plan_blocks(length, block, reach, anchors), length).all()
