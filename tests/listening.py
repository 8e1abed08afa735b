"""Somebody on the network who writes down what reaches him: a listener on the loopback."""

from __future__ import annotations

import contextlib
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_BYTES = 4096


@dataclass(slots=True)
class Listener:
    """A port of 127.0.0.1, and the first bytes of every connection to it."""

    port: int
    heard: list[bytes] = field(default_factory=list)


@contextlib.contextmanager
def listening() -> Iterator[Listener]:
    """Listen; every connection is closed once it has said something."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        listener = Listener(server.getsockname()[1])

        def answer() -> None:
            while True:
                try:
                    connection, _address = server.accept()
                except OSError:
                    return
                with connection, contextlib.suppress(OSError):
                    listener.heard.append(connection.recv(_MOST_BYTES))

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield listener
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
