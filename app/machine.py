"""The versions of installed packages, and the instructions that the processor lacks.

They are asked for before the numeric libraries are loaded, since an illegal instruction would kill
the process.
"""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
from pathlib import Path

LIBRARIES = ("lancedb", "pymupdf", "tokenizers", "numpy")


def version(package: str) -> str:
    """Return the version of an installed package, "" if it is not there."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


NEEDED = "AVX2"
_CPUINFO = Path("/proc/cpuinfo")
# Bytes that hold the block of the first core; the cores are alike.
_BLOCK = 1 << 13
_PF_AVX2_INSTRUCTIONS_AVAILABLE = 40


def missing_instructions() -> str:
    """Return the instructions that this processor lacks; "" if none, or unknown."""
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return ""
    if sys.platform == "win32":
        import ctypes

        there = ctypes.windll.kernel32.IsProcessorFeaturePresent(_PF_AVX2_INSTRUCTIONS_AVAILABLE)
        return "" if there else NEEDED
    return missing_of(_CPUINFO)


def missing_of(cpuinfo: Path) -> str:
    """Return the instructions missing_instructions in a ``/proc/cpuinfo``."""
    try:
        with cpuinfo.open("rb") as file:
            text = file.read(_BLOCK).decode("ascii", "replace")
    except OSError:
        return ""
    flags = re.search(r"^flags\s*:(.*)$", text, re.MULTILINE)
    return NEEDED if flags and NEEDED.lower() not in flags[1].split() else ""
