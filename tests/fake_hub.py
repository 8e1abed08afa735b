"""A hub of models on the loopback: model info with hashes, HEAD with ETag, GET with Range."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from indexer.embed.models import TOKENIZER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REVISION = "5" * 40
WEIGHTS = "model.onnx"
LARGE = frozenset({WEIGHTS, TOKENIZER})  # what git keeps aside, with a SHA-256


@dataclass
class Hub:
    """One repository, served from a folder.

    Attributes:
        cuts: How often the connection ends in the middle of the weights.
        hold: Set to go on after the first half of the weights, which then wait.
        gated: Whether nobody may have it.
        asked: Method, path and range of each request.
    """

    folder: Path
    repository: str
    address: str = ""
    cuts: int = 0
    hold: threading.Event | None = None
    held: threading.Event = field(default_factory=threading.Event)
    gated: bool = False
    replaced: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        """For a process that is to ask this hub, by itself or as a mirror."""
        return {"HF_ENDPOINT": self.address, "NO_PROXY": "127.0.0.1"}

    def ranges(self, name: str) -> list[str]:
        """The ranges that were asked of a file."""
        return [range_ for method, path, range_ in self.asked
                if method == "GET" and path.endswith(f"/{name}")]  # fmt: skip

    def info(self) -> dict[str, Any]:
        files = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {
            "id": self.repository, "modelId": self.repository, "sha": REVISION, "private": False,
            "gated": self.gated, "tags": [], "downloads": 0, "likes": 0,
            "siblings": [_described(path.relative_to(self.folder).as_posix(), path.read_bytes())
                         for path in files],
        }  # fmt: skip


def _described(name: str, content: bytes) -> dict[str, Any]:
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    known: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": blob}
    if name.rpartition("/")[2] in LARGE:
        digest = hashlib.sha256(content).hexdigest()
        known["lfs"] = {"sha256": digest, "size": len(content), "pointerSize": 134}
    return known


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        path = urlsplit(self.path).path  # a proxy is asked for whole addresses
        self.hub.asked.append((self.command, path, self.headers.get("Range", "")))
        if self.hub.gated and "resolve" in path:
            self._send(403, b"", {"X-Error-Code": "GatedRepo"}, body=body)
        elif path == f"/api/models/{self.hub.repository}":
            self._send(200, json.dumps(self.hub.info()).encode(), {}, body=body)
        elif path.startswith(stem := f"/{self.hub.repository}/resolve/{REVISION}/"):
            self._file(path.removeprefix(stem), body=body)
        else:
            self._send(404, b"", {"X-Error-Code": "RepoNotFound"}, body=body)

    def _file(self, name: str, *, body: bool) -> None:
        try:
            content = self.hub.replaced.get(name) or (self.hub.folder / name).read_bytes()
        except OSError:
            self._send(404, b"", {"X-Error-Code": "EntryNotFound"}, body=body)
            return
        headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": REVISION}
        begin = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
        if begin:
            headers["Content-Range"] = f"bytes {begin}-{len(content) - 1}/{len(content)}"
        self._send(206 if begin else 200, content[begin:], headers, body=body, name=name)

    def _send(
        self, status: int, content: bytes, headers: dict[str, str], *, body: bool, name: str = ""
    ) -> None:
        self.send_response(status)
        for key, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(key, value)
        self.end_headers()
        if not body:
            return
        half = len(content) // 2 if name.endswith(WEIGHTS) else 0
        self.wfile.write(content[:half])
        self.wfile.flush()
        if half and self.hub.cuts:
            self.hub.cuts -= 1
            self.close_connection = True
            return
        if half and self.hub.hold is not None:
            self.hub.held.set()
            self.hub.hold.wait()
        with contextlib.suppress(OSError):  # whoever asked may be gone by now
            self.wfile.write(content[half:])

    def log_message(self, *_about: Any) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(folder: Path, repository: str) -> Iterator[Hub]:
    """Serve a folder as a repository."""
    hub = Hub(folder, repository)
    handler = type("Handler", (_Handler,), {"hub": hub})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        hub.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield hub
        finally:
            if hub.hold is not None:
                hub.hold.set()
            server.shutdown()
            thread.join()
