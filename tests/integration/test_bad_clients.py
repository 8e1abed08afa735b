"""Clients that break the rules of the protocol: they cost themselves, and nobody else.

A real service behind a real socket, and connections that are spoken to by hand.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import struct
import sys
import threading
from typing import TYPE_CHECKING

import psutil
import pytest

from indexer.api.answers import Check
from indexer.api.codec import MAX_REQUEST_BYTES, pack
from indexer.api.endpoint import EngineClient
from indexer.api.errors import WorldError
from indexer.api.requests import GetStatus, Index, Search
from indexer.config import EngineConfig
from indexer.server import session as session_module
from indexer.server.service import MAX_CLIENTS, Host, Service
from indexer.server.session import Session
from tests.fake_engine import FakeEngine
from tests.integration.speaking import attached, greeted, raw, receive
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.api.codec import Header
    from indexer.api.endpoint import MessageStream

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="named pipes cannot be held up")

LARGE = 200_000  # characters in an answer, about


@pytest.fixture
def host(library: Path) -> Iterator[Host]:
    engine = FakeEngine.open(EngineConfig(library, library / "models"))
    engine.checks = (Check("model", ok=True, value="x" * LARGE, advice=""),)
    before = set(threading.enumerate())
    with contextlib.closing(Host(engine, Service(engine, library))) as host:
        yield host
    # Whatever clients did, no thread is left with them.
    for thread in set(threading.enumerate()) - before:
        thread.join(WAIT_S)
    assert set(threading.enumerate()) <= before


def refused(connection: MessageStream, code: str = "bad_request") -> None:
    """The last word is an error, and then the connection ends."""
    assert receive(connection)["error"]["code"] == code
    assert connection.is_readable(WAIT_S)
    with pytest.raises((EOFError, ConnectionResetError)):
        connection.recv_bytes()


def answers(library: Path) -> None:
    """The engine serves others as ever."""
    with contextlib.closing(attached(library)) as client:
        assert client.call(GetStatus()).documents == 0


def resident() -> int:
    return int(psutil.Process().memory_info().rss)


def ask_on(connection: MessageStream, most: int) -> int:
    """Ask for long answers and read none, until the engine hangs up; count the requests."""
    for number in range(1, most + 1):
        try:
            connection.send_bytes(pack({"type": "diagnose", "id": number}))
        except OSError:
            return number
    return most


def test_answers_that_nobody_reads_are_bounded_and_cut_off(
    host: Host, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert session_module.MAX_UNSENT_BYTES == 16 << 20
    monkeypatch.setattr(session_module, "MAX_UNSENT_BYTES", 10 * LARGE)
    with (
        contextlib.closing(greeted(library)) as connection,
        contextlib.closing(greeted(library)) as reading,
    ):
        before = resident()
        number = 0
        while True:  # whoever reads knows that the engine has answered, and asks no faster
            number += 1
            try:
                connection.send_bytes(pack({"type": "diagnose", "id": number}))
            except OSError:
                break
            reading.send_bytes(pack({"type": "diagnose", "id": number}))
            assert receive(reading)["id"] == number
            assert number < 50
        # The socket takes some itself.
        assert number > 10
        assert resident() - before < 40 * LARGE
    wait_for(lambda: not host.service._sessions)
    answers(library)


def test_a_client_that_takes_nothing_is_left_after_a_while(
    host: Host, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "STALL_S", 1)
    with contextlib.closing(greeted(library)) as connection:
        for number in range(5):  # far below the bound
            connection.send_bytes(pack({"type": "diagnose", "id": number}))
        wait_for(lambda: not host.service._sessions)
        answers(library)


def test_a_client_that_reads_late_gets_everything(host: Host, library: Path) -> None:
    with contextlib.closing(greeted(library)) as connection:
        for number in range(20):
            connection.send_bytes(pack({"type": "diagnose", "id": number}))
        answers(library)
        assert [receive(connection)["id"] for _ in range(20)] == list(range(20))


def test_a_search_in_flight_ends_with_a_client_that_is_cut_off(
    host: Host, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "MAX_UNSENT_BYTES", LARGE)
    with contextlib.closing(greeted(library)) as connection:
        connection.send_bytes(pack({"type": "search", "id": 1000, "text": "WAIT"}))
        assert isinstance(host.engine, FakeEngine)
        assert host.engine.waiting.wait(WAIT_S)
        ask_on(connection, 30)
        wait_for(lambda: host.service.search_queue.idle)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\x00",
        b"\x00\x00\x00\x20",
        b"\x00\x00\x00\x20\x00\x00",
        b"\x00\x00\x27\x00" + b"x" * 9000,
    ],
)
def test_a_client_that_says_half_a_hello_is_turned_away(
    host: Host, library: Path, said: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "HELLO_S", 0.5)
    monkeypatch.setattr(session_module, "STALL_S", 1)
    with contextlib.closing(raw(library)) as connection:
        os.write(connection.fileno(), said)
        refused(connection)
    answers(library)


@pytest.mark.parametrize("size", [10_001, MAX_REQUEST_BYTES, 2**31 - 1])
def test_a_hello_is_short(host: Host, library: Path, size: int) -> None:
    with contextlib.closing(raw(library)) as connection:
        os.write(connection.fileno(), struct.pack("!i", size))
        refused(connection)
    answers(library)


@pytest.mark.parametrize(
    "announced",
    [
        struct.pack("!i", MAX_REQUEST_BYTES + 1),
        struct.pack("!i", 2**31 - 1),
        struct.pack("!i", -1) + struct.pack("!Q", 2**40),
        struct.pack("!i", -1) + struct.pack("!Q", 2**64 - 1),
        struct.pack("!i", -2),
    ],
)
def test_a_request_that_is_announced_as_huge_is_refused_before_it_comes(
    host: Host, library: Path, announced: bytes
) -> None:
    before = resident()
    with contextlib.closing(greeted(library)) as connection:
        os.write(connection.fileno(), announced)
        refused(connection)
    assert resident() - before < 10_000_000
    answers(library)


def test_a_request_that_stops_in_the_middle_is_given_up(
    host: Host, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "STALL_S", 1)
    with contextlib.closing(greeted(library)) as connection:
        os.write(connection.fileno(), struct.pack("!i", 1000) + b"x" * 10)
        refused(connection)


def test_silence_after_the_hello_is_no_offence(
    host: Host, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "HELLO_S", 0.2)
    monkeypatch.setattr(session_module, "STALL_S", 1)
    with contextlib.closing(greeted(library)) as connection:
        assert not connection.is_readable(2)
        connection.send_bytes(pack({"type": "get_status", "id": 1}))
        assert receive(connection)["type"] == "reply"


def test_silent_connections_without_end_keep_nobody_out(host: Host, library: Path) -> None:
    threads = threading.active_count()
    with contextlib.ExitStack() as stack:
        silent = [
            stack.enter_context(contextlib.closing(raw(library))) for _ in range(5 * MAX_CLIENTS)
        ]
        answers(library)
        # The oldest made room, and were told.
        assert receive(silent[0])["error"]["code"] == "busy"
        wait_for(lambda: threading.active_count() <= threads + 2 * MAX_CLIENTS + 2)
        assert len(host.service._sessions) <= MAX_CLIENTS
    wait_for(lambda: not host.service._sessions)
    answers(library)


def test_so_many_clients_are_served_and_one_more_is_told(host: Host, library: Path) -> None:
    with contextlib.ExitStack() as stack:
        served = [
            stack.enter_context(contextlib.closing(greeted(library))) for _ in range(MAX_CLIENTS)
        ]
        for _again in range(20):
            with pytest.raises(WorldError, match="too many programs are connected") as caught:
                EngineClient.attach(library)
            assert caught.value.code == "busy"
        for connection in served:
            connection.send_bytes(pack({"type": "get_status", "id": 1}))
            assert receive(connection)["type"] == "reply"
    wait_for(lambda: not host.service._sessions)
    answers(library)


def test_clients_that_come_at_once_are_all_served(
    host: Host, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients: list[EngineClient | None] = []

    def attach() -> None:
        client = EngineClient.attach(library)
        clients.append(client)

    threads = [threading.Thread(target=attach) for _ in range(MAX_CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert len(clients) == MAX_CLIENTS
    for client in clients:
        assert client is not None
        client.close()


def test_of_many_clients_at_once_each_is_served_or_told(host: Host, library: Path) -> None:
    outcomes: list[str] = []
    served: list[EngineClient] = []

    def attach() -> None:
        try:
            client = EngineClient.attach(library)
        except WorldError as error:
            outcomes.append(error.code)
        else:
            assert client is not None
            served.append(client)

    threads = [threading.Thread(target=attach) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    for client in served:
        client.close()
    assert len(served) == MAX_CLIENTS
    assert outcomes == ["busy"] * (200 - MAX_CLIENTS)


def test_the_system_gives_no_more_threads(
    host: Host, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_arguments: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(Session, "start", start)
        with (
            contextlib.closing(raw(library)) as connection,
            pytest.raises((EOFError, ConnectionResetError)),
        ):
            connection.recv_bytes()
    answers(library)


# What Python writes and reads, and JSON does not know.
UNJSON = [
    '{"type": "list_files", "id": 1, "offset": NaN}',
    '{"type": "list_files", "id": 1, "limit": Infinity}',
    '{"type": "list_files", "id": 1, "limit": -Infinity}',
    '{"type": "search", "id": 1, "text": "a", "unknown": [{"deep": NaN}]}',
    '{"type": "search", "id": 1, "text": "a", "unknown": ' + "[" * 200_000,
    '{"type": "search", "id": 1, "text": "a", "x": ' + "[" * 100_000 + "]" * 100_000 + "}",
    '{"type": "search", "id": 1, "text": "a", "x": ' + '{"a":' * 100_000 + "1" + "}" * 100_001,
    '{"type": "search", "id": ' + "9" * 10_000 + "}",
    '{"type": "search"',
    '{"type": "search\ud800"}',
]


@pytest.mark.parametrize("said", UNJSON, ids=range(len(UNJSON)))
def test_what_is_no_json_ends_the_connection_with_a_word(
    host: Host, library: Path, said: str
) -> None:
    header = said.encode("utf-8", "surrogatepass")
    with contextlib.closing(greeted(library)) as connection:
        connection.send_bytes(struct.pack(">I", len(header)) + header)
        refused(connection)
    answers(library)


HUGE = [-1, -(2**63), 2**53 + 1, 2**63, 2**64, 10**300]
NUMBERS = [
    *({"type": "list_files", "offset": number} for number in HUGE),
    *({"type": "list_files", "limit": number} for number in [0, 10_001, *HUGE]),
    *({"type": "search", "text": "a", "limit": number} for number in [0, 10_001, *HUGE]),
    *({"type": "compare", "first": "a", "second": "b", "limit": number} for number in HUGE),
    *({"type": "explain", "text": "a", "path": "/a", "start": number} for number in HUGE),
    *({"type": "find_elsewhere", "path": "/a", "text": "a", "start": number} for number in HUGE),
    *({"type": "find_elsewhere", "path": "/a", "text": "a", "end": number} for number in HUGE),
    {"type": "list_files", "offset": 1.5},
    {"type": "list_files", "offset": "1"},
    {"type": "list_files", "offset": [1]},
    {"type": "list_files", "offset": None},
    {"type": "list_files", "limit": 1e999},
]


@pytest.mark.parametrize("request_", NUMBERS, ids=str)
def test_numbers_beyond_all_reason_are_refused(
    host: Host, library: Path, request_: Header, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(greeted(library)) as connection:
        header = json.dumps({**request_, "id": 1}).replace("Infinity", "1e999").encode()
        connection.send_bytes(struct.pack(">I", len(header)) + header)
        message = receive(connection)
        assert message["id"] == 1
        assert message["error"]["code"] == "bad_request"
        connection.send_bytes(pack({"type": "get_status", "id": 2}))
        assert receive(connection)["type"] == "reply"
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


@pytest.mark.parametrize("number", [-1, 2**53 + 1, 10**300, True, 1.0, None, "1", [1]])
def test_the_number_of_a_request_is_a_sound_one(host: Host, library: Path, number: object) -> None:
    with contextlib.closing(greeted(library)) as connection:
        connection.send_bytes(pack({"type": "get_status", "id": number}))
        message = receive(connection)
        assert (message["id"], message["error"]["code"]) == (None, "bad_request")


def test_a_request_that_is_too_large_is_refused_before_it_is_sent(
    host: Host, library: Path
) -> None:
    with contextlib.closing(attached(library)) as client:
        with pytest.raises(WorldError) as caught:
            client.call(Search("a" * MAX_REQUEST_BYTES))
        assert caught.value.code == "bad_request"
        client.call(Index())
