"""Going back and forward in the history of queries."""

from __future__ import annotations

from ui.search.memory import STAYED_S, Steps


class Clock:
    """A clock that is set by the test."""

    now = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self) -> None:
        self.now += 2 * STAYED_S


def test_steps_restore_the_query_and_its_hit() -> None:
    clock = Clock()
    steps = Steps(clock)
    steps.note_query("roof")
    steps.note_hit(("/a", 0, 9), chosen=True)
    clock.wait()
    steps.note_query("lamp")
    back = steps.go_through(-1)
    assert back is not None
    assert (back.query, back.key) == ("roof", ("/a", 0, 9))
    steps.note_query("roof")  # its answer
    forward = steps.go_through(1)
    assert forward is not None
    assert (forward.query, forward.key) == ("lamp", None)
    assert steps.go_through(1) is None


def test_a_query_that_was_typed_through_is_no_step() -> None:
    clock = Clock()
    steps = Steps(clock)
    steps.note_query("roof")
    clock.wait()
    for query in ("la", "lam", "lamp"):
        steps.note_query(query)
    clock.wait()
    steps.note_query("oil")
    queries = [step.query for _ in range(5) if (step := steps.go_through(-1)) is not None]
    assert queries == ["lamp", "roof"]


def test_a_new_query_ends_the_way_forward() -> None:
    clock = Clock()
    steps = Steps(clock)
    for query in ("one", "two"):
        steps.note_query(query)
        clock.wait()
    steps.go_through(-1)
    steps.note_query("one")
    steps.note_query("three")
    assert steps.go_through(1) is None
