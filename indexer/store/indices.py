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

_RQ_BITS = 4


def vector_index() -> Any:
    """The index over pooled vectors, from ``ANN_FROM`` of them on."""
    from lancedb.index import IvfRq

    return IvfRq(distance_type="dot", num_bits=_RQ_BITS)


def make_listable(table: Table) -> None:
    """Drop the index of vectors if Lance lists none beside it, as it is damaged."""
    try:
        table.inner.list_indices()
    except BaseException as error:  # a panic of Lance is no Exception
        if not damage.may_be_damage(error):
            raise
        log.exception("%s: its index is made anew", table.path.stem)
        with suppress(RuntimeError, ValueError):  # if there is none
            table.inner.drop_index("vector_idx")


def rebuild(table: Table, broken: Sequence[str]) -> None:
    """Rebuild the index of vectors, if it is among the broken ones."""
    for column in broken:
        with write_errors(table.path.parent):
            table.inner.create_index(column, config=vector_index(), replace=True)
    if broken:
        table.copies.record()
        refresh_coverage(table)


def refresh_coverage(table: Table) -> None:
    """Count the rows that the index of vectors lacks; they are scanned by every search."""
    index = table.indices().get("vector")
    table.has_vector_index = index is not None
    table.backlog = table.count() if index is None else index.num_unindexed_rows
