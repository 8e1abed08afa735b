"""What the numbers were measured on.

Owns the facts that a reader needs to compare two tables; it must not measure anything.
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
    """The name of the processor, as far as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def commit() -> str:
    """The short hash of the checkout's commit, marked when files differ from it."""
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
    """How busy the machine was over the last minute; other work makes every number worse."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
