"""Imports a model from a folder of sentence-transformers into the folder of models.

Owns copying its files, their acceptance by the compiler process, and that a model is there whole or
not at all. It must not know what the files contain (``sentence_folder``, ``indexer.compiler``).
"""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.api.atomic import replacing
from indexer.api.errors import WorldError
from indexer.api.progress import Progress, Reporter, Step
from indexer.config import Precision
from indexer.embed.compiled import LOCK_TIMEOUT_S, explained
from indexer.embed.compiling import CompileRequest, ask_compiler
from indexer.embed.fetch import hash_file
from indexer.embed.folder_options import card_licence, refusal, regular_size
from indexer.embed.models import RECORDS, Side, SourceFile
from indexer.embed.record_files import shipped_folder, write_record
from indexer.embed.sentence_folder import read_record, source_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from indexer.api.progress import CancelToken
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
    reporter: Reporter | None = None,
) -> ModelRecord:
    """Copy a model into the folder of models, if its graph computes what it should.

    Args:
        folder: Of sentence-transformers, with safetensors.
        models: The folder of models; made if missing.
        name: The id; by default the name of the folder.
        late: Whether it was trained for late chunking, which its files do not say.
        completed: Adds to the record what the files do not say, for a folder of our own, whose
            files are linked instead of copied.
        reporter: Gets the bytes copied, and cancels.

    Raises:
        Cancelled: If the reporter's token was cancelled.
        WorldError: ``model_refused`` with the reason, ``disk_full``, ``library_unwritable``,
            ``busy``.
    """
    from filelock import FileLock, Timeout

    chosen = name or folder.resolve().name
    if not _NAME.fullmatch(chosen) or len(chosen) > _LONGEST_NAME:
        raise refusal(folder, "model_name_bad", name=chosen)
    record = replace(read_record(folder, chosen, late=late), licence=card_licence(folder))
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
            scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=models))
            try:
                copy = _link if completed is not None else _copy
                return _take_over(folder, files, record, scratch, copy, reporter or Reporter())
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    except Timeout as error:
        raise WorldError("busy", reason="compiling") from error
    except OSError as error:
        raise explained(error, models) from error


def _take_over(
    folder: Path,
    files: Mapping[str, tuple[Path, int]],
    record: ModelRecord,
    scratch: Path,
    copy: Callable[[Path, Path, Path, int], Iterator[int]],
    reporter: Reporter,
) -> ModelRecord:
    """Make the folder of the model in ``scratch``, and move it beside that when it is whole."""
    source = scratch / record.id / "source"
    source.mkdir(parents=True)
    reporter.note(f"Copying {record.id}")
    total = sum(regular_size(folder, file, most) for file, most in files.values())
    done = 0
    for name, (file, most) in files.items():
        for size in copy(folder, file, source / name, most):
            done += size
            step = Progress(Step.FETCH, current=record.id, bytes_done=done, bytes_total=total)
            reporter.report(step, force=done == total)
    sources = tuple(
        SourceFile(name, name, hash_file(source / name), (source / name).stat().st_size)
        for name in files
    )
    record = replace(record, package=replace(record.package, files=sources))
    reporter.note(f"Comparing {record.id} with a reference, once")
    record = _accepted(folder, record, source, reporter.token)
    write_record(record, scratch)
    (scratch / record.id).rename(scratch.parent / record.id)
    return record


def _accepted(folder: Path, record: ModelRecord, source: Path, token: CancelToken) -> ModelRecord:
    """The record with what was measured of its graph.

    Raises:
        WorldError: ``model_refused`` if the graph does not compute what the reference does.
    """
    with tempfile.TemporaryDirectory(dir=source.parents[1]) as graph:
        request = CompileRequest(
            record, Precision.FP32, Side.PASSAGES, source, Path(graph), accept=True
        )
        answer = ask_compiler(request, token)
    if answer.invalid or answer.accepted is None:
        raise refusal(folder, answer.invalid or "model_unread")
    cosines = answer.accepted.cosines
    return replace(
        record, architecture=replace(record.architecture, one_type=answer.accepted.one_type),
        probe=answer.accepted.probe, cosine_centre=cosines.centre, cosine_spread=cosines.spread,
        cosine_between=cosines.between, parameters=answer.accepted.parameters,
    )  # fmt: skip


def _link(folder: Path, file: Path, target: Path, most: int) -> Iterator[int]:
    """Link one file, which saves its size on the disk, where the file system can; else copy it."""
    try:
        target.hardlink_to(file)
    except OSError:
        yield from _copy(folder, file, target, most)


def _copy(folder: Path, file: Path, target: Path, most: int) -> Iterator[int]:
    """Copy one file, of at most so many bytes; the sizes of its blocks.

    Raises:
        WorldError: ``model_refused`` if it cannot be read or is larger.
        OSError: If it cannot be written.
    """
    regular_size(folder, file, most)
    try:
        source = file.open("rb")
    except OSError as error:
        raise refusal(folder, "model_file_missing", file=file.name) from error
    with source, replacing(target) as sink:
        left = most
        while left > 0 and (block := source.read(min(left, _CHUNK))):
            left -= sink.write(block)
            yield len(block)
