"""Who may ask an engine through its socket, and what else is turned away."""

from __future__ import annotations

import contextlib
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.api.codec import Hello, hello, pack
from indexer.api.endpoint import published
from indexer.api.requests import GetStatus, Search
from tests.integration.serving import index
from tests.integration.speaking import attached, greeted, raw, receive

if TYPE_CHECKING:
    from indexer.api.codec import Header
    from indexer.server.service import Host


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


def test_a_slow_reader_costs_nobody_else(library: Path, host: Host, folder: Path) -> None:
    index(host, folder)
    connection = greeted(library)
    for number in range(2000):
        connection.send_bytes(pack({"type": "search", "id": number, "text": "the " * 200}))
    with contextlib.closing(attached(library)) as client:
        assert client.call(Search("rent")).hits
    connection.close()
