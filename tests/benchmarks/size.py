"""Size: the bytes of each part of the index, compared with those of the indexed text.

The text is the canonical text as UTF-8. Bytes are those in use; free pages have a row of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.library.library import INDEX_NAME
from indexer.store.texts import TEXTS_NAME
from tests.benchmarks.report import Section

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.engine.engine import Engine
    from tests.benchmarks.libraries import Libraries, Options
    from tests.benchmarks.report import Cell

MB = 1e6
_HALF_BYTES = 2
COLUMNS = ("set", "part", "MB", "bytes for a byte of text")
PARTS = (
    "texts", "words", "pooled vectors", "sentence vectors, keys", "vector index", "catalog",
    "all in use", "free, to be used again",
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
    """The bytes of a library's canonical text as UTF-8, from the bytes a character of passages."""
    characters = encoded = 0
    for passage in engine.store.texts.iter_passages(engine.store.known_docs().tolist()):
        characters += len(passage.text)
        encoded += len(passage.text.encode("utf-8", "replace"))
    whole = engine.catalog.spaces.totals().characters
    return round(whole * encoded / characters) if characters else whole


def weigh(engine: Engine, library: Path) -> dict[str, int]:
    """Bytes of each part, by the names in ``PARTS``."""
    parts = dict.fromkeys(PARTS, 0)
    sizes = engine.store.sizes()
    parts["texts"], parts["words"] = sizes["texts"].live, sizes["words"].live
    for name, vectors in engine.store.vectors.items():
        pooled = len(vectors.keys()) * vectors.dimension * _HALF_BYTES
        parts["pooled vectors"] += pooled
        parts["sentence vectors, keys"] += sizes[name].live - pooled
        parts["vector index"] += vectors.index.size().live if vectors.index else 0
    store = sum(parts.values())
    # Journals disappear when the library is closed.
    there = (library / TEXTS_NAME).stat().st_size + sum(
        file.stat().st_size
        for file in (library / INDEX_NAME).rglob("*")
        if file.is_file() and not file.name.endswith(("-wal", "-shm"))
    )
    value = engine.catalog.db.value
    parts["catalog"] = value("PRAGMA page_count") * value("PRAGMA page_size")
    parts["all in use"] = store + parts["catalog"]
    parts[PARTS[-1]] = max(0, there - store)
    return parts
