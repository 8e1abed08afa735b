"""Which indices the tables have, and how each is built.

Owns the configuration of vector and document indices; those of words are tantivy's, see
``words``. It must not know when they are built; see ``maintenance``.

The vector index is IVF_RQ: RaBitQ codes of 4 bits per component and a few floats, 216 bytes per
passage. Measured with 100,000 vectors of 384 dimensions and every partition probed: built in 5 s on
two cores with 120 MB; a million in 2 minutes with 530 MB. Recall of the first 50, if twice as many
are scored exactly: .999 (clustered synthetic vectors and real passages and questions alike).
Alternatives at 100,000, on two busy cores: IVF_FLAT 32 ms per query and 770 bytes per passage;
IVF_SQ 27 ms and 390 bytes; IVF_HNSW_SQ takes a minute to build.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from indexer.store import damage
from indexer.store.disk import write_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.store.table import Table

log = logging.getLogger(__name__)

#: Fewer vectors are searched exhaustively: exact, and faster, see ``nearest``. They take a byte
#: of memory for each component: 77 MB.
ANN_FROM = 200_000

#: The columns that have an index from the first row on.
COLUMNS = ("doc",)

_RQ_BITS = 4
# The columns of passages that earlier versions indexed.
_FORMER = ("view", "stems")


def vector_index() -> Any:
    """The index over pooled vectors, from ``ANN_FROM`` of them on."""
    from lancedb.index import IvfRq

    return IvfRq(distance_type="dot", num_bits=_RQ_BITS)


def make_listable(table: Table) -> None:
    """Drop indices until Lance lists the others, which it does not beside some damaged ones."""
    for column in (*_FORMER, *COLUMNS, "vector"):
        try:
            table.inner.list_indices()
        except BaseException as error:  # a panic of Lance is no Exception
            if not damage.may_be_damage(error):
                raise
            log.exception("%s: the index of %s is made anew", table.path.stem, column)
            with suppress(RuntimeError, ValueError):  # if there is none
                table.inner.drop_index(f"{column}_idx")
        else:
            return


def create_missing(table: Table) -> None:
    """Create the indices that a table has from its first row on, and drop those of before."""
    there = table.indices()
    with write_errors(table.path.parent):
        for column in set(COLUMNS) & {*table.schema.names} - there.keys():
            table.commit(partial(table.inner.create_index, column, config=_index_of(column)))
        for column in there.keys() - {*COLUMNS, "vector"}:
            table.commit(partial(table.inner.drop_index, there[column].name))


def rebuild(table: Table, broken: Sequence[str]) -> None:
    """Rebuild the indices of some columns."""
    for column in broken:
        config = _index_of(column)
        with write_errors(table.path.parent):
            table.inner.create_index(column, config=config, replace=True)
    if broken:
        table.copies.record()
        refresh_coverage(table)


def _index_of(column: str) -> Any:
    from lancedb.index import BTree

    return vector_index() if column == "vector" else BTree()


def refresh_coverage(table: Table) -> None:
    """Count the rows that the index of vectors lacks; they are scanned by every search."""
    index = table.indices().get("vector")
    table.has_vector_index = index is not None
    table.backlog = table.count() if index is None else index.num_unindexed_rows
