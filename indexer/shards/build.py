"""Builds a library of many shards with workers, and commits it.

A worker fetches the documents of a shard to its own disk, has them read by the command that it is
given, which is the ordinary pipeline in a confined process, and uploads the library. Then it notes
below ``built/``, by the name that the plan gave, which files are the shard; one that is noted is
not built again, so a run that was killed is repeated without harm. Workers are processes of this
machine, or tasks of Ray, which is imported for these alone. The version is committed last.
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

from indexer.api.codec import decode, decode_error, encode
from indexer.api.errors import LecternError, WorldError
from indexer.api.private_files import check_room, gigabytes, library_errors
from indexer.shards import exchange
from indexer.shards.exchange import Shard, Version, stop_if
from indexer.shards.object_store import ObjectStore, is_uri
from indexer.shards.plan import SHARD_BYTES, PlannedShard, planned
from indexer.shards.sources import LeftOut, SourceFile, fetch, listed, normal

_BUILT = "built"
# What a worker is killed by, such as for want of memory, seldom comes three times.
TRIES = 3
# Of what is on the disk beside the documents while a shard is made: library, words, leftovers.
_TIMES_DOCUMENTS = 2
_POLL_S = 0.2
_FOLDER = "lectern-shard-"
# Readers of an earlier version go on so long, and a build must not take longer.
GRACE_S = 7 * 24 * 3600.0


class BuildOptions(Struct, frozen=True):
    """How a library is built.

    Attributes:
        command: Reads folders into a library, with the arguments ``--library DIR shard --first N
            --reader READER FOLDER=PATH…``; prints ``Made`` as JSON, or fails with an error as JSON.
        reader: What it reads and embeds by; part of the names of shards.
        workers: How many shards are built at a time, if not by Ray.
        ray: "" for processes of this machine, "local" for a Ray of its own, or the address of one.
        scratch: Where workers keep what they build.
        shard_bytes: See ``planned``.
        grace_s: For how long versions stay after the next one was committed.
    """

    command: tuple[str, ...]
    reader: str
    workers: int = 1
    ray: str = ""
    scratch: str = ""
    shard_bytes: int = SHARD_BYTES
    grace_s: float = GRACE_S


class Made(Struct, frozen=True):
    """What a command read: documents, passages, and what has no text in the library."""

    documents: int
    passages: int
    failed: tuple[LeftOut, ...] = ()


class ShardJob(Struct, frozen=True):
    """The work of one worker."""

    uri: str
    shard: PlannedShard
    options: BuildOptions


class Built(Struct, frozen=True):
    """A version, and how many of its shards were there before."""

    version: Version
    kept: int


def build(
    uri: str,
    sources: Sequence[str],
    options: BuildOptions,
    gone: Callable[[], bool] = lambda: False,
) -> Built:
    """Build what is missing of a library of some sources, and commit its version.

    Args:
        uri: Where the library is kept.
        sources: Folders and URIs of documents.
        options: See there.
        gone: Whether to stop.

    Raises ``path_missing``; ``store_failed``, also if another program committed at the same time;
    what a worker meets, such as ``disk_full``; ``Cancelled`` once ``gone`` returns True. Shards
    that are finished stay.
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
    missing.sort(key=lambda each: -each.size)  # so that no large one is left to the end
    jobs = [ShardJob(uri, each, options) for each in missing]
    shards |= (_by_ray if options.ray else _by_processes)(jobs, options, gone)
    chosen = tuple(shards[each.name] for each in plan)
    unread = tuple(failed)
    if latest is None or (latest.shards, latest.reader) != (chosen, options.reader):
        latest = exchange.commit(store, latest, chosen, options.reader, unread)
    forget_old(store, options.grace_s)
    return Built(latest, kept)


def _noted(store: ObjectStore, name: str, size: int) -> Shard:
    """The shard that is noted under a name; noted again, so that it is not taken for an old one."""
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
    """Build shards in processes of this machine; the first error ends all."""
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
    """Build shards in tasks of Ray, which are tried again where a machine is lost."""
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
    """Build a shard; job and answer are JSON, so that Ray's pickles hold text alone."""
    try:
        shard = build_shard(decode(ShardJob, json.loads(job)))
    except LecternError as error:
        return json.dumps({"error": encode(error.failure())}, default=str)
    return json.dumps({"shard": encode(shard)})


def build_shard(job: ShardJob, gone: Callable[[], bool] = lambda: False) -> Shard:
    """Build a shard, upload it and note that it is there.

    Raises ``disk_full``, ``store_failed``, or what the command fails with; ``Cancelled`` once
    ``gone`` returns True.
    """
    stop_if(gone)
    store = ObjectStore(job.uri)
    scratch = Path(job.options.scratch or tempfile.gettempdir())
    size = _TIMES_DOCUMENTS * job.shard.size
    with library_errors(scratch, needed=gigabytes(size), disk=scratch):
        scratch.mkdir(parents=True, exist_ok=True)
        for left in scratch.glob(f"{_FOLDER}*"):  # by workers that were killed
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
    if missing:  # the plan's name would promise what is not there
        return shard
    name = f"{_BUILT}/{job.shard.name}"
    if not store.create(name, json.dumps(encode(shard)).encode()):
        noted = store.sizes(_BUILT).get(job.shard.name)
        if noted is not None:  # another worker was first, and its shard is as good
            return _noted(store, job.shard.name, noted)
    return shard


def _fetched(
    documents: Iterable[SourceFile], folder: Path, gone: Callable[[], bool]
) -> tuple[dict[str, Path], list[LeftOut]]:
    """Copy documents below a folder; return the folder of each source, and what was not copied."""
    roots: dict[str, Path] = {}
    missing: list[LeftOut] = []
    for each in documents:
        stop_if(gone)
        if each.source not in roots:
            # Its last component names the documents below it, as it does at home.
            last = each.source.rstrip("/").rpartition("/")[2] or "documents"
            roots[each.source] = folder / "documents" / str(len(roots)) / last
            roots[each.source].mkdir(parents=True)
        if code := fetch(each, roots[each.source] / each.path):
            missing.append(LeftOut(each.whole, code))
    return roots, missing


def _read(job: ShardJob, folder: Path, roots: dict[str, Path], gone: Callable[[], bool]) -> Made:
    """Have the documents read into ``folder/library``; again, if the process is killed."""
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
    try:
        raise decode_error(json.loads(said.strip().splitlines()[-1]))
    except (ValueError, IndexError):
        reason = f"a worker ended with status {status}: {said[-300:]}"
        raise WorldError("store_failed", library=job.uri, reason=reason) from None


def _run(command: list[str], gone: Callable[[], bool]) -> tuple[int, str, str]:
    """Run a command until it ends or is not wanted; return its status and what it printed."""
    environment = {**os.environ, "LECTERN_ERRORS": "json"}
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
    """The folder by which a source is named in a library: for a URI, ``/s3/BUCKET/…``."""
    scheme, separator, rest = source.partition("://")
    return f"/{scheme}/{rest}" if is_uri(source) and separator else source


# -- what is no longer needed ---------------------------------------------------------------


def forget_old(store: ObjectStore, grace_s: float, now: float | None = None) -> int:
    """Delete versions that were replaced before the grace period, and shards of none.

    What was written within the period stays, since another build may be about to commit it. Returns
    how many objects were deleted.
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
