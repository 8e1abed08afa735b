"""Engines for tests of the window: the fake one behind the real service, and a real process.

Owns how they are started and ended, and a temporary home for the real one.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import platformdirs
import psutil

from indexer.api.requests import Index
from indexer.config import EngineConfig, Precision
from indexer.engine.engine import Engine
from indexer.server.service import Host, Service
from tests.fake_engine import FakeEngine
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from indexer.api.contract import Request
    from indexer.api.errors import LecternError
    from ui.ports import EnginePort

A = TypeVar("A")

ROOT = Path(__file__).resolve().parents[2]
READY_S = 120.0
END_S = 120.0

# Small and without the network.
SETTINGS = {
    "model": TINY, "precision": "fp32", "threads": 1, "readers": 1,
    "offline": True, "min_free_gb": 0,
}  # fmt: skip


@contextlib.contextmanager
def fake_engine(library: Path) -> Iterator[FakeEngine]:
    """Serve a fake engine from this process."""
    engine = FakeEngine.open(EngineConfig(library, library / "models"))
    with contextlib.closing(Host(engine, Service(engine, library, lasting=True))):
        yield engine


@contextlib.contextmanager
def own_engine(library: Path, models: Path) -> Iterator[Host]:
    """Serve a real library from this process, which starts no other for it."""
    engine = _open(library, models)
    with contextlib.closing(Host(engine, Service(engine, library, lasting=True))) as host:
        yield host


def make_library(library: Path, models: Path, documents: Path) -> None:
    """Read some documents once, for tests that change nothing but copies of the library."""
    with contextlib.closing(_open(library, models)) as engine:
        engine.call(Index((documents,)))


def _open(library: Path, models: Path) -> Engine:
    return Engine.open(
        EngineConfig(
            library, models, model=TINY, precision=Precision.FP32, threads=1, children=1,
            offline=True, min_free_bytes=0,
        )
    )  # fmt: skip


def search_path() -> str:
    """Where a process finds Lectern, from any folder, and what this one was told to look in."""
    return os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


@dataclass(frozen=True, slots=True)
class Home:
    """A home that holds nothing but the tiny model and the settings for it."""

    folder: Path

    @property
    def library(self) -> Path:
        return self.folder / "data" / "lectern" / "library"

    @property
    def models(self) -> Path:
        return self.library.with_name("models")

    @property
    def settings_file(self) -> Path:
        # Windows has one folder for all of a program.
        kind = "data" if sys.platform == "win32" else "config"
        return self.folder / kind / "lectern" / "settings.json"

    @property
    def environment(self) -> dict[str, str]:
        places = {"HOME": self.folder, "XDG_RUNTIME_DIR": self.folder / "run"}
        for name in ("config", "data", "state"):
            places[f"XDG_{name.upper()}_HOME"] = self.folder / name
        places["WIN_PD_OVERRIDE_LOCAL_APPDATA"] = self.folder / "data"  # which platformdirs reads
        # Shared, since it holds the unpacked classifier of languages, 68 MB.
        places["XDG_CACHE_HOME"] = platformdirs.user_cache_path()
        kept = {key: value for key, value in os.environ.items() if not key.startswith("LECTERN_")}
        return {
            **kept,
            **{name: str(place) for name, place in places.items()},
            "PYTHONPATH": search_path(),
            "LECTERN_ENGINE_STAYS": "0",
        }

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "app", *arguments]


def make_home(folder: Path) -> Home:
    home = Home(folder)
    (folder / "run").mkdir(parents=True, mode=0o700)
    install_tiny_model(home.models)
    home.settings_file.parent.mkdir(parents=True, exist_ok=True)
    home.settings_file.write_text(json.dumps(SETTINGS))
    return home


@contextlib.contextmanager
def real_engine(home: Home, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Serve a real library from a process, which is ended with the block."""
    with subprocess.Popen(
        home.command("engine", *options),
        cwd=home.folder,
        env=home.environment,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        try:
            assert process.stderr is not None
            said: list[str] = []
            # Before it, an engine of other systems says that the network is not closed to it.
            while not said or (said[-1] and "Serving" not in said[-1]):
                said.append(process.stderr.readline())
            assert said[-1], "".join(said)
            yield process
        finally:
            process.terminate()
            process.wait(END_S)


def answer(qtbot: QtBot, link: EnginePort, request: Request[A]) -> A:
    """Return what the engine answers to a request; a refusal fails the test."""
    answers: list[A] = []
    failures: list[LecternError] = []
    link.send_request(request, done=answers.append, failed=failures.append)
    qtbot.waitUntil(lambda: bool(answers or failures))
    assert not failures
    return answers[0]


def is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def deadline(seconds: float) -> Iterator[float]:
    """Yield the seconds left until there are none."""
    ends = time.monotonic() + seconds
    while (left := ends - time.monotonic()) > 0:
        yield left
