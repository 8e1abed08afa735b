"""A watched library under accidents, or under nothing but changes, compared with a fresh one.

``size`` of an extent counts files. ``walk`` changes them in a process of its own, ``troubles``
brings the engine to grief.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.errors import LecternError
from indexer.api.requests import GetActivity, GetStatus, Retry, Watch
from tests.e2e.conftest import ROOT
from tests.soak import compare, troubles
from tests.soak.account import make_account, run
from tests.soak.patience import communicate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from indexer.api.endpoint import EngineClient
    from tests.soak.extent import Extent

STANDSTILL_S = 1200.0  # without anything that is done
LOOKS = 5  # in a row that find nothing left to do
LOOK_S = 0.3
MANY = 10_000  # files
SHOWN = 5
# What the store may keep for readers, beside twice what is live.
DISK_SLACK = 64 << 20


RATES = {"accidents": 8.0, "changes": 20.0}  # operations a second


def accidents(folder: Path, extent: Extent) -> list[str]:
    """Kill the engine and its children, fill the disk and take a drive away while files change."""
    mounter = troubles.mounter()
    with contextlib.ExitStack() as stack:
        if mounter is None:
            print("Nothing can be mounted here: the drive is a link, and the disk is never full.")
        else:
            stack.callback(mounter.close)
        disk = troubles.Disk(folder / "disk", mounter)
        drive = troubles.Drive(folder / "drive.real", folder / "drive", mounter)
        drive.put()
        watched = _Watched(folder, folder / "disk" / "library", (folder / "drive",))
        stack.callback(watched.engine.end, signal.SIGKILL)
        befalling = troubles.Troubles(extent.seed, watched.engine, drive, disk)
        with _walking(extent, "accidents", watched.plain, folder / "drive.real") as stop_walking:
            watched.begin()
            _until(extent.seconds, befalling.happen)
            steps = stop_walking()
        found = watched.judge(steps)
        told = ", ".join(f"{count} {name}" for name, count in sorted(befalling.counts.items()))
        print(f"{told}; {watched.engine.starts} starts")
        return found


def changes(folder: Path, extent: Extent) -> list[str]:
    """Create, edit, rename, move and delete files and folders, and let the engine alone."""
    watched = _Watched(folder, folder / "library", ())
    with contextlib.ExitStack() as stack:
        stack.callback(watched.engine.end, signal.SIGKILL)
        if extent.size > MANY:
            # A large folder is made and read first, so that watching is what is tested.
            with _walking(extent, "changes", watched.plain) as stop_walking:
                stop_walking()
            watched.begin()
            _wait_until_quiet(watched.engine)
        with _walking(extent, "changes", watched.plain) as stop_walking:
            if extent.size <= MANY:
                watched.begin()
            _until(extent.seconds, watched.engine.start)
            steps = stop_walking()
        return watched.judge(steps, blameless=True)


class _Watched:
    """A library, the folders it watches and the engine that watches them."""

    def __init__(self, folder: Path, library: Path, others: Sequence[Path]) -> None:
        self.plain, self.library, self._fresh = folder / "plain", library, folder / "fresh"
        self.plain.mkdir()
        self._lectern = make_account(folder)
        troubles.use(sys.executable)
        self.engine = troubles.Engine(self._lectern, library, folder / "log")
        self._roots = (self.plain, *others)

    def begin(self) -> None:
        _begin(self.engine, self._roots)
        self._hurry(self.library)

    def _hurry(self, library: Path) -> None:
        # Other load on the machine shall not make the scenario longer.
        run(self._lectern, "--library", library, "pace", "fast")

    def judge(self, steps: int, *, blameless: bool = False) -> list[str]:
        """Let the library come to rest and compare it with the disk and with a fresh one.

        Args:
            steps: Operations, to be shown.
            blameless: Whether nothing happened that excuses a failure to read a file.
        """
        began = time.monotonic()
        failed = _settle(self.engine, self.library)
        settled = time.monotonic() - began
        self.engine.end(signal.SIGINT)
        run(self._lectern, "--library", self.library, "status")
        size = _bytes(self.library)
        self._hurry(self._fresh)
        index = ("index", "--quiet", *map(str, self._roots))
        run(self._lectern, "--library", self._fresh, *index)
        one, other = compare.read(self.library), compare.read(self._fresh)
        found = [*compare.differences(one, other), *_against_disk(self.library, self._roots)]
        if blameless and failed:
            found.append(f"{failed} files failed though nothing befell the engine")
        if size > 2 * _bytes(self._fresh) + DISK_SLACK:
            found.append(f"the library takes {size:,} bytes, a fresh one {_bytes(self._fresh):,}")
        print(
            f"{steps:,} operations, {len(one.files):,} files and {len(one.docs):,} documents in "
            f"the end, at rest after {settled:.0f} s; {failed} files had failed and were retried; "
            f"{size / 1e6:.0f} MB, fresh {_bytes(self._fresh) / 1e6:.0f} MB"
        )
        return found


def _until(seconds: float, happen: Callable[[], None]) -> None:
    pause = threading.Event()
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        happen()
        pause.wait(LOOK_S)


def _against_disk(library: Path, roots: Sequence[Path]) -> Iterator[str]:
    """What the catalog says of files that the disk does not, and the other way round."""
    with contextlib.closing(sqlite3.connect(library / "catalog.sqlite")) as catalog:
        known = {
            os.path.join(root, folder, name): (size, time_ns)  # noqa: PTH118  # bytes
            for root, folder, name, size, time_ns in catalog.execute(
                "SELECT r.path, d.path, f.name, f.size, f.mtime_ns FROM files f "
                "JOIN roots r ON r.id = f.root JOIN folders d ON d.id = f.folder"
            )
        }
    there = {}
    for folder, _, names in (entry for root in roots for entry in os.walk(os.fsencode(root))):
        for name in names:
            path = os.path.join(folder, name)  # noqa: PTH118  # bytes
            if not os.path.islink(path):  # noqa: PTH114  # bytes
                found = os.stat(path)  # noqa: PTH116  # bytes
                there[path] = (found.st_size, found.st_mtime_ns)
    left_out = {path for path in there if _is_left_out(path, roots)}
    if missing := there.keys() - known.keys() - left_out:
        yield f"{len(missing)} files of the disk are not known: {sorted(missing)[:SHOWN]}"
    # A folder that is left out is a row, too.
    gone = [path for path in known.keys() - there.keys() if not os.path.lexists(path)]
    if gone:
        yield f"{len(gone)} files are known that are not there: {sorted(gone)[:SHOWN]}"
    for path in [path for path in known.keys() & there.keys() if known[path] != there[path]][
        :SHOWN
    ]:
        # No event tells of an edit under another name of the same file.
        links = os.stat(path).st_nlink  # noqa: PTH116  # bytes
        yield f"known as it was, under {links} names: {path!r}"


def _is_left_out(path: bytes, roots: Sequence[Path]) -> bool:
    """Whether a folder above a file may be left out: one with a .lecternignore further up."""
    above = Path(os.fsdecode(path)).parents
    inside = [folder for folder in above if any(folder.is_relative_to(root) for root in roots)]
    return any((folder / ".lecternignore").exists() for folder in inside)


@contextlib.contextmanager
def _walking(extent: Extent, kind: str, *folders: Path) -> Iterator[Callable[[], int]]:
    """Let the tree change meanwhile; gives what ends that and counts the operations."""
    command = [sys.executable, "-m", "tests.soak.walk"]
    numbers = [str(value) for value in (extent.seed, extent.size, RATES[kind])]
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
            steps, _ = communicate(process)
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
                if len(client.call(GetStatus()).roots) == len(roots):
                    return


def _settle(engine: troubles.Engine, library: Path) -> int:
    """Wait until everything is read, what had failed for good too; count that."""
    engine.start()
    _wait_until_quiet(engine)
    with contextlib.closing(engine.reach()) as client:
        failed = _given_up(library)
        again = client.call(Retry())
    if again:
        _wait_until_quiet(engine)
    return failed


def _given_up(library: Path) -> int:
    """Return how many files failed and are not tried again by themselves."""
    with contextlib.closing(sqlite3.connect(library / "catalog.sqlite")) as catalog:
        count = catalog.execute(
            "SELECT count(*) FROM files WHERE state = 'failed' AND due_ns = 0"
        ).fetchone()
    return int(count[0])


def _wait_until_quiet(engine: troubles.Engine) -> None:
    pause = threading.Event()
    quiet, client = 0, None
    seen: set[tuple[int, float] | None] = {None}
    moved = time.monotonic()
    try:
        while quiet < LOOKS:
            assert time.monotonic() < moved + STANDSTILL_S, "the engine does not come to rest"
            engine.start()
            pause.wait(LOOK_S)
            client = client or engine.ask()
            left, rests = None, False
            try:
                if client is not None:
                    left, rests = _looked_at(client)
            except LecternError:
                if client is not None:
                    client.close()
                client = None
            quiet = quiet + 1 if rests else 0
            if left not in seen:
                seen.add(left)
                moved = time.monotonic()
    finally:
        if client is not None:
            client.close()


def _looked_at(client: EngineClient) -> tuple[tuple[int, float], bool]:
    """Return how much is left, in files and share of vectors, and whether the engine is at rest."""
    watch = client.call(Watch(None))
    activity = client.call(GetActivity())
    rests = watch.on and watch.quiet and not activity.pending and activity.running is None
    return (activity.pending, activity.embedded_share), bool(rests)


def _bytes(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())
