"""Makes a cgroup for each child that reads documents, if the person may make cgroups.

A cgroup limits the total memory of a child, its readers and all processes that they start,
including files in memory, and can end them at once. systemd delegates the cgroups of a session to
its user; the cgroup of a child is made beside the engine's. Without delegated cgroups only the
limits of ``worker`` apply. The files are described in the kernel's
``Documentation/admin-guide/cgroup-v2.rst``.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

# The limit of processes and threads of a reader. If a reader may start programs, this many may be
# added to the person's processes.
PROCESSES = 256
# The memory limit of the programs that a reader has started.
PROGRAM_BYTES = 1536 << 20
# The limit of processes and threads of a child without those that ``worker`` counts.
_MORE_PROCESSES = 32
_PREFIX = "lectern-child-"
# A killed process leaves its cgroup after some milliseconds; the next child removes what is left.
_TRIES, _TRY_S = 20, 0.01


def verdict() -> tuple[bool, str, str]:
    """Return for ``doctor`` how the memory of children is limited on this system."""
    place = delegated()
    told = f"limited with all they hold, by cgroups in {place}"
    return True, told if place else "limited by Lectern alone: no cgroup is delegated here", ""


@functools.cache
def delegated() -> Path | None:
    """Return the nearest folder in which this process may make cgroups with limits."""
    with suppress(OSError, ValueError):
        groups, mounts = (Path("/proc/self", name).read_text() for name in ("cgroup", "mountinfo"))
        for place in folders_above(groups, mounts):
            enabled = (place / "cgroup.subtree_control").read_text().split()
            writable = all(os.access(each, os.W_OK) for each in (place, place / "cgroup.procs"))
            if writable and {"memory", "pids"} <= set(enabled):
                return place
    return None


def folders_above(groups: str, mounts: str) -> Iterator[Path]:
    """Yield the folder of a process's cgroup and the folders above, from two files of ``/proc``."""
    for own in (line[3:] for line in groups.splitlines() if line.startswith("0::")):
        for place, _, kind in (line.partition(" - ") for line in mounts.splitlines()):
            root, mounted = place.split()[3:5]
            if kind.startswith("cgroup2 ") and PurePosixPath(own).is_relative_to(root):
                top = Path(mounted.encode("ascii").decode("unicode_escape"))
                lowest = top / PurePosixPath(own).relative_to(root)
                yield from (each for each in (lowest, *lowest.parents) if each.is_relative_to(top))


def join(resident_bytes: int) -> None:
    """Move this child to a new cgroup with limits, and remove cgroups that others left.

    ``resident_bytes`` is the limit of the child and its readers without programs; 0 means none.
    """
    if (place := delegated()) is None:
        return
    for left in place.glob(f"{_PREFIX}*"):  # a child ends with its engine, but its readers may not
        if not Path("/proc", left.name.removeprefix(_PREFIX)).exists():
            _remove(left)
    most = {"memory.max": resident_bytes + PROGRAM_BYTES} if resident_bytes else {}
    limits = {"memory.swap.max": 0, "memory.oom.group": 1, "pids.max": PROCESSES + _MORE_PROCESSES}
    with suppress(OSError):
        (own := place / f"{_PREFIX}{os.getpid()}").mkdir()
        for name, value in {**most, **limits, "cgroup.procs": 0}.items():
            with suppress(FileNotFoundError):  # without swap or a kernel that limits it
                (own / name).write_text(str(value))


def ran_out(child: int) -> bool:
    """Return whether a child exceeded its limit, rather than the machine running out of memory."""
    with suppress(OSError):
        events = Path(delegated() or "", f"{_PREFIX}{child}", "memory.events").read_text()
        return "oom 0" not in events.splitlines()
    return False


def end(place: Path, child: int) -> None:
    """Kill a child and all its processes if it has a cgroup in a folder, and remove the cgroup."""
    _remove(place / f"{_PREFIX}{child}")


def _remove(own: Path) -> None:
    for _ in range(_TRIES if own.exists() else 0):
        with suppress(OSError):
            (own / "cgroup.kill").write_text("1")
        with suppress(OSError):
            own.rmdir()
            return
        time.sleep(_TRY_S)
