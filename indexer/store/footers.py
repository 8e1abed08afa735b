"""Tells files of Lance that were cut short as they were written.

Owns the mark that each of them ends with. Lance writes a file's last piece, the footer, without
looking at how that ended: where it fails, because the disk is full for a moment or the drive fails,
a file without a footer is committed and none of its rows can be read. It must not know tables.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MARK = b"LANC"
# Rows lie below the first, indices below the second.
_FOLDERS = ("data", "_indices")
_SUFFIXES = (".lance", ".idx")


def files(table: Path) -> set[Path]:
    """The files of a table's directory that end with a footer."""
    found = (file for folder in _FOLDERS for file in (table / folder).rglob("*"))
    return {file for file in found if file.suffix in _SUFFIXES}


def truncated(written: Iterable[Path]) -> list[Path]:
    """Those files that do not end with one; what is gone by now is not among them."""
    found = []
    for path in written:
        try:
            with path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - len(_MARK)))
                if file.read() != _MARK:
                    found.append(path)
        except FileNotFoundError:
            continue
    return found
