"""Watches from outside the memory of a process, and the peaks of a process and its children.

It must not know what the processes do. On Linux it reads the kernel's own high-water mark
(``VmHWM``), so that no peak between two looks is missed. Elsewhere it samples the resident memory.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Memory = tuple[float, float]  # own and mapped, in MB

ROOT = Path(__file__).resolve().parents[2]
LOOK_S = 0.05
CHILD = "indexer.extract.process.child"
MB = 1e6


@dataclass(slots=True)
class Peaks:
    """The time and memory (in bytes) of a command; ``children`` counts extraction processes."""

    status: int = 0
    output: str = ""
    seconds: float = 0.0
    engine: int = 0
    child: int = 0
    children: set[int] = field(default_factory=set)


def index_command(library: Path, folder: Path) -> list[str]:
    """Return the command line that indexes a folder with default settings."""
    program = [sys.executable, "-m", "app", "--library", str(library)]
    return [*program, "index", str(folder), "--quiet", "--json"]


def watch(
    command: Sequence[str], env: Mapping[str, str] | None = None, look_s: float = LOOK_S
) -> Peaks:
    """Run a command in the checkout; keep its short output, and show its errors.

    Args:
        command: The command.
        env: Its environment; ours by default.
        look_s: Seconds between two looks. A look takes some milliseconds, which distorts a measure
            of speed; children that end between two looks are missed.
    """
    peaks = Peaks()
    began = time.perf_counter()
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, text=True, env=env, cwd=ROOT) as running:
        process = psutil.Process(running.pid)
        while running.poll() is None:
            _look(process, peaks)
            with suppress(subprocess.TimeoutExpired):
                running.wait(look_s)
        if running.stdout is not None:
            peaks.output = running.stdout.read()
    peaks.status = running.returncode
    peaks.seconds = time.perf_counter() - began
    return peaks


def _look(process: psutil.Process, peaks: Peaks) -> None:
    with suppress(psutil.Error, OSError):
        peaks.engine = max(peaks.engine, peak(process))
        for child in process.children(recursive=True):
            with suppress(psutil.Error, OSError):
                # Until its program is loaded, a new process has the memory and the command line
                # of its parent.
                if CHILD in child.cmdline():
                    peaks.children.add(child.pid)
                    peaks.child = max(peaks.child, peak(child))


def peak(process: psutil.Process) -> int:
    """The peak of a process's resident memory in bytes, as far as the system knows it."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        memory = process.memory_info()
        return int(getattr(memory, "peak_wset", memory.rss))
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    return 0  # ended, and not yet taken note of


def memory(pid: int) -> Memory:
    """Return a process's own and mapped memory; on Linux only.

    Raises:
        OSError: The process has ended.
    """
    fields: dict[str, float] = defaultdict(float)
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]:
        name, number, _unit = line.split()
        fields[name] += int(number) * 1024 / 1e6
    return fields["Pss_Anon:"] + fields["Pss_Shmem:"], fields["Pss_File:"]
