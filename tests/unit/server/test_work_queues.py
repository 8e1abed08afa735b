"""Order, replacement and cancelling in the engine's lanes."""

from __future__ import annotations

import itertools
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from indexer.api.errors import Cancelled, WorldError
from indexer.api.progress import Progress, Step
from indexer.server.service import MAX_CLIENTS
from indexer.server.work_queues import (
    MAX_WAITING,
    IndexQueue,
    Job,
    Priority,
    SearchQueue,
    WorkQueue,
)
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLIENTS = ("types", *"abcdefg")
ROUNDS = 5


class Desk:
    """Makes jobs and remembers how they ended."""

    def __init__(self) -> None:
        self.outcomes: dict[str, tuple[Any, Exception | None]] = {}
        self.begun: dict[str, threading.Event] = {}
        self.ended: dict[str, threading.Event] = {}

    def job(
        self, name: str, owner: str = "one", work: Callable[[Job], Any] | None = None, **more: Any
    ) -> Job:
        begun = self.begun[name] = threading.Event()
        ended = self.ended[name] = threading.Event()

        def run(job: Job) -> Any:
            begun.set()
            return work(job) if work else name

        def finish(answer: Any, failure: Exception | None) -> None:
            assert name not in self.outcomes, "finished twice"
            self.outcomes[name] = (answer, failure)
            ended.set()

        return Job(owner, run, finish, name=name, **more)

    def until_cancelled(self, name: str, owner: str = "one", **more: Any) -> Job:
        return self.job(name, owner, lambda job: job.token.wait(WAIT_S), **more)

    def outcome(self, name: str) -> tuple[Any, Exception | None]:
        assert self.ended[name].wait(WAIT_S)
        return self.outcomes[name]

    def was_cancelled(self, name: str) -> bool:
        return isinstance(self.outcome(name)[1], Cancelled)


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def lane() -> Iterator[WorkQueue]:
    lane = WorkQueue("lane")
    yield lane
    assert lane.close(timeout=WAIT_S)


def test_jobs_run_in_their_order(lane: WorkQueue, desk: Desk) -> None:
    order: list[str] = []
    for name in "abc":
        lane.submit(desk.job(name, work=lambda job: order.append(job.name)))
    desk.outcome("c")
    assert order == ["a", "b", "c"]


def test_an_answer_a_failure_and_a_bug_reach_the_owner(lane: WorkQueue, desk: Desk) -> None:
    def fail(_job: Job) -> None:
        raise WorldError("busy", reason="so it is")

    def crash(_job: Job) -> None:
        raise ZeroDivisionError

    lane.submit(desk.job("good"))
    lane.submit(desk.job("bad", work=fail))
    lane.submit(desk.job("bug", work=crash))
    lane.submit(desk.job("after"))
    assert desk.outcome("good") == ("good", None)
    assert isinstance(desk.outcome("bad")[1], WorldError)
    assert isinstance(desk.outcome("bug")[1], ZeroDivisionError)
    assert desk.outcome("after") == ("after", None)


def test_a_panic_of_a_library_ends_its_job_only(lane: WorkQueue, desk: Desk) -> None:
    class Panic(BaseException):
        """As pyo3 raises what Rust panics with."""

    def panic(_job: Job) -> None:
        raise Panic("index out of bounds")

    lane.submit(desk.job("panics", work=panic))
    lane.submit(desk.job("after"))
    assert "index out of bounds" in str(desk.outcome("panics")[1])
    assert desk.outcome("after") == ("after", None)


def test_cancelling_reaches_running_and_waiting_jobs(lane: WorkQueue, desk: Desk) -> None:
    running, waiting = desk.until_cancelled("running"), desk.job("waiting")
    lane.submit(running)
    lane.submit(waiting)
    assert desk.begun["running"].wait(WAIT_S)
    lane.cancel(waiting)
    assert desk.was_cancelled("waiting")
    assert not desk.ended["running"].is_set()
    lane.cancel(running)
    assert desk.was_cancelled("running")
    assert not desk.begun["waiting"].is_set()


def test_who_leaves_takes_the_jobs_along_but_those_to_be_kept(lane: WorkQueue, desk: Desk) -> None:
    lane.submit(desk.until_cancelled("running", "leaver"))
    lane.submit(desk.job("waiting", "leaver"))
    lane.submit(desk.job("kept", "leaver", kept=True))
    lane.submit(desk.job("other", "stayer"))
    assert desk.begun["running"].wait(WAIT_S)
    lane.leave("leaver")
    assert desk.was_cancelled("running")
    assert desk.was_cancelled("waiting")
    assert desk.outcome("kept") == ("kept", None)
    assert desk.outcome("other") == ("other", None)


def test_a_full_lane_says_busy(lane: WorkQueue, desk: Desk) -> None:
    lane.submit(desk.until_cancelled("running"))
    assert desk.begun["running"].wait(WAIT_S)
    for number in range(MAX_WAITING):
        lane.submit(desk.job(str(number)))
    with pytest.raises(WorldError, match="busy"):
        lane.submit(desk.job("too many"))


def test_a_closed_lane_gives_up_what_waits_and_takes_no_more(desk: Desk) -> None:
    lane = WorkQueue("lane")
    lane.submit(desk.until_cancelled("running"))
    assert desk.begun["running"].wait(WAIT_S)
    lane.submit(desk.job("waiting"))
    assert lane.close(timeout=WAIT_S)
    assert desk.was_cancelled("running")
    assert desk.was_cancelled("waiting")
    with pytest.raises(WorldError, match="stopped answering"):
        lane.submit(desk.job("late"))


def test_closing_can_let_the_running_job_finish(desk: Desk) -> None:
    lane, gate = WorkQueue("lane"), threading.Event()
    lane.submit(desk.job("running", work=lambda _job: gate.wait(WAIT_S)))
    assert desk.begun["running"].wait(WAIT_S)
    assert not lane.close(finish_running=True, timeout=0)
    gate.set()
    assert lane.close(timeout=WAIT_S)
    assert desk.outcome("running") == (True, None)


def test_the_newest_query_of_an_owner_wins(desk: Desk) -> None:
    lane = SearchQueue("search")
    lane.submit(desk.until_cancelled("first"))
    assert desk.begun["first"].wait(WAIT_S)
    lane.submit(desk.job("of another", "two"))
    lane.submit(desk.job("second"))
    lane.submit(desk.job("third"))
    assert desk.was_cancelled("first")
    assert desk.was_cancelled("second")
    assert desk.outcome("of another") == ("of another", None)
    assert desk.outcome("third") == ("third", None)
    assert lane.close(timeout=WAIT_S)


def test_no_client_waits_longer_than_for_one_query_of_each_other(desk: Desk) -> None:
    lane, over = SearchQueue("search"), threading.Event()
    answered: list[str] = []
    numbers = itertools.count()

    def ask(owner: str) -> None:
        job = desk.job(str(next(numbers)), owner)
        job.finish = partial(finish, owner)
        lane.submit(job)

    def finish(owner: str, _answer: Any, failure: Exception | None) -> None:
        if failure is not None:
            return  # replaced
        answered.append(owner)
        if len(answered) == ROUNDS * len(CLIENTS):
            over.set()
        if not over.is_set():
            ask(owner)  # a client in a hurry
            ask("types")  # one who types a letter as often as anybody is answered

    lane.submit(desk.until_cancelled("first"))
    assert desk.begun["first"].wait(WAIT_S)
    for client in CLIENTS:
        ask(client)
    lane.leave("one")
    assert over.wait(WAIT_S)
    # In the order in which they came, every time.
    assert answered[: ROUNDS * len(CLIENTS)] == [*CLIENTS] * ROUNDS
    assert lane.close(timeout=WAIT_S)


def test_more_clients_may_ask_than_jobs_may_wait_in_other_queues(desk: Desk) -> None:
    lane = SearchQueue("search")
    lane.submit(desk.until_cancelled("first"))
    assert desk.begun["first"].wait(WAIT_S)
    asked = [str(number) for number in range(MAX_CLIENTS)]
    for name in asked:
        lane.submit(desk.job(name, name))
    lane.leave("one")
    assert [desk.outcome(name) for name in asked] == [(name, None) for name in asked]
    assert lane.close(timeout=WAIT_S)


def test_a_query_leaves_those_of_other_owners_alone(desk: Desk) -> None:
    lane = SearchQueue("search")
    lane.submit(desk.until_cancelled("first", "one"))
    assert desk.begun["first"].wait(WAIT_S)
    lane.submit(desk.job("second", "two"))
    assert not desk.ended["first"].is_set()
    lane.leave("one")
    assert desk.outcome("second") == ("second", None)
    assert lane.close(timeout=WAIT_S)


def test_those_who_wait_see_the_progress_of_the_one_who_works(desk: Desk) -> None:
    lane, gate = IndexQueue("index"), threading.Event()
    seen: dict[str, list[Progress]] = {"running": [], "waiting": []}

    def work(job: Job) -> None:
        gate.wait(WAIT_S)
        job.report(Progress(Step.INDEX, files_done=7))

    lane.submit(desk.job("running", work=work, sink=seen["running"].append))
    lane.submit(desk.job("waiting", sink=seen["waiting"].append))
    gate.set()
    desk.outcome("waiting")
    assert seen["running"] == [Progress(Step.INDEX, files_done=7)]
    assert [progress.files_done for progress in seen["waiting"]] == [7]
    assert seen["waiting"][0].note
    assert lane.close(timeout=WAIT_S)


def test_what_gives_way_ends_for_others_and_waits_behind_them(desk: Desk) -> None:
    lane = IndexQueue("index")
    order: list[str] = []

    def note(job: Job) -> None:
        order.append(job.name)

    lane.submit(desk.until_cancelled("watcher", "watcher", priority=Priority.FOUND))
    assert desk.begun["watcher"].wait(WAIT_S)
    # Nobody gives way to one who would give way too.
    lane.submit(desk.job("more", "watcher", note, priority=Priority.FOUND))
    assert not desk.ended["watcher"].is_set()
    lane.submit(desk.job("first", "person", note))
    lane.submit(desk.job("second", "person", note))
    assert desk.was_cancelled("watcher")
    for name in ("first", "second", "more"):
        desk.outcome(name)
    assert order == ["first", "second", "more"]
    lane.close()


def test_what_is_only_done_while_nothing_else_is_ends_for_what_was_found(desk: Desk) -> None:
    lane = IndexQueue("index")
    order: list[str] = []

    def note(job: Job) -> None:
        order.append(job.name)

    lane.submit(desk.until_cancelled("change", "engine", priority=Priority.IDLE))
    assert desk.begun["change"].wait(WAIT_S)
    assert (lane.free, lane.idle) == (True, False)
    lane.submit(desk.job("again", "engine", note, priority=Priority.IDLE))
    assert not desk.ended["change"].is_set()
    assert (lane.free, lane.idle) == (False, False)
    lane.submit(desk.job("found", "watcher", note, priority=Priority.FOUND))
    assert desk.was_cancelled("change")
    for name in ("found", "again"):
        desk.outcome(name)
    assert order == ["found", "again"]
    lane.close()
