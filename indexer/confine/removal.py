"""Deleting a folder that a hostile process may have filled: no link is followed.

``tempfile`` and ``shutil`` change modes by path before they try again, through links in Python
before 3.11.8, and go as deep as the folders do. Here everything is done by descriptors, and deeper
folders are moved up, so that neither depth nor modes keep anything from being deleted.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0) | os.O_RDONLY


def remove_folder(folder: Path | str) -> None:
    """Delete a folder and everything in it, as far as the system permits; links are not followed.

    Nothing else may write there meanwhile.
    """
    with suppress(OSError):
        empty_folder(folder)
        os.rmdir(folder)  # noqa: PTH106  # as in the rest of this module


def empty_folder(folder: Path | str) -> None:
    """Delete everything in a folder, as far as the system permits; links are not followed."""
    if sys.platform == "win32":  # which has no descriptors of folders, nor confined readers
        import shutil

        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                with suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108  # by descriptors
        return
    with suppress(OSError):
        top = os.open(folder, _FOLDER)
        try:
            names = count()
            found = os.listdir(top)  # noqa: PTH208  # of a descriptor
            while sum(_removed(top, name, names) for name in found):
                found = os.listdir(top)  # noqa: PTH208  # by descriptors
        finally:
            os.close(top)


def _removed(top: int, name: str, names: count[int]) -> bool:
    """Delete an entry; one that is a folder with others first moves these up beside itself."""
    try:
        if not stat.S_ISDIR(os.stat(name, dir_fd=top, follow_symlinks=False).st_mode):
            os.unlink(name, dir_fd=top)
            return True
        inner = _opened(top, name)
        try:
            for entry in os.listdir(inner):  # noqa: PTH208  # by descriptors
                _moved_up(inner, entry, top, f"{os.getpid()}-{next(names)}")
        finally:
            os.close(inner)
        os.rmdir(name, dir_fd=top)
    except OSError:
        return False
    return True


def _moved_up(inner: int, entry: str, top: int, name: str) -> None:
    try:
        os.unlink(entry, dir_fd=inner)
    except OSError:  # a folder
        os.close(_opened(inner, entry))
        os.rename(entry, name, src_dir_fd=inner, dst_dir_fd=top)


def _opened(parent: int, name: str) -> int:
    """Open a folder whose mode may forbid it, and permit its owner everything there."""
    try:
        opened = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        place = os.open(name, getattr(os, "O_PATH", 0) | _FOLDER, dir_fd=parent)
        try:
            os.chmod(f"/proc/self/fd/{place}", stat.S_IRWXU)  # noqa: PTH101  # by descriptors
            opened = os.open(name, _FOLDER, dir_fd=parent)
        finally:
            os.close(place)
    os.fchmod(opened, stat.S_IRWXU)
    return opened


class ScratchFolder:
    """A new folder below the temporary one, for its owner only, until ``cleanup``."""

    def __init__(self, prefix: str) -> None:
        self.name = tempfile.mkdtemp(prefix=prefix)

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *_: object) -> None:
        self.cleanup()

    def cleanup(self) -> None:
        """Delete it with everything in it; idempotent."""
        remove_folder(self.name)
