"""The bytes that the tables take on disk, and how many of them are live. Read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.status import TableSize
from indexer.store import metadata_copies, pooled_file

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from indexer.store.table import Table


def size_of(table: Table) -> TableSize:
    """Rows of a table, bytes of its directory, and the bytes that the newest version uses."""
    live = int(table.inner.stats()["total_bytes"])  # indices included
    ours = pooled_file.FOLDER, metadata_copies.FOLDER
    live += bytes_under(table.path / folder for folder in ours)
    return TableSize(table.count(), bytes_under([table.path]), live)


def bytes_under(directories: Iterable[Path]) -> int:
    """The bytes of all files below directories; files deleted meanwhile are skipped."""
    total = 0
    for directory in directories:
        for path in directory.rglob("*"):
            try:
                total += path.stat().st_size if path.is_file() else 0
            except FileNotFoundError:
                continue
    return total
