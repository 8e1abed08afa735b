"""``python -m tests.soak``: ten minutes of changes and accidents, then the comparison.

python -m tests.soak                                as `make soak` does
python -m tests.soak --seconds 60 --files 300 --seed 7
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.errors import LecternError
from tests.e2e.conftest import ROOT, Lectern
from tests.soak import compare, troubles
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from indexer.client import EngineClient

QUIET_S = 600.0
LOOKS = 5  # in a row that find nothing left to do
LOOK_S = 0.3
# What the store may keep for readers, beside twice what is live.
DISK_SLACK = 64 << 20


@dataclass(frozen=True, slots=True)
class Options:
    """How long, how much, how often."""

    seconds: float = 600.0
    files: int = 2000
    seed: int = 1
    rate: float = 8.0


def soak(folder: Path, options: Options) -> list[str]:
    """Soak a library in an empty folder, and say what is wrong with it then."""
    mounter = troubles.mounter()
    with contextlib.ExitStack() as stack:
        if mounter is None:
            print("Nothing can be mounted here: the drive is a link, and the disk is never full.")
        else:
            stack.callback(mounter.close)
        lectern = _lectern(folder)
        disk = troubles.Disk(folder / "disk", mounter)
        drive = troubles.Drive(folder / "drive.real", folder / "drive", mounter)
        plain = folder / "plain"
        plain.mkdir()
        drive.put()
        library = folder / "disk" / "library"
        engine = troubles.Engine(lectern, library, folder / "log")
        stack.callback(engine.end, signal.SIGKILL)
        roots = (plain, folder / "drive")
        with _walking(options, [plain, folder / "drive.real"]) as stop_walking:
            _begin(engine, roots)
            befalling = troubles.Troubles(options.seed, engine, drive, disk)
            began = time.monotonic()
            while time.monotonic() - began < options.seconds:
                befalling.happen()
            steps = stop_walking()
        set_aside = _settle(engine)
        engine.end(signal.SIGINT)
        _run(lectern, "--library", library, "status")
        size = _bytes(library)
        fresh = folder / "fresh"
        _run(lectern, "--library", fresh, "index", "--quiet", *roots)
        one, other = compare.read(library), compare.read(fresh)
        found = compare.differences(one, other)
        if size > 2 * _bytes(fresh) + DISK_SLACK:
            found.append(f"the library takes {size:,} bytes, a fresh one {_bytes(fresh):,}")
        told = ", ".join(f"{count} {name}" for name, count in sorted(befalling.counts.items()))
        print(
            f"{steps:,} operations, {len(one.files):,} files and {len(one.docs):,} documents in "
            f"the end; {told}; {engine.starts} starts; {set_aside} files set aside and retried; "
            f"{size / 1e6:.0f} MB, fresh {_bytes(fresh) / 1e6:.0f} MB"
        )
        return found


def _lectern(folder: Path) -> Lectern:
    """A person's account with the tiny model."""
    (folder / "run").mkdir(mode=0o700)
    lectern = Lectern(folder, "app")
    install_tiny_model(lectern.library.parent / "models")
    settings = folder / "home" / "config" / "lectern" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"model": TINY, "precision": "fp32", "min_free_gb": 0}))
    troubles.use(sys.executable)
    return lectern


@contextlib.contextmanager
def _walking(options: Options, folders: list[Path]) -> Iterator[Callable[[], int]]:
    """Let the tree change meanwhile; gives what ends that and counts the operations."""
    command = [sys.executable, "-m", "tests.soak.walk"]
    numbers = [str(value) for value in (options.seed, options.files, options.rate)]
    with subprocess.Popen(
        [*command, *numbers, *map(str, folders)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "made\n"

        def stop() -> int:
            steps, _ = process.communicate(timeout=60.0)
            return int(steps)

        try:
            yield stop
        finally:
            if process.poll() is None:
                process.kill()


def _begin(engine: troubles.Engine, roots: Sequence[Path]) -> None:
    """Begin to index; from here on the library knows what belongs to it."""
    engine.run("index", *roots)
    pause = threading.Event()
    while True:
        assert engine.running, "the first run ended before anything befell it"
        pause.wait(LOOK_S)
        client = engine.ask()
        if client is not None:
            with contextlib.closing(client):
                if len(client.status()["roots"]) == len(roots):
                    return


def _settle(engine: troubles.Engine) -> int:
    """Wait until everything is read, what was set aside too; count that."""
    engine.start()
    _wait_until_quiet(engine)
    client = engine.ask()
    assert client is not None
    with contextlib.closing(client):
        again = client.retry([])
    if again:
        _wait_until_quiet(engine)
    return again


def _wait_until_quiet(engine: troubles.Engine) -> None:
    deadline = time.monotonic() + QUIET_S
    pause = threading.Event()
    quiet, client = 0, None
    try:
        while quiet < LOOKS:
            assert time.monotonic() < deadline, "the engine does not come to rest"
            engine.start()
            pause.wait(LOOK_S)
            client = client or engine.ask()
            try:
                quiet = quiet + 1 if client is not None and _is_quiet(client) else 0
            except LecternError:
                client, quiet = None, 0
    finally:
        if client is not None:
            client.close()


def _is_quiet(client: EngineClient) -> bool:
    watch = client.watch(on=None)
    activity = client.activity()
    return bool(watch["on"] and watch["quiet"] and not activity["pending"] and
                activity["running"] is None)  # fmt: skip


def _run(lectern: Lectern, *command: str | Path) -> None:
    with lectern.start(*command) as process:
        _, complaints = process.communicate(timeout=QUIET_S)
    assert process.returncode == 0, complaints


def _bytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = Options()
    parser.add_argument("--seconds", type=float, default=usual.seconds)
    parser.add_argument("--files", type=int, default=usual.files)
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--rate", type=float, default=usual.rate, help="operations a second")
    parser.add_argument("--keep", action="store_true", help="leave the folder for looking at")
    asked = parser.parse_args()
    # However it ends, what was mounted and started goes with it.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(1))
    folder = Path(tempfile.mkdtemp(prefix="lectern-soak-"))
    try:
        found = soak(folder, Options(asked.seconds, asked.files, asked.seed, asked.rate))
    finally:
        if asked.keep:
            print(f"Left at {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(found) or "The library is as a fresh one.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
