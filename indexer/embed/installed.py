"""The models of this machine: what a record says of each, and what of it lies on the disk.

Owns describing and removing them. It must not know which model a library uses, nor how a model is
compiled or run.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import TYPE_CHECKING

from indexer.api.errors import WorldError
from indexer.config import Precision
from indexer.embed.compiled import BUILD_LOCK, GRAPH, compiled_folder
from indexer.embed.models import RECORDS, Side
from indexer.embed.record_files import shipped_folder

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.embed.models import ModelRecord, Pooling


class Origin(StrEnum):
    """Where the files of a model come from."""

    SHIPPED = "shipped"  # they are part of Lectern
    FETCHED = "fetched"  # from a package index
    IMPORTED = "imported"  # from a folder of the person


class ModelState(StrEnum):
    """What of a model is on this machine."""

    COMPILED = "compiled"
    WEIGHTS = "weights"  # compiled when it is first needed
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model as the person sees it; what its record does not know is None.

    Attributes:
        compiled: The precisions that are compiled.
        tokens: The window of passages; ``query_tokens`` that of queries.
        late: Whether passages are pooled inside a whole window; else each is read alone.
        languages: ISO 639-1.
        licence: Of the weights, as an SPDX expression.
        bytes: Of weights and tokenizer; ``disk_bytes`` are in the folder of models.
    """

    id: str
    origin: Origin
    state: ModelState
    compiled: tuple[str, ...]
    dimensions: int
    layers: int
    tokens: int
    query_tokens: int
    pooling: Pooling
    late: bool
    query_prefix: str
    document_prefix: str
    languages: tuple[str, ...] | None
    licence: str | None
    homepage: str | None
    bytes: int
    disk_bytes: int


def describe(record: ModelRecord, models: Path) -> ModelInfo:
    """Describe a model; its files are not verified."""
    compiled = tuple(str(each) for each in Precision if _is_compiled(record, models, each))
    sources = shipped_folder() / record.id, models / record.id / "source"
    here = any(all((at / file.name).exists() for file in record.package.files) for at in sources)
    present = ModelState.WEIGHTS if here else ModelState.ABSENT
    return ModelInfo(
        id=record.id,
        origin=_origin(record),
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
        homepage=record.homepage or None,
        bytes=record.download_bytes,
        disk_bytes=_size(models / record.id),
    )


def remove(record: ModelRecord, models: Path) -> int:
    """Delete what the folder of models has of a model: compiled forms, weights, an imported record.

    Returns:
        The bytes that are free again.

    Raises:
        WorldError: ``busy`` if another process compiles it, ``library_unwritable``.
    """
    from filelock import FileLock, Timeout

    home = models / record.id
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


def _origin(record: ModelRecord) -> Origin:
    if (shipped_folder() / record.id).is_dir():
        return Origin.SHIPPED
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
