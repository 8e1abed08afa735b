"""``lectern serve`` in a process of its own, and a client that speaks to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from tests.waiting import WAIT_S

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator

    from tests.integration.doors import OpenDoors


@dataclass(frozen=True, slots=True)
class HttpServer:
    """A running server: its address with the token, as a browser takes it."""

    process: subprocess.Popen[str]
    address: str
    trusted: ssl.SSLContext | None = None
    listens: int = 0

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    @property
    def token(self) -> str:
        return urlsplit(self.address).fragment.removeprefix("token=")

    def ask(
        self,
        path: str,
        values: dict[str, Any] | None = None,
        *,
        body: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> tuple[int, bytes]:
        """Send one request, and return its status and body."""
        connection = self.connection()
        named = {"Authorization": f"Bearer {self.token}", **(headers or {})}
        query = f"?{urlencode(values, doseq=True)}" if values else ""
        with contextlib.closing(connection):
            connection.request("GET" if body is None else "POST", path + query, body, named)
            answer = connection.getresponse()
            return answer.status, answer.read()

    def connection(self) -> http.client.HTTPConnection:
        """Return a connection to where the server listens, whatever name it is reached by."""
        if self.trusted is None:
            return http.client.HTTPConnection("127.0.0.1", self.listens, timeout=WAIT_S)
        return http.client.HTTPSConnection(
            "127.0.0.1", self.listens, timeout=WAIT_S, context=self.trusted
        )

    def json(self, path: str, values: dict[str, Any] | None = None) -> Any:
        status, body = self.ask(path, values)
        assert status == 200, body
        return json.loads(body)


@contextlib.contextmanager
def http_server(
    doors: OpenDoors, port: int = 0, *options: str, trusted: ssl.SSLContext | None = None
) -> Iterator[HttpServer]:
    """Start a server, which is ended at the end of the block.

    ``port`` is needed where ``options`` give it another name.
    """
    with subprocess.Popen(
        doors.command("serve", "--port", str(port), *options),
        env=doors.environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line.startswith("Serving at http"), line
            address = line.split()[2]
            yield HttpServer(process, address, trusted, port or urlsplit(address).port or 0)
        finally:
            process.terminate()
            try:
                process.wait(WAIT_S)
            finally:
                process.kill()
