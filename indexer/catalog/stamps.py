"""What tells whether a file has changed, as the catalog keeps it.

Apart from the other records, since the children that read and render documents need only this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

_LATEST_NS = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Stamp:
    """The size, times and identity of a file, compared to detect changes."""

    size: int
    mtime_ns: int
    volume: int
    inode: int

    @classmethod
    def from_status(cls, found: os.stat_result) -> Stamp:
        return cls(found.st_size, mtime_ns(found), found.st_dev, found.st_ino)


def mtime_ns(found: os.stat_result) -> int:
    """Return the modification time, clipped: times from the year 2262 on exceed 64 bits."""
    return max(-_LATEST_NS, min(_LATEST_NS, found.st_mtime_ns))
