"""Fetches a published model from a hub into the folder of models, at the person's request.

A model exists completely or not at all. Downloaded parts stay, so that the next attempt continues.
A child downloads it (``hub_child``), since this process has no network. Each connection is written
to a log that the person can read, one JSON object a line: ``time`` (ISO, UTC), ``what`` was
requested and the ``outcome``.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path

from msgspec import Struct

from indexer.api.codec import decode, encode
from indexer.api.errors import Failure, InternalError, LecternError, WorldError
from indexer.api.models import ModelInfo
from indexer.api.phrases import reason_in
from indexer.api.progress import Progress, Reporter, Step
from indexer.api.status import ConnectionMade
from indexer.confine import launcher
from indexer.confine.process import child_command
from indexer.embed.imported import import_model
from indexer.embed.model_files import changing_models
from indexer.embed.models import PUBLISHED, ModelRecord, completed

log = logging.getLogger(__name__)

CONNECTIONS_LOG = "connections.log"
MOST_CONNECTIONS = 200
_MOST_BYTES = 1 << 18


def note_connection(folder: Path, what: str, outcome: str) -> None:
    """Add a connection to the log of a folder, or to the program's log if that fails.

    ``outcome`` is a code of ``indexer.api.phrases``, or the message of another program.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    line = {"time": now, "what": what, "outcome": outcome}
    log.info("connected: %s: %s", what, outcome)
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        descriptor = os.open(folder / CONNECTIONS_LOG, flags, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    except OSError as error:
        log.warning("the connection could not be logged: %s", error.strerror)


def read_connections(folder: Path) -> tuple[ConnectionMade, ...]:
    """Return the last connections, newest first; unreadable lines are skipped."""
    try:
        with (folder / CONNECTIONS_LOG).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _MOST_BYTES))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return ()
    found = filter(None, map(_line, reversed(text.splitlines())))
    return tuple(islice(found, MOST_CONNECTIONS))


def _line(text: str) -> ConnectionMade | None:
    try:
        return decode(ConnectionMade, json.loads(text))
    except (ValueError, WorldError):
        return None


CHILD = "indexer.embed.hub_child"
FOLDER = "fetching-"
LISTING, PART, CANCELLED = "listing.json", ".part", "cancelled"
# The time limit of a request to the launcher. The child itself ends when no data arrives.
_LONGEST_S = 48 * 3600.0
_POLL_S = 0.2


class HubFile(Struct, frozen=True):
    """A file as described by the hub; ``hash`` is its SHA-256, or git's SHA-1 of it."""

    name: str
    size: int
    hash: str


class Listing(Struct, frozen=True):
    """The files of one commit to fetch."""

    revision: str
    files: tuple[HubFile, ...]


class HubRequest(Struct, frozen=True):
    """The argument of the child, as JSON. It answers with a failure, or with null when done."""

    repository: str
    folder: Path


def get_published(
    published: ModelInfo, models: Path, *, offline: bool = False, reporter: Reporter | None = None
) -> ModelRecord:
    """Fetch a model into the folder of models, which is made if missing.

    Args:
        published: The model.
        models: The folder of models.
        offline: Whether the network may not be used.
        reporter: Receives the number of bytes fetched, and can cancel.

    Raises ``Cancelled`` if the token was cancelled, ``model_gated``, ``model_missing`` with the
    reason, ``download_wrong``, ``disk_full``, ``busy``, and the errors of ``import_model``.
    """
    if offline:
        raise WorldError("model_missing", model=published.id, reason="offline")
    folder = models / f"{FOLDER}{published.id}"
    reporter = reporter or Reporter()
    with changing_models(folder, models / f"{folder.name}.lock", "fetching"):
        _download_watched(published, folder, reporter)
        card = partial(completed, card=published, revision=read_listing(folder).revision)
        record = import_model(folder, models, name=published.id, completed=card, reporter=reporter)
        shutil.rmtree(folder, ignore_errors=True)
    return record


def read_listing(folder: Path) -> Listing:
    """Read a folder's listing. Raises OSError, ValueError or WorldError if there is none yet."""
    return decode(Listing, json.loads((folder / LISTING).read_text("utf-8")))


def _download_watched(published: ModelInfo, folder: Path, reporter: Reporter) -> None:
    """Download on another thread, report progress, and end the download if cancelled."""
    (folder / CANCELLED).unlink(missing_ok=True)
    with ThreadPoolExecutor(1, "hub") as pool:
        downloaded = pool.submit(_logged_download, published, folder)
        try:
            while not downloaded.done():
                reporter.report(_progress(published, folder))
                wait([downloaded], _POLL_S)
        except BaseException:
            (folder / CANCELLED).touch()  # ends the child, in whichever process it runs
            raise
    downloaded.result()
    reporter.report(_progress(published, folder), force=True)


def _progress(published: ModelInfo, folder: Path) -> Progress:
    done = total = 0
    with contextlib.suppress(OSError, ValueError, LecternError):
        for file in read_listing(folder).files:
            total += file.size
            for path in (folder / file.name, folder / (file.hash + PART)):
                with contextlib.suppress(OSError):
                    done += path.stat().st_size
    return Progress(Step.FETCH, current=published.id, bytes_done=done, bytes_total=total)


def _logged_download(published: ModelInfo, folder: Path) -> None:
    what = f"GET {published.homepage}"
    try:
        _download_outside(published, folder)
    except WorldError as error:
        note_connection(folder.parent, what, reason_in(error.detail, error.code))
        raise
    note_connection(folder.parent, what, "connected")


def _download_outside(published: ModelInfo, folder: Path) -> None:
    """Download through the launcher, as this process has no network."""
    outside = launcher.current()
    if outside is None:
        _run_child(published, folder, lambda: False)
        return
    try:
        outside.ask_launcher(launcher.FetchModel(published.id, folder), seconds=_LONGEST_S)
    except InternalError as error:
        reason = reason_in(error.detail, error.message)
        raise WorldError("model_missing", model=published.id, reason=reason) from error


def download_known(model: str, folder: Path, gone: Callable[[], bool]) -> None:
    """Download a published model in the launcher, for a process without network.

    Only a row of ``PUBLISHED`` is fetched, and only into a folder that ``get_published`` made.
    Raises ``bad_request`` for another folder, ``unknown_model``, and the errors of the child.
    """
    if model not in PUBLISHED:
        raise WorldError("unknown_model", model=model)
    if folder.name != f"{FOLDER}{model}":
        raise WorldError("bad_request", reason="no folder for a download")
    _run_child(PUBLISHED[model], folder, gone)


def _run_child(published: ModelInfo, folder: Path, gone: Callable[[], bool]) -> None:
    request = json.dumps(encode(HubRequest(published.repository, folder)))
    with tempfile.TemporaryDirectory() as elsewhere:  # Python reads no configuration in a folder
        try:
            with subprocess.Popen(
                [*child_command(CHILD), request], stdin=subprocess.DEVNULL, cwd=elsewhere,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
            ) as process:  # fmt: skip
                said = _wait(process, lambda: gone() or (folder / CANCELLED).exists())
        except OSError as error:
            raise WorldError("model_missing", model=published.id, reason=str(error)) from error
    if said is None:
        raise WorldError("model_missing", model=published.id, reason="stopped_answering")
    try:
        failure = decode(Failure | None, json.loads(said[0]))
    except (ValueError, WorldError) as error:
        tail = said[1].strip()[-500:] or f"status {process.returncode}"
        raise WorldError("model_missing", model=published.id, reason=tail) from error
    if failure is not None:
        raise failure.error()


def _wait(process: subprocess.Popen[str], cancelled: Callable[[], bool]) -> tuple[str, str] | None:
    """Return the output and errors of a process; None if it was killed because ``cancelled``."""
    while True:
        try:
            return process.communicate(timeout=_POLL_S)
        except subprocess.TimeoutExpired:
            if cancelled():
                process.kill()
                return None
