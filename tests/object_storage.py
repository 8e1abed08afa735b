"""Object storage for tests: moto's server as S3 on the loopback, and a link to it that fails.

``make test-slow`` installs moto into a folder of its own, since it cannot be beside LanceDB.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import os
import subprocess
import sys
import threading
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

T = TypeVar("T")

MOTO = Path(__file__).resolve().parents[1] / ".venv" / "s3"
WITHOUT = "moto stands in for S3; `make .venv/s3.stamp` installs it"
_BLOCK = 1 << 16
# One request at a time: whether an object is there and writing it are two steps of moto.
_PROGRAM = """
import sys, threading
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

class Quiet(WSGIRequestHandler):
    def log_request(self, *_):
        pass

serve, one = DomainDispatcherApplication(create_backend_app), threading.Lock()

def application(environment, start):
    with one:
        return list(serve(environment, start))

server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Quiet)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def s3_server() -> Iterator[int]:
    """Run a server of S3 that keeps its objects in memory; yield its port."""
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM],
        env={**os.environ, "PYTHONPATH": str(MOTO)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()
            try:
                process.wait(WAIT_S)
            finally:
                process.kill()


def environment(port: int) -> dict[str, str]:
    """The variables by which clients reach a server at a port of the loopback."""
    return {
        "AWS_ENDPOINT": f"http://127.0.0.1:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
    }


def new_bucket(port: int) -> str:
    """Make a bucket, and return its name."""
    name = f"firm-{uuid.uuid4()}"
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("PUT", f"/{name}")
        assert connection.getresponse().status == 200
    return name


class Link:
    """A port of the loopback whose connections are passed on to another: later, or not at all.

    Args:
        target: The other port.
        delay_s: By how much later what is sent arrives, each way.
    """

    def __init__(self, target: int, delay_s: float = 0.0) -> None:
        self._target, self._delay_s = target, delay_s
        self.is_cut = False
        self._watched, self._cuts = b"", False
        self._open: set[asyncio.StreamWriter] = set()
        self._unheard: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self._server = self._do(asyncio.start_server(self._connected, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    def cut_at(self, request: bytes) -> None:
        """Lose the network until it is mended, instead of sending what contains these bytes."""
        self._watched, self._cuts = request, True

    def lose_answer_to(self, request: bytes) -> None:
        """Send what contains these bytes, and lose the connection before the answer comes."""
        self._watched, self._cuts = request, False

    def mend(self) -> None:
        self.is_cut = False

    def close(self) -> None:
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT_S)

    async def _end(self) -> None:
        self._server.close()
        self._cut()
        while len(asyncio.all_tasks()) > 1:
            await asyncio.sleep(0.01)

    def _cut(self) -> None:
        self.is_cut = True
        for writer in self._open:
            writer.transport.abort()

    async def _connected(self, heard: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        if self.is_cut:
            client.transport.abort()
            return
        await asyncio.sleep(2 * self._delay_s)  # the handshake
        answers, server = await asyncio.open_connection("127.0.0.1", self._target)
        self._open |= {client, server}
        try:
            await asyncio.gather(
                self._pass(heard, server, client, sent=True),
                self._pass(answers, client, client, sent=False),
            )
        finally:
            self._open -= {client, server}
            self._unheard.discard(client)

    async def _pass(
        self,
        source: asyncio.StreamReader,
        target: asyncio.StreamWriter,
        client: asyncio.StreamWriter,
        *,
        sent: bool,
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while block := await source.read(_BLOCK):
                if sent and self._watched and self._watched in block:
                    self._watched = b""
                    if self._cuts:
                        self._cut()
                        return
                    self._unheard.add(client)
                elif not sent and client in self._unheard:
                    client.transport.abort()
                    return
                self._loop.call_later(self._delay_s, _write, target, block)
                await target.drain()
        self._loop.call_later(self._delay_s, target.close)


def _write(target: asyncio.StreamWriter, block: bytes) -> None:
    if not target.is_closing():
        target.write(block)
