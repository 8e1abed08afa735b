"""Describes the machine on which the numbers were measured.

It gives the facts that a reader needs to compare two tables; it must not measure anything.
"""

from __future__ import annotations

import datetime as dt
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from indexer.config import EngineConfig

LIBRARIES = ("lancedb", "onnxruntime", "pyarrow", "pymupdf", "numpy")
# Kinds of processors by the flags that Linux lists, the quickest first.
KINDS = {
    "matrix units": {"amx_int8"},
    "8-bit products": {"avx512_vnni", "avx_vnni"},
    "AVX2": {"avx2"},
}


def facts() -> dict[str, str]:
    """The processor, its cores, memory, system, versions, the commit and the load, in order."""
    memory = psutil.virtual_memory().total / 2**30
    defaults = EngineConfig(library=Path(), models=Path())
    found = {
        "processor": processor(),
        "cores": str(os.cpu_count() or 1),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
    }
    found.update({name: _version(name) for name in LIBRARIES})
    found["precision"] = str(defaults.precision)
    found["commit"] = commit()
    found["load before"] = _load()
    found["date"] = dt.datetime.now(dt.UTC).date().isoformat()
    return found


def processor() -> str:
    """The name of the processor, as far as the system knows it."""
    lines = cpuinfo().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def kind(cpuinfo: str) -> str:
    """The kind of a processor, which decides the model's speed, from Linux's description."""
    flags = set(cpuinfo.split())
    return next((name for name, those in KINDS.items() if flags & those), "")


def cpuinfo() -> str:
    """Linux's description of the processor; empty on other systems."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


def commit() -> str:
    """The short hash of the checkout's commit, with a mark if files differ from it."""
    root = Path(__file__).resolve().parents[2]
    command = ["git", "-C", str(root), "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _load() -> str:
    """The load over the last minute, as other work makes every number worse."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
