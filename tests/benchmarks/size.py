"""Size: what of the index takes how much, against the bytes of the text it is an index of.

The text is the canonical text as UTF-8. Bytes are those in use; what older versions of a table
still hold until their clean-up stands in a row of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.library import LANCE_NAME
from indexer.store import schema
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine import Engine
    from indexer.store.table import Table
    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

MB = 1e6
COLUMNS = ("set", "part", "MB", "bytes for a byte of text")
PARTS = (
    "text, stems, places", "full text indices", "pooled vectors", "sentence vectors",
    "vector index", "catalog", "other", "all in use", "old versions, to be cleaned up",
)  # fmt: skip
_WHOLE = "canonical text"
_ROWS_AT_ONCE = 2000


def run(options: Options, libraries: Libraries) -> Section:
    """Weigh each set's library."""
    rows: list[tuple[Cell, ...]] = []
    for wanted in options.chosen:
        with libraries.open(wanted.name) as engine:
            text = text_bytes(engine)
            parts = weigh(engine, libraries.folder(wanted.name))
        rows.append((wanted.name, _WHOLE, text / MB, 1.0))
        rows += [(wanted.name, part, parts[part] / MB, parts[part] / text) for part in PARTS]
    return Section("size", "Size of the index", COLUMNS, tuple(rows))


def text_bytes(engine: Engine) -> int:
    """The canonical text of a library as UTF-8; bytes a character are taken from its passages."""
    characters = encoded = 0
    for passage in engine.store.iter_passages(engine.store.known_docs().tolist()):
        characters += len(passage.text)
        encoded += len(passage.text.encode("utf-8", "replace"))
    whole = engine.catalog.spaces.totals().characters
    return round(whole * encoded / characters) if characters else whole


def weigh(engine: Engine, library: Path) -> dict[str, int]:
    """Bytes of each part, by the names in ``PARTS``."""
    parts = dict.fromkeys(PARTS, 0)
    for name, table in engine.store._tables.items():
        indices = {column: int(at.size_bytes or 0) for column, at in table.indices().items()}
        data = int(table.inner.stats()["total_bytes"]) - sum(indices.values())
        parts["full text indices"] += indices.get("view", 0) + indices.get("stems", 0)
        parts["vector index"] += indices.get("vector", 0)
        parts["other"] += indices.get("doc", 0)
        if name == schema.PASSAGES:
            parts["text, stems, places"] += data
        elif schema.is_vectors_table(name):
            pooled, sentences = _vectors(table)
            parts["pooled vectors"] += pooled
            parts["sentence vectors"] += sentences
            parts["other"] += data - pooled - sentences
        else:
            parts["other"] += data
    store = sum(parts.values())
    there = sum(file.stat().st_size for file in (library / LANCE_NAME).rglob("*") if file.is_file())
    value = engine.catalog.db.value  # its journal goes when the library is closed
    parts["catalog"] = value("PRAGMA page_count") * value("PRAGMA page_size")
    parts["all in use"] = store + parts["catalog"]
    parts[PARTS[-1]] = max(0, there - store)
    return parts


def _vectors(table: Table) -> tuple[int, int]:
    """Bytes of the pooled vectors and of the sentence vectors, as they are written."""
    import pyarrow.compute as pc

    width = table.inner.schema.field("vector").type
    pooled = table.count() * int(width.list_size) * np.dtype(np.float16).itemsize
    sentences = 0
    keys = table.rows.keys()
    for start in range(0, len(keys), _ROWS_AT_ONCE):
        found, _ = table.take(keys[start : start + _ROWS_AT_ONCE], ["sentences"])
        lengths: Any = pc.binary_length(found.column("sentences"))
        sentences += int(pc.sum(lengths).as_py() or 0)
    return pooled, sentences
