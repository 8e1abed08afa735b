"""Converts between the interface types of the store and Arrow tables.

Owns the mapping between ``values`` and the columns of ``schema``. Pure but for pyarrow; it must not
know tables or files.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.api.types import HEADING_SEPARATOR
from indexer.store import quantise, schema
from indexer.store.values import (
    MAX_ORDINAL,
    ORDINAL_BITS,
    StoredPassage,
    key_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from indexer.store.values import Int64s, PassageRow, VectorRows

# The canonical text differs from the view in line breaks, hyphens and running heads only: deflated
# with the view as dictionary it takes a tenth of its bytes.
_LEVEL = 6
_RAW = -15  # no header and no checksum, which would be large beside such short texts
_WINDOW = 32_768  # deflate cannot look further back
_HALF_BYTES = 2

#: The columns that are copied between passages with the same text.
COPIED = ("vector", "sentence_codes")


def passages_table(rows: Sequence[PassageRow]) -> Any:
    """The Arrow table of passages.

    Raises:
        ValueError: If an ordinal does not fit a key.
    """
    import pyarrow as pa

    passages = [row.passage for row in rows]
    if any(not 0 <= passage.ordinal <= MAX_ORDINAL for passage in passages):
        raise ValueError(f"an ordinal is not within 0 and {MAX_ORDINAL}")
    columns = {
        "doc": [row.doc for row in rows],
        "ordinal": [passage.ordinal for passage in passages],
        "key": [key_of(row.doc, row.passage.ordinal) for row in rows],
        "text_id": [row.text_id for row in rows],
        "language": [row.language for row in rows],
        "page_first": [passage.page_first for passage in passages],
        "page_last": [passage.page_last for passage in passages],
        "char_start": [passage.char_start for passage in passages],
        "char_end": [passage.char_end for passage in passages],
        "heading_path": [HEADING_SEPARATOR.join(p.heading_path) for p in passages],
        "text_delta": [encode_delta(passage.text, passage.view) for passage in passages],
        "view": [passage.view for passage in passages],
        "stems": [passage.stems for passage in passages],
        "starts": [[*passage.text_starts, *passage.view_starts] for passage in passages],
    }
    return pa.table(columns, schema=schema.passages_schema())


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


def stored_columns(columns: Sequence[str]) -> list[str]:
    """The columns on disk from which the requested columns are computed.

    Raises:
        ValueError: If there is no such column.
    """
    unknown = set(columns) - set(schema.PASSAGE_COLUMNS)
    if unknown:
        raise ValueError(f"passages have no column {', '.join(sorted(unknown))}")
    wanted: list[str] = []
    for column in columns:
        wanted.extend(_STORED_AS.get(column, (column,)))
    return list(dict.fromkeys(wanted))


_STORED_AS = {
    "text": ("text_delta", "view"),
    "text_starts": ("starts",),
    "view_starts": ("starts",),
}


def read_rows(table: Any, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the requested columns row by row, computed from those on disk."""
    for stored in table.to_pylist():
        yield {column: _value(stored, column) for column in columns}


def _value(stored: Mapping[str, Any], column: str) -> Any:
    if column == "text":
        return decode_delta(stored["text_delta"], stored["view"])
    if column == "text_starts":
        return tuple(stored["starts"][: len(stored["starts"]) // 2])
    if column == "view_starts":
        return tuple(stored["starts"][len(stored["starts"]) // 2 :])
    if column == "heading_path":
        return tuple(stored[column].split(HEADING_SEPARATOR)) if stored[column] else ()
    return stored[column]


#: The columns of ``StoredPassage``.
PASSAGE_FIELDS = tuple(name for name in schema.PASSAGE_COLUMNS if name != "stems")


def read_passage(stored: Mapping[str, Any]) -> StoredPassage:
    """One passage from its columns on disk."""
    return StoredPassage(**{column: _value(stored, column) for column in PASSAGE_FIELDS})


def read_passages(table: Any) -> Iterator[StoredPassage]:
    """Yield passages from their columns."""
    for row in read_rows(table, PASSAGE_FIELDS):
        yield StoredPassage(**row)


def _dictionary(view: str) -> bytes:
    return view.encode()[-_WINDOW:]


def encode_delta(text: str, view: str) -> bytes:
    """Compress ``text``, given ``view``."""
    squeeze = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, zdict=_dictionary(view))
    return squeeze.compress(text.encode()) + squeeze.flush()


def decode_delta(delta: bytes, view: str) -> str:
    """Restore the text from the result of ``encode_delta`` and the same view."""
    stretch = zlib.decompressobj(_RAW, zdict=_dictionary(view))
    return (stretch.decompress(delta) + stretch.flush()).decode()
