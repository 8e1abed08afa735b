from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexer.watching.settling import PATIENCE_S, SETTLED_S, Settling, SizeAndTime

STEP = SETTLED_S / 2


def _settle(settling: Settling, now: float, stamps: dict[bytes, SizeAndTime]) -> list[bytes]:
    return settling.ready(now, stamps.get)


def test_a_path_settles_once_it_stands_still() -> None:
    settling = Settling()
    settling.hint(b"/a", 0.0)
    assert _settle(settling, 0.1, {b"/a": (1, 1)}) == []
    assert _settle(settling, 0.2, {b"/a": (2, 1)}) == []
    assert _settle(settling, 0.2 + SETTLED_S - 0.01, {b"/a": (2, 1)}) == []
    assert _settle(settling, 0.2 + SETTLED_S, {b"/a": (2, 1)}) == [b"/a"]
    assert len(settling) == 0


def test_a_new_hint_starts_the_wait_anew() -> None:
    settling = Settling()
    settling.hint(b"/a", 0.0)
    _settle(settling, 0.0, {})
    settling.hint(b"/a", STEP)
    assert _settle(settling, SETTLED_S, {}) == []
    assert _settle(settling, SETTLED_S + STEP, {}) == [b"/a"]


def test_a_folder_waits_for_what_is_in_it() -> None:
    settling = Settling()
    for path in (b"/a", b"/a/b/c", b"/ab"):
        settling.hint(path, 0.0)
    stamps: dict[bytes, SizeAndTime] = {b"/a": (1, 1), b"/ab": (1, 1), b"/a/b/c": (1, 1)}
    _settle(settling, 0.0, stamps)
    stamps[b"/a/b/c"] = (2, 2)
    assert _settle(settling, SETTLED_S, stamps) == [b"/ab"]
    assert sorted(_settle(settling, 2 * SETTLED_S, stamps)) == [b"/a", b"/a/b/c"]


def test_what_never_rests_is_let_through_ever_more_seldom() -> None:
    settling = Settling()
    now, let_through = 0.0, []
    while now < 8 * PATIENCE_S:
        settling.hint(b"/log", now)
        if _settle(settling, now, {b"/log": (int(now * 10), 0)}):
            let_through.append(now)
        now += 1.0
    assert [round(moment / PATIENCE_S) for moment in let_through] == [1, 3, 7]


paths = st.lists(st.sampled_from([b"/a", b"/a/b", b"/a/b/c", b"/d", b"/d/e"]), max_size=30)


@given(paths)
def test_every_path_that_was_heard_of_settles_once(heard: list[bytes]) -> None:
    settling = Settling()
    now, found = 0.0, []
    for path in heard:
        settling.hint(path, now)
        now += 0.01
    for _ in range(10):
        now += STEP
        found += _settle(settling, now, {})
    assert sorted(found) == sorted(set(heard))
