"""The engine behind its socket: what is asked from afar is answered as it is here."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import Cancelled, InternalError, WorldError
from indexer.api.progress import CancelToken, Progress
from indexer.api.requests import (
    Diagnose,
    EstimateIndex,
    GetActivity,
    GetDocument,
    GetStatus,
    Index,
    ListFiles,
    Order,
    Remove,
    Search,
    SetPace,
    SetPatterns,
)
from indexer.api.status import Speed
from indexer.api.types import FileState
from tests.integration.serving import fake, index
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.endpoint import EngineClient
    from indexer.server.service import Host


def test_everything_can_be_asked_from_afar(client: EngineClient, folder: Path, host: Host) -> None:
    reports: list[Progress] = []
    summary = client.call(Index((folder,)), report=reports.append)
    assert summary.states == {"indexed": 2}
    assert reports[-1].files_done == 2
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
    assert (
        client.call(SetPatterns(folder, ("*.tmp",)))
        == client.call(SetPatterns(folder, None))
        == ("*.tmp",)
    )
    assert client.call(EstimateIndex((folder,))).known == 2
    assert client.call(Remove((folder / "ice.txt",))) == 1
    assert [row.file for row in host.call(ListFiles()).files] == ["lease.txt"]


def test_pace_and_pause_are_told_to_everyone(client: EngineClient, host: Host) -> None:
    assert client.call(SetPace(Speed.SLOW, paused=True)).reason == "paused"
    assert host.call(GetActivity()).speed == "slow"
    assert client.call(SetPace(paused=False, typing=True)).paused is False
    assert fake(host).typed == 1


def test_an_encrypted_library_is_left_after_idle_time_whoever_is_connected(
    client: EngineClient, host: Host
) -> None:
    host.service.lock_after_s = 0.1
    serving = Thread(target=host.service.wait)
    serving.start()
    serving.join(WAIT_S)
    assert host.service.stopping()
    assert client.greeting.library


def test_memory_is_given_back_once_after_every_time_of_work(
    client: EngineClient, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.server.service.REST_S", 0.0)
    serving = Thread(target=host.service.wait)
    serving.start()
    wait_for(lambda: fake(host).rests == 1)
    client.call(Search("camp"))
    wait_for(lambda: fake(host).rests == 2)
    client.call(GetActivity())  # the window polls it
    host.service.stop()
    serving.join()
    assert fake(host).rests == 2


def test_a_cancelled_request_leaves_the_connection_to_the_next(
    client: EngineClient, host: Host
) -> None:
    token = CancelToken()
    with ThreadPoolExecutor() as pool:
        search = pool.submit(client.call, Search("WAIT"), token=token)
        assert fake(host).waiting.wait(WAIT_S)
        token.cancel()
        with pytest.raises(Cancelled):
            search.result(WAIT_S)
    assert host.service.search_queue.idle
    assert client.call(GetActivity()).speed == "normal"


def test_errors_keep_their_code_and_sentence(client: EngineClient, tmp_path: Path) -> None:
    with pytest.raises(WorldError) as caught:
        index(client, tmp_path / "nowhere")
    assert caught.value.code == "path_missing"
    assert str(tmp_path / "nowhere") in caught.value.message


def test_a_bug_in_the_engine_reaches_the_client_without_its_details(client: EngineClient) -> None:
    with pytest.raises(InternalError, match="ZeroDivisionError"):
        client.call(Search("CRASH"))
    assert client.call(Search("crew")).hits == ()
