"""The cgroup of a child: where one may be made, what it limits, and that none is left."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.confine import cgroup
from indexer.extract.process import process
from indexer.extract.process.sandbox import ExtractionChild
from tests.integration.extraction import Seen
from tests.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

_SESSION = "/user.slice/user-1000.slice/user@1000.service"
_MOUNTS = """\
22 28 0:20 / /proc rw,relatime - proc proc rw
31 23 0:27 {root} {place} rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
32 23 0:28 / /sys/fs/bpf rw,nosuid - bpf bpf rw
"""
_ALSO_OLDER = "4:memory:/user.slice\n1:name=systemd:/user.slice\n"

delegated = pytest.mark.skipif(
    cgroup.delegated() is None, reason="no cgroup with memory and pids is delegated here"
)


@pytest.mark.parametrize(
    ("own", "root", "place", "found"),
    [
        ("/a.slice/b.scope", "/", "/sys/fs/cgroup", ["/a.slice/b.scope", "/a.slice", ""]),
        ("/", "/", "/sys/fs/cgroup", [""]),
        # In a container whose own part alone is mounted, in a place with a space in its name.
        ("/pod/b", "/pod", "/a\\040c", ["/b", ""]),
        # And one that is outside of what is mounted, as its namespace has another root.
        ("/../b", "/pod", "/sys/fs/cgroup", []),
        ("/podium", "/pod", "/sys/fs/cgroup", []),
    ],
)
def test_the_folders_are_those_above_its_own(
    own: str, root: str, place: str, found: list[str]
) -> None:
    mounts = _MOUNTS.format(root=root, place=place)
    top = place.replace("\\040", " ")
    folders = [*cgroup.folders_above(f"{_ALSO_OLDER}0::{own}\n", mounts)]
    assert folders == [Path(top + each) for each in found]


def test_older_cgroups_are_none() -> None:
    older = "31 23 0:35 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    assert not [*cgroup.folders_above(_ALSO_OLDER, older)]
    assert not [*cgroup.folders_above(f"{_ALSO_OLDER}0::/\n", older)]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Files like those of a session in which only what is above its slices is delegated."""
    service = tmp_path.joinpath(*Path(_SESSION).parts[1:])
    for place in (service, service / "app.slice", service / "app.slice" / "own.scope"):
        place.mkdir(parents=True)
        (place / "cgroup.procs").touch()
        (place / "cgroup.subtree_control").write_text("")
    (service / "cgroup.subtree_control").write_text("cpu memory pids\n")
    (service / "app.slice" / "cgroup.subtree_control").write_text("memory\n")
    own = f"{_SESSION}/app.slice/own.scope"
    found = [Path(str(tmp_path) + each) for each in (own, str(Path(own).parent), _SESSION)]
    monkeypatch.setattr(cgroup, "folders_above", lambda _groups, _mounts: iter(found))
    cgroup.delegated.cache_clear()
    yield service
    cgroup.delegated.cache_clear()


def test_one_is_made_where_both_controllers_are_enabled(session: Path) -> None:
    assert cgroup.delegated() == session
    cgroup.join(100)
    own = session / f"lectern-child-{os.getpid()}"
    assert {each.name: each.read_text() for each in own.iterdir()} == {
        "memory.max": str(100 + cgroup.PROGRAM_BYTES), "memory.swap.max": "0",
        "memory.oom.group": "1", "pids.max": "288", "cgroup.procs": "0",
    }  # fmt: skip
    assert str(session) in cgroup.verdict()[1]
    assert not cgroup.ran_out(os.getpid())
    (own / "memory.events").write_text("max 7\noom 0\noom_kill 1\noom_group_kill 1\n")
    assert not cgroup.ran_out(os.getpid())  # the whole machine had no room
    (own / "memory.events").write_text("max 7\noom 1\noom_kill 1\noom_group_kill 1\n")
    assert cgroup.ran_out(os.getpid())


def test_where_none_is_delegated_nothing_is_done(session: Path) -> None:
    (session / "cgroup.subtree_control").write_text("cpu pids\n")
    before = {*session.rglob("*")}
    assert cgroup.delegated() is None
    cgroup.join(100)
    assert not cgroup.ran_out(os.getpid())
    assert {*session.rglob("*")} == before
    assert "no cgroup is delegated" in cgroup.verdict()[1]


# A child that starts a process which would outlive it, in a session of its own, and then acts.
_CHILD = """
import os, signal, sys, time
from indexer.config import Limits
from indexer.confine import cgroup
cgroup.PROGRAM_BYTES = 0
cgroup.join(int(sys.argv[1]))
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        signal.pause()
    os._exit(0)
os.wait()
sys.stdin.readline()
"""
_HOLD = """
held = os.memfd_create("held")
for ignored in range(100):
    os.write(held, bytes(1 << 20))
"""
_FORK = """
started = 0
while started < 999:
    try:
        if os.fork() == 0:
            signal.pause()
    except BlockingIOError:
        break
    started += 1
print(started, flush=True)
signal.pause()
"""


@contextlib.contextmanager
def _child(
    code: str = "", resident: int = 0
) -> Iterator[tuple[subprocess.Popen[str], psutil.Process]]:
    """Start such a child; gives it and the process that would outlive it."""
    command = [sys.executable, "-c", _CHILD + code, str(resident)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        try:
            yield started, psutil.Process(int(started.stdout.readline()))
        finally:
            cgroup.end(_folder(started).parent, started.pid)
            started.kill()


def _folder(started: subprocess.Popen[str]) -> Path:
    place = cgroup.delegated()
    assert place is not None
    return place / f"lectern-child-{started.pid}"


def _go(started: subprocess.Popen[str]) -> None:
    assert started.stdin is not None
    started.stdin.write("\n")
    started.stdin.flush()


@delegated
def test_what_it_holds_in_files_without_a_name_is_limited() -> None:
    with _child(_HOLD, 64 << 20) as (started, left):
        _go(started)
        assert started.wait(60) == -signal.SIGKILL
        assert cgroup.ran_out(started.pid)
        wait_for(lambda: not left.is_running())
        cgroup.end(_folder(started).parent, started.pid)
        assert not _folder(started).exists()


@delegated
def test_it_starts_no_end_of_processes() -> None:
    with _child(_FORK) as (started, _left):
        _go(started)
        assert started.stdout is not None
        assert cgroup.PROCESSES - 9 < int(started.stdout.readline()) < cgroup.PROCESSES + 40


@delegated
def test_it_ends_with_all_that_it_started() -> None:
    with _child() as (started, left):
        assert left.is_running()
        assert str(left.pid) in (_folder(started) / "cgroup.procs").read_text().split()
        cgroup.end(_folder(started).parent, started.pid)
        assert started.wait(60) == -signal.SIGKILL
        assert not left.is_running()
        assert not _folder(started).exists()


@delegated
def test_what_killed_engines_left_ends_when_the_next_child_starts() -> None:
    with _child() as (started, left):
        started.kill()
        started.wait(60)
        assert left.is_running()
        with _child() as (after, _left):
            assert not left.is_running()
            assert not _folder(started).exists()
            assert _folder(after).exists()


@delegated
def test_a_child_that_reads_documents_has_one(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("A note.")
    with ExtractionChild() as child:
        assert [*child.extract(tmp_path / "note.txt", "", None, Seen())]
        place = cgroup.delegated()
        assert place is not None
        own = place / f"lectern-child-{child.pid}"
        assert str(child.pid) in (own / "cgroup.procs").read_text().split()
        assert int((own / "memory.max").read_text()) > cgroup.PROGRAM_BYTES
    assert not own.exists()


@delegated
def test_a_document_that_fills_it_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = """
import sys
from indexer.config import Limits
from indexer.confine import cgroup
from indexer.extract.plain import text
from indexer.extract.process import child
cgroup.PROGRAM_BYTES = -300 << 20
honest = text.open_source

def open_source(path, password, limits):
    held = bytearray(b"x") * (250 << 20) if "large" in str(path) else b""
    return honest(path, password, limits)

text.open_source = open_source
sys.exit(child.main())
"""

    def command(_limits: object, scratch: str) -> list[str]:
        limits = [f"--resident={500 << 20}", f"--scratch={scratch}"]
        return [sys.executable, "-P", "-c", taken, *limits]

    monkeypatch.setattr(process, "command", command)
    for name in ("large", "note"):
        (tmp_path / f"{name}.txt").write_text("A note.")
    with ExtractionChild(Limits(silence_s=600)) as child:
        with pytest.raises(WorldError) as failed:
            list(child.extract(tmp_path / "large.txt", "", None, Seen()))
        assert failed.value.code == "out_of_memory"
        assert [*child.extract(tmp_path / "note.txt", "", None, Seen())]
