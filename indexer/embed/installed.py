"""Describes, fetches and removes the models of this machine."""

from __future__ import annotations

import shutil
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.api.models import ModelInfo, ModelState, Origin
from indexer.api.private_files import bytes_under
from indexer.embed.hub import get_published
from indexer.embed.imported import IMPORT_LOCK
from indexer.embed.model_files import (
    changing_models,
    find_record,
    known_records,
    model_folder,
    read_content,
    shipped_folder,
)
from indexer.embed.models import PUBLISHED, ModelRecord

if TYPE_CHECKING:
    from indexer.api.progress import Reporter
    from indexer.config import EngineConfig


def list_models(models: Path) -> list[ModelInfo]:
    """Describe all models on this machine, then those that can be fetched from a hub."""
    here = {record.id: describe(record, models) for record in known_records(models)}
    away = (card for card in PUBLISHED.values() if card.id not in here)
    return list(chain(here.values(), away))


def describe_model(model: str, models: Path) -> ModelInfo:
    """Describe a model by its id. Raises ``unknown_model``."""
    try:
        return describe(find_record(model, models), models)
    except WorldError:
        if model not in PUBLISHED:
            raise
        return PUBLISHED[model]


def describe(record: ModelRecord, models: Path) -> ModelInfo:
    """Describe a model without verifying its files."""
    folder = model_folder(record.id, models)
    content = read_content(folder)
    card = PUBLISHED.get(record.id) if record.repository else None
    files = content.files if content is not None else ()
    there = bool(files) and all((folder / file.name).exists() for file in files)
    graphs = content.graphs if content is not None else ()
    return ModelInfo(
        id=record.id,
        origin=_origin(record),
        state=ModelState.HERE if there else ModelState.ABSENT,
        precisions=tuple(sorted({str(graph.precision) for graph in graphs})) if there else (),
        dimensions=record.dimension,
        layers=record.layers,
        tokens=record.window,
        query_tokens=record.query_window or record.window,
        pooling=record.pooling,
        late=record.late,
        query_prefix=record.query_prefix,
        document_prefix=record.document_prefix,
        languages=record.languages or None,
        licence=record.licence,
        language_count=card.language_count if card else None,
        parameters=record.parameters or (card.parameters if card else None),
        homepage=record.homepage or None,
        repository=record.repository,
        revision=record.revision,
        files=tuple(file.name for file in files),
        bytes=sum(file.size for file in files) if files else None,
        disk_bytes=bytes_under(models / record.id),
    )


def obtain_model(
    model: str, config: EngineConfig, *, reporter: Reporter | None = None
) -> ModelInfo:
    """Fetch a model, without using it.

    Raises ``Cancelled`` if the reporter's token was cancelled, ``unknown_model``, and the errors of
    ``get_published``.
    """
    models = config.models
    if model in PUBLISHED and not (models / model).exists():
        get_published(PUBLISHED[model], models, offline=config.offline, reporter=reporter)
    return describe(find_record(model, models), models)


def remove_model(model: str, config: EngineConfig) -> int:
    """Delete a model from the folder of models. A model that comes with Lectern stays.

    Returns the number of bytes freed. Raises ``unknown_model``, ``model_in_use`` if the settings
    name it, ``busy`` while a model is imported, ``library_unwritable``.
    """
    home = config.models / find_record(model, config.models).id
    if model in {config.model, config.languages_model}:
        library = str(config.library)
        raise WorldError("model_in_use", model=model, reason="chosen_model", library=library)
    if not home.is_dir():
        return 0
    freed = bytes_under(home)
    with changing_models(config.models, config.models / IMPORT_LOCK, "importing"):
        shutil.rmtree(home)
    return freed


def _origin(record: ModelRecord) -> Origin:
    if (shipped_folder() / record.id).is_dir():
        return Origin.SHIPPED
    return Origin.PUBLISHED if record.repository else Origin.IMPORTED
