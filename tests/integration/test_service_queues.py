"""Requests of several clients at once: what waits, what is cancelled, what runs side by side."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from indexer.api.codec import pack
from indexer.api.contract import Queue
from indexer.api.errors import Cancelled, LecternError
from indexer.api.progress import CancelToken, Progress
from indexer.api.requests import (
    GetActivity,
    GetDocument,
    GetStatus,
    Index,
    ListFiles,
    Remove,
    Retry,
    Search,
    Unlock,
)
from indexer.api.types import FileState
from tests.integration.serving import fake, index
from tests.integration.speaking import ask, attached, greeted, receive
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.endpoint import EngineClient
    from indexer.server.service import Host


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


def test_the_newest_query_of_a_client_cancels_the_one_in_flight(
    client: EngineClient, library: Path, folder: Path, host: Host
) -> None:
    index(client, folder)
    with contextlib.closing(greeted(library)) as window:
        ask(window, 1, Search("WAIT"))
        assert fake(host).waiting.wait(WAIT_S)
        ask(window, 2, Search("rent"))
        assert receive(window) == {"type": "cancelled", "id": 1}
        answered = receive(window)
        assert (answered["id"], len(answered["answer"]["hits"])) == (2, 1)


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
    # The queue is free again: the query of another client is answered.
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
    assert client.call(Remove((folder / "ice.txt",))) == 1  # the writer is free again

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


def test_errors_of_a_queue_are_answers_too(host: Host, library: Path) -> None:
    host.service.queues[Queue.STATUS].close()
    with contextlib.closing(attached(library)) as client, pytest.raises(LecternError):
        client.call(GetStatus())
