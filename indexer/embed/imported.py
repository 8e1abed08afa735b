"""Imports a model from a folder with ONNX files, whole or not at all."""

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
from indexer.embed.acceptance import accept_model
from indexer.embed.exported_folder import (
    card_licence,
    most_bytes,
    read_exported,
    refusal,
    regular_size,
)
from indexer.embed.model_files import (
    hash_file,
    shipped_folder,
    write_content,
    write_error,
    write_record,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from indexer.embed.exported_folder import ExportedModel
    from indexer.embed.models import Interaction, ModelRecord

SCRATCH = "importing-"
LOCK_TIMEOUT_S = 600
IMPORT_LOCK = "import.lock"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_LONGEST_NAME = 64
_CHUNK = 1 << 20


def import_model(  # noqa: PLR0913  # each says what the files of a model leave open
    folder: Path,
    models: Path,
    *,
    name: str = "",
    late: bool = False,
    graph: str = "",
    how: Interaction | None = None,
    completed: Callable[[ModelRecord], ModelRecord] | None = None,
    reporter: Reporter | None = None,
) -> ModelRecord:
    """Copy a model into the folder of models, if its graphs can be used.

    Args:
        folder: With ONNX files, as sentence-transformers or optimum exports them.
        models: The folder of models; made if missing.
        name: The id; by default the name of the folder.
        late: Whether it was trained for late chunking, which its files do not say.
        graph: The ONNX file, if it has not the name that is usual.
        how: How a late-interaction model reads, if its files do not say that.
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
    found = read_exported(folder, chosen, late=late, graph=graph, how=how)
    record = replace(found.record, licence=card_licence(folder))
    found = replace(found, record=completed(record) if completed is not None else record)
    try:
        models.mkdir(parents=True, exist_ok=True)
        with FileLock(models / IMPORT_LOCK, timeout=LOCK_TIMEOUT_S):
            if any((place / chosen).exists() for place in (shipped_folder(), models)):
                raise refusal(folder, "model_name_taken", name=chosen)
            for left in models.glob(f"{SCRATCH}*"):  # by imports that were killed
                shutil.rmtree(left, ignore_errors=True)
            scratch = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=models))
            try:
                copy = _link if completed is not None else _copy
                return _take_over(folder, found, scratch, copy, reporter or Reporter())
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    except Timeout as error:
        raise WorldError("busy", reason="importing") from error
    except OSError as error:
        raise write_error(error, models) from error


def _take_over(
    folder: Path,
    found: ExportedModel,
    scratch: Path,
    copy: Callable[[Path, Path, Path, int], Iterator[int]],
    reporter: Reporter,
) -> ModelRecord:
    """Make the folder of the model in ``scratch``, and move it beside that when it is whole."""
    home = scratch / found.record.id
    home.mkdir(parents=True)
    reporter.note(f"Copying {found.record.id}")
    total = sum(regular_size(folder, path, most_bytes(name)) for name, path in found.files.items())
    done = 0
    for name, path in found.files.items():
        for size in copy(folder, path, home / name, most_bytes(name)):
            done += size
            step = Progress(Step.FETCH, current=home.name, bytes_done=done, bytes_total=total)
            reporter.report(step, force=done == total)
    reporter.note(f"Trying {found.record.id}, once")
    try:
        record, graphs = accept_model(found.record, home, found.graphs, reporter.token)
    except ValueError as error:
        raise refusal(folder, str(error)) from error
    exact = graphs[0]
    weights = home / (exact.data[0] if exact.data else exact.name)
    record = replace(record, edition=hash_file(weights)[:8])
    used = {name for graph in graphs for name in (graph.name, *graph.data)}
    given = {name for graph in found.graphs for name in (graph.name, *graph.data)}
    for name in given - used:
        (home / name).unlink()
    write_content(home, graphs, [name for name in found.files if name not in given - used])
    write_record(record, scratch)
    home.rename(scratch.parent / record.id)
    return record


def _link(folder: Path, file: Path, target: Path, most: int) -> Iterator[int]:
    """Link one file, which saves its size on the disk, where the file system can; else copy it."""
    try:
        target.hardlink_to(file)
    except OSError:
        yield from _copy(folder, file, target, most)


def _copy(folder: Path, file: Path, target: Path, most: int) -> Iterator[int]:
    """Copy one file of at most ``most`` bytes; yields the sizes of its blocks.

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
