"""How many bytes the tables take, and how many of them are in use.

Owns looking at the files of tables. It must not change them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.api.status import TableSize
from indexer.store.schema import vectors_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from indexer.store.table import Table


def size_of(table: Table) -> TableSize:
    """Rows of a table, bytes of its directory, and how many of them the newest version uses."""
    live = int(table.inner.stats()["total_bytes"])  # indices included
    return TableSize(table.count(), bytes_under([table.path]), live)


def index_bytes(path: Path) -> tuple[int, int]:
    """The bytes of the indices of all tables in a directory: of those of vectors, and of others."""
    vectors = bytes_under(path.glob(f"{vectors_table('')}*.lance/_indices"))
    return vectors, bytes_under(path.glob("*.lance/_indices")) - vectors


def bytes_under(directories: Iterable[Path]) -> int:
    """The bytes of all files below directories; files that vanish meanwhile do not count."""
    total = 0
    for directory in directories:
        for path in directory.rglob("*"):
            try:
                total += path.stat().st_size if path.is_file() else 0
            except FileNotFoundError:
                continue
    return total
