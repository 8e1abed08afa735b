"""The time that doors add to the engine: system search over D-Bus, and searches of assistants.

    python -m tests.benchmarks.doors LIBRARY

It starts an engine on a library, a private bus that starts ``lectern desktop``, ``lectern mcp`` and
``lectern serve``. Each query is typed word by word through KRunner's call, and searched in turns by
an assistant and by a client of the engine. The PDF pages of its hits are shown with the passage
outlined, as the page of ``lectern serve`` does. It prints the times, how often the desktop got no
hits because they came too late, and the memory of the D-Bus process.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import anyio
import numpy as np
import psutil
from jeepney import DBusAddress, new_method_call
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from app.doors.access import EVERYTHING
from app.doors.desktop_bus import BUS_NAME
from app.settings import Settings
from indexer.api.endpoint import EngineClient
from indexer.api.requests import Search
from tests.benchmarks.processes import MB
from tests.benchmarks.sample_questions import ANSWERED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jeepney.io.blocking import DBusConnection

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 10  # hits
_START_S = 120.0


@contextlib.contextmanager
def serving(library: Path, environment: dict[str, str]) -> Iterator[EngineClient]:
    """Serve a library by an engine of its own."""
    command = [sys.executable, "-m", "app", "engine", "--library", str(library)]
    with subprocess.Popen(command, env=environment) as engine:
        try:
            until = time.monotonic() + _START_S
            while (client := EngineClient.attach(library)) is None and time.monotonic() < until:
                time.sleep(0.1)
            assert client is not None
            with contextlib.closing(client):
                yield client
        finally:
            engine.terminate()


@contextlib.contextmanager
def private_bus(home: Path, library: Path, environment: dict[str, str]) -> Iterator[DBusConnection]:
    """Connect to a bus that starts ``lectern desktop`` when it is asked."""
    services = home / "data" / "dbus-1" / "services"
    services.mkdir(parents=True)
    started = f"{sys.executable} -m app desktop --library {library}"
    (services / f"{BUS_NAME}.service").write_text(
        f"[D-BUS Service]\nName={BUS_NAME}\nExec={started}\n"
    )
    address = f"unix:path={home}/bus"
    command = ["dbus-daemon", "--session", "--nofork", f"--address={address}", "--print-address"]
    given = {**environment, "DBUS_SYSTEM_BUS_ADDRESS": address}
    with subprocess.Popen(command, env=given, stdout=subprocess.PIPE, text=True) as daemon:
        try:
            assert daemon.stdout is not None
            with open_dbus_connection(daemon.stdout.readline().strip()) as bus:
                yield bus
        finally:
            daemon.terminate()


def ask_desktop(bus: DBusConnection, queries: Sequence[str]) -> tuple[list[float], int]:
    """Return the seconds of each call of KRunner, and how many calls got no hits."""
    address = DBusAddress("/runner", BUS_NAME, "org.kde.krunner1")
    seconds, empty = [], 0
    for query in queries:
        words = query.split()
        for count in range(2, len(words) + 1):
            asked = new_method_call(address, "Match", "s", (" ".join(words[:count]),))
            began = time.monotonic()
            answer = bus.send_and_get_reply(asked, timeout=_START_S)
            seconds.append(time.monotonic() - began)
            empty += not answer.body[0]
    return seconds, empty


async def ask_assistant(
    server: StdioServerParameters, engine: EngineClient, queries: Sequence[str]
) -> tuple[list[float], list[float]]:
    """Return the seconds of each search by ``lectern mcp``, and of the engine's own."""
    through: list[float] = []
    own: list[float] = []
    async with Client(server) as client:
        for number, query in enumerate(queries):
            # In turns, as the second of two equal searches finds more in caches.
            for by_door in (number % 2 == 0, number % 2 == 1):
                began = time.monotonic()
                if by_door:
                    await client.call_tool("search", {"query": query, "limit": LIMIT})
                else:
                    engine.call(Search(query, LIMIT))
                (through if by_door else own).append(time.monotonic() - began)
    return through, own


def show_pages(address: str, queries: Sequence[str]) -> list[float]:
    """Return for each hit the seconds until its page's image and its passage's places are there."""
    parts = urlsplit(address)
    headers = {"Authorization": f"Bearer {parts.fragment.removeprefix('token=')}"}
    connection = http.client.HTTPConnection("127.0.0.1", parts.port or 0, timeout=_START_S)

    def ask(path: str, **values: object) -> bytes:
        connection.request("GET", f"{path}?{urlencode(values)}", headers=headers)
        return connection.getresponse().read()

    seconds = []
    with contextlib.closing(connection):
        for query in queries:
            (outcome,) = json.loads(ask("/api/search", q=query, type="pdf", limit=3))["collections"]
            for hit in outcome["passages"]:
                page = {"document": hit["document"], "page": hit["page"]}
                began = time.monotonic()
                ask("/api/page", **page, start=hit["start"], end=hit["end"])
                ask("/api/page.png", **page, width=900)
                seconds.append(time.monotonic() - began)
    return seconds


@contextlib.contextmanager
def serving_pages(library: Path, environment: dict[str, str]) -> Iterator[str]:
    """Run ``lectern serve`` at a free port, and yield the address that it prints."""
    command = [sys.executable, "-m", "app", "serve", "--port", "0", "--library", str(library)]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            yield server.stderr.readline().split()[2]
        finally:
            server.terminate()


def summary(seconds: Sequence[float]) -> str:
    half, most = np.percentile(seconds, (50, 95)) * 1000
    return (
        f"{half:.1f} ms at the median, {most:.1f} for 95 of 100, {max(seconds) * 1000:.1f} at most"
    )


def memory_of(bus: DBusConnection) -> str:
    asked = message_bus.GetConnectionUnixProcessID(BUS_NAME)
    process = psutil.Process(bus.send_and_get_reply(asked).body[0])
    found: Any = process.memory_full_info()
    return f"{found.rss / MB:.1f} MB resident, {found.pss / MB:.1f} its share"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    library = parser.parse_args().library.resolve()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "run").mkdir(mode=0o700)
        own = {"HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run"), "PYTHONPATH": str(ROOT)}
        own |= {
            f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE")
        }
        os.environ |= own
        settings = Settings(home / "config" / "lectern" / "settings.json")
        for door in ("desktop", "mcp", "serve"):
            settings.set(f"{door}_collections", (EVERYTHING,))
        environment = dict(os.environ)
        with serving(library, environment) as engine:
            engine.call(Search(ANSWERED[0], LIMIT))
            if shutil.which("dbus-daemon"):
                with private_bus(home, library, environment) as bus:
                    ask_desktop(bus, ANSWERED[:1])  # which starts it
                    seconds, empty = ask_desktop(bus, ANSWERED)
                    print(
                        f"KRunner: {len(seconds)} calls, {summary(seconds)}; {empty} without hits"
                    )
                    print(f"lectern desktop: {memory_of(bus)}")
            options = ["-m", "app", "mcp", "--library", str(library)]
            server = StdioServerParameters(command=sys.executable, args=options, env=environment)
            through, alone = anyio.run(ask_assistant, server, engine, ANSWERED)
            ratio = statistics.median(through) / statistics.median(alone)
            print(f"lectern mcp: {summary(through)}")
            print(f"the engine: {summary(alone)}; {ratio:.2f} times that")
            with serving_pages(library, environment) as address:
                if seconds := show_pages(address, ANSWERED):
                    print(f"lectern serve, {len(seconds)} outlined pages: {summary(seconds)}")


if __name__ == "__main__":
    main()
