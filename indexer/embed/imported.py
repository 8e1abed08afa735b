"""Imports a model from a folder of sentence-transformers into the folder of models.

Owns copying its files, their acceptance by the compiler process, and that a model is there whole or
not at all. It must not know what the files contain (``sentence_folder``, ``indexer.compiler``).
"""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.atomic import replacing
from indexer.api.errors import WorldError
from indexer.config import Precision
from indexer.embed.compiled import LOCK_TIMEOUT_S, CompileRequest, ask_compiler, explained
from indexer.embed.fetch import hash_file
from indexer.embed.folder_options import refusal, regular_size
from indexer.embed.models import RECORDS, Side, SourceFile
from indexer.embed.record_files import shipped_folder, write_record
from indexer.embed.sentence_folder import read_record, source_files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from indexer.embed.models import ModelRecord

SCRATCH = "importing-"
_LOCK = "import.lock"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_LONGEST_NAME = 64
_CHUNK = 1 << 20


def import_model(
    folder: Path,
    models: Path,
    *,
    name: str = "",
    late: bool = False,
    completed: Callable[[ModelRecord], ModelRecord] | None = None,
    note: Callable[[str], None] = lambda _text: None,
) -> ModelRecord:
    """Copy a model into the folder of models, if its graph computes what it should.

    Args:
        folder: Of sentence-transformers, with safetensors.
        models: The folder of models; made if missing.
        name: The id; by default the name of the folder.
        late: Whether it was trained for late chunking, which its files do not say.
        completed: Adds to the record what the files do not say, for a folder of our own, whose
            files are linked instead of copied.
        note: Called with a sentence before a slow step.

    Raises:
        WorldError: ``model_refused`` with the reason, ``disk_full``, ``library_unwritable``,
            ``busy``.
    """
    from filelock import FileLock, Timeout

    chosen = name or folder.resolve().name
    if not _NAME.fullmatch(chosen) or len(chosen) > _LONGEST_NAME:
        raise refusal(folder, "model_name_bad", name=chosen)
    record = read_record(folder, chosen, late=late)
    if completed is not None:
        record = completed(record)
    files = source_files(folder)
    try:
        models.mkdir(parents=True, exist_ok=True)
        with FileLock(models / _LOCK, timeout=LOCK_TIMEOUT_S):
            if chosen in RECORDS or any(
                (place / chosen).exists() for place in (shipped_folder(), models)
            ):
                raise refusal(folder, "model_name_taken", name=chosen)
            for left in models.glob(f"{SCRATCH}*"):  # by imports that were killed
                shutil.rmtree(left, ignore_errors=True)
            return _take_over(folder, files, record, models, note, own=completed is not None)
    except Timeout as error:
        raise WorldError("busy", reason="compiling") from error
    except OSError as error:
        raise explained(error, models) from error


def _take_over(
    folder: Path,
    files: Mapping[str, tuple[Path, int]],
    record: ModelRecord,
    models: Path,
    note: Callable[[str], None],
    *,
    own: bool,
) -> ModelRecord:
    scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=models))
    try:
        source = scratch / record.id / "source"
        source.mkdir(parents=True)
        note(f"Copying {record.id}")
        copy = _link if own else _copy
        sources = tuple(
            copy(folder, file, source / name, most) for name, (file, most) in files.items()
        )
        record = replace(record, package=replace(record.package, files=sources))
        note(f"Comparing {record.id} with a reference, once")
        with tempfile.TemporaryDirectory(dir=scratch) as graph:
            request = CompileRequest(
                record, Precision.FP32, Side.PASSAGES, source, Path(graph), accept=True
            )
            answer = ask_compiler(request)
        if answer.invalid or answer.accepted is None:
            raise refusal(folder, answer.invalid or "model_unread")
        cosines = answer.accepted.cosines
        shape = replace(record.architecture, one_type=answer.accepted.one_type)
        record = replace(
            record, architecture=shape, probe=answer.accepted.probe, cosine_centre=cosines.centre,
            cosine_spread=cosines.spread, cosine_between=cosines.between,
        )  # fmt: skip
        write_record(record, scratch)
        (scratch / record.id).rename(models / record.id)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return record


def _link(folder: Path, file: Path, target: Path, most: int) -> SourceFile:
    """Link one file, which saves its size on the disk, where the file system can; else copy it."""
    try:
        target.hardlink_to(file)
    except OSError:
        return _copy(folder, file, target, most)
    return SourceFile(target.name, target.name, hash_file(file), file.stat().st_size)


def _copy(folder: Path, file: Path, target: Path, most: int) -> SourceFile:
    """Copy one file, of at most so many bytes, and describe it.

    Raises:
        WorldError: ``model_refused`` if it cannot be read or is larger.
        OSError: If it cannot be written.
    """
    regular_size(folder, file, most)
    try:
        source = file.open("rb")
    except OSError as error:
        raise refusal(folder, "model_file_missing", file=file.name) from error
    digest, size = hashlib.sha256(), 0
    with source, replacing(target) as sink:
        while (block := source.read(_CHUNK)) and size <= most:
            digest.update(block)
            size += sink.write(block)
    return SourceFile(target.name, target.name, digest.hexdigest(), size)
