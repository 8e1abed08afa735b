"""The link to the engine: requests, cancelling, a lost connection, and no blocking."""

from __future__ import annotations

import contextlib
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from indexer.api.contract import LibraryPart
from indexer.api.progress import Progress
from indexer.api.requests import (
    GetDocument,
    GetStatus,
    Index,
    Search,
    SetCollection,
    SetPace,
)
from tests.ui.conftest import attach
from tests.ui.engines import fake_engine
from ui.engine_client import ActivityFeed, EngineLink

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from indexer.api.contract import Request
    from indexer.api.errors import LecternError
    from tests.fake_engine import FakeEngine


class Answers:
    """The outcomes of requests, and the threads of their callbacks."""

    def __init__(self) -> None:
        self.done: list[Any] = []
        self.failed: list[str] = []
        self.progress: list[Progress] = []
        self.threads: set[int] = set()

    def take(self, answer: object) -> None:
        self.threads.add(threading.get_ident())
        self.done.append(answer)

    def fail(self, error: LecternError) -> None:
        self.threads.add(threading.get_ident())
        self.failed.append(error.code)

    def hear(self, progress: Progress) -> None:
        self.threads.add(threading.get_ident())
        self.progress.append(progress)

    @property
    def any(self) -> bool:
        return bool(self.done or self.failed)


@pytest.fixture
def answers() -> Answers:
    return Answers()


def ask(link: EngineLink, answers: Answers, request: Request[Any]) -> int:
    return link.send_request(request, done=answers.take, failed=answers.fail, progress=answers.hear)


def test_an_answer_comes_later_and_on_the_main_thread(
    link: EngineLink, answers: Answers, qtbot: QtBot
) -> None:
    ask(link, answers, GetStatus())
    assert not answers.any
    qtbot.waitUntil(lambda: answers.any)
    assert answers.done[0].space == "fake"
    assert answers.threads == {threading.get_ident()}


def test_progress_is_delivered(
    link: EngineLink, answers: Answers, library_files: Path, qtbot: QtBot
) -> None:
    ask(link, answers, Index((library_files,)))
    qtbot.waitUntil(lambda: answers.any)
    assert answers.done
    assert answers.progress
    assert all(isinstance(each, Progress) for each in answers.progress)


def test_a_refused_request_fails(link: EngineLink, answers: Answers, qtbot: QtBot) -> None:
    ask(link, answers, Search('"open'))
    ask(link, answers, GetDocument(Path("nowhere")))
    qtbot.waitUntil(lambda: len(answers.failed) == 2)
    assert set(answers.failed) == {"bad_query", "bad_request"}


def test_a_request_that_cannot_be_encoded_fails(
    link: EngineLink, answers: Answers, qtbot: QtBot
) -> None:
    ask(link, answers, Search(cast("str", object())))
    qtbot.waitUntil(lambda: answers.any)
    assert answers.failed == ["internal"]


def test_the_answer_to_a_request_that_writes_says_what_has_changed(
    link: EngineLink, answers: Answers, qtbot: QtBot
) -> None:
    told: list[frozenset[str]] = []
    link.changed.connect(told.append)
    ask(link, answers, GetStatus())
    ask(link, answers, SetPace(paused=False))
    ask(link, answers, SetCollection("papers", "ext:pdf"))
    qtbot.waitUntil(lambda: len(answers.done) + len(answers.failed) == 3)
    assert set().union(*told) <= {LibraryPart.PACE, LibraryPart.COLLECTIONS}
    assert frozenset({LibraryPart.PACE}) in told


def test_the_feed_says_what_others_have_changed(
    link: EngineLink, engine: FakeEngine, qtbot: QtBot
) -> None:
    feed = ActivityFeed(link)
    with contextlib.closing(feed):
        qtbot.waitUntil(lambda: feed.latest is not None)
        with qtbot.waitSignal(link.changed) as told:
            engine.changes += 1
        assert told.args == [frozenset({LibraryPart.FILES})]


def test_a_cancelled_request_calls_nothing(
    link: EngineLink, engine: FakeEngine, answers: Answers, qtbot: QtBot
) -> None:
    number = ask(link, answers, Search("WAIT"))
    qtbot.waitUntil(engine.waiting.is_set)
    link.cancel(number)
    later = Answers()
    ask(link, later, Search("ice"))
    qtbot.waitUntil(lambda: later.any)
    assert not answers.any


def test_a_search_that_a_newer_one_replaces_fails(
    link: EngineLink, engine: FakeEngine, answers: Answers, qtbot: QtBot
) -> None:
    ask(link, answers, Search("WAIT"))
    qtbot.waitUntil(engine.waiting.is_set)
    ask(link, answers, Search("ice"))
    qtbot.waitUntil(lambda: len(answers.failed) + len(answers.done) == 2)
    assert answers.failed == ["busy"]


def test_without_an_engine_a_request_fails_later(
    tmp_path: Path, answers: Answers, qtbot: QtBot
) -> None:
    link = EngineLink(tmp_path / "library")
    ask(link, answers, GetStatus())
    assert not answers.any
    qtbot.waitUntil(lambda: answers.any)
    assert answers.failed == ["engine_gone"]
    assert not link.is_connected


def test_a_missing_engine_emits_absent(tmp_path: Path, qtbot: QtBot) -> None:
    link = EngineLink(tmp_path / "library")
    with qtbot.waitSignal(link.absent):
        link.attach()
    assert not link.is_connected


def test_losing_the_engine_fails_waiting_requests_and_attaching_again_works(
    tmp_path: Path, library_files: Path, answers: Answers, qtbot: QtBot
) -> None:
    (library_files / "slow.txt").write_text("WAIT")
    link = EngineLink(tmp_path / "library")
    with (
        qtbot.waitSignal(link.disconnected),
        fake_engine(tmp_path / "library") as engine,
    ):
        attach(qtbot, link)
        ask(link, answers, Index((library_files,)))
        qtbot.waitUntil(engine.waiting.is_set)
    assert answers.failed == ["engine_gone"]
    assert not link.is_connected
    with fake_engine(tmp_path / "library"):
        attach(qtbot, link)
        assert link.greeting is not None
        assert link.greeting.library == str(tmp_path / "library")
        with qtbot.waitSignal(link.disconnected):
            link.close()


@pytest.fixture
def deaf(tmp_path: Path) -> Iterator[Path]:
    """A library whose engine accepts connections and sends nothing."""
    from indexer.api.endpoint import StreamListener, connect, new_endpoint, publish
    from indexer.api.private_files import LibraryLock

    library = tmp_path / "library"
    lock = LibraryLock.acquire(library)
    endpoint = new_endpoint(lock.holding)
    listener = StreamListener(endpoint.address, 1)
    connections = []
    thread = threading.Thread(target=lambda: connections.append(listener.accept()))
    thread.start()
    publish(library, endpoint)
    yield library
    connect(endpoint.address).close()
    thread.join()
    for each in connections:
        each.close()
    listener.close()
    lock.release()


def test_a_silent_engine_does_not_block_the_window(
    deaf: Path, answers: Answers, qtbot: QtBot
) -> None:
    link = EngineLink(deaf)
    began = time.thread_time()
    link.attach()
    ask(link, answers, GetStatus())
    qtbot.waitUntil(lambda: answers.any)
    assert answers.failed == ["engine_gone"]
    assert time.thread_time() - began < 1
