"""Engines that come and go: attaching, waiting for another, leaving, and refusing clients."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from app.engine import LastingEngine, reach
from indexer.api.endpoint import EngineClient, new_endpoint, publish, published
from indexer.api.errors import WorldError
from indexer.api.private_files import HOLDER_NAME, LibraryLock
from indexer.api.requests import GetActivity, GetStatus, Index, ListFiles, Search, Shutdown
from indexer.config import EngineConfig
from indexer.server.service import Host
from tests.fake_engine import FakeEngine
from tests.integration.serving import fake, index, open_host
from tests.integration.speaking import attached
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from indexer.api.contract import EngineApi


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
    if sys.platform != "win32":
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


def test_a_request_is_repeated_when_the_engine_has_left(library: Path) -> None:
    host = open_host(library)
    reached: list[EngineApi] = []

    def reach_one() -> EngineApi:
        reached.append(reach(library, lambda: open_host(library)))
        return reached[-1]

    with contextlib.closing(LastingEngine(reach_one)) as engine:
        assert engine.call(ListFiles()).files == ()
        host.close()
        assert engine.call(ListFiles()).files == ()
    assert [type(each) for each in reached] == [EngineClient, Host]


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
    with pytest.raises(WorldError, match="no socket can be opened"):
        open_host(occupied, lasting=True)


def test_who_insists_on_offline_gets_no_other_engine(host: Host, library: Path) -> None:
    with pytest.raises(WorldError) as caught:
        reach(library, lambda: open_host(library), offline=True)
    assert caught.value.code == "busy"


def test_who_waits_is_told_that_the_engine_went(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.server.service.PATIENCE_S", 0.1)  # what runs does not end
    host = open_host(library)
    with contextlib.closing(attached(library)) as client, ThreadPoolExecutor() as pool:
        waiting = pool.submit(client.call, Search("WAIT"))
        assert fake(host).waiting.wait(WAIT_S)
        host.close()
        with pytest.raises(WorldError, match="stopped answering"):
            waiting.result(WAIT_S)
        assert client.wait_until_gone(WAIT_S)
        with pytest.raises(WorldError, match="stopped answering"):
            client.call(GetActivity())
