"""Describes an open library, and checks it for ``doctor``."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from indexer.api.answers import Check, WatchState
from indexer.api.errors import LecternError, sentence
from indexer.api.phrases import Note
from indexer.api.private_files import bytes_under
from indexer.api.status import LanguageStatus, ModelChange, RootStatus, Status
from indexer.catalog.roots import join
from indexer.confine import cgroup, network, worker
from indexer.embed import devices
from indexer.embed.hub import read_connections
from indexer.embed.model_files import find_record
from indexer.engine import reindex
from indexer.library.recovery import incomplete, without_vectors

if TYPE_CHECKING:
    from indexer.engine.open_library import OpenLibrary

MB = 1e6
WAS_CHANGED = "changed since the model was made"
GET_AGAIN = "Get the model again, or install Lectern again if the model came with it."
# The fields of a ``Check``.
Checked = tuple[str, bool, str, str]
DEVICE_ADVICE = "It is not used. Bring its driver up to date, or install another ONNX Runtime."


def describe_library(engine: OpenLibrary, watched: WatchState) -> Status:
    """Describe the library; ``watching`` says how its roots are watched."""
    catalog, config = engine.catalog, engine.config
    activity = engine.activities.current_activity()
    totals = catalog.spaces.totals()
    space = catalog.spaces.active()
    change = reindex.describe_change(catalog, reindex.for_library(catalog, config))
    now = asdict(activity) | {
        "changing": change.changing,
        "rebuilding": change.rebuilding,
        "embedded_share": totals.embedded_share,
    }
    return Status(
        **now,
        library=str(config.library),
        bytes=bytes_under(config.library),
        tables=engine.store.sizes(),
        roots=_roots(engine, watched),
        files={str(state): count for state, count in catalog.files.counts().items()},
        documents=totals.documents,
        pages=totals.pages,
        passages=totals.passages,
        model=space.record["model"] if space else config.model,
        precision=space.record["precision"] if space else str(config.precision),
        space=space.key if space else "",
        previous=change.previous,
        languages=_languages(engine, change),
        scanned_pages=engine.scanned_pages.scans_status(),
        connections=read_connections(config.models),
        free_bytes=shutil.disk_usage(config.library).free,
        collections=catalog.collections(),
        watch_problem=watched.problem,
    )


def check_library(engine: OpenLibrary) -> tuple[Check, ...]:
    """Check the library and the machine."""
    checked = (
        *_model(engine),
        *_scans(engine),
        ("network of the engine", *network.verdict()),
        ("readers of documents", *worker.verdict()),
        ("memory of readers", *cgroup.verdict()),
        ("library size", True, f"{bytes_under(engine.config.library) / MB:,.1f} MB", ""),
        *_health(engine),
    )
    return tuple(Check(*one) for one in checked)


def _roots(engine: OpenLibrary, watched: WatchState) -> tuple[RootStatus, ...]:
    catalog = engine.catalog
    sizes = catalog.coverage.sizes()
    how = {each.path: each for each in watched.roots}
    rows = []
    for root in catalog.roots.all():
        path = os.fsdecode(join(root.path, root.file_name))
        states = {str(state): count for state, count in catalog.files.counts(root.id).items()}
        rows.append(
            RootStatus(
                path=path,
                files=sum(states.values()),
                states=states,
                bytes=sizes.get(root.id, 0),
                patterns=tuple(root.patterns),
                offline=not root.online,
                watched=how[path].how if path in how else "",
                watched_why=how[path].why if path in how else "",
            )
        )
    return tuple(rows)


def _languages(engine: OpenLibrary, change: reindex.SpaceChange) -> tuple[LanguageStatus, ...]:
    space = engine.catalog.spaces.active()
    covered = space.languages if space else frozenset()
    rows = []
    for language, documents in sorted(engine.catalog.docs.languages().items()):
        known = not covered or not language or language in covered
        advice = None if known else _advice(language, change.changing, engine.config.models)
        rows.append(LanguageStatus(language, documents, advice))
    return tuple(rows)


def _advice(language: str, changing: ModelChange | None, models: Path) -> Note:
    """A note on documents in a language that the model does not cover."""
    model = reindex.model_reading(language, models)
    if not model:
        return Note("language_uncovered")
    if changing is not None and language in find_record(changing.model, models).languages:
        return Note("language_coming", {"model": changing.model})
    return Note("language_offered", {"model": model})


def _model(engine: OpenLibrary) -> Iterator[Checked]:
    try:
        for folder, files in engine.models.changed(engine.catalog).items():
            yield "model files", False, f"{', '.join(files)} in {folder} {WAS_CHANGED}", GET_AGAIN
        embedder = engine.models.indexing()
    except LecternError as error:
        yield "model", False, error.message, error.next_step
        return
    value = f"{embedder.record.id}, {embedder.precision}, {embedder.record.dimension} dimensions"
    yield "model", True, value, ""
    why = "; ".join(map(sentence, embedder.provider.notes))
    yield "device", True, f"{embedder.provider.name}: {why}", ""
    if embedder.provider.name == devices.CPU:
        yield "processor", True, processor_path(devices.instruction_sets()), ""
    yield check_devices(engine.models.survey_devices())


def processor_path(features: frozenset[str]) -> str:
    """How a processor with these features computes; "unknown" without features."""
    said = [f"8 bits by {kernels}"] if (kernels := devices.kernels(features)) else []
    if said and "avx2" in features:
        others = {"bfloat16": "avx512_bf16", "AMX": "amx_tile"}
        said += [f"{'has' if flag in features else 'no'} {name}" for name, flag in others.items()]
    return "; ".join(said) or "unknown"


def check_devices(found: Mapping[str, Note]) -> Checked:
    """Check each provider of ONNX Runtime. A failure is bad unless another accelerator works."""
    absent = [name for name, note in found.items() if note.code == "device_absent"]
    said = [f"{name}: {sentence(note)}" for name, note in found.items() if name not in absent]
    if absent:
        said.append(f"not in the installed ONNX Runtime: {', '.join(absent)}")
    codes = {note.code for note in found.values()}
    ok = "device_tested" in codes or not codes & {"device_failed", "device_wrong"}
    return "devices", ok, "; ".join(said), "" if ok else DEVICE_ADVICE


def _scans(engine: OpenLibrary) -> Iterator[Checked]:
    scans = engine.scanned_pages.scans_status()
    value = ", ".join([scans.engine or "switched off", *filter(None, [" ".join(scans.languages)])])
    yield "text recognition", True, value, ""


def _health(engine: OpenLibrary) -> Iterator[Checked]:
    catalog, store = engine.catalog, engine.store
    problems = store.verify()
    if short := incomplete(catalog, store):
        problems.append(f"{len(short)} documents lack passages")
    for space in catalog.spaces.all():
        if lost := without_vectors(catalog, store, space):
            problems.append(f"{len(lost)} documents lack vectors")
    yield (
        "library health",
        not problems,
        "; ".join(problems) or f"{catalog.spaces.totals().documents} documents, all whole",
        "Index again; what is missing is made anew." if problems else "",
    )
