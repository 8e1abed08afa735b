"""The folders of models, with ``record.json``, ``content.json``, graphs, data and tokenizer.

Models that come with Lectern are in its resources, others in the person's folder of models. Before
a graph is opened, its files are compared with their hashes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import resources
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from msgspec import Struct

from indexer.api.codec import decode, encode
from indexer.api.errors import WorldError
from indexer.api.private_files import library_errors, write_file
from indexer.embed.models import (
    PUBLISHED,
    TOKENIZER,
    GraphFile,
    ModelContent,
    ModelFile,
    ModelRecord,
    Side,
)

if TYPE_CHECKING:
    from indexer.config import Precision

RECORD, CONTENT = "record.json", "content.json"
OWNER_ONLY = 0o600
# The bytes in the error of a full disk: the files of a model of 100 MB.
_ROOM = "500 MB"


class ModelForm(Struct, frozen=True):
    """A graph of a model in ``folder``, whose files are verified.

    ``precision`` is the requested one; a model without it is read in float32.
    """

    record: ModelRecord
    precision: Precision
    side: Side
    folder: Path
    graph: GraphFile

    @property
    def path(self) -> Path:
        return self.folder / self.graph.name

    @property
    def tokenizer(self) -> Path:
        return self.folder / TOKENIZER


def shipped_folder() -> Path:
    """The folder of the models that come with Lectern, with a subfolder for each."""
    return Path(str(resources.files("resources"))) / "models"


def model_folder(model: str, models: Path | None) -> Path:
    """The folder of a model, which may not exist."""
    shipped = shipped_folder() / model
    return shipped if models is None or (shipped / RECORD).exists() else models / model


def known_records(models: Path | None = None) -> Iterator[ModelRecord]:
    """Every record that ``find_record`` finds; unreadable files are skipped."""
    seen = set()
    for folder in (shipped_folder(), *([models] if models else [])):
        for file in sorted(folder.glob(f"*/{RECORD}")):
            if file.parent.name not in seen:
                seen.add(file.parent.name)
                with contextlib.suppress(WorldError):
                    yield find_record(file.parent.name, models)


def find_record(model: str, models: Path | None = None) -> ModelRecord:
    """Find a record by its id, in ``shipped_folder()`` or in ``models``.

    Raises ``unknown_model`` if there is none or its file cannot be read, ``model_absent`` for a
    published model that was not fetched.
    """
    if PurePath(model).name != model:
        raise WorldError("unknown_model", model=model)
    try:
        # The name may be too long for the file system.
        file = model_folder(model, models) / RECORD
        record = decode(ModelRecord, json.loads(file.read_text("utf-8")))
    except FileNotFoundError as error:
        if model in PUBLISHED:
            raise WorldError("model_absent", model=model, reason="not_fetched") from error
        raise WorldError("unknown_model", model=model) from error
    except (OSError, ValueError, WorldError) as error:
        raise WorldError("unknown_model", model=model) from error
    if record.id != model:
        raise WorldError("unknown_model", model=model)
    return record


def write_record(record: ModelRecord, models: Path) -> None:
    """Write a record into a folder of models."""
    (models / record.id).mkdir(parents=True, exist_ok=True)
    write_file(models / record.id / RECORD, json.dumps(encode(record), indent=1) + "\n")


def read_content(folder: Path) -> ModelContent | None:
    """Read the content of a folder; None if it is unknown."""
    try:
        return decode(ModelContent, json.loads((folder / CONTENT).read_text("utf-8")))
    except (OSError, ValueError, WorldError):
        return None


def write_content(
    folder: Path, graphs: Iterable[GraphFile], names: Iterable[str], made: str = ""
) -> ModelContent:
    """Write a folder's content: its graphs and the hashes of some files."""
    files = (
        ModelFile(name, hash_file(folder / name), (folder / name).stat().st_size) for name in names
    )
    content = ModelContent(tuple(graphs), tuple(files), made)
    write_file(folder / CONTENT, json.dumps(encode(content), indent=1) + "\n")
    return content


def find_form(
    record: ModelRecord,
    models: Path,
    precision: Precision,
    side: Side = Side.PASSAGES,
    *,
    card: bool = False,
) -> ModelForm:
    """Find a graph of a model, for an accelerator (``card``) or not, and verify its files.

    ``precision`` is that of the weights; float32 is used if the model lacks it. Raises
    ``model_absent`` if the model is not on this machine, ``model_damaged`` if a file was changed.
    """
    folder = model_folder(record.id, models)
    content = read_content(folder)
    graph = content.find_graph(precision, side, card=card) if content is not None else None
    if content is None or graph is None:
        reason = "fetch_again" if record.repository else "was_imported"
        if folder.parent == shipped_folder():
            reason = "not_built"
        raise WorldError("model_absent", model=record.id, reason=reason)
    wanted = {graph.name, *graph.data, TOKENIZER}
    if changed_files(folder, wanted):
        raise WorldError("model_damaged", model=record.id, path=str(folder))
    return ModelForm(record, precision, side, folder, graph)


def changed_files(folder: Path, names: Iterable[str] | None = None) -> list[str]:
    """The files of a model's folder, or of some names, that are missing or differ from their hash.

    There are none if the folder's content is unknown.
    """
    content = read_content(folder)
    if content is None:
        return []
    wanted = None if names is None else set(names)
    return [
        file.name
        for file in content.files
        if (wanted is None or file.name in wanted) and not _is_intact(folder / file.name, file)
    ]


def _is_intact(path: Path, file: ModelFile) -> bool:
    try:
        found = path.stat()
        same = found.st_size == file.size
        return same and _known_hash(path, found.st_mtime_ns, found.st_size) == file.sha256
    except OSError:
        return False


@lru_cache(maxsize=256)
def _known_hash(path: Path, _changed_ns: int, _size: int) -> str:
    """The hash of a file, cached until the file is written again."""
    return hash_file(path)


def hash_file(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextlib.contextmanager
def changing_models(folder: Path, lock: Path, reason: str, *, seconds: float = 0) -> Iterator[None]:
    """Change a folder of models under a lock, which another process may hold for some seconds.

    Raises ``busy`` with the reason if it holds it longer, ``disk_full`` or ``library_unwritable``.
    """
    from filelock import FileLock, Timeout

    with library_errors(folder, needed=_ROOM):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with FileLock(lock, timeout=seconds):
                yield
        except Timeout as error:
            raise WorldError("busy", reason=reason) from error
