"""Runs the command line in a temporary home, so that no setting, library or log is touched."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
import pytest

from tests.waiting import WAIT_S

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Lectern:
    """Runs ``lectern`` in processes of its own; ``module`` is run with ``python -m``."""

    folder: Path
    module: str

    @property
    def environment(self) -> dict[str, str]:
        home = self.folder / "home"
        private = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_DATA_HOME": str(home / "data"),
            "XDG_STATE_HOME": str(home / "state"),
            # Shared, since it holds the unpacked classifier of languages, 68 MB.
            "XDG_CACHE_HOME": str(platformdirs.user_cache_path()),
            "XDG_RUNTIME_DIR": os.path.realpath(self.folder / "run"),
            "PYTHONPATH": str(ROOT),
            "PYTHONWARNINGS": "error",
            "COLUMNS": "80",
        }
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("LECTERN_")}
        private["LECTERN_ENGINE_STAYS"] = "0"
        return {**inherited, **private}

    @property
    def library(self) -> Path:
        return self.folder / "home" / "data" / "lectern" / "library"

    @contextlib.contextmanager
    def start(
        self, *arguments: str | Path, environment: dict[str, str] | None = None
    ) -> Iterator[subprocess.Popen[str]]:
        """Start a command line, which is killed at the end of the block."""
        command = [sys.executable, "-m", self.module, *map(str, arguments)]
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env={**self.environment, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        ) as process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.kill()

    def __call__(
        self,
        *arguments: str | Path,
        status: int = 0,
        stdin: str = "",
        environment: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command line to its end and check its exit status."""
        with self.start(*arguments, environment=environment) as process:
            out, err = process.communicate(stdin, timeout=WAIT_S)
        assert process.returncode == status, f"{process.returncode}\n{out}\n{err}"
        return subprocess.CompletedProcess(process.args, status, out, err)

    @contextlib.contextmanager
    def serving(self) -> Iterator[subprocess.Popen[str]]:
        """Keep an engine running, which every command then attaches to."""
        with self.start("engine") as engine:
            assert engine.stderr is not None
            assert "Serving" in engine.stderr.readline()
            yield engine
            self("engine", "--stop")
            assert engine.wait(WAIT_S) == 0


@pytest.fixture
def lectern(tmp_path: Path) -> Iterator[Lectern]:
    # The name of a socket has about 100 bytes at most; folders of tests are longer.
    with tempfile.TemporaryDirectory(prefix="lectern-") as runtime:
        (tmp_path / "run").symlink_to(runtime)
        yield Lectern(tmp_path, "tests.fake_cli")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "ice.txt").write_text("The ship sank in November. The crew camped on the ice.")
    (folder / "lease.txt").write_text("The tenant pays rent.\fThe landlord mends the roof.")
    (folder / "nothing.txt").touch()
    return folder


@pytest.fixture
def display() -> Iterator[str]:
    """A display of the test's own, 1280 by 800."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed (apt-get install xvfb)")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    with subprocess.Popen(
        command, pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        os.close(write)
        with os.fdopen(read) as told:
            number = told.readline().strip()
        try:
            assert number, "Xvfb did not start"
            yield f":{number}"
        finally:
            server.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(60)
