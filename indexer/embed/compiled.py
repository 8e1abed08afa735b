"""Compiled models on disk: built once from verified weights, verified whenever they are opened.

Owns the folder ``<models>/<model>/<precision>-<version>`` with the graph, the tokenizer, weights
that the graph refers to, and a manifest of their hashes; a model with two encoders has two such
folders, prefixed by the side; a graph in float32 for accelerators is ``padded-fp32``. A folder is
renamed into place when it is complete. One that differs from its manifest is rebuilt, by a child
process (``indexer.compiler``). It must not know graphs, sessions or tokens.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.api.atomic import DISK_FULL
from indexer.api.errors import WorldError
from indexer.config import Precision
from indexer.embed.architecture import Family
from indexer.embed.compiling import CompileRequest, ask_compiler
from indexer.embed.fetch import NO_ACCESS, OWNER_ONLY, ensure_source, hash_file
from indexer.embed.models import TOKENIZER, ModelRecord, Side
from indexer.embed.record_files import shipped_folder

if TYPE_CHECKING:
    from collections.abc import Callable


log = logging.getLogger(__name__)

BUILDER_VERSION = 8
MANIFEST = "manifest.json"
GRAPH, DATA = "model.onnx", "model.bin"
BUILD_LOCK = "build.lock"
LOCK_TIMEOUT_S = 600
# Named in the error of a full disk: weights, graphs and scratch files of a model of 100 MB.
_ROOM_BYTES = 500_000_000
_FILES = (GRAPH, DATA, TOKENIZER)


@dataclass(frozen=True, slots=True)
class CompiledModel:
    """A verified compiled model. A model with one encoder has the same folder for both sides."""

    record: ModelRecord
    precision: Precision
    folder: Path
    side: Side = Side.PASSAGES
    padded: bool = False

    @property
    def graph(self) -> Path:
        return self.folder / GRAPH

    @property
    def tokenizer(self) -> Path:
        return self.folder / TOKENIZER


def compiled_folder(
    record: ModelRecord, models: Path, precision: Precision, side: Side = Side.PASSAGES,
    *, padded: bool = False,
) -> Path:  # fmt: skip
    """The folder of a compiled model, whether it exists or not."""
    encoder = f"{side}-" if record.adapted else ""
    form = "padded-" if padded else ""
    return models / record.id / f"{encoder}{form}{precision}-{BUILDER_VERSION}"


def ensure_compiled(
    record: ModelRecord,
    models: Path,
    precision: Precision,
    side: Side = Side.PASSAGES,
    *,
    padded: bool = False,
    download: bool = True,
    note: Callable[[str], None] = lambda _text: None,
) -> CompiledModel:
    """Return the compiled form of a model; builds it if it is missing or damaged.

    Args:
        record: The model.
        models: The folder of all compiled models; made if missing.
        precision: Of the weights.
        side: Which encoder; a model with one encoder is compiled once for both.
        padded: Whether it is for accelerators, where that makes a difference: in float32.
        download: Whether missing weights may be downloaded.
        note: Called with a sentence before a slow step.

    Raises:
        WorldError: ``model_missing`` or ``model_absent`` if there is nothing to build from,
            ``model_damaged`` if the weights are invalid, ``library_unwritable`` or ``disk_full`` if
            the folder cannot be written, ``busy`` if another process builds for too long.
    """
    from filelock import FileLock, Timeout

    padded = padded and precision is Precision.FP32 and record.architecture.family != Family.ONNX
    for place in (shipped_folder(), models):  # installers ship compiled models
        folder = compiled_folder(record, place, precision, side, padded=padded)
        compiled = CompiledModel(record, precision, folder, side, padded)
        if intact(compiled):
            return compiled
    home = models / record.id
    try:
        home.mkdir(parents=True, exist_ok=True)
        with FileLock(home / BUILD_LOCK, timeout=LOCK_TIMEOUT_S):
            if not intact(compiled):  # another process may have built it meanwhile
                source = ensure_source(
                    record, home / "source", places=(models, home),
                    download=download, log_folder=models, note=note,
                )  # fmt: skip
                note(f"Compiling {record.id} to {precision}, once")
                _build(compiled, source)
    except Timeout as error:
        raise WorldError("busy", reason="compiling") from error
    except OSError as error:
        raise explained(error, home) from error
    return compiled


def explained(error: OSError, home: Path) -> Exception:
    """The error of a folder that cannot be written, for the person; else the same error."""
    if error.errno in DISK_FULL:
        return WorldError("disk_full", needed=f"{_ROOM_BYTES / 1e6:.0f} MB", path=str(home))
    if error.errno in NO_ACCESS:
        return WorldError("library_unwritable", library=str(home))
    return error


def intact(compiled: CompiledModel) -> bool:
    """Whether the folder exists and is as this version of the compiler wrote it."""
    return compiled.folder.exists() and not changed_files(compiled)


def changed_files(compiled: CompiledModel) -> list[str]:
    """The names of the files that differ from the manifest; none if the folder does not exist."""
    if not compiled.folder.exists():
        return []
    try:
        manifest = json.loads((compiled.folder / MANIFEST).read_text("utf-8"))
        made, written = manifest["made"], manifest["files"]
        names = [*_FILES, *(written.keys() - set(_FILES))]
        changed = [name for name in names if _hash(compiled.folder / name) != written[name]]
    except (OSError, ValueError, KeyError, TypeError):
        return [MANIFEST]
    return changed if made == _made(compiled) else [*changed, MANIFEST]


def _hash(path: Path) -> str:
    try:
        return hash_file(path)
    except OSError:
        return ""


def _made(compiled: CompiledModel) -> dict[str, Any]:
    """Everything the compiled files depend on."""
    record = compiled.record
    return {
        "model": record.id,
        **({"side": str(compiled.side)} if record.adapted else {}),
        "precision": str(compiled.precision),
        "builder": BUILDER_VERSION,
        **({"padded": True} if compiled.padded else {}),
        **({"edition": record.edition} if record.architecture.stretch != 1 else {}),
        "source": {file.name: file.sha256 for file in record.package.files},
    }


def _build(compiled: CompiledModel, source: Path) -> None:
    """Build the folder under a temporary name and rename it, so that it is never incomplete."""
    home = compiled.folder.parent
    scratch = Path(tempfile.mkdtemp(prefix="building-", dir=home))
    try:
        _compile(compiled, source, scratch)
        shutil.copyfile(source / TOKENIZER, scratch / TOKENIZER)
        files = {path.name: hash_file(path) for path in sorted(scratch.iterdir())}
        manifest = json.dumps({"made": _made(compiled), "files": files}, indent=1)
        (scratch / MANIFEST).write_text(manifest, "utf-8")
        for path in scratch.iterdir():
            _make_durable(path)
        if compiled.folder.exists():
            log.warning("%s is damaged and was built again", compiled.folder)
            shutil.rmtree(compiled.folder)
        scratch.rename(compiled.folder)
        _sync_folder(home)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    _clear_away(compiled)


def _compile(compiled: CompiledModel, source: Path, folder: Path) -> None:
    """Write the graph into a folder.

    Raises:
        OSError: If the folder cannot be written.
        LecternError: ``model_damaged`` for invalid weights, and those of ``ask_compiler``.
    """
    answer = ask_compiler(
        CompileRequest(
            compiled.record,
            compiled.precision,
            compiled.side,
            source.absolute(),
            folder.absolute(),
            compiled.padded,
        )
    )
    if answer.invalid:
        log.warning("%s cannot be compiled: %s", compiled.record.id, answer.invalid)
        raise WorldError("model_damaged", model=compiled.record.id, path=str(source))


def _clear_away(compiled: CompiledModel) -> None:
    """Delete the folders of older builder versions, and the scratch folders of killed builds."""
    record, precision, home = compiled.record, compiled.precision, compiled.folder.parent
    kept = {
        compiled_folder(record, home.parent, precision, side, padded=padded)
        for side in Side for padded in (False, True)
    }  # fmt: skip
    for pattern in (f"{precision}-*", f"*-{precision}-*", "building-*"):
        for folder in home.glob(pattern):
            if folder not in kept:
                shutil.rmtree(folder, ignore_errors=True)


def _make_durable(path: Path) -> None:
    """Restrict a file to its owner, and fsync it."""
    path.chmod(OWNER_ONLY)
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """Fsync a folder to make a rename durable; Windows cannot open folders."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
