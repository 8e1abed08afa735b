"""Block attention: which rows attend to which.

Groups contain the blocks of all sequences of a batch.
"""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from indexer.embed.encoder import Blocks, group, plan_blocks

LENGTHS, ANCHORS = st.integers(2, 400), st.integers(0, 20)
BLOCKS, REACHES = st.integers(1, 40), st.integers(0, 40)


def _seen(plan: Blocks, length: int) -> np.ndarray:
    """For each pair of rows, whether the first attends to the second."""
    seen = np.zeros((length, length), bool)
    seen[: plan.anchors] = True
    for row, place in enumerate(plan.places, plan.anchors):
        seen[row, plan.keys[place // plan.queries.shape[1]]] = True
    return seen


@given(LENGTHS, BLOCKS, REACHES, ANCHORS)
def test_places_map_each_row_to_its_block(
    length: int, block: int, reach: int, anchors: int
) -> None:
    plan = plan_blocks(length, block, reach, anchors)
    rows = plan.queries.reshape(-1)[plan.places]
    np.testing.assert_array_equal(rows, np.arange(plan.anchors, length))


@given(LENGTHS, BLOCKS, REACHES, ANCHORS)
def test_a_row_attends_to_the_anchors_and_its_surroundings(
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
def test_no_row_attends_to_another_twice(length: int, block: int, reach: int, anchors: int) -> None:
    for keys in plan_blocks(length, block, reach, anchors).keys.tolist():
        assert len(set(keys)) == len(keys)
        assert set(keys) <= set(range(length))


@given(BLOCKS, REACHES, ANCHORS, st.data())
def test_attention_is_full_in_a_short_sequence(
    block: int, reach: int, anchors: int, data: st.DataObject
) -> None:
    whole = anchors + block + 2 * reach
    assume(whole >= 2)
    length = data.draw(st.integers(2, whole))
    assert _seen(plan_blocks(length, block, reach, anchors), length).all()


@given(LENGTHS, BLOCKS, REACHES, ANCHORS)
def test_blocks_have_equal_size_and_overlap_little(
    length: int, block: int, reach: int, anchors: int
) -> None:
    plan = plan_blocks(length, block, reach, anchors)
    blocks, size = plan.queries.shape
    assert size <= block
    assert blocks * size - len(plan.places) < blocks


@given(LENGTHS, BLOCKS, ANCHORS, st.integers(1, 5), st.integers(1, 200))
def test_groups_contain_the_blocks_of_all_sequences(
    length: int, block: int, anchors: int, sequences: int, tokens: int
) -> None:
    plan = plan_blocks(length, block, 7, anchors)
    groups = group([plan] * sequences, tokens)
    count = sequences * len(plan.queries)
    queries, keys = (
        rows.reshape(-1, rows.shape[2])[:count] for rows in (groups.queries, groups.keys)
    )
    starts = np.repeat(np.arange(sequences) * length, len(plan.queries))[:, None]
    np.testing.assert_array_equal(queries, starts + np.tile(plan.queries, (sequences, 1)))
    np.testing.assert_array_equal(keys, starts + np.tile(plan.keys, (sequences, 1)))


@given(LENGTHS, BLOCKS, ANCHORS, st.integers(1, 5), st.integers(1, 200))
def test_places_map_each_token_of_a_batch_to_its_block(
    length: int, block: int, anchors: int, sequences: int, tokens: int
) -> None:
    plan = plan_blocks(length, block, 7, anchors)
    groups = group([plan] * sequences, tokens)
    first = np.arange(sequences)[:, None] * length + np.arange(plan.anchors)
    rows = np.concatenate([first.reshape(-1), groups.queries.reshape(-1)])[groups.places]
    np.testing.assert_array_equal(rows.reshape(-1), np.arange(sequences * length))


@given(st.lists(LENGTHS, min_size=1, max_size=4), BLOCKS, ANCHORS, st.integers(1, 200))
def test_padding_changes_no_block(
    lengths: list[int], block: int, anchors: int, tokens: int
) -> None:
    plans = [plan_blocks(length, block, 7, anchors) for length in lengths]
    groups, longest, most = group(plans, tokens), max(lengths), max(each.anchors for each in plans)
    queries, keys = (rows.reshape(-1, rows.shape[2]) for rows in (groups.queries, groups.keys))
    first = len(plans) * most
    for number, (plan, length) in enumerate(zip(plans, lengths, strict=True)):
        places = groups.places[number]
        np.testing.assert_array_equal(
            places[: plan.anchors], number * most + np.arange(plan.anchors)
        )
        within = places[plan.anchors : length] - first
        np.testing.assert_array_equal(
            queries.reshape(-1)[within], number * longest + np.arange(plan.anchors, length)
        )
        blocks = np.unique(within // queries.shape[1])
        seen = groups.seen.reshape(-1)[blocks]
        assert set(seen) == {plan.keys.shape[1]}
        own = keys[blocks, : plan.keys.shape[1]] - number * longest
        np.testing.assert_array_equal(own, plan.keys)


@given(LENGTHS, BLOCKS, st.integers(1, 200))
def test_groups_have_about_the_wanted_size(length: int, block: int, tokens: int) -> None:
    plan = plan_blocks(length, block, 7, 0)
    groups, blocks, size = group([plan] * 3, tokens).queries.shape
    wanted = max(1, tokens // size)
    assert blocks <= wanted + wanted // 2
    # The repeated blocks are fewer than a group.
    assert groups * blocks - 3 * len(plan.queries) < blocks
