"""The models of this machine: what a record says of each, and what of it lies on the disk.

Owns describing, obtaining and removing them. It must not know which model a library uses, nor how a
model is compiled or run.
"""

from __future__ import annotations

import logging
import shutil
from itertools import chain, product
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.models import ModelInfo, ModelKind, ModelState, Origin
from indexer.api.progress import Reporter
from indexer.config import Precision
from indexer.embed.compiled import (
    BUILD_LOCK,
    GRAPH,
    compiled_folder,
    ensure_compiled,
)
from indexer.embed.hub import get_published
from indexer.embed.models import RECORDS, Side
from indexer.embed.published import PUBLISHED
from indexer.embed.record_files import (
    find_record,
    known_records,
    shipped_folder,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indexer.config import EngineConfig
    from indexer.embed.compiled import CompiledModel
    from indexer.embed.models import ModelRecord
    from indexer.embed.published import Published


log = logging.getLogger(__name__)

_OF_SCORERS = Precision.INT8, Precision.FP32


def list_models(models: Path) -> list[ModelInfo]:
    """Describe every model that is here, then those that could be fetched from a hub."""
    here = {record.id: describe(record, models) for record in known_records(models)}
    away = (describe_published(row) for row in PUBLISHED.values() if row.id not in here)
    return list(chain(here.values(), away))


def describe_model(model: str, models: Path) -> ModelInfo:
    """Describe a model by its id.

    Raises:
        WorldError: ``unknown_model``.
    """
    try:
        return describe(find_record(model, models), models)
    except WorldError:
        if model not in PUBLISHED:
            raise
        return describe_published(PUBLISHED[model])


def describe_published(row: Published) -> ModelInfo:
    """Describe a model of a hub that is not here."""
    return ModelInfo(
        id=row.id,
        origin=Origin.PUBLISHED,
        state=ModelState.ABSENT,
        kind=row.kind,
        runs=row.runs,
        dimensions=row.dimensions,
        parameters=row.parameters,
        tokens=row.tokens,
        pooling=row.pooling,
        late=row.late,
        unused=row.unused,
        matryoshka=row.matryoshka,
        query_prefix=row.query_prefix,
        document_prefix=row.document_prefix,
        languages=row.languages,
        language_count=row.language_count,
        licence=row.licence,
        terms=row.terms,
        homepage=row.homepage,
        repository=row.repository,
    )


def describe(record: ModelRecord, models: Path) -> ModelInfo:
    """Describe a model; its files are not verified."""
    compiled = tuple(str(each) for each in Precision if _is_compiled(record, models, each))
    sources = shipped_folder() / record.id, models / record.id / "source"
    here = any(all((at / file.name).exists() for file in record.package.files) for at in sources)
    present = ModelState.WEIGHTS if here else ModelState.ABSENT
    row = PUBLISHED.get(record.id) if record.repository else None
    return ModelInfo(
        id=record.id,
        origin=_origin(record),
        kind=_kind(record),
        state=ModelState.COMPILED if compiled else present,
        compiled=compiled,
        dimensions=record.dimension,
        layers=len(record.architecture.kept_layers),
        tokens=record.window,
        query_tokens=record.query_window or record.window,
        pooling=record.pooling,
        late=record.late,
        query_prefix=record.query_prefix,
        document_prefix=record.document_prefix,
        languages=record.languages or None,
        licence=record.licence,
        language_count=row.language_count if row else None,
        parameters=record.parameters or (row.parameters if row else None),
        unused=row.unused if row else (),
        matryoshka=row.matryoshka if row else None,
        terms=row.terms if row else "",
        homepage=record.homepage or None,
        repository=record.repository,
        revision=record.revision,
        files=tuple(file.name for file in record.package.files),
        bytes=record.download_bytes,
        disk_bytes=_size(models / record.id),
    )


def obtain(
    model: str,
    config: EngineConfig,
    *,
    accepted: bool = False,
    reporter: Reporter | None = None,
) -> ModelInfo:
    """Fetch and compile a model, for passages and for queries, without using it.

    Raises:
        Cancelled: If the reporter's token was cancelled.
        WorldError: ``unknown_model``, and those of ``get_published`` and ``ensure_compiled``.
    """
    models, reporter = config.models, reporter or Reporter()
    if model in PUBLISHED and not (models / model).exists():
        get_published(
            PUBLISHED[model], models, accepted=accepted, offline=config.offline, reporter=reporter
        )
    record = find_record(model, models)
    reporter.token.check()
    if record.architecture.scores:
        ensure_scorer(record, config, reporter.note)
        return describe(record, models)
    for precision, side in (
        (config.precision, Side.PASSAGES), (config.query_precision, Side.QUERIES),
    ):  # fmt: skip
        reporter.token.check()
        ensure_compiled(
            record, models, precision, side, download=not config.offline, note=reporter.note
        )
    return describe(record, models)


def ensure_scorer(
    record: ModelRecord, config: EngineConfig, note: Callable[[str], None] = lambda _text: None
) -> CompiledModel:
    """Return a cross-encoder in 8 bits; in float32 if those change its answers or are not wanted.

    Raises:
        WorldError: Those of ``ensure_compiled``.
    """

    def ensured(precision: Precision) -> CompiledModel:
        return ensure_compiled(
            record, config.models, precision, download=not config.offline, note=note
        )

    few, many = (_is_compiled(record, config.models, each) for each in _OF_SCORERS)
    if config.precision is Precision.INT8 and (few or not many):  # else 8 bits were refused
        try:
            return ensured(Precision.INT8)
        except WorldError as error:
            if error.code != "model_coarse":
                raise
            log.info("%s is not read in 8 bits: %s", record.id, error)
    return ensured(Precision.FP32)


def remove(model: str, config: EngineConfig) -> int:
    """Delete what the folder of models has of a model: compiled forms, weights, an imported record.

    Returns:
        The bytes that are free again.

    Raises:
        WorldError: ``unknown_model``, ``model_in_use`` if the settings name it, ``busy`` if another
            process compiles it, ``library_unwritable``.
    """
    from filelock import FileLock, Timeout

    home = config.models / find_record(model, config.models).id
    if model in {config.model, config.languages_model}:
        library = str(config.library)
        raise WorldError("model_in_use", model=model, reason="chosen_model", library=library)
    if not home.is_dir():
        return 0
    freed = _size(home)
    try:
        with FileLock(home / BUILD_LOCK, timeout=0):
            for entry in home.iterdir():
                if entry.is_dir() and not entry.is_symlink():
                    shutil.rmtree(entry)
                elif entry.name != BUILD_LOCK:  # Windows deletes no open file
                    entry.unlink()
        shutil.rmtree(home)
    except Timeout as error:
        raise WorldError("busy", reason="compiling") from error
    except OSError as error:
        raise WorldError("library_unwritable", library=str(home)) from error
    return freed


def _kind(record: ModelRecord) -> ModelKind:
    if record.interaction is not None:
        return ModelKind.LATE_INTERACTION
    return ModelKind.RERANKER if record.architecture.scores else ModelKind.EMBEDDING


def _origin(record: ModelRecord) -> Origin:
    if (shipped_folder() / record.id).is_dir():
        return Origin.SHIPPED
    if record.repository:
        return Origin.PUBLISHED
    return Origin.FETCHED if record.id in RECORDS or record.package.name else Origin.IMPORTED


def _is_compiled(record: ModelRecord, models: Path, precision: Precision) -> bool:
    """Whether an encoder is; passages and queries may be read in different precisions."""
    folders = (
        compiled_folder(record, place, precision, side)
        for place, side in product((shipped_folder(), models), Side)
    )
    return any((folder / GRAPH).exists() for folder in folders)


def _size(folder: Path) -> int:
    """The bytes of all files below a folder."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if not file.is_dir())
