"""Many readers and one writer: forty clients ask while a build commits, and nobody sees half."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from app.doors.access import EVERYTHING
from app.doors.users import allow_user
from indexer.library.library import CATALOG_NAME
from indexer.shards import exchange
from indexer.shards.build import BuildOptions, build
from indexer.shards.exchange import latest_version, pull
from indexer.shards.object_store import ObjectStore
from tests.integration.many_shards import make_documents, make_options, new_uri, text
from tests.integration.serving_http import HttpServer
from tests.waiting import WAIT_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("obstore", reason="it comes with lectern[cluster]")
CLIENTS = 40


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    return make_documents(tmp_path / "documents")


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildOptions:
    return make_options(tmp_path, monkeypatch)


@pytest.fixture
def uri(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    return new_uri(request, monkeypatch, tmp_path)


@contextlib.contextmanager
def served(uri: str) -> Iterator[HttpServer]:
    command = [sys.executable, "-m", "app", "cluster", "serve", uri, "--", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            assert line.startswith("Serving at http"), line
            address = line.split()[2]
            yield HttpServer(process, address, None, urlsplit(address).port or 0)
        finally:
            process.terminate()  # and with it the server: it is one process
            try:
                process.wait(WAIT_S)
            finally:
                process.kill()


class Client(threading.Thread):
    """Somebody with a token, who asks the same until the end.

    Attributes:
        seen: The different answers, each a set of passages.
        asked: How often somebody answered.
    """

    def __init__(self, server: HttpServer, token: str, ended: threading.Event) -> None:
        super().__init__()
        self.seen: set[frozenset[str]] = set()
        self.asked = 0
        self.failures: list[str] = []
        self._server, self._token, self._ended = server, token, ended

    def run(self) -> None:
        while not self._ended.is_set():
            status, body = self._server.ask(
                "/api/search",
                {"q": "who mends the roof of the harbour", "limit": 20},
                headers={"Authorization": f"Bearer {self._token}"},
            )
            if status != 200:
                self.failures.append(f"{status}: {body[:200]!r}")
                return
            passages = json.loads(body)["collections"][0]["passages"]
            self.seen.add(frozenset(each["path"] for each in passages))
            self.asked += 1


def documents_of(library: Path) -> int:
    with contextlib.closing(sqlite3.connect(library / CATALOG_NAME)) as database:
        (count,) = database.execute("SELECT count(*) FROM docs").fetchone()
    return int(count)


@pytest.mark.timeout(900)  # two builds of several processes each
def test_forty_clients_ask_while_a_build_commits(
    documents: Path, options: BuildOptions, uri: str, tmp_path: Path
) -> None:
    options = replace(options, shard_bytes=6_000)
    before = build(uri, [str(documents)], options).version
    counted: list[int] = []
    ended, built = threading.Event(), threading.Event()

    def pull_again_and_again() -> None:  # as machines do that open the library now
        while not built.is_set() or counted[-1:] == [12]:
            counted.append(documents_of(pull(uri, tmp_path / f"pulled-{len(counted)}")))

    with served(uri) as server:
        tokens = [allow_user(f"client-{number}", [EVERYTHING]) for number in range(CLIENTS)]
        clients = [Client(server, token, ended) for token in tokens]
        puller = threading.Thread(target=pull_again_and_again)
        for thread in (*clients, puller):
            thread.start()
        try:
            wait_for(lambda: all(each.asked or each.failures for each in clients))
            (documents / "new.txt").write_text(text(43))
            after = build(uri, [str(documents)], options).version
            built.set()
            # Whoever has the manifest of before has its shards, too.
            held = exchange._cached(ObjectStore(uri), before, tmp_path / "held", lambda: False)
            asked = [each.asked for each in clients]
            wait_for(
                lambda: all(
                    each.asked > was + 1 or each.failures
                    for each, was in zip(clients, asked, strict=True)
                )
            )
        finally:
            built.set()
            ended.set()
            for thread in (*clients, puller):
                thread.join(WAIT_S)
        assert server.ask("/api/search", {"q": "roof"}, headers={"Authorization": "x"})[0] == 401
    assert [each.failures for each in clients if each.failures] == []
    # The copy that is served stays as it is, for all of them.
    assert len({seen for each in clients for seen in each.seen}) == 1
    assert sum(documents_of(shard) for shard in held) == 12
    assert (before.number, after.number) == (1, 2)
    assert latest_version(ObjectStore(uri)) == after
    # One version or the other, first the one and then the other.
    assert set(counted) == {12, 13}
    assert counted == sorted(counted)
