"""A cgroup for each child that reads documents, where the system delegates cgroups to the person.

It limits what a child, its readers and all that they start hold together, files in memory included,
and ends them at once. systemd delegates the cgroups of a session to its user; that of a child is
made beside the engine's. Where none are delegated, the limits of ``worker`` hold without it. The
files are described in the kernel's ``Documentation/admin-guide/cgroup-v2.rst``.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

# The limit of processes and threads of a reader; where it may start any, also in addition to those
# the person has when it is set.
PROCESSES = 256
# What the programs may hold that a reader started.
PROGRAM_BYTES = 1536 << 20
# The limit of processes and threads of a child beside those of its reader, which ``worker`` counts.
_MORE_PROCESSES = 32
_PREFIX = "lectern-child-"
# A killed process leaves its cgroup some milliseconds later; the next child removes what is left.
_TRIES, _TRY_S = 20, 0.01


def verdict() -> tuple[bool, str, str]:
    """Return for ``doctor`` what counts the memory of children here."""
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
    """Yield the folder of a process's cgroup and those above it, from two files of ``/proc``."""
    for own in (line[3:] for line in groups.splitlines() if line.startswith("0::")):
        for place, _, kind in (line.partition(" - ") for line in mounts.splitlines()):
            root, mounted = place.split()[3:5]
            if kind.startswith("cgroup2 ") and PurePosixPath(own).is_relative_to(root):
                top = Path(mounted.encode("ascii").decode("unicode_escape"))
                lowest = top / PurePosixPath(own).relative_to(root)
                yield from (each for each in (lowest, *lowest.parents) if each.is_relative_to(top))


def join(resident_bytes: int) -> None:
    """Move this child to a cgroup of its own with limits, and remove those that others left.

    ``resident_bytes`` is the limit of the child and its readers without programs; 0 means none.
    """
    if (place := delegated()) is None:
        return
    for left in place.glob(f"{_PREFIX}*"):  # a child ends with its engine, but not its readers
        if not Path("/proc", left.name.removeprefix(_PREFIX)).exists():
            _remove(left)
    most = {"memory.max": resident_bytes + PROGRAM_BYTES} if resident_bytes else {}
    limits = {"memory.swap.max": 0, "memory.oom.group": 1, "pids.max": PROCESSES + _MORE_PROCESSES}
    with suppress(OSError):
        (own := place / f"{_PREFIX}{os.getpid()}").mkdir()
        for name, value in {**most, **limits, "cgroup.procs": 0}.items():
            with suppress(FileNotFoundError):  # no swap, or a kernel without it
                (own / name).write_text(str(value))


def ran_out(child: int) -> bool:
    """Return whether a child held more than its limit, and not the machine too little for all."""
    with suppress(OSError):
        events = Path(delegated() or "", f"{_PREFIX}{child}", "memory.events").read_text()
        return "oom 0" not in events.splitlines()
    return False


def end(place: Path, child: int) -> None:
    """Kill a child with all that it started, if it has a cgroup in a folder, and remove that."""
    _remove(place / f"{_PREFIX}{child}")


def _remove(own: Path) -> None:
    for _ in range(_TRIES if own.exists() else 0):
        with suppress(OSError):
            (own / "cgroup.kill").write_text("1")
        with suppress(OSError):
            own.rmdir()
            return
        time.sleep(_TRY_S)
