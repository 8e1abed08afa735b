"""The tables of the store: names, columns and the indices each column gets.

Owns the layout on disk. It must not know how rows are made or queried.
"""

from __future__ import annotations

import hashlib
import re
from typing import Any

#: Incremented whenever a column changes its name, type or meaning. Tables of an earlier version are
#: dropped, and texts are embedded again.
VECTORS_VERSION = 3
_VERSION_KEY = b"lectern:schema"
_UNSEARCHED = b"lectern:unsearched"

_VECTORS = "vectors_"

_NAME_LIMIT = 60


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
    return VECTORS_VERSION if is_vectors_table(name) else 1


def is_searched(columns: Any) -> bool:
    """Whether passages are found by the vectors of a table, and not only ordered by them."""
    return _UNSEARCHED not in (columns.metadata or {})


def is_current(name: str, columns: Any) -> bool:
    """Whether a table has the columns of this version."""
    if not is_vectors_table(name):
        return True  # not ours
    kind = columns.field("vector").type if "vector" in columns.names else None
    wanted = vectors_schema(getattr(kind, "list_size", 1))
    there, these = ([(field.name, field.type) for field in one] for one in (columns, wanted))
    return version_of(columns) == known_version(name) and there == these


def _versioned(fields: list[Any], version: int, *facts: bytes) -> Any:
    import pyarrow as pa

    own = {_VERSION_KEY: str(version).encode()}
    return pa.schema(fields, metadata=own | dict.fromkeys(facts, b"yes"))


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
