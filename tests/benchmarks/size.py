"""Size: what of the index takes how much, against the bytes of the text it is an index of.

The text is the canonical text as UTF-8. Bytes are those in use; what older versions of a table
still hold until their clean-up stands in a row of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.library.library import LANCE_NAME
from indexer.store import pooled_file, schema
from indexer.store.disk import bytes_under
from indexer.store.texts import TEXTS_NAME
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine
    from indexer.store.table import Table
    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

MB = 1e6
COLUMNS = ("set", "part", "MB", "bytes for a byte of text")
PARTS = (
    "texts", "words", "pooled vectors", "sentence vectors, keys",
    "vector index", "copy of pooled vectors", "catalog", "other", "all in use",
    "old versions, to be cleaned up",
)  # fmt: skip
_WHOLE = "canonical text"


def run(options: Options, libraries: Libraries) -> Section:
    """Weigh each set's library."""
    rows: list[tuple[Cell, ...]] = []
    for wanted in options.chosen:
        with libraries.open(wanted) as engine:
            text = text_bytes(engine)
            parts = weigh(engine, libraries.folder(wanted.library))
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
    sizes = engine.store.sizes()
    parts["texts"], parts["words"] = sizes["texts"].live, sizes["words"].live
    for name, table in engine.store.tables.by_name().items():
        indices = {column: int(at.size_bytes or 0) for column, at in table.indices().items()}
        data = int(table.inner.stats()["total_bytes"]) - sum(indices.values())
        parts["vector index"] += indices.get("vector", 0)
        parts["copy of pooled vectors"] += bytes_under([table.path / pooled_file.FOLDER])
        if schema.is_vectors_table(name):
            pooled = table.count() * _vector_bytes(table)
            parts["pooled vectors"] += pooled
            parts["sentence vectors, keys"] += data - pooled
        else:
            parts["other"] += data
    store = sum(parts.values())
    there = (library / TEXTS_NAME).stat().st_size + sum(
        file.stat().st_size for file in (library / LANCE_NAME).rglob("*") if file.is_file()
    )
    value = engine.catalog.db.value  # its journal goes when the library is closed
    parts["catalog"] = value("PRAGMA page_count") * value("PRAGMA page_size")
    parts["all in use"] = store + parts["catalog"]
    parts[PARTS[-1]] = max(0, there - store)
    return parts


def _vector_bytes(table: Table) -> int:
    """Bytes of one pooled vector."""
    kind = table.inner.schema.field("vector").type
    return int(kind.list_size) * int(kind.value_type.bit_width) // 8
