"""Stores that keep every commit as a file of its own, for tests of what becomes of single files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.store.maintenance import Thresholds

if TYPE_CHECKING:
    from pathlib import Path

NEVER = (1_000_000, 1_000_000)
SCATTERED = Thresholds(NEVER, NEVER, fragments=NEVER, ann_from=10**6)


def flip(path: Path, place: int) -> None:
    """Flip the highest bit of a byte."""
    content = bytearray(path.read_bytes())
    content[place] ^= 0x80
    path.write_bytes(content)
