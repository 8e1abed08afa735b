"""The sources hear of what happens, on real folders."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from watchdog.events import FileCreatedEvent

from indexer.watching.observer import ObserverSource
from indexer.watching.watched import MOST_HINTS, Hints
from indexer.watching.watcher import open_source
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.watching.watched import EventSource

linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


class Heard:
    """All that was heard so far."""

    def __init__(self) -> None:
        self.hints = Hints()
        self.paths: set[str] = set()
        self.lost = ""

    def wait(self, *paths: Path) -> None:
        wait_for(lambda: {str(path) for path in paths} <= self._take())

    def wait_for_loss(self) -> None:
        wait_for(lambda: self._take() is not None and self.lost)

    def _take(self) -> set[str]:
        paths, lost = self.hints.take_hints(0.05)
        self.paths |= {os.fsdecode(path) for path in paths}
        self.lost = self.lost or lost
        return self.paths


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def source(heard: Heard) -> Iterator[EventSource]:
    source = open_source(heard.hints)
    assert source is not None
    with contextlib.closing(source):
        yield source


def test_hints_collapse_and_give_up_past_a_size() -> None:
    hints = Hints()
    for _ in range(3):
        hints.add_hint(b"/a")
    assert hints.take_hints(0.0) == ({b"/a"}, "")
    assert hints.take_hints(0.0) == (set(), "")
    for number in range(MOST_HINTS + 1):
        hints.add_hint(str(number).encode())
    paths, lost = hints.take_hints(0.0)
    assert len(paths) <= MOST_HINTS
    assert lost
    hints.wake()
    assert hints.take_hints(60.0) == (set(), "")


@pytest.mark.parametrize("kind", ["this system's", "watchdog's"])
def test_all_kinds_of_changes_are_heard(tmp_path: Path, heard: Heard, kind: str) -> None:
    source = ObserverSource(heard.hints) if kind == "watchdog's" else open_source(heard.hints)
    assert source is not None
    (tmp_path / "d").mkdir()
    with contextlib.closing(source):
        assert source.watch_folder(os.fsencode(tmp_path))
        assert source.watch_folder(os.fsencode(tmp_path / "d"))
        (tmp_path / "a").write_text("x")
        heard.wait(tmp_path / "a")
        (tmp_path / "a").rename(tmp_path / "d" / "b")
        heard.wait(tmp_path / "d" / "b")
        (tmp_path / "d" / "b").unlink()
        (tmp_path / "e").mkdir()
        (tmp_path / "d").rename(tmp_path / "f")
        heard.wait(tmp_path / "d", tmp_path / "e", tmp_path / "f")


def test_of_a_single_file_its_folder_alone_is_watched(tmp_path: Path, heard: Heard) -> None:
    (tmp_path / "d").mkdir()
    with contextlib.closing(ObserverSource(heard.hints)) as source:
        assert source.watch_folder(os.fsencode(tmp_path), whole=False)
        (tmp_path / "d" / "x").write_text("x")
        (tmp_path / "y").write_text("y")
        heard.wait(tmp_path / "y")
        assert str(tmp_path / "d" / "x") not in heard.paths
        # Then the folder is added as a whole.
        assert source.watch_folder(os.fsencode(tmp_path))
        (tmp_path / "d" / "z").write_text("z")
        heard.wait(tmp_path / "d" / "z")
        source.unwatch_folder(os.fsencode(tmp_path))
        assert source.folders == 0


def test_real_paths_are_told_as_they_were_watched(tmp_path: Path, heard: Heard) -> None:
    """As on macOS, where /tmp is a link and events name what it leads to."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    with contextlib.closing(ObserverSource(heard.hints)) as source:
        source.watch_folder(os.fsencode(tmp_path / "link"))
        source.on_any_event(FileCreatedEvent(str(tmp_path / "real" / "a")))
        heard.wait(tmp_path / "link" / "a")


@linux
def test_only_folders_that_were_entered_are_watched(
    tmp_path: Path, source: EventSource, heard: Heard
) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    for folder in (tmp_path, tmp_path / "in", tmp_path / "in" / "deep"):
        assert source.watch_folder(os.fsencode(folder))
    assert source.folders == 3
    # Entered again, as each scan does.
    assert source.watch_folder(os.fsencode(tmp_path))
    assert source.folders == 3
    (tmp_path / "out" / "x").write_text("x")
    (tmp_path / "in" / "deep" / "y").write_text("y")
    heard.wait(tmp_path / "in" / "deep" / "y")
    assert str(tmp_path / "out" / "x") not in heard.paths
    assert not source.watch_folder(os.fsencode(tmp_path / "gone"))


@linux
def test_a_moved_folder_is_watched_no_longer_until_it_is_entered(
    tmp_path: Path, source: EventSource, heard: Heard
) -> None:
    (tmp_path / "a" / "deep").mkdir(parents=True)
    for folder in (tmp_path, tmp_path / "a", tmp_path / "a" / "deep"):
        source.watch_folder(os.fsencode(folder))
    (tmp_path / "a").rename(tmp_path / "b")
    heard.wait(tmp_path / "a", tmp_path / "b")
    wait_for(lambda: source.folders == 1)
    assert source.watch_folder(os.fsencode(tmp_path / "b"))
    (tmp_path / "b" / "x").write_text("x")
    heard.wait(tmp_path / "b" / "x")


@linux
def test_a_folder_that_was_entered_at_its_new_place_first_keeps_its_watch(
    tmp_path: Path, source: EventSource, heard: Heard
) -> None:
    (tmp_path / "a").mkdir()
    source.watch_folder(os.fsencode(tmp_path / "a"))
    (tmp_path / "a").rename(tmp_path / "b")
    source.watch_folder(os.fsencode(tmp_path / "b"))
    assert source.folders == 1
    (tmp_path / "b" / "x").write_text("x")
    heard.wait(tmp_path / "b" / "x")


@linux
def test_a_folder_that_is_gone_needs_no_watch(
    tmp_path: Path, source: EventSource, heard: Heard
) -> None:
    (tmp_path / "a").mkdir()
    source.watch_folder(os.fsencode(tmp_path))
    source.watch_folder(os.fsencode(tmp_path / "a"))
    (tmp_path / "a").rmdir()
    heard.wait(tmp_path / "a")
    wait_for(lambda: source.folders == 1)
    (tmp_path / "a").mkdir()
    source.watch_folder(os.fsencode(tmp_path / "a"))
    (tmp_path / "a" / "x").write_text("x")
    heard.wait(tmp_path / "a" / "x")


@linux
def test_lost_events_are_told(tmp_path: Path, source: EventSource, heard: Heard) -> None:
    """More than the kernel's queue holds, while the reader is held back."""
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    source.watch_folder(os.fsencode(tmp_path))
    one, other = tmp_path / "one", tmp_path / "other"
    one.touch()
    with source._lock:  # type: ignore[attr-defined]  # of any source for inotify
        # Equal events in a row are one event to the kernel; the reader stands still in the first.
        for _ in range(limit):
            one.rename(other)
            other.rename(one)
    heard.wait_for_loss()


@linux
def test_the_end_of_watches_is_told(tmp_path: Path) -> None:
    """Whoever may open no more files gets no more instances of inotify."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        source = open_source(Hints())
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert source is None


_SHORT = """
import os, sys
from pathlib import Path
from indexer.watching.watched import Hints
from indexer.watching.watcher import open_source
Path("/proc/sys/user/max_inotify_watches").write_text("10")
source = open_source(Hints())
entered = [source.watch_folder(os.fsencode(path)) for path in sys.argv[1:]]
print(entered.count(True), source.exhausted)
source.close()
"""


@linux
def test_folders_past_the_limit_are_told(tmp_path: Path) -> None:
    """In a world of users of its own, whose limit is nobody else's."""
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("there is no unshare")
    folders = [tmp_path / str(number) for number in range(20)]
    for folder in folders:
        folder.mkdir()
    done = subprocess.run(
        [unshare, "--user", "--map-root-user", sys.executable, "-c", _SHORT, *folders],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )
    if "unshare" in done.stderr or "max_inotify_watches" in done.stderr:
        pytest.skip("this machine gives no user namespaces")
    assert done.stdout.split() == ["10", "True"], done.stderr
