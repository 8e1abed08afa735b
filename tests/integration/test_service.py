"""The engine behind its socket: attaching, sharing, cancelling, leaving, and closing the door."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

import pytest

from indexer.api.answers import Activity, Speed
from indexer.api.client import EngineClient, reach, with_engine
from indexer.api.endpoint import FAMILY, new_endpoint, publish, published
from indexer.api.errors import Cancelled, InternalError, LecternError, WorldError
from indexer.api.lock import HOLDER_NAME, LibraryLock
from indexer.api.progress import CancelToken, Progress, Step
from indexer.api.protocol import Header, Hello, hello, pack
from indexer.api.requests import (
    Diagnose,
    EstimateIndex,
    FindSentences,
    GetActivity,
    GetDocument,
    GetStatus,
    Index,
    ListFiles,
    Order,
    Queue,
    Remove,
    Retry,
    Search,
    SetPace,
    SetPatterns,
    Shutdown,
    Unlock,
)
from indexer.api.types import FileState, Summary
from indexer.config import EngineConfig
from indexer.server.host import Host
from indexer.server.service import Service
from tests.fake_engine import FakeEngine
from tests.integration.speaking import attached, greeted, raw, receive
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.api.requests import EngineApi


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    return tmp_path / "library"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "ice.txt").write_text("The ship sank in November. The crew camped on the ice.")
    (folder / "lease.txt").write_text("The tenant pays rent.\fThe landlord mends the roof.")
    return folder


@pytest.fixture
def host(library: Path) -> Iterator[Host]:
    host = open_host(library)
    yield host
    host.close()


@pytest.fixture
def client(host: Host, library: Path) -> Iterator[EngineClient]:
    with contextlib.closing(attached(library)) as client:
        yield client


def open_host(library: Path, *, offline: bool = False, lasting: bool = False) -> Host:
    engine = FakeEngine.open(EngineConfig(library, library / "models", offline=offline))
    return Host(engine, Service(engine, library, offline=offline, lasting=lasting))


def fake(host: Host) -> FakeEngine:
    assert isinstance(host.engine, FakeEngine)
    return host.engine


def index(engine: EngineApi, *paths: Path) -> None:
    engine.call(Index(tuple(paths)))


@pytest.fixture
def occupied(library: Path) -> Iterator[Path]:
    """A library for which no socket can be made."""
    with LibraryLock.acquire(library) as lock:
        address = Path(new_endpoint(lock.holding).address)
    address.mkdir()
    yield library
    address.rmdir()


def test_everything_can_be_asked_from_afar(client: EngineClient, folder: Path, host: Host) -> None:
    reports: list[Progress] = []
    summary = client.call(Index((folder,)), report=reports.append)
    assert summary.states == {"indexed": 2}
    assert reports[-1].step is Step.DONE
    result = client.call(Search("where did the crew camp?"))
    assert result.hits == host.call(Search("where did the crew camp?")).hits
    assert result.hits[0].file == "ice.txt"
    assert client.call(GetStatus()) == host.call(GetStatus())
    assert client.call(ListFiles()).files == host.call(ListFiles()).files
    assert client.call(ListFiles(FileState.INDEXED, folder, 1, 1)).files[0].file == "lease.txt"
    assert client.call(Diagnose()) == host.call(Diagnose())
    assert client.call(ListFiles(FileState.INDEXED, text="ICE")).total == 1
    assert (
        client.call(ListFiles(order=Order.SIZE)).files
        == host.call(ListFiles(order=Order.SIZE)).files
    )
    assert client.call(GetActivity()) == host.call(GetActivity())
    assert client.call(GetDocument(folder / "ice.txt")) == host.call(
        GetDocument(folder / "ice.txt")
    )
    assert client.call(FindSentences(folder / "lease.txt", 0, 5)) == ((0, 21),)
    assert (
        client.call(SetPatterns(folder, ("*.tmp",)))
        == client.call(SetPatterns(folder, None))
        == ("*.tmp",)
    )
    assert client.call(EstimateIndex((folder,))).known == 2
    assert client.call(Remove((folder / "ice.txt",))).files == 1
    assert [row.file for row in host.call(ListFiles()).files] == ["lease.txt"]


def test_pace_and_pause_are_told_to_everyone(client: EngineClient, host: Host) -> None:
    assert client.call(SetPace(Speed.SLOW, paused=True)).reason == "paused"
    assert host.call(GetActivity()).speed == "slow"
    assert client.call(SetPace(paused=False, typing=True)).paused is False
    assert fake(host).typed == 1


def test_what_is_queued_again_is_read_without_being_asked(
    client: EngineClient, folder: Path
) -> None:
    locked, broken = folder / "locked.txt", folder / "broken.txt"
    locked.write_text("LOCKED sesame. A cave full of gold.")
    broken.write_text("BROKEN")
    index(client, folder)
    assert client.call(ListFiles(FileState.NEEDS_PASSWORD)).total == 1
    assert client.call(Unlock(locked, "sesame")) == 1
    wait_for(lambda: client.call(Search("gold")).hits != ())
    broken.write_text("Whole again.")
    assert client.call(Retry()) == 1
    wait_for(
        lambda: (
            client.call(ListFiles(FileState.UNREADABLE)).total
            == client.call(GetActivity()).pending
            == 0
        )
    )
    assert client.call(GetDocument(broken)).state == "indexed"


def test_a_request_can_be_sent_without_waiting(client: EngineClient, folder: Path) -> None:
    heard: SimpleQueue[object] = SimpleQueue()
    client.send(Index((folder,)), heard.put, heard.put, heard.put)
    while isinstance(last := heard.get(timeout=WAIT_S), Progress):
        pass
    assert isinstance(last, Summary)
    client.send(SetPatterns(Path("nowhere")), heard.put, heard.put)
    failure = heard.get(timeout=WAIT_S)
    assert isinstance(failure, WorldError)
    assert failure.code == "bad_request"


def test_a_forgotten_request_is_ended_and_heard_of_no_more(
    client: EngineClient, host: Host
) -> None:
    heard: SimpleQueue[object] = SimpleQueue()
    number = client.send(Search("WAIT"), heard.put, heard.put)
    assert fake(host).waiting.wait(WAIT_S)
    client.cancel(number)
    wait_for(lambda: host.service.search_queue.idle)
    client.send(GetActivity(), heard.put, heard.put)
    assert isinstance(heard.get(timeout=WAIT_S), Activity)
    assert heard.empty()


def test_every_listener_is_told_once_that_the_engine_went(library: Path) -> None:
    host = open_host(library)
    heard: SimpleQueue[object] = SimpleQueue()

    def gone() -> bool:
        failure = heard.get(timeout=WAIT_S)
        return isinstance(failure, WorldError) and failure.code == "engine_gone"

    with contextlib.closing(attached(library)) as client:
        client.send(Search("WAIT"), heard.put, heard.put)
        assert fake(host).waiting.wait(WAIT_S)
        host.close()
        assert gone()
        assert client.wait_until_gone(WAIT_S)
        client.send(GetActivity(), heard.put, heard.put)
        assert gone()
        assert heard.empty()


def test_a_listener_that_fails_costs_the_others_nothing(
    client: EngineClient, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_what: object) -> None:
        raise RuntimeError

    client.send(GetActivity(), fail, fail)
    assert client.call(GetActivity()).speed == "normal"
    assert "a listener failed" in caplog.text


def test_errors_keep_their_code_and_sentence(client: EngineClient, tmp_path: Path) -> None:
    with pytest.raises(WorldError) as caught:
        index(client, tmp_path / "nowhere")
    assert caught.value.code == "path_missing"
    assert str(tmp_path / "nowhere") in caught.value.message


def test_a_bug_in_the_engine_reaches_the_client_without_its_details(client: EngineClient) -> None:
    with pytest.raises(InternalError, match="ZeroDivisionError"):
        client.call(Search("CRASH"))
    assert client.call(Search("crew")).hits == ()


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes have no mode")
def test_only_the_owner_can_open_the_socket(host: Host, library: Path) -> None:
    endpoint = published(library)
    assert endpoint is not None
    assert stat.S_IMODE(Path(endpoint.address).stat().st_mode) == 0o600
    assert stat.S_IMODE(Path(endpoint.address).parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("secret", ["wrong", "", 7, "caf\u00e9"])
def test_a_client_that_cannot_read_the_library_is_turned_away(
    host: Host, library: Path, secret: object
) -> None:
    connection = raw(library)
    connection.send_bytes(pack({**hello(Hello("client")), "secret": secret}))
    assert receive(connection)["error"]["code"] == "bad_request"
    with pytest.raises(EOFError):
        connection.recv_bytes()
    connection.close()


def test_a_client_of_another_version_is_told(host: Host, library: Path) -> None:
    connection = raw(library)
    connection.send_bytes(pack({**hello(Hello("client")), "protocol": 999}))
    assert receive(connection)["error"]["code"] == "engine_version"
    connection.close()


@pytest.mark.parametrize(
    "message", [b"", b"\x00\x00\x00\xff{}", b"\x00\x00\x00\x02[]", b"\x80\x04N.", b"x" * 5000]
)
def test_noise_ends_only_its_own_connection(host: Host, library: Path, message: bytes) -> None:
    connection = greeted(library)
    connection.send_bytes(message)
    assert receive(connection)["error"]["code"] == "bad_request"
    with pytest.raises(EOFError):
        connection.recv_bytes()
    connection.close()
    with contextlib.closing(attached(library)) as client:
        assert client.call(GetStatus()).documents == 0


@pytest.mark.parametrize(
    "request_",
    [
        {"type": "search"},
        {"type": "search", "id": "one", "text": "a"},
        {"type": "search", "id": 1},
        {"type": "search", "id": 1, "text": 5},
        {"type": "search", "id": 1, "text": "a", "limit": 0},
        {"type": "search", "id": 1, "text": "a", "limit": True},
        {"type": "index", "id": 1, "paths": ["relative"]},
        {"type": "index", "id": 1, "paths": "/"},
        {"type": "set_pace", "id": 1, "speed": "ludicrous"},
        {"type": "dance", "id": 1},
        {"type": ["search"], "id": 1},
        {"id": 1},
    ],
)
def test_a_request_that_makes_no_sense_is_answered(
    host: Host, library: Path, request_: Header
) -> None:
    with contextlib.closing(greeted(library)) as connection:
        connection.send_bytes(pack(request_))
        reply = receive(connection)
        assert (reply["type"], reply["error"]["code"]) == ("error", "bad_request")
        connection.send_bytes(pack({"type": "get_status", "id": 2}))
        assert receive(connection)["id"] == 2


def test_the_newest_query_of_a_client_cancels_the_one_in_flight(
    client: EngineClient, folder: Path, host: Host
) -> None:
    index(client, folder)
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(client.call, Search("WAIT"))
        assert fake(host).waiting.wait(WAIT_S)
        assert client.call(Search("rent")).hits
        with pytest.raises(Cancelled):
            slow.result(WAIT_S)


def test_clients_do_not_cancel_each_other(
    client: EngineClient, library: Path, host: Host, folder: Path
) -> None:
    index(client, folder)
    token = CancelToken()
    with ThreadPoolExecutor() as pool, contextlib.closing(attached(library)) as other:
        slow = pool.submit(client.call, Search("WAIT"), token=token)
        assert fake(host).waiting.wait(WAIT_S)
        behind = pool.submit(other.call, Search("rent"))
        token.cancel()
        with pytest.raises(Cancelled):
            slow.result(WAIT_S)
        assert behind.result(WAIT_S).hits


def test_a_client_that_leaves_cancels_its_search(
    library: Path, host: Host, client: EngineClient
) -> None:
    connection = greeted(library)
    connection.send_bytes(pack({"type": "search", "id": 1, "text": "WAIT"}))
    assert fake(host).waiting.wait(WAIT_S)
    connection.close()
    # The lane is free again: the query of another client is answered.
    assert client.call(Search("rent")).hits == ()


def test_search_and_status_answer_while_indexing(
    client: EngineClient, library: Path, folder: Path, host: Host
) -> None:
    index(client, folder)
    (folder / "more.txt").write_text("WAIT")
    token = CancelToken()
    with ThreadPoolExecutor() as pool, contextlib.closing(attached(library)) as other:
        run = pool.submit(client.call, Index((folder,)), token=token)
        assert fake(host).waiting.wait(WAIT_S)
        assert other.call(Search("rent")).hits
        assert other.call(GetStatus()).documents == 2
        assert client.call(GetStatus()).documents == 2
        token.cancel()
        assert run.result(WAIT_S).cancelled


def test_a_second_run_waits_and_sees_how_far_the_first_is(
    client: EngineClient, library: Path, folder: Path, host: Host
) -> None:
    (folder / "a.txt").write_text("WAIT")
    token, seen = CancelToken(), threading.Event()
    reports: list[Progress] = []

    def note(progress: Progress) -> None:
        reports.append(progress)
        seen.set()

    with ThreadPoolExecutor() as pool, contextlib.closing(attached(library)) as other:
        first = pool.submit(client.call, Index((folder,)), token=token)
        assert fake(host).waiting.wait(WAIT_S)
        (folder / "a.txt").write_text("Now it is short.")
        second = pool.submit(other.call, Index((folder,)), report=note)
        assert seen.wait(WAIT_S)
        assert reports[0].note
        token.cancel()
        assert first.result(WAIT_S).cancelled
        assert second.result(WAIT_S).states == {"indexed": 3}


def test_an_index_run_ends_with_its_client_unless_it_is_to_be_kept(
    client: EngineClient, library: Path, folder: Path, host: Host
) -> None:
    (folder / "z.txt").write_text("WAIT")
    connection = greeted(library)
    connection.send_bytes(pack({"type": "index", "id": 1, "paths": [str(folder)]}))
    assert fake(host).waiting.wait(WAIT_S)
    connection.close()
    assert client.call(Remove((folder / "ice.txt",))).files == 1  # the writer is free again

    fake(host).waiting.clear()
    connection = greeted(library)
    connection.send_bytes(pack({"type": "index", "id": 1, "paths": [str(folder)], "kept": True}))
    assert fake(host).waiting.wait(WAIT_S)
    connection.close()
    job = host.service.index_queue.running
    assert job is not None
    host.service.index_queue.cancel(job)


def test_what_this_process_asks_for_is_queued_with_the_rest(
    host: Host, client: EngineClient, folder: Path
) -> None:
    (folder / "a.txt").write_text("WAIT")
    token = CancelToken()
    with ThreadPoolExecutor() as pool:
        theirs = pool.submit(client.call, Index((folder,)), token=token)
        assert fake(host).waiting.wait(WAIT_S)
        (folder / "a.txt").write_text("Now it is short.")
        mine = pool.submit(host.call, Index((folder,)))
        token.cancel()
        assert theirs.result(WAIT_S).cancelled
        assert mine.result(WAIT_S).states == {"indexed": 3}


def test_closing_answers_everyone_and_removes_every_trace(
    host: Host, library: Path, folder: Path
) -> None:
    (folder / "a.txt").write_text("WAIT")
    endpoint = published(library)
    assert endpoint is not None
    with contextlib.closing(attached(library)) as client, ThreadPoolExecutor() as pool:
        run = pool.submit(client.call, Index((folder,)))
        assert fake(host).waiting.wait(WAIT_S)
        host.close()
        with pytest.raises(WorldError) as caught:
            run.result(WAIT_S)
        assert caught.value.code == "engine_gone"
        with pytest.raises(WorldError, match="stopped answering"):
            client.call(GetStatus())
    assert fake(host).closed
    assert not Path(endpoint.address).exists()
    assert EngineClient.attach(library) is None


def test_no_thread_is_left_behind(library: Path, folder: Path) -> None:
    before = set(threading.enumerate())
    host = open_host(library)
    with contextlib.closing(attached(library)) as client:
        index(client, folder)
    host.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(WAIT_S)
    assert set(threading.enumerate()) <= before


def test_a_stale_socket_and_note_are_swept_away(library: Path) -> None:
    with LibraryLock.acquire(library) as lock:
        stale = new_endpoint(lock.holding)
        note = (library / HOLDER_NAME).read_bytes()
    (library / HOLDER_NAME).write_bytes(note)  # as after a kill
    publish(library, stale)
    assert EngineClient.attach(library) is None
    if FAMILY == "AF_UNIX":
        import socket

        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(stale.address)
        assert EngineClient.attach(library) is None
    with contextlib.closing(open_host(library)), contextlib.closing(attached(library)) as client:
        assert client.greeting.pid == os.getpid()


def test_an_engine_that_cannot_be_shared_still_works(
    occupied: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(open_host(occupied)) as host:
        index(host, folder)
        assert host.call(Search("rent")).hits
    assert "cannot be shared" in caplog.text


def test_commands_attach_to_a_running_engine_or_open_one(library: Path, folder: Path) -> None:
    with contextlib.closing(reach(library, lambda: open_host(library))) as first:
        assert isinstance(first, Host)
        with contextlib.closing(reach(library, lambda: open_host(library))) as second:
            assert isinstance(second, EngineClient)


def test_a_locked_library_that_does_not_answer_is_an_error_in_the_end(library: Path) -> None:
    engine = FakeEngine.open(EngineConfig(library, library))
    try:
        with pytest.raises(WorldError) as caught:
            reach(library, lambda: open_host(library), patience=0.0)
        assert caught.value.code == "library_locked"
    finally:
        engine.close()


def test_an_action_is_done_again_when_the_engine_leaves_in_the_middle(
    library: Path, folder: Path
) -> None:
    host = open_host(library)
    seen: list[type] = []

    def action(engine: EngineApi) -> int:
        seen.append(type(engine))
        if len(seen) == 1:
            host.close()
        return len(engine.call(ListFiles()).files)

    assert with_engine(library, lambda: open_host(library), action) == 0
    assert seen == [EngineClient, Host]


def test_idle_engines_end_and_used_ones_do_not(library: Path) -> None:
    with contextlib.closing(open_host(library)) as host:
        done = threading.Event()

        def wait() -> None:
            host.service.wait(idle_seconds=0.0)
            done.set()

        with contextlib.closing(attached(library)) as client:
            threading.Thread(target=wait).start()
            client.call(GetStatus())
            assert not done.is_set()
        assert done.wait(WAIT_S)


def test_a_client_can_ask_a_lasting_engine_to_end(library: Path) -> None:
    with contextlib.closing(open_host(library, lasting=True)) as host:
        with contextlib.closing(attached(library)) as client:
            client.call(Shutdown())
        host.service.wait()


def test_an_engine_that_a_command_needs_cannot_be_ended(client: EngineClient, host: Host) -> None:
    with pytest.raises(WorldError) as caught:
        client.call(Shutdown())
    assert caught.value.code == "busy"
    assert not host.service.stopping()


def test_a_lasting_engine_that_cannot_be_reached_is_none(occupied: Path) -> None:
    with pytest.raises(WorldError, match="no socket can be made"):
        open_host(occupied, lasting=True)


def test_who_insists_on_offline_gets_no_other_engine(host: Host, library: Path) -> None:
    with pytest.raises(WorldError) as caught:
        reach(library, lambda: open_host(library), offline=True)
    assert caught.value.code == "busy"


def test_a_slow_reader_costs_nobody_else(library: Path, host: Host, folder: Path) -> None:
    index(host, folder)
    connection = greeted(library)
    for number in range(2000):
        connection.send_bytes(pack({"type": "search", "id": number, "text": "the " * 200}))
    with contextlib.closing(attached(library)) as client:
        assert client.call(Search("rent")).hits
    connection.close()


def test_errors_of_a_queue_are_answers_too(host: Host, library: Path) -> None:
    host.service.queues[Queue.STATUS].close()
    with contextlib.closing(attached(library)) as client, pytest.raises(LecternError):
        client.call(GetStatus())
