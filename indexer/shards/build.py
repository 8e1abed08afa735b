"""Builds a library of many shards with several workers, and commits it.

A worker fetches the documents of a shard to its own disk, runs a command that reads them (the
ordinary pipeline in a confined process), and uploads the library. Then it writes a note below
``built/``, with the shard's name in the plan, that lists the shard's files. A shard with a note is
not built again, so a killed run can be repeated without harm. Workers are processes of this
machine, or tasks of Ray, which is imported only then. The version is committed last.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import pairwise
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from indexer.api.codec import ERRORS_AS_JSON, decode, decode_error, encode, written_error
from indexer.api.errors import LecternError, WorldError
from indexer.api.private_files import check_room, gigabytes, library_errors
from indexer.shards import exchange
from indexer.shards.exchange import Shard, Version, stop_if
from indexer.shards.object_store import ObjectStore, is_uri
from indexer.shards.sources import (
    SHARD_BYTES,
    LeftOut,
    PlannedShard,
    SourceFile,
    fetch,
    listed,
    normal,
    planned,
)

_BUILT = "built"
# A cause for which a worker is killed, such as a lack of memory, seldom occurs three times.
TRIES = 3
# The space needed for a shard, as a multiple of its documents: library, words and the rest.
_TIMES_DOCUMENTS = 2
_POLL_S = 0.2
_FOLDER = "lectern-shard-"
# An earlier version is readable for this long, and a build must not take longer.
GRACE_S = 7 * 24 * 3600.0


class BuildOptions(Struct, frozen=True):
    """How a library is built.

    Attributes:
        command: The command that reads folders into a library. It gets the arguments ``--library
            DIR shard --first N --reader READER FOLDER=PATH…``, and prints ``Made`` or an error as
            JSON.
        reader: The way in which it reads and embeds; a part of the names of shards.
        workers: The number of shards that are built at a time, without Ray.
        ray: "" for processes of this machine, "local" for a new Ray, or the address of one.
        scratch: The folder in which workers build.
        shard_bytes: See ``planned``.
        grace_s: How long a version stays after the next one is committed.
    """

    command: tuple[str, ...]
    reader: str
    workers: int = 1
    ray: str = ""
    scratch: str = ""
    shard_bytes: int = SHARD_BYTES
    grace_s: float = GRACE_S


class Made(Struct, frozen=True):
    """The numbers of documents and passages that a command read, and the documents without text."""

    documents: int
    passages: int
    failed: tuple[LeftOut, ...] = ()


class ShardJob(Struct, frozen=True):
    """The work of one worker."""

    uri: str
    shard: PlannedShard
    options: BuildOptions


class Built(Struct, frozen=True):
    """A version, and the number of its shards that existed before."""

    version: Version
    kept: int


def build(
    uri: str,
    sources: Sequence[str],
    options: BuildOptions,
    gone: Callable[[], bool] = lambda: False,
) -> Built:
    """Build the missing shards of a library of some sources, and commit its version.

    Args:
        uri: The place of the library.
        sources: Folders and URIs of documents.
        options: See ``BuildOptions``.
        gone: Whether to stop.

    Raises ``path_missing``, ``store_failed`` (even if another program committed at the same time),
    errors of workers, such as ``disk_full``, and ``Cancelled`` once ``gone`` returns True. Finished
    shards stay.
    """
    store = ObjectStore(uri)
    latest = exchange.latest_version(store)
    found, failed = listed(sorted({normal(source) for source in sources}), lambda: stop_if(gone))
    plan = planned(found, options.reader, options.shard_bytes)
    if not plan:
        raise WorldError("path_missing", path=", ".join(sources))
    noted = {entry.name: entry.size for entry in store.entries(_BUILT)}
    shards: dict[str, Shard] = {}
    for each in plan:
        if (size := noted.get(f"{_BUILT}/{each.name}")) is not None:
            shards[each.name] = _noted(store, each.name, size)
    if len({shard.name for shard in shards.values()}) < len(shards):
        raise store.failure(f"two of the notes below {_BUILT} are of one shard; delete them")
    kept = len(shards)
    missing = [each for each in plan if each.name not in shards]
    missing.sort(key=lambda each: -each.size)  # large ones first, so that none is left to the end
    jobs = [ShardJob(uri, each, options) for each in missing]
    shards |= (_by_ray if options.ray else _by_processes)(jobs, options, gone)
    chosen = tuple(shards[each.name] for each in plan)
    unread = tuple(failed)
    if latest is None or (latest.shards, latest.reader) != (chosen, options.reader):
        latest = exchange.commit(store, latest, chosen, options.reader, unread)
    forget_old(store, options.grace_s)
    return Built(latest, kept)


def _noted(store: ObjectStore, name: str, size: int) -> Shard:
    """Read the note of a shard, and write it again, so that it does not count as old."""
    shard, content = _note(store, name, size)
    store.write(f"{_BUILT}/{name}", content)
    return shard


def _note(store: ObjectStore, name: str, size: int) -> tuple[Shard, bytes]:
    content = b"".join(store.read(f"{_BUILT}/{name}", size))
    with contextlib.suppress(ValueError, RecursionError, WorldError):
        if exchange.is_sound(shard := decode(Shard, json.loads(content))):
            return shard, content
    raise store.failure(f"its note {_BUILT}/{name} is not understood; delete it")


# -- workers --------------------------------------------------------------------------------


def _by_processes(
    jobs: Sequence[ShardJob], options: BuildOptions, gone: Callable[[], bool]
) -> Iterator[tuple[str, Shard]]:
    """Build shards in processes of this machine. The first error ends all."""
    ended = False

    def stopped() -> bool:
        return ended or gone()

    with ThreadPoolExecutor(max(1, options.workers), "shard") as pool:
        waiting = {pool.submit(build_shard, job, stopped): job for job in jobs}
        try:
            while waiting:
                stop_if(gone)
                done, _ = wait(waiting, _POLL_S, FIRST_COMPLETED)
                for each in done:
                    yield waiting.pop(each).shard.name, each.result()
        finally:
            ended = True


def _by_ray(
    jobs: Sequence[ShardJob], options: BuildOptions, gone: Callable[[], bool]
) -> Iterator[tuple[str, Shard]]:
    """Build shards in tasks of Ray, which are tried again if a machine is lost."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise WorldError("store_failed", library="", reason="install `lectern[cluster]`") from error
    local = options.ray == "local"
    ray.init(
        address=None if local else options.ray,
        num_cpus=max(1, options.workers) if local else None,
        include_dashboard=False if local else None,
        _node_ip_address="127.0.0.1" if local else None,
        log_to_driver=False,
        configure_logging=False,
    )
    try:
        task = ray.remote(num_cpus=1, max_retries=TRIES)(build_told)
        waiting = {task.remote(json.dumps(encode(job))): job for job in jobs}
        while waiting:
            stop_if(gone)
            done, _ = ray.wait(list(waiting), timeout=_POLL_S)
            for each in done:
                name = waiting.pop(each).shard.name
                try:
                    answer = json.loads(ray.get(each))
                except Exception as error:
                    said = [type(error).__name__, *str(error).strip().splitlines()][-1]
                    raise WorldError("store_failed", library=name, reason=said) from error
                if "error" in answer:
                    raise decode_error(answer["error"])
                yield name, decode(Shard, answer["shard"])
    finally:
        ray.shutdown()


def build_told(job: str) -> str:
    """Build a shard. Job and answer are JSON, so that Ray only pickles text."""
    try:
        shard = build_shard(decode(ShardJob, json.loads(job)))
    except LecternError as error:
        return json.dumps({"error": encode(error.failure())}, default=str)
    return json.dumps({"shard": encode(shard)})


def build_shard(job: ShardJob, gone: Callable[[], bool] = lambda: False) -> Shard:
    """Build a shard, upload it and write its note.

    Raises ``disk_full``, ``store_failed``, the error of the command, or ``Cancelled`` once ``gone``
    returns True.
    """
    stop_if(gone)
    store = ObjectStore(job.uri)
    scratch = Path(job.options.scratch or tempfile.gettempdir())
    size = _TIMES_DOCUMENTS * job.shard.size
    with library_errors(scratch, needed=gigabytes(size), disk=scratch):
        scratch.mkdir(parents=True, exist_ok=True)
        for left in scratch.glob(f"{_FOLDER}*"):  # killed workers left these
            if left.stat().st_mtime < time.time() - GRACE_S:
                shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=_FOLDER, dir=scratch))
        try:
            check_room(size, scratch)
            roots, missing = _fetched(job.shard.documents, folder, gone)
            made = _read(job, folder, roots, gone)
            library = folder / "library"
            shard = replace(
                exchange.described(library),
                documents=made.documents,
                passages=made.passages,
                failed=(*made.failed, *missing),
            )
            exchange.upload(store, library, shard, gone)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    if missing:  # the name in the plan stands for all documents
        return shard
    name = f"{_BUILT}/{job.shard.name}"
    if not store.create(name, json.dumps(encode(shard)).encode()):
        noted = store.sizes(_BUILT).get(job.shard.name)
        if noted is not None:  # another worker was first; its shard is equally good
            return _noted(store, job.shard.name, noted)
    return shard


def _fetched(
    documents: Iterable[SourceFile], folder: Path, gone: Callable[[], bool]
) -> tuple[dict[str, Path], list[LeftOut]]:
    """Copy documents below a folder; return each source's folder, and documents not copied."""
    roots: dict[str, Path] = {}
    missing: list[LeftOut] = []
    for each in documents:
        stop_if(gone)
        if each.source not in roots:
            # Its last component is part of the documents' names, as it is in the source.
            last = each.source.rstrip("/").rpartition("/")[2] or "documents"
            roots[each.source] = folder / "documents" / str(len(roots)) / last
            roots[each.source].mkdir(parents=True)
        if code := fetch(each, roots[each.source] / each.path):
            missing.append(LeftOut(each.whole, code))
    return roots, missing


def _read(job: ShardJob, folder: Path, roots: dict[str, Path], gone: Callable[[], bool]) -> Made:
    """Run the command that reads documents into ``folder/library``, again if it is killed."""
    library = folder / "library"
    first = str(job.shard.first_document)
    pairs = [f"{root}={shown(source)}" for source, root in roots.items()]
    command = [*job.options.command, "--library", str(library), "shard"]
    command += ["--first", first, "--reader", job.options.reader, *pairs]
    for _ in range(TRIES):
        shutil.rmtree(library, ignore_errors=True)
        status, out, said = _run(command, gone)
        if status == 0:
            return decode(Made, json.loads(out))
        if status > 0:
            break
    reason = f"a worker ended with status {status}: {said[-300:]}"
    raise written_error(said) or WorldError("store_failed", library=job.uri, reason=reason)


def _run(command: list[str], gone: Callable[[], bool]) -> tuple[int, str, str]:
    """Run a command until it ends or ``gone`` returns True; return its status and output."""
    environment = {**os.environ, **ERRORS_AS_JSON}
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment, encoding="utf-8", errors="replace",
    ) as process:  # fmt: skip
        try:
            while True:
                try:
                    out, said = process.communicate(timeout=_POLL_S)
                    break
                except subprocess.TimeoutExpired:
                    stop_if(gone)
        except BaseException:
            process.terminate()
            raise
    return process.returncode, out, said


def shown(source: str) -> str:
    """The folder that stands for a source in a library; for a URI, ``/s3/BUCKET/…``."""
    scheme, separator, rest = source.partition("://")
    return f"/{scheme}/{rest}" if is_uri(source) and separator else source


# -- what is no longer needed ---------------------------------------------------------------


def forget_old(store: ObjectStore, grace_s: float, now: float | None = None) -> int:
    """Delete versions that were replaced before the grace period, and shards of no version.

    Objects written within the period stay, since another build may be about to commit them. Returns
    the number of deleted objects.
    """
    before = (time.time() if now is None else now) - grace_s
    versions = exchange.versions(store)
    gone = [one.name for one, later in pairwise(versions) if later.written < before]
    stay = [each for each in versions if each.name not in set(gone)]
    used = {
        shard.name
        for each in stay
        for shard in exchange.read_version(store, each.name.rpartition("/")[2], each.size).shards
    }
    for each in store.entries(_BUILT):
        shard, _ = _note(store, each.name.removeprefix(f"{_BUILT}/"), each.size)
        if each.written >= before:
            used.add(shard.name)
        elif shard.name not in used:
            gone.append(each.name)
    files = store.entries("shards")
    latest: Counter[str] = Counter()
    for each in files:
        name = each.name.split("/")[1]
        latest[name] = max(latest[name], int(each.written))
    gone += [
        each.name
        for each in files
        if (name := each.name.split("/")[1]) not in used and latest[name] < before
    ]
    store.delete(gone)
    return len(gone)
