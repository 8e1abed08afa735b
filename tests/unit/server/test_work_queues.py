"""Order, replacement and cancelling in the engine's work queues."""

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


class Jobs:
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
def jobs() -> Jobs:
    return Jobs()


@pytest.fixture
def queue() -> Iterator[WorkQueue]:
    queue = WorkQueue("queue")
    yield queue
    assert queue.close(timeout=WAIT_S)


def test_jobs_run_in_their_order(queue: WorkQueue, jobs: Jobs) -> None:
    order: list[str] = []
    for name in "abc":
        queue.submit(jobs.job(name, work=lambda job: order.append(job.name)))
    jobs.outcome("c")
    assert order == ["a", "b", "c"]


def test_an_answer_a_failure_and_a_bug_reach_the_owner(queue: WorkQueue, jobs: Jobs) -> None:
    def fail(_job: Job) -> None:
        raise WorldError("busy", reason="so it is")

    def crash(_job: Job) -> None:
        raise ZeroDivisionError

    queue.submit(jobs.job("good"))
    queue.submit(jobs.job("bad", work=fail))
    queue.submit(jobs.job("bug", work=crash))
    queue.submit(jobs.job("after"))
    assert jobs.outcome("good") == ("good", None)
    assert isinstance(jobs.outcome("bad")[1], WorldError)
    assert isinstance(jobs.outcome("bug")[1], ZeroDivisionError)
    assert jobs.outcome("after") == ("after", None)


def test_a_panic_of_a_library_ends_its_job_only(queue: WorkQueue, jobs: Jobs) -> None:
    class Panic(BaseException):
        """As pyo3 raises what Rust panics with."""

    def panic(_job: Job) -> None:
        raise Panic("index out of bounds")

    queue.submit(jobs.job("panics", work=panic))
    queue.submit(jobs.job("after"))
    assert "index out of bounds" in str(jobs.outcome("panics")[1])
    assert jobs.outcome("after") == ("after", None)


def test_cancelling_reaches_running_and_waiting_jobs(queue: WorkQueue, jobs: Jobs) -> None:
    running, waiting = jobs.until_cancelled("running"), jobs.job("waiting")
    queue.submit(running)
    queue.submit(waiting)
    assert jobs.begun["running"].wait(WAIT_S)
    queue.cancel(waiting)
    assert jobs.was_cancelled("waiting")
    assert not jobs.ended["running"].is_set()
    queue.cancel(running)
    assert jobs.was_cancelled("running")
    assert not jobs.begun["waiting"].is_set()


def test_who_leaves_takes_the_jobs_along_but_those_to_be_kept(queue: WorkQueue, jobs: Jobs) -> None:
    queue.submit(jobs.until_cancelled("running", "leaver"))
    queue.submit(jobs.job("waiting", "leaver"))
    queue.submit(jobs.job("kept", "leaver", kept=True))
    queue.submit(jobs.job("other", "stayer"))
    assert jobs.begun["running"].wait(WAIT_S)
    queue.cancel_jobs_of("leaver")
    assert jobs.was_cancelled("running")
    assert jobs.was_cancelled("waiting")
    assert jobs.outcome("kept") == ("kept", None)
    assert jobs.outcome("other") == ("other", None)


def test_a_full_queue_says_busy(queue: WorkQueue, jobs: Jobs) -> None:
    queue.submit(jobs.until_cancelled("running"))
    assert jobs.begun["running"].wait(WAIT_S)
    for number in range(MAX_WAITING):
        queue.submit(jobs.job(str(number)))
    with pytest.raises(WorldError, match="busy"):
        queue.submit(jobs.job("too many"))


def test_a_closed_queue_gives_up_what_waits_and_takes_no_more(jobs: Jobs) -> None:
    queue = WorkQueue("queue")
    queue.submit(jobs.until_cancelled("running"))
    assert jobs.begun["running"].wait(WAIT_S)
    queue.submit(jobs.job("waiting"))
    assert queue.close(timeout=WAIT_S)
    assert jobs.was_cancelled("running")
    assert jobs.was_cancelled("waiting")
    with pytest.raises(WorldError, match="stopped answering"):
        queue.submit(jobs.job("late"))


def test_closing_can_let_the_running_job_finish(jobs: Jobs) -> None:
    queue, gate = WorkQueue("queue"), threading.Event()
    queue.submit(jobs.job("running", work=lambda _job: gate.wait(WAIT_S)))
    assert jobs.begun["running"].wait(WAIT_S)
    assert not queue.close(finish_running=True, timeout=0)
    gate.set()
    assert queue.close(timeout=WAIT_S)
    assert jobs.outcome("running") == (True, None)


def test_the_newest_query_of_an_owner_wins(jobs: Jobs) -> None:
    queue = SearchQueue("search")
    queue.submit(jobs.until_cancelled("first"))
    assert jobs.begun["first"].wait(WAIT_S)
    queue.submit(jobs.job("of another", "two"))
    queue.submit(jobs.job("second"))
    queue.submit(jobs.job("third"))
    assert jobs.was_cancelled("first")
    assert jobs.was_cancelled("second")
    assert jobs.outcome("of another") == ("of another", None)
    assert jobs.outcome("third") == ("third", None)
    assert queue.close(timeout=WAIT_S)


def test_no_client_waits_longer_than_for_one_query_of_each_other(jobs: Jobs) -> None:
    queue, over = SearchQueue("search"), threading.Event()
    answered: list[str] = []
    numbers = itertools.count()

    def ask(owner: str) -> None:
        job = jobs.job(str(next(numbers)), owner)
        job.finish = partial(finish, owner)
        queue.submit(job)

    def finish(owner: str, _answer: Any, failure: Exception | None) -> None:
        if failure is not None:
            return  # replaced
        answered.append(owner)
        if len(answered) == ROUNDS * len(CLIENTS):
            over.set()
        if not over.is_set():
            ask(owner)  # a client in a hurry
            ask("types")  # one who types a letter as often as anybody is answered

    queue.submit(jobs.until_cancelled("first"))
    assert jobs.begun["first"].wait(WAIT_S)
    for client in CLIENTS:
        ask(client)
    queue.cancel_jobs_of("one")
    assert over.wait(WAIT_S)
    # In the order in which they came, every time.
    assert answered[: ROUNDS * len(CLIENTS)] == [*CLIENTS] * ROUNDS
    assert queue.close(timeout=WAIT_S)


def test_more_clients_may_ask_than_jobs_may_wait_in_other_queues(jobs: Jobs) -> None:
    queue = SearchQueue("search")
    queue.submit(jobs.until_cancelled("first"))
    assert jobs.begun["first"].wait(WAIT_S)
    asked = [str(number) for number in range(MAX_CLIENTS)]
    for name in asked:
        queue.submit(jobs.job(name, name))
    queue.cancel_jobs_of("one")
    assert [jobs.outcome(name) for name in asked] == [(name, None) for name in asked]
    assert queue.close(timeout=WAIT_S)


def test_a_query_leaves_those_of_other_owners_alone(jobs: Jobs) -> None:
    queue = SearchQueue("search")
    queue.submit(jobs.until_cancelled("first", "one"))
    assert jobs.begun["first"].wait(WAIT_S)
    queue.submit(jobs.job("second", "two"))
    assert not jobs.ended["first"].is_set()
    queue.cancel_jobs_of("one")
    assert jobs.outcome("second") == ("second", None)
    assert queue.close(timeout=WAIT_S)


def test_those_who_wait_see_the_progress_of_the_one_who_works(jobs: Jobs) -> None:
    queue, gate = IndexQueue("index"), threading.Event()
    seen: dict[str, list[Progress]] = {"running": [], "waiting": []}

    def work(job: Job) -> None:
        gate.wait(WAIT_S)
        job.report(Progress(Step.INDEX, files_done=7))

    queue.submit(jobs.job("running", work=work, sink=seen["running"].append))
    assert jobs.begun["running"].wait(WAIT_S)
    queue.submit(jobs.job("waiting", sink=seen["waiting"].append))
    gate.set()
    jobs.outcome("waiting")
    assert seen["running"] == [Progress(Step.INDEX, files_done=7)]
    assert [progress.files_done for progress in seen["waiting"]] == [0, 7]
    assert seen["waiting"][0].note
    assert queue.close(timeout=WAIT_S)


def test_what_gives_way_ends_for_others_and_waits_behind_them(jobs: Jobs) -> None:
    queue = IndexQueue("index")
    order: list[str] = []

    def note(job: Job) -> None:
        order.append(job.name)

    queue.submit(jobs.until_cancelled("watcher", "watcher", priority=Priority.FOUND))
    assert jobs.begun["watcher"].wait(WAIT_S)
    # Nobody gives way to one who would give way too.
    queue.submit(jobs.job("more", "watcher", note, priority=Priority.FOUND))
    assert not jobs.ended["watcher"].is_set()
    queue.submit(jobs.job("first", "person", note))
    queue.submit(jobs.job("second", "person", note))
    assert jobs.was_cancelled("watcher")
    for name in ("first", "second", "more"):
        jobs.outcome(name)
    assert order == ["first", "second", "more"]
    queue.close()


def test_what_is_only_done_while_nothing_else_is_ends_for_what_was_found(jobs: Jobs) -> None:
    queue = IndexQueue("index")
    order: list[str] = []

    def note(job: Job) -> None:
        order.append(job.name)

    queue.submit(jobs.until_cancelled("change", "engine", priority=Priority.IDLE))
    assert jobs.begun["change"].wait(WAIT_S)
    assert (queue.free, queue.idle) == (True, False)
    queue.submit(jobs.job("again", "engine", note, priority=Priority.IDLE))
    assert not jobs.ended["change"].is_set()
    assert (queue.free, queue.idle) == (False, False)
    queue.submit(jobs.job("found", "watcher", note, priority=Priority.FOUND))
    assert jobs.was_cancelled("change")
    for name in ("found", "again"):
        jobs.outcome(name)
    assert order == ["found", "again"]
    queue.close()
