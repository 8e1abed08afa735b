"""Mounting for tests, where this machine lets us; they skip where it does not.

Owns the calls of mount and umount. What was mounted is taken away again, whatever happens.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

IMAGE_BYTES = 16 << 20


class Mounter:
    """Mounts and unmounts; ``close`` takes away what is left."""

    def __init__(self) -> None:
        self._points: list[Path] = []

    def bind(self, source: Path, point: Path) -> None:
        self._mount(point, "--bind", source)

    def read_only(self, source: Path, point: Path) -> None:
        self._mount(point, "--bind", "-o", "ro", source)

    def image(self, file: Path, point: Path) -> None:
        self._mount(point, "-o", "loop", file)

    def memory(self, megabytes: int, point: Path) -> None:
        self._mount(point, "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs")

    def _mount(self, point: Path, *arguments: object) -> None:
        self._points.append(point)
        _run("mount", *arguments, point)

    def unmount(self, point: Path) -> None:
        """Take the last mount at a point away, at once even if something is open there."""
        _run("umount", "-l", point)
        self._points.remove(point)

    def close(self) -> None:
        for point in reversed(self._points):
            with contextlib.suppress(subprocess.CalledProcessError):
                _run("umount", "-l", point)
        self._points.clear()


def can_mount() -> bool:
    """Whether this process may mount at all: root on a Linux that allows it."""
    return sys.platform == "linux" and os.geteuid() == 0 and _allowed()


def _allowed() -> bool:
    try:
        # In a namespace of its own: nothing is left behind.
        _run("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt")
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def make_image(file: Path, size: int = IMAGE_BYTES) -> None:
    """Make a file that holds an empty file system of its own."""
    if not shutil.which("mkfs.ext4"):
        pytest.skip("there is no mkfs.ext4")
    with file.open("wb") as made:
        made.truncate(size)
    _run("mkfs.ext4", "-q", file)


def _run(*command: object) -> None:
    subprocess.run([str(word) for word in command], check=True, capture_output=True)
