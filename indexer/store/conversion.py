"""Brings tables of the version before to this one's layout, in one commit each.

A kill leaves a table as it was or as it is to be. Owns how the sentence vectors of version 1 were
packed: 6 bits per component, scaled so that the largest is 31, three bytes holding four components
in quarters of the vector. It must not know where tables lie or when they are opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indexer import faults
from indexer.store import schema, writing
from indexer.store.disk import write_errors
from indexer.store.values import VectorRows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.store.quantise import Bytes
    from indexer.store.table import Table
    from indexer.store.values import Float32s

_BATCH = 1024
_ZERO, _LOW = 32, 0b111111


def is_known(name: str, version: int) -> bool:
    """Whether a table of a version can be converted."""
    return schema.is_vectors_table(name) and version == 1


def convert(database: Any, table: Table) -> None:
    """Pack the sentence vectors of a table of version 1 as ``quantise`` does.

    Raises:
        WorldError: ``disk_full``, as both are on the disk until the next clean-up, or
            ``read_error``.
    """
    import pyarrow as pa

    def converted() -> Iterator[Any]:
        for batch in table.inner.search().to_batches(_BATCH):
            yield from writing.vectors_table(_vectors(batch, dimension)).to_batches()
            faults.reached("vectors-converting")

    def work() -> None:
        wanted = schema.vectors_schema(dimension, searched=table.searched)
        rows = pa.RecordBatchReader.from_batches(wanted, converted())
        database.create_table(table.path.stem, data=rows, mode="overwrite")
        table.inner.checkout_latest()

    dimension = table.schema.field("vector").type.list_size
    with write_errors(table.path.parent):
        table.commit(work)
    faults.reached("vectors-converted")


def _vectors(batch: Any, dimension: int) -> VectorRows:
    packed = batch.column("sentence_codes").to_pylist()
    width = 3 * _quarter(dimension)
    codes = np.frombuffer(b"".join(packed), np.uint8).reshape(-1, width)
    pooled = batch.column("vector").flatten().to_numpy().astype(np.float32)
    return VectorRows(
        docs=batch.column("doc").to_numpy(),
        ordinals=batch.column("ordinal").to_numpy(),
        vectors=pooled.reshape(-1, dimension),
        sentences=_from_6_bits(codes, dimension),
        offsets=np.cumsum([0, *map(len, packed)]) // width,
    )


def _from_6_bits(packed: Bytes, dimension: int) -> Float32s:
    """The unit vectors, float32 (n, dim); those of zeros stay so."""
    count, quarter = len(packed), _quarter(dimension)
    parts = packed.reshape(count, 3, quarter)
    high = parts >> 6
    last = high[:, :1] | high[:, 1:2] << 2 | high[:, 2:] << 4
    vectors = np.concatenate([parts & _LOW, last], axis=1).astype(np.float32) - _ZERO
    flat = vectors.reshape(count, 4 * quarter)[:, :dimension]
    norms = np.linalg.norm(flat, axis=1, keepdims=True)
    return (flat / np.where(norms > 0, norms, 1)).astype(np.float32)


def _quarter(dimension: int) -> int:
    return -(-dimension // 4)
