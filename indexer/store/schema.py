"""The tables of the store: names, columns and the indices each column gets.

Owns the layout on disk. It must not know how rows are made or queried.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

#: Incremented whenever a column changes its name, type or meaning, ``VECTORS_VERSION`` those of
#: vectors. Tables of an earlier version are dropped, and texts are read and embedded again.
VERSION, VECTORS_VERSION = 1, 3
_VERSION_KEY = b"lectern:schema"
_UNSEARCHED = b"lectern:unsearched"

PASSAGES = "passages"
_VECTORS = "vectors_"

#: Columns that a reader may name; ``text`` is stored as its difference from ``view``.
PASSAGE_COLUMNS = (
    "doc", "ordinal", "text_id", "language", "page_first", "page_last", "char_start", "char_end",
    "heading_path", "text", "view", "stems", "text_starts", "view_starts",
)  # fmt: skip

_NAME_LIMIT = 60

# Compresses prose from 890 to 270 bytes per passage, Lance's default to 550; see also
# ``runtime.TEXT_CHUNK``.
_SQUEEZED = {
    "lance-encoding:compression": "zstd",
    "lance-encoding:compression-level": "6",
    "lance-encoding:structural-encoding": "miniblock",
}


def vectors_table(space: str) -> str:
    """The name of the table for an embedding space, with safe characters only."""
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", space)[:_NAME_LIMIT]
    if plain == space:
        return _VECTORS + plain
    return f"{_VECTORS}{plain}-{hashlib.sha256(space.encode()).hexdigest()[:8]}"


def is_vectors_table(name: str) -> bool:
    return name.startswith(_VECTORS)


def version_of(columns: Any) -> int:
    """The version of the layout of a table; 1 if it has none."""
    return int((columns.metadata or {}).get(_VERSION_KEY, b"1"))


def known_version(name: str) -> int:
    """The version that a table has now."""
    return VECTORS_VERSION if is_vectors_table(name) else VERSION


def is_searched(columns: Any) -> bool:
    """Whether passages are found by the vectors of a table, and not only ordered by them."""
    return _UNSEARCHED not in (columns.metadata or {})


def is_current(name: str, columns: Any) -> bool:
    """Whether a table has the columns of this version."""
    if is_vectors_table(name):
        kind = columns.field("vector").type if "vector" in columns.names else None
        wanted = vectors_schema(getattr(kind, "list_size", 1))
    elif name == PASSAGES:
        wanted = passages_schema()
    else:
        return True  # not ours
    there, these = ([(field.name, field.type) for field in one] for one in (columns, wanted))
    return version_of(columns) == known_version(name) and there == these


def _versioned(fields: list[Any], version: int = VERSION, *facts: bytes) -> Any:
    import pyarrow as pa

    own = {_VERSION_KEY: str(version).encode()}
    return pa.schema(fields, metadata=own | dict.fromkeys(facts, b"yes"))


def passages_schema() -> Any:
    """Columns of ``passages``. A key is in no two rows; see ``values.key_of``."""
    import pyarrow as pa

    return _versioned(
        [
            pa.field("doc", pa.int32(), nullable=False),
            pa.field("ordinal", pa.int32(), nullable=False),
            pa.field("key", pa.int64(), nullable=False),
            pa.field("text_id", pa.string(), nullable=False),
            pa.field("language", pa.string(), nullable=False),
            pa.field("page_first", pa.int32(), nullable=False),
            pa.field("page_last", pa.int32(), nullable=False),
            pa.field("char_start", pa.int64(), nullable=False),
            pa.field("char_end", pa.int64(), nullable=False),
            pa.field("heading_path", pa.string(), nullable=False),
            pa.field("text_delta", pa.binary(), nullable=False),
            pa.field("view", pa.string(), nullable=False, metadata=_SQUEEZED),
            pa.field("stems", pa.string(), nullable=False, metadata=_SQUEEZED),
            pa.field("starts", pa.list_(pa.int32()), nullable=False),
        ]
    )


def vectors_schema(dimension: int, *, searched: bool = True) -> Any:
    """Columns of a ``vectors_…`` table; see ``is_searched``.

    ``sentence_codes`` holds the sentence vectors of the passage, concatenated, as ``quantise``
    packs them: they are restored with ``vector``. ``crc`` is that of the other columns' bytes.
    """
    import pyarrow as pa

    return _versioned(
        [
            pa.field("key", pa.int64(), nullable=False),
            pa.field("vector", pa.list_(pa.float16(), dimension), nullable=False),
            pa.field("sentence_codes", pa.binary(), nullable=False),
            pa.field("crc", pa.uint32(), nullable=False),
        ],
        VECTORS_VERSION,
        *([] if searched else [_UNSEARCHED]),
    )
