"""Models that are not built in: a record beside its files, in the folder of models.

Owns ``<models>/<model>/record.json``, by which a model of one's own (or of a test) becomes known
without a line of code. It must not know how a model is fetched or run.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from indexer.embed.models import (
    RECORDS,
    Architecture,
    ModelRecord,
    Package,
    Pooling,
    PoolScope,
    Probe,
    SourceFile,
)
from indexer.errors import WorldError

if TYPE_CHECKING:
    from pathlib import Path

RECORD = "record.json"


def find_record(model: str, models: Path | None = None) -> ModelRecord:
    """Find a model by its id: a built-in one, else one that lies in the folder of models.

    Raises:
        WorldError: ``unknown_model`` if there is none of that id, or its file cannot be read.
    """
    if model in RECORDS:
        return RECORDS[model]
    if models is not None and PurePath(model).name == model:
        try:
            record = _parse(json.loads((models / model / RECORD).read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise WorldError("unknown_model", model=model) from error
        if record.id == model:
            return record
    raise WorldError("unknown_model", model=model)


def write_record(record: ModelRecord, models: Path) -> None:
    """Make a model known in a folder of models.

    Raises:
        OSError: If the folder cannot be written.
    """
    folder = models / record.id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RECORD).write_text(json.dumps(asdict(record), indent=1), "utf-8")


def _parse(data: dict[str, Any]) -> ModelRecord:
    package = dict(data["package"])
    package["files"] = tuple(SourceFile(**file) for file in package["files"])
    probe = data.get("probe")
    if probe is not None:
        probe = Probe(**{**probe, "values": tuple(probe["values"])})
    return ModelRecord(
        **{
            **data,
            "package": Package(**package),
            "architecture": Architecture(**data["architecture"]),
            "pooling": Pooling(data["pooling"]),
            "pool_scope": PoolScope(data["pool_scope"]),
            "languages": tuple(data["languages"]),
            "probe": probe,
        }
    )
