"""The composition root of the engine: it checks the processor before it loads the heavy parts.

A command or a door uses a ``LastingEngine``, which connects again after its engine has ended.

The processor and the versions are checked before the numeric libraries are loaded, since an illegal
instruction would kill the process.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from indexer.api.contract import EngineApi, Queue, Request
from indexer.api.endpoint import EngineClient, end_engine
from indexer.api.errors import LecternError, WorldError
from indexer.confine import launcher
from indexer.confine.process import own_command
from indexer.embed.devices import instruction_sets
from indexer.vault.place import is_encrypted, is_locked

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.api.progress import CancelToken, Report
    from indexer.config import EngineConfig
    from indexer.server.service import Host
    from indexer.server.work_queues import LocalEngine

OpenEngine = Callable[["EngineConfig"], "LocalEngine"]

# Seconds that an engine stays after the last question, and the variable that overrides them.
STAYS_S = 300
STAYS_VARIABLE = "LECTERN_ENGINE_STAYS"
_ATTACH_S = 0.02  # between attempts while it starts
ENDS_S = 30.0
# Seconds to wait for an engine that holds the lock but does not answer: it is starting or ending.
PATIENCE_S = 15.0
_LOCKED_S = 0.1  # between attempts to open the engine

LIBRARIES = ("lancedb", "pyarrow", "pymupdf", "tokenizers", "numpy")


NEEDED = "AVX2"
_PF_AVX2_INSTRUCTIONS_AVAILABLE = 40


def missing_instructions() -> str:
    """Return the instructions that this processor lacks; "" if none, or unknown."""
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return ""
    if sys.platform == "win32":
        import ctypes

        there = ctypes.windll.kernel32.IsProcessorFeaturePresent(_PF_AVX2_INSTRUCTIONS_AVAILABLE)
        return "" if there else NEEDED
    features = instruction_sets()
    return NEEDED if features and NEEDED.lower() not in features else ""


def open_engine(config: EngineConfig) -> LocalEngine:
    """Open a library's engine in this process, under the library lock.

    Raises ``old_processor``, ``no_runtime`` without an ONNX Runtime, ``library_locked``,
    ``vault_locked``, and the other errors of opening a library.
    """
    if is_locked(config.library):
        raise WorldError("vault_locked", library=str(config.library))
    # Checked before heavy imports, and before a library is created.
    if lacks := missing_instructions():
        raise WorldError("old_processor", missing=lacks)
    if importlib.util.find_spec("onnxruntime") is None:
        raise WorldError("no_runtime")
    from indexer.engine.engine import Engine

    return Engine.open(config)


def open_host(config: EngineConfig, open_: OpenEngine, *, lasting: bool = False) -> Host:
    """Open an engine that other commands can use at the same time.

    ``lasting``: the process exists only to serve, so it fails if it cannot.
    """
    from indexer.server.service import Host, Service

    # A lasting engine gives way to the person's other work; the person waits for a command.
    engine = open_(replace(config, background=lasting or config.background))
    try:
        service = Service(engine, config.library, offline=config.offline, lasting=lasting)
        return Host(engine, service)
    except BaseException:
        engine.close()
        raise


def engine_command(
    library: Path, idle_s: str, *, offline: bool = False, watch: bool = False
) -> list[str]:
    """Return the command line that serves a library until it is unused for ``idle_s`` seconds."""
    options = ["--library", str(library), *(["--offline"] if offline else [])]
    return [*own_command(), *options, "engine", "--idle-exit", idle_s, *["--watch"] * watch]


def spawn_engine(library: Path, idle_s: str, *, offline: bool = False) -> subprocess.Popen[bytes]:
    """Start an engine that outlives this process, and shares its launcher; not on Windows."""
    with launcher.shared_environment() as variables:
        return subprocess.Popen(
            engine_command(library, idle_s, offline=offline), cwd="/",
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **variables}, pass_fds=[int(each) for each in variables.values()],
            start_new_session=True,
        )  # fmt: skip


def start_staying_engine(config: EngineConfig) -> EngineClient | None:
    """Start an engine that stays for some minutes, so that the next question need not open one.

    Returns None where engines do not stay (an encrypted library, Windows, or ``STAYS_VARIABLE`` is
    0), and if the engine ends at once: the caller then opens one itself and gets the error.
    """
    stays = os.environ.get(STAYS_VARIABLE, str(STAYS_S))
    if sys.platform == "win32" or stays == "0" or is_encrypted(config.library):
        return None
    process = spawn_engine(config.library, stays, offline=config.offline)
    while (client := EngineClient.attach(config.library)) is None and process.poll() is None:
        time.sleep(_ATTACH_S)
    return client


def reach(
    library: Path,
    open_here: Callable[[], EngineApi],
    *,
    patience: float = PATIENCE_S,
    offline: bool = False,
) -> EngineApi:
    """Attach to the engine that serves a library, or open one in this process.

    Args:
        open_here: Opens an engine under the library lock.
        patience: Seconds to wait for the holder of the lock to answer or to release it.
        offline: Refuse an engine that may use the network.

    Raises what ``open_here`` raises; ``library_locked`` after ``patience``; ``busy``, if the
    running engine is not offline although ``offline`` asks for it.
    """
    deadline = time.monotonic() + patience
    while True:
        client = EngineClient.attach(library)
        if client is not None:
            if offline and not client.greeting.offline:
                client.close()
                raise WorldError("busy", reason="not_offline")
            return client
        try:
            return open_here()
        except WorldError as error:
            if error.code != "library_locked" or time.monotonic() >= deadline:
                raise
        time.sleep(_LOCKED_S)


def end_staying_engine(library: Path) -> None:
    """End an engine that only stays for the next question, as its settings or lock would interfere.

    An engine that does not answer, or is already ending, is left alone. An encrypted library is not
    asked: no engine stays for it, and its folder may hang.
    """
    with suppress(LecternError):
        if not is_encrypted(library):
            end_engine(library, ENDS_S, only_staying=True)


A = TypeVar("A")

ATTEMPTS = 3
_AT_ONCE = 8  # the engine refuses a client that has many requests waiting
_SLOW_AT_ONCE = 2


class LastingEngine:
    """An ``EngineApi`` over engines that may end; every request is idempotent. Thread-safe.

    In the engine a client's newest search replaces its older ones, as a window needs it. A door has
    several callers, so their searches wait here for each other. Slow requests, such as comparisons,
    have a limit of their own, so that they hold up nothing else.
    """

    def __init__(self, reach: Callable[[], EngineApi]) -> None:
        self._reach = reach
        self._engine: EngineApi | None = None
        self._opening = threading.Lock()
        self._asking = threading.BoundedSemaphore(_AT_ONCE)
        self._turns = {
            Queue.SEARCH: threading.BoundedSemaphore(1),
            Queue.SLOW: threading.BoundedSemaphore(_SLOW_AT_ONCE),
        }

    def call(
        self, request: Request[A], *, token: CancelToken | None = None, report: Report | None = None
    ) -> A:
        """Answer a request; see ``indexer.api.contract.EngineApi``."""
        with self._turns.get(request.queue, self._asking):
            if token is not None:
                token.check()
            for _ in range(ATTEMPTS - 1):
                engine = self._reached()
                try:
                    return engine.call(request, token=token, report=report)
                except WorldError as error:
                    if error.code != "engine_gone":
                        raise
                    self._leave(engine)
            return self._reached().call(request, token=token, report=report)

    def close(self) -> None:
        """Close the engine, or the connection to it."""
        with self._opening:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def _reached(self) -> EngineApi:
        with self._opening:
            if self._engine is None:
                self._engine = self._reach()
            return self._engine

    def _leave(self, engine: EngineApi) -> None:
        with self._opening:
            if self._engine is not engine:
                return
            self._engine = None
        engine.close()
