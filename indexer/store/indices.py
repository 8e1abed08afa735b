"""Which indices the tables have, and how each is built.

Owns the configuration of full text, vector and document indices. It must not know when they are
built; see ``maintenance``.

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
from indexer.store.schema import PASSAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.store.table import Table

log = logging.getLogger(__name__)

#: Fewer vectors are searched exhaustively: exact, and faster, see ``first_pass``. They take a byte
#: of memory for each component: 77 MB.
ANN_FROM = 200_000

_RQ_BITS = 4
# A rebuild for 92,000 passages allocates 120 MB, the same with 64 here; with 32 it is 85 MB, but
# the index has twice as many parts and a query takes twice the processor time. Lance's variables
# (partition size, batch rows, queue length) make no difference.
_FTS_MEMORY_MB = 128
# Longer than any compound, address or hash; longer tokens are encoded data.
_LONGEST_WORD = 128


def text_indices() -> Mapping[str, Any]:
    """The full-text index of each column; ``words`` has the queries."""
    from lancedb.index import FTS

    return {
        # Words of every language with positions, without case and accents.
        "view": FTS(
            base_tokenizer="icu",
            with_position=True,
            stem=False,
            remove_stop_words=False,
            num_workers=1,
            memory_limit=_FTS_MEMORY_MB,
            max_token_length=_LONGEST_WORD,
        ),
    }


def vector_index() -> Any:
    """The index over pooled vectors, from ``ANN_FROM`` of them on."""
    from lancedb.index import IvfRq

    return IvfRq(distance_type="dot", num_bits=_RQ_BITS)


def make_listable(table: Table, name: str) -> None:
    """Drop indices until Lance lists the others, which it does not beside some damaged ones."""
    for column in (*columns(name), "vector"):
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


def columns(name: str) -> list[str]:
    """The columns of a table that have an index from its first row on."""
    return list(_from_first_row(name))


def create_missing(table: Table, name: str) -> None:
    """Create the indices that a table has from its first row on, and drop those of before."""
    there, wanted = table.indices(), _from_first_row(name)
    with write_errors(table.path.parent):
        for column, config in wanted.items():
            if column not in there:
                table.commit(partial(table.inner.create_index, column, config=config))
        for column in there.keys() - wanted.keys() - {"vector"}:
            table.commit(partial(table.inner.drop_index, there[column].name))


def rebuild(name: str, table: Table, broken: Sequence[str]) -> None:
    """Rebuild the indices of some columns."""
    for column in broken:
        config = _from_first_row(name).get(column) or vector_index()
        with write_errors(table.path.parent):
            table.inner.create_index(column, config=config, replace=True)
    if broken:
        refresh_coverage(table)


def _from_first_row(name: str) -> dict[str, Any]:
    from lancedb.index import BTree

    return {"doc": BTree(), **(text_indices() if name == PASSAGES else {})}


def refresh_coverage(table: Table) -> None:
    """Count the rows that no index covers; they are scanned by every search."""
    there = table.indices()
    searched = [there[column] for column in ("view", "vector") if column in there]
    table.has_vector_index = "vector" in there
    table.backlog = max((index.num_unindexed_rows for index in searched), default=table.count())
