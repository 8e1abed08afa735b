"""The engine under soak, and what befalls it: kills, a full disk, a drive that goes, clean ends.

Owns the process of ``lectern engine --watch`` over one library, the disk that library is on and the
drive that one of its roots is on. Where this machine mounts nothing, the drive is a link that is
taken away, and the disk is never full.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import threading
from typing import TYPE_CHECKING

import psutil

from indexer.api.endpoint import EngineClient
from indexer.api.errors import LecternError
from tests.integration.killing import children_of
from tests.mounting import Mounter, can_mount
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.e2e.conftest import Lectern

DISK_MB = 768
END_S = 300.0
REACH_S = 300.0


class Engine:
    """``lectern engine --watch`` over a library; at most one process at a time."""

    def __init__(self, lectern: Lectern, library: Path, log: Path) -> None:
        self._lectern, self._library = lectern, library
        self._log = log
        self.process: subprocess.Popen[bytes] | None = None
        self.starts = 0

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def run(self, *command: str | Path) -> None:
        """Start a command over the library, in the place of the one that ended."""
        arguments = [*_PYTHON, "--library", self._library, *command]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(word) for word in arguments],
                env={**self._lectern.environment, "PYTHONWARNINGS": "default"},
                cwd=self._lectern.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.starts += 1

    def start(self) -> None:
        """Watch, unless something runs."""
        if not self.running:
            self.run("engine", "--watch")

    def end(self, number: signal.Signals) -> None:
        """End it with a signal, and see that nothing of it is left."""
        process = self.process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"the engine did not end after {number.name}") from None
        gone = threading.Event()
        for _ in range(200):
            if not children_of(process.pid):
                return
            gone.wait(0.05)
        raise AssertionError("an extraction child outlived its engine")

    def kill_child(self) -> None:
        """Kill one of the processes that read documents, if there is one."""
        if self.process is None:
            return
        for child in children_of(self.process.pid)[:1]:
            with contextlib.suppress(psutil.Error):
                child.kill()

    def reach(self) -> EngineClient:
        """Connect to it as soon as it answers."""
        found: list[EngineClient] = []

        def answers() -> bool:
            client = self.ask()
            if client is not None:
                found.append(client)
            return client is not None

        wait_for(answers, REACH_S)
        return found[0]

    def ask(self) -> EngineClient | None:
        """Connect to it, if it answers."""
        try:
            return EngineClient.attach(self._library)
        except LecternError:
            return None


_PYTHON: tuple[str, ...] = ()


def use(python: str) -> None:
    """Say which Python runs the program."""
    global _PYTHON  # noqa: PLW0603  # one for each run
    _PYTHON = (python, "-m", "app")


class Drive:
    """What one root stands on; it can be taken away and put back."""

    def __init__(self, real: Path, point: Path, mounter: Mounter | None) -> None:
        self._real, self._point, self._mounter = real, point, mounter
        self._there = False
        real.mkdir()
        if mounter is not None:
            point.mkdir()

    def put(self) -> None:
        if self._there:
            return
        if self._mounter is not None:
            self._mounter.bind(self._real, self._point)
        else:
            self._point.symlink_to(self._real)
        self._there = True

    def take(self) -> None:
        if not self._there:
            return
        if self._mounter is not None:
            self._mounter.unmount(self._point)
        else:
            self._point.unlink()
        self._there = False


class Disk:
    """What the library stands on; it can be filled to the last byte."""

    def __init__(self, place: Path, mounter: Mounter | None) -> None:
        place.mkdir()
        self._ballast = place / "ballast"
        self._can_be_full = mounter is not None
        if mounter is not None:
            mounter.memory(DISK_MB, place)

    def fill(self) -> None:
        if not self._can_be_full:
            return
        free = os.statvfs(self._ballast.parent)
        with self._ballast.open("wb") as file, contextlib.suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize)

    def free(self) -> None:
        self._ballast.unlink(missing_ok=True)


class Troubles:
    """Chooses what happens next. ``counts`` says how often each thing did."""

    def __init__(self, seed: int, engine: Engine, drive: Drive, disk: Disk) -> None:
        self._chance = random.Random(seed)
        self._engine, self._drive, self._disk = engine, drive, disk
        self._wait = threading.Event().wait
        self.counts: dict[str, int] = {}

    def happen(self) -> None:
        """Let some time pass, and something happen."""
        self._wait(self._chance.uniform(0.5, 5.0))
        kinds: dict[Callable[[], None], int] = {
            self.kill: 4, self.kill_child: 3, self.full_disk: 2, self.unmount: 2, self.end: 1,
            self.kill_while_full: 1, self.kill_while_unmounted: 1,
        }  # fmt: skip
        (chosen,) = self._chance.choices(list(kinds), list(kinds.values()))
        name = chosen.__name__
        self.counts[name] = self.counts.get(name, 0) + 1
        chosen()
        self._engine.start()

    def kill(self) -> None:
        self._engine.end(signal.SIGKILL)

    def kill_child(self) -> None:
        self._engine.kill_child()

    def end(self) -> None:
        self._engine.end(signal.SIGINT)

    def full_disk(self) -> None:
        self._disk.fill()
        self._wait(self._chance.uniform(0.5, 3.0))
        self._disk.free()

    def unmount(self) -> None:
        self._drive.take()
        self._wait(self._chance.uniform(0.5, 4.0))
        self._drive.put()

    def kill_while_full(self) -> None:
        self._disk.fill()
        self._wait(self._chance.uniform(0.1, 1.0))
        self._engine.end(signal.SIGKILL)
        self._engine.start()
        self._wait(self._chance.uniform(0.5, 3.0))
        self._disk.free()

    def kill_while_unmounted(self) -> None:
        self._drive.take()
        self._wait(self._chance.uniform(0.1, 1.0))
        self._engine.end(signal.SIGKILL)
        self._engine.start()
        self._wait(self._chance.uniform(0.5, 3.0))
        self._drive.put()


def mounter() -> Mounter | None:
    """What mounts here, if anything may."""
    return Mounter() if can_mount() else None
