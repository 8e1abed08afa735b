"""Takes rows and indices out of tables, or makes them anew, for repairs.

Owns the changes that only a repair makes. It must not know what was found to be wrong, nor why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.store import indices, salvage
from indexer.store.disk import needing_room
from indexer.store.schema import PASSAGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from indexer.store.salvage import Block
    from indexer.store.table import Table


def take_out(table: Table, rows: Iterable[Block]) -> int:
    """Delete those of some rows that still cannot be read; gives how many."""
    damaged = salvage.unreadable(table, rows)
    with needing_room(table.path.parent):
        gone = salvage.take_out(table.inner, damaged)
    table.forget_rows()
    return gone


def rebuild(name: str, table: Table, columns: Sequence[str]) -> None:
    """Make the indices of some columns anew."""
    from lancedb.index import BTree

    known = {"doc": BTree()}
    if name == PASSAGES:
        known.update(indices.text_indices())
    for column in columns:
        config = known.get(column) or indices.vector_index()
        with needing_room(table.path.parent):
            table.inner.create_index(column, config=config, replace=True)
    if columns:
        indices.look(table)
