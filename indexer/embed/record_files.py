"""Model records in files, ``<model>/record.json``.

Owns finding and writing them, in the folder of models that ship with Lectern and in the person's
folder of models. It must not know how a model is fetched or run.
"""

from __future__ import annotations

import contextlib
import json
from importlib import resources
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from indexer.api.atomic import replacing
from indexer.api.codec import decode, encode
from indexer.api.errors import WorldError
from indexer.config import NO_RERANKER
from indexer.embed.models import RECORDS, ModelRecord
from indexer.embed.published import PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD = "record.json"


def shipped_folder() -> Path:
    """The folder of the models that ship with Lectern, with a subfolder for each."""
    return Path(str(resources.files("resources"))) / "models"


def known_records(models: Path | None = None) -> Iterator[ModelRecord]:
    """Every record that ``find_record`` finds; unreadable files are skipped."""
    yield from RECORDS.values()
    seen = set(RECORDS)
    for folder in (shipped_folder(), *([models] if models else [])):
        for file in sorted(folder.glob(f"*/{RECORD}")):
            if file.parent.name not in seen:
                seen.add(file.parent.name)
                with contextlib.suppress(WorldError):
                    yield find_record(file.parent.name, models)


def find_record(model: str, models: Path | None = None) -> ModelRecord:
    """Find a record by its id: in ``RECORDS``, in ``shipped_folder()`` or in ``models``.

    Raises:
        WorldError: ``unknown_model`` if there is none, or its file cannot be read;
            ``model_absent`` for a published model that was not fetched.
    """
    if model in RECORDS:
        return RECORDS[model]
    if PurePath(model).name != model:
        raise WorldError("unknown_model", model=model)
    for folder in (shipped_folder(), models):
        try:
            if folder is None or not (folder / model / RECORD).exists():
                continue
            record = decode(ModelRecord, json.loads((folder / model / RECORD).read_text("utf-8")))
        except (OSError, ValueError, WorldError) as error:
            raise WorldError("unknown_model", model=model) from error
        if record.id == model:
            return record
    if model in PUBLISHED:
        raise WorldError("model_absent", model=model, reason="not_fetched")
    raise WorldError("unknown_model", model=model)


def find_embedding(model: str, models: Path | None = None) -> ModelRecord:
    """Find the record of a model that a library can be read with.

    Raises:
        WorldError: Those of ``find_record``, and ``model_scores`` for one that only orders hits.
    """
    record = find_record(model, models)
    if record.architecture.scores or record.interaction is not None:
        raise WorldError("model_scores", model=model)
    return record


def find_reranker(models: Path, chosen: str) -> ModelRecord | None:
    """Find the record of the model that orders the first hits.

    Args:
        models: The folder of models.
        chosen: Its id, or ``NO_RERANKER``. Otherwise, or if it is not here, it is the first
            cross-encoder, else the first late-interaction model.
    """
    if chosen == NO_RERANKER:
        return None
    known = list(known_records(models))
    scorers = [record for record in known if record.architecture.scores]
    by_tokens = [record for record in known if record.interaction is not None]
    wanted = [record for record in (*scorers, *by_tokens) if record.id == chosen]
    return next(iter((*wanted, *scorers, *by_tokens)), None)


def write_record(record: ModelRecord, models: Path) -> None:
    """Write a record into a folder of models.

    Raises:
        OSError: If the folder cannot be written.
    """
    folder = models / record.id
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / RECORD) as file:
        file.write(json.dumps(encode(record), indent=1).encode())
