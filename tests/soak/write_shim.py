"""Arms the shim that lets writes fail (``write_faults.c``), in a process that has it preloaded."""

from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Shim:
    """The shim of this process. ``writes`` and ``failed`` tell of the last block of ``failing``."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._library.write_faults_what.restype = ctypes.c_char_p
        self._library.write_faults_disarm.restype = ctypes.c_long
        self.writes = 0
        self.failed = ""

    @contextmanager
    def failing(self, below: Path, nth: int, error: int, *, on: bool = False) -> Iterator[None]:
        """Let a write below a folder fail while the block runs.

        Args:
            below: The folder, as an absolute path without links.
            nth: Which write, counted from 1; none for 0.
            error: With which error of ``errno``.
            on: All later ones as well.
        """
        self._library.write_faults_arm(os.fsencode(below), ctypes.c_long(nth), error, int(on))
        try:
            yield
        finally:
            self.writes = int(self._library.write_faults_disarm())
            self.failed = os.fsdecode(self._library.write_faults_what())
