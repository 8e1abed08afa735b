"""Converts between the interface types of the store and Arrow tables.

Owns the mapping between ``values`` and the columns of ``schema``. Pure but for pyarrow; it must not
know tables or files.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.store import quantise, schema
from indexer.store.values import ORDINAL_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.store.values import Int64s, VectorRows

_HALF_BYTES = 2

#: The columns that are copied between passages with the same text.
COPIED = ("vector", "sentence_codes")


def vectors_table(rows: VectorRows) -> Any:
    """The Arrow table of vectors, sentence vectors quantised."""
    import pyarrow as pa

    count, dimension = rows.vectors.shape
    keys = (rows.docs.astype(np.int64) << ORDINAL_BITS) | rows.ordinals
    halves = np.ascontiguousarray(rows.vectors, np.float16)
    pooled = halves.astype(np.float32).repeat(np.diff(rows.offsets), axis=0)
    codes = quantise.pack(rows.sentences, pooled)
    ends = np.ascontiguousarray(rows.offsets * quantise.width(dimension), np.int32)
    sentences = pa.Array.from_buffers(
        pa.binary(), count, [None, pa.py_buffer(ends), pa.py_buffer(codes)]
    )
    return _vectors_table(
        keys, pa.FixedSizeListArray.from_arrays(pa.array(halves.reshape(-1)), dimension), sentences
    )


def copied_vectors(found: Any, keys: Int64s) -> Any:
    """The Arrow table of vectors read from other passages, bit-identical, with new keys."""
    columns = (found.column(name).combine_chunks() for name in COPIED)
    return _vectors_table(keys, *columns)


def _vectors_table(keys: Int64s, vectors: Any, sentences: Any) -> Any:
    import pyarrow as pa

    made = [pa.array(keys, pa.int64()), vectors, sentences]
    columns = schema.vectors_schema(vectors.type.list_size)
    made.append(pa.array(row_checksums(*made), pa.uint32()))
    return pa.Table.from_arrays(made, schema=columns)


def whole_rows(rows: Any) -> NDArray[np.bool_]:
    """Which rows of a table of vectors have the CRC that they were written with, bool (n,)."""
    columns = (rows.column(name).combine_chunks() for name in ("key", *COPIED))
    whole: NDArray[np.bool_] = row_checksums(*columns) == rows.column("crc").to_numpy()
    return whole


def row_checksums(keys: Any, vectors: Any, sentences: Any) -> NDArray[np.uint32]:
    """The CRC-32 of each row of vectors, uint32 (n,), given its columns."""
    width = vectors.type.list_size * _HALF_BYTES
    halves = vectors.flatten().to_numpy(zero_copy_only=False).tobytes()
    rows = zip(keys.to_numpy(), sentences.to_pylist(), strict=True)
    return np.fromiter(
        (
            zlib.crc32(
                codes, zlib.crc32(halves[at * width : (at + 1) * width], zlib.crc32(key.tobytes()))
            )
            for at, (key, codes) in enumerate(rows)
        ),
        np.uint32,
        len(keys),
    )
