"""Connections to a served engine that are spoken to by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.codec import Hello, hello, pack, unpack
from indexer.api.endpoint import EngineClient, connect, published
from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from indexer.api.codec import Header
    from indexer.api.contract import Request
    from indexer.api.endpoint import MessageStream


def raw(library: Path) -> MessageStream:
    """A connection that has not greeted."""
    endpoint = published(library)
    assert endpoint is not None
    return connect(endpoint.address)


def greeted(library: Path) -> MessageStream:
    endpoint = published(library)
    assert endpoint is not None
    connection = raw(library)
    connection.send_bytes(pack(hello(Hello("client", secret=endpoint.secret))))
    assert receive(connection)["type"] == "hello"
    return connection


def receive(connection: MessageStream) -> Header:
    assert connection.is_readable(WAIT_S)
    return unpack(connection.recv_bytes())[0]


def ask(connection: MessageStream, number: int, request: Request[Any]) -> None:
    """Send a request without waiting for its answer."""
    connection.send_bytes(pack(request.header(number)))


def answer_to(connection: MessageStream, number: int) -> Header:
    """Wait for the last message on a request; progress and other requests are ignored."""
    while True:
        header = receive(connection)
        if header["id"] == number and header["type"] != "progress":
            return header


def attached(library: Path) -> EngineClient:
    """A client as commands have it."""
    client = EngineClient.attach(library)
    assert client is not None
    return client
