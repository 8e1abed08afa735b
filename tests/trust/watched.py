"""What is watched: an engine, a window, and the commands, at work for as long as it is asked.

Owns the home they work in, how long each goes on, and their end. Each has a library of its own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from indexer.api.endpoint import published
from tests.trust.tracing import Rules, traced
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.ui.engines import Home

READY_S = 240.0
# Loaded by who reports: its time counts from there.
_REPORTING = "onnxruntime_pybind11_state"


@dataclass(frozen=True, slots=True)
class World:
    """A home, its documents and how long everything is watched.

    Attributes:
        home: Nothing of it is a person's.
        folder: For what is written down.
        seconds: From the moment on at which the model is loaded.
        python: Where other libraries are to be found first, if anywhere.
    """

    home: Home
    folder: Path
    seconds: float
    python: str = ""

    @property
    def documents(self) -> Path:
        return self.home.folder / "Documents"

    @property
    def scratch(self) -> Path:
        return self.home.folder / "scratch"

    @property
    def rules(self) -> Rules:
        kept = ("data", "config", "cache", "state")
        places = [self.home.folder / each / "lectern" for each in kept]
        return Rules((*places, self.home.folder / "run", self.scratch))

    def make(self) -> None:
        """Write documents, and let the windows be drawn nowhere."""
        for folder in (self.documents, self.scratch, *self._places()):
            folder.mkdir(parents=True, exist_ok=True)
        for number in range(5):
            text = f"Clause {number}. The tenant mends the roof of house {number}."
            (self.documents / f"lease {number}.txt").write_text(text)

    def _places(self) -> list[Path]:
        return [self.home.folder / each for each in ("data", "config", "cache", "state")]

    @property
    def environment(self) -> dict[str, str]:
        own = {"TMPDIR": str(self.scratch), "QT_QPA_PLATFORM": "offscreen"}
        own["PYTHONDONTWRITEBYTECODE"] = "1"  # as what is installed, which has its byte code
        path = os.pathsep.join(filter(None, (self.python, self.home.environment["PYTHONPATH"])))
        # Set against us, to see that it does not matter.
        against = {"ORT_DISABLE_TELEMETRY": "0"}
        own["XDG_CACHE_HOME"] = str(self.home.folder / "cache")
        return self.home.environment | own | against | {"PYTHONPATH": path}

    def command(self, name: str, *arguments: str) -> list[str]:
        return self.home.command("--library", str(self.library(name)), *arguments)

    def library(self, name: str) -> Path:
        return self.home.folder / "data" / "lectern" / name

    def run(self, name: str, *arguments: str) -> None:
        """Run a command to its end, written down under its name."""
        with self._started(name, arguments) as process:
            _out, said = process.communicate(timeout=READY_S)
        assert process.returncode == 0, said

    def keep(self, name: str, *arguments: str, then: Callable[[], None] = lambda: None) -> None:
        """Run a command that goes on, do something, wait, and ask it to end."""
        with self._started(name, arguments) as process:
            try:
                wait_for(lambda: published(self.library(name)) or process.poll(), READY_S)
                then()
                wait_for(lambda: _is_reporting(process.pid) or process.poll(), READY_S)
                ends = time.monotonic() + self.seconds
                wait_for(lambda: time.monotonic() > ends or process.poll() is not None, READY_S)
                assert process.poll() is None, process.communicate()
            finally:
                for child in psutil.Process(process.pid).children():
                    child.send_signal(signal.SIGTERM)  # strace goes with what it watches
                process.communicate(timeout=READY_S)

    def repeat(self, name: str, *arguments: str) -> None:
        """Run a command again and again for as long as others go on."""
        ends = time.monotonic() + self.seconds
        while time.monotonic() < ends:
            self.run(name, *arguments)

    def _started(self, name: str, arguments: tuple[str, ...]) -> subprocess.Popen[str]:
        folder = self.folder / name
        folder.mkdir(parents=True, exist_ok=True)
        return subprocess.Popen(
            traced(self.command(name, *arguments), folder),
            cwd=self.home.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )


def _is_reporting(pid: int) -> bool:
    return any(_maps(process.pid) for process in psutil.Process(pid).children(recursive=True))


def _maps(pid: int) -> bool:
    try:
        return _REPORTING in Path(f"/proc/{pid}/maps").read_text("utf-8", "replace")
    except OSError:
        return False


def watch(world: World, *, together: bool) -> dict[str, list[str]]:
    """Have everything run, and tell by process what it did against the rules.

    Args:
        world: Made.
        together: All at once; one after the other takes longer and disturbs less.
    """
    index = ("index", str(world.documents))
    actors: dict[str, Callable[[], None]] = {
        "engine": lambda: _serve(world, "engine", "engine", "--watch"),
        "window": lambda: _serve(world, "window", "gui"),
        "index": lambda: world.repeat("index", *index, "--rescan"),
        "search": lambda: _search(world),
    }
    with ThreadPoolExecutor(len(actors) if together else 1) as pool:
        for each in [pool.submit(actor) for actor in actors.values()]:
            each.result()
    found = {name: world.rules.broken(world.folder / name) for name in actors}
    return found | {"scratch": [f"left: {path}" for path in world.scratch.rglob("*")]}


def _serve(world: World, name: str, *arguments: str) -> None:
    world.run(name, "index", str(world.documents))
    world.keep(name, *arguments, then=lambda: world.run(name, "search", "who mends the roof"))


def _search(world: World) -> None:
    world.run("search", "index", str(world.documents))
    world.repeat("search", "search", "who mends the roof")
