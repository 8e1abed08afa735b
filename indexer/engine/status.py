"""What an open library says about itself: its status, and the health that ``doctor`` checks.

Owns the two reports as JSON-able values; their keys are part of ``indexer.api.contract``. It must
not know how they are shown, and changes nothing.
"""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import sys
from dataclasses import asdict
from importlib import metadata
from typing import TYPE_CHECKING, Any

from indexer.api.errors import LecternError, sentence
from indexer.api.wire import note_to_wire
from indexer.catalog.roots import join
from indexer.confine import network, reader
from indexer.embed import connections
from indexer.embed.record_files import known_records
from indexer.engine import reindex
from indexer.library import library
from indexer.library.recovery import incomplete, without_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.engine.documents import Desk

GB, MB = 1e9, 1e6
PARTS = ("lancedb", "pyarrow", "numpy", "pymupdf", "tokenizers")
WAS_CHANGED = "changed since the model was compiled"
COMPILED_AGAIN = "It was compiled again. If it changes once more, find out what writes there."
COMPILED_LATER = "Quit Lectern and start it again: it is compiled again before it is used."
RUNTIMES = ("onnxruntime", "onnxruntime-gpu", "onnxruntime-directml")


def describe(engine: Desk) -> dict[str, Any]:
    """Describe the library; see ``indexer.api.contract.EngineApi.status`` for the keys."""
    catalog, config = engine.catalog, engine.config
    progress = engine.activities.progress
    brief = engine.activities.brief()
    totals = catalog.spaces.totals()
    space = catalog.spaces.active()
    device, notes = engine.models.device
    return {
        "library": str(config.library),
        "bytes": library.size(config.library),
        "tables": {name: asdict(size) for name, size in engine.store.sizes().items()},
        "roots": _roots(engine),
        "files": {str(state): count for state, count in catalog.files.counts().items()},
        "documents": totals.documents,
        "pages": totals.pages,
        "passages": totals.passages,
        "model": space.record["model"] if space else config.model,
        "precision": space.record["precision"] if space else str(config.precision),
        "space": space.key if space else "",
        **reindex.describe(catalog, config),
        "understood": totals.embedded / totals.passages if totals.passages else 1.0,
        "device": device,
        "device_notes": [note_to_wire(note) for note in notes],
        "languages": _languages(engine),
        "running": None if progress is None else {"job": "index", "progress": asdict(progress)},
        "scans": engine.scanned_pages.describe(),
        "connections": connections.read(config.models),
        "free_bytes": shutil.disk_usage(config.library).free,
        **{key: brief[key] for key in ("speed", "paused", "reason", "pending", "set_aside")},
    }


def check_library(engine: Desk) -> list[dict[str, Any]]:
    """Check the library and the machine: one dictionary a check."""
    return [
        {"name": name, "ok": ok, "value": value, "advice": advice}
        for name, ok, value, advice in (
            *_versions(),
            *_model(engine),
            *_scans(engine),
            ("network of the engine", *network.verdict()),
            ("readers of documents", *reader.verdict()),
            *_disk(engine),
            *_health(engine),
        )
    ]


def _roots(engine: Desk) -> list[dict[str, Any]]:
    catalog = engine.catalog
    sizes = catalog.coverage.sizes()
    rows = []
    for root in catalog.roots.all():
        states = {str(state): count for state, count in catalog.files.counts(root.id).items()}
        rows.append(
            {
                "path": os.fsdecode(join(root.path, root.file_name)),
                "files": sum(states.values()),
                "states": states,
                "bytes": sizes.get(root.id, 0),
                "patterns": list(root.patterns),
                "offline": not root.online,
            }
        )
    return rows


def _languages(engine: Desk) -> list[dict[str, Any]]:
    space = engine.catalog.spaces.active()
    covered = set(space.record.get("languages", ())) if space else set()
    rows = []
    for language, documents in sorted(engine.catalog.docs.languages().items()):
        known = not language or language in covered
        advice = "" if known or not covered else _advice(language, engine.config.models)
        rows.append({"language": language, "documents": documents, "advice": advice})
    return rows


def _advice(language: str, models: Path) -> str:
    """What is said of documents in a language the model was not made for."""
    others = [record.id for record in known_records(models) if language in record.languages]
    if not others:
        return "Found by words; no model that Lectern knows here was made for it."
    return f"Found by words; `lectern reindex --model {others[0]}` would understand it."


Check = tuple[str, bool, str, str]


def _versions() -> Iterator[Check]:
    yield "lectern", True, _version("lectern"), ""
    yield "python", True, f"{platform.python_version()} on {sys.platform}", ""
    yield "sqlite", True, sqlite3.sqlite_version, ""
    for name in PARTS:
        yield name, bool(_version(name)), _version(name) or "missing", ""
    runtimes = [f"{name} {_version(name)}" for name in RUNTIMES if _version(name)]
    advice = "" if len(runtimes) == 1 else "Install exactly one ONNX Runtime."
    yield "onnx runtime", len(runtimes) == 1, ", ".join(runtimes) or "none", advice


def _model(engine: Desk) -> Iterator[Check]:
    try:
        changed = engine.models.changed(engine.catalog)
        embedder = engine.models.indexing()
    except LecternError as error:
        yield "model", False, error.message, error.next_step
        return
    still = engine.models.changed(engine.catalog)
    for folder, files in changed.items():
        yield (
            "compiled model",
            False,
            f"{', '.join(files)} in {folder} {WAS_CHANGED}",
            (COMPILED_LATER if folder in still else COMPILED_AGAIN),
        )
    if not changed:
        yield "compiled model", True, "as it was compiled", ""
    value = f"{embedder.record.id}, {embedder.precision}, {embedder.record.dimension} dimensions"
    yield "model", True, value, ""
    why = "; ".join(map(sentence, embedder.provider.notes))
    yield "device", True, f"{embedder.provider.name}: {why}", ""


def _scans(engine: Desk) -> Iterator[Check]:
    scans = engine.scanned_pages.describe()
    value = f"{scans['engine'] or 'none'}"
    if scans["languages"]:
        value += f", {' '.join(scans['languages'])}"
    waiting = f"{scans['waiting']} pages wait. " if scans["waiting"] else ""
    advice = f"{waiting}Scans are read with Tesseract: {scans['install']}."
    # Without scans nothing is amiss.
    missing = bool(scans["install"])
    yield "text recognition", not (missing and waiting), value, advice if missing else ""


def _disk(engine: Desk) -> Iterator[Check]:
    config = engine.config
    free = shutil.disk_usage(config.library).free
    enough = free >= config.min_free_bytes
    yield (
        "free disk",
        enough,
        f"{free / GB:.1f} GB",
        "" if enough else "Indexing pauses until there is more.",
    )
    yield "library size", True, f"{library.size(config.library) / MB:,.1f} MB", ""


def _health(engine: Desk) -> Iterator[Check]:
    catalog, store = engine.catalog, engine.store
    problems = store.verify()
    if short := incomplete(catalog, store):
        problems.append(f"{len(short)} documents miss passages")
    for space in catalog.spaces.all():
        if lost := without_vectors(catalog, store, space):
            problems.append(f"{len(lost)} documents miss vectors")
    yield (
        "library health",
        not problems,
        "; ".join(problems) or f"{catalog.spaces.totals().documents} documents, all whole",
        "Index again; what is missing is made anew." if problems else "",
    )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
