"""Stores that keep every commit as a file of its own, for tests of what becomes of single files.

Owns damage to such files that no parser of ours sees, and a plain reader of a table.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from indexer.store.maintenance import Thresholds

if TYPE_CHECKING:
    from pathlib import Path

NEVER = (1_000_000, 1_000_000)
SCATTERED = Thresholds(NEVER, fragments=NEVER, ann_from=10**6)


def flip(path: Path, place: int) -> None:
    """Flip the highest bit of a byte."""
    content = bytearray(path.read_bytes())
    content[place] ^= 0x80
    path.write_bytes(content)


# The first bytes of compressed text; before them stands its length, in 8 bytes.
_COMPRESSED = b"\x28\xb5\x2f\xfd"
_READ_ALL = """
import sys, lancedb
lancedb.connect(sys.argv[1]).open_table(sys.argv[2]).to_arrow()
"""


def enlarge(path: Path) -> None:
    """Let a data file say that its first compressed text has an exabyte and more."""
    content = bytearray(path.read_bytes())
    at = content.index(_COMPRESSED)
    content[at - 1] ^= 0x10
    path.write_bytes(content)


def read_plainly(table: Path) -> subprocess.CompletedProcess[str]:
    """Read all of a table in a process of its own, without any precaution."""
    command = [sys.executable, "-c", _READ_ALL, str(table.parent), table.stem]
    return subprocess.run(command, capture_output=True, text=True, check=False)
