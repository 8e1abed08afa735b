"""What a machine lets a test do: mount a small disk, take rights away from a process."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOMEBODY = 54_321  # a user that no machine has


@contextlib.contextmanager
def small_disk(place: Path, size: int) -> Iterator[Path]:
    """A file system of so many bytes; skips where only a person may mount."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root on Linux can mount a small file system")
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"this machine does not let us mount: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Leave no byte free; gives the file that takes the room."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue
    return ballast


def bound_by_permissions() -> list[str]:
    """The command in front of another that makes even root obey the modes of files."""
    if sys.platform == "win32":
        pytest.skip("Windows has no modes of files")
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root obeys no modes, and there is no setpriv to change that")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def as_somebody_else() -> list[str]:
    """The command in front of another that makes it another user's, where that is root's.

    It still reads the program where that lies in somebody's home.
    """
    if sys.platform != "linux" or os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root is not bound by this, and there is no setpriv to change that")
    reads = "-all,+dac_read_search"
    user = [f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"]
    return ["setpriv", *user, f"--inh-caps={reads}", f"--ambient-caps={reads}"]
