"""Hits are grouped by document, in each order, without losing one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.api.types import Why
from tests.ui.search.hits import hit, many
from ui.search.describe import count
from ui.search.rows import ResultOrder, ResultRow, grouped, key_of

DEALT = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=30)


@given(DEALT, st.sampled_from(ResultOrder))
def test_every_hit_is_there_once(dealt: list[tuple[int, int]], order: ResultOrder) -> None:
    hits = [hit(f"/d/{document}.txt", start=start) for document, start in dealt]
    groups = grouped(hits, order)
    shown = [key_of(each) for group in groups for each in group.hits]
    assert len(shown) == len(set(shown))
    assert set(shown) == {key_of(each) for each in hits}
    assert all(each.path == group.path for group in groups for each in group.hits)


@given(DEALT)
def test_documents_stand_at_their_best_hit(dealt: list[tuple[int, int]]) -> None:
    hits = [hit(f"/d/{document}.txt", start=start) for document, start in dealt]
    firsts = list(dict.fromkeys(each.path for each in hits))
    assert [group.path for group in grouped(hits)] == firsts


@given(DEALT, st.integers(0, 30))
def test_more_hits_change_no_order(dealt: list[tuple[int, int]], cut: int) -> None:
    hits = [hit(f"/d/{document}.txt", start=start) for document, start in dealt]
    fewer, more = grouped(hits[:cut]), grouped(hits)
    assert [group.path for group in more][: len(fewer)] == [group.path for group in fewer]
    for few, all_of_it in zip(fewer, more, strict=False):
        assert all_of_it.hits[: len(few.hits)] == few.hits


def test_hits_with_the_phrase_stand_before_all_others() -> None:
    exact = [hit(f"/d/{name}.txt", start=1, why=Why.PHRASE) for name in "ab"]
    others = [hit(f"/d/{name}.txt", start=9) for name in "ac"]
    for order in ResultOrder:
        groups = grouped([*exact, *others], order)
        assert [(group.path, group.exact) for group in groups] == [
            ("/d/a.txt", True), ("/d/b.txt", True), ("/d/a.txt", False), ("/d/c.txt", False),
        ]  # fmt: skip
    keys = [ResultRow(group).key for group in groups]
    assert len(set(keys)) == len(keys)
    assert [count(group) for group in groups] == 2 * ["1 with the phrase"] + 2 * ["1 passage(s)"]


def test_by_date_and_by_name() -> None:
    old, new = hit("/d/part 10.txt", modified_ns=1), hit("/d/part 9.txt", modified_ns=2)
    assert [group.head for group in grouped([old, new], ResultOrder.DATE)] == [new, old]
    assert [group.head for group in grouped([old, new], ResultOrder.NAME)] == [new, old]
    assert len(grouped(many(3, 2))) == 3


def test_mails_are_sorted_by_the_day_on_which_they_were_sent() -> None:
    copied = hit("/d/a.eml", modified_ns=9, sent_ns=1)
    other = hit("/d/b.txt", modified_ns=5)
    assert [group.head for group in grouped([copied, other], ResultOrder.DATE)] == [other, copied]
