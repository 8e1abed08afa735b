"""Publishes a library below a URI, and pulls it.

Below the URI are the files of libraries, ``shards/NAME/FILE``, each library named by the hash of
its files, and manifests, ``versions/NUMBER``, with the shards of a version and the checksum of each
file. A manifest is written last, and only if its number is free. So one of two publishers wins, and
a reader sees one version or the other. Shards are never changed, so a killed run can be repeated
without harm, and readers of an earlier version can continue. A version of several shards
(``build``) is joined to one library when it is pulled.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from indexer.api.codec import decode, encode
from indexer.api.errors import Cancelled, WorldError
from indexer.api.private_files import (
    LibraryLock,
    bytes_under,
    check_room,
    gigabytes,
    library_errors,
)
from indexer.catalog.catalog import Catalog
from indexer.embed.model_files import hash_file
from indexer.library.library import CATALOG_NAME, exists, shared_files
from indexer.shards.join import join
from indexer.shards.object_store import ObjectStore, StoredObject
from indexer.shards.sources import LeftOut  # noqa: TC001  # manifests are decoded by it

_FORMAT = 1
_VERSIONS, _SHARDS = "versions", "shards"
# The limit of cached shards that were joined. Those of the requested version are always kept.
CACHE_BYTES = 64 << 30
# The number of files pulled at a time. Most are small, and each request has a delay.
_AT_ONCE = 8
_MANIFEST_BYTES = 64 << 20
_NUMBER = re.compile(r"\d{10}")
_HASH = re.compile(r"[0-9a-f]{64}")
# With other names a hostile manifest could create files outside of the folder.
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/\.?[A-Za-z0-9_][A-Za-z0-9_.-]*){0,5}")


class ShardFile(Struct, frozen=True):
    """A file of a shard, with its path in the shard's folder."""

    name: str
    size: int
    sha256: str


class Shard(Struct, frozen=True):
    """A library of a version. A built one has counts and the documents that failed."""

    name: str
    files: tuple[ShardFile, ...]
    documents: int = 0
    passages: int = 0
    failed: tuple[LeftOut, ...] = ()

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


class Version(Struct, frozen=True):
    """A published state of a URI.

    ``reader`` says how its shards were built: model, precision and the library's formats.
    """

    number: int
    shards: tuple[Shard, ...]
    format: int = _FORMAT
    reader: str = ""
    failed: tuple[LeftOut, ...] = ()

    @property
    def name(self) -> str:
        """The name of the only shard, or a hash of the names of all."""
        names = sorted(shard.name for shard in self.shards)
        return names[0] if len(names) == 1 else _hash("".join(names).encode())


def publish(library: Path, uri: str, gone: Callable[[], bool] = lambda: False) -> Version:
    """Publish a library that no engine has open, unless its present state is published.

    Raises ``path_missing``, ``library_locked``, ``store_failed``, or ``Cancelled`` once ``gone``,
    which is called between files, returns True.
    """
    if not exists(library):
        raise WorldError("path_missing", path=str(library))
    with LibraryLock.acquire(library, "lectern library publish"):
        shard = described(library)
        store = ObjectStore(uri)
        latest = latest_version(store)
        if latest is not None and latest.shards == (shard,):
            return latest
        upload(store, library, shard, gone)
    return commit(store, latest, (shard,))


def described(library: Path) -> Shard:
    """Describe the files of a closed library, after merging SQLite's WAL files into them."""
    for path in shared_files(library):
        if path.suffix == ".sqlite":
            with contextlib.closing(sqlite3.connect(path)) as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    files = tuple(
        ShardFile(path.relative_to(library).as_posix(), path.stat().st_size, hash_file(path))
        for path in shared_files(library)
    )
    return Shard(_hash(json.dumps(encode(files)).encode()), files)


def upload(store: ObjectStore, library: Path, shard: Shard, gone: Callable[[], bool]) -> None:
    """Upload the missing files of a shard; raises as ``publish``."""
    there = store.sizes(f"{_SHARDS}/{shard.name}")
    for file in shard.files:
        stop_if(gone)
        if there.get(file.name) != file.size:
            store.write(f"{_SHARDS}/{shard.name}/{file.name}", library / file.name)


def commit(
    store: ObjectStore,
    latest: Version | None,
    shards: tuple[Shard, ...],
    reader: str = "",
    failed: tuple[LeftOut, ...] = (),
) -> Version:
    """Write the version after the latest, unless another program has.

    Raises ``store_failed``, even if another program was first.
    """
    number = 1 if latest is None else latest.number + 1
    version = Version(number, shards, reader=reader, failed=failed)
    content = json.dumps(encode(version), sort_keys=True).encode()
    manifest = f"{_hash(content)}\n".encode() + content
    name = f"{_VERSIONS}/{version.number:010}"
    # If an answer is lost, the client sends the manifest again and finds its own one.
    if not store.create(name, manifest) and b"".join(store.read(name, len(manifest))) != manifest:
        raise store.failure("another program published at the same time, and was first")
    return version


def latest_version(store: ObjectStore) -> Version | None:
    """Return the newest version below a URI; None if there is none.

    Raises ``store_failed``, even if a manifest is damaged or has a newer format.
    """
    there = versions(store)
    return read_version(store, there[-1].name.rpartition("/")[2], there[-1].size) if there else None


def read_version(store: ObjectStore, name: str, size: int) -> Version:
    """Read a version by the name and size of its manifest; raises as ``latest_version``."""
    if size > _MANIFEST_BYTES:
        raise store.failure(f"its manifest {name} is too large")
    checksum, _, content = b"".join(store.read(f"{_VERSIONS}/{name}", size)).partition(b"\n")
    if checksum != _hash(content).encode():
        raise store.failure(f"its manifest {name} is damaged")
    try:
        version = decode(Version, json.loads(content))
    except (ValueError, RecursionError, WorldError) as error:
        raise store.failure(f"its manifest {name} is not understood") from error
    sound = all(map(is_sound, version.shards))
    if version.format != _FORMAT or version.number != int(name) or not sound:
        raise store.failure(f"its manifest {name} is not understood")
    return version


def is_sound(shard: Shard) -> bool:
    """Whether the names of a shard and its files stay inside their folder."""
    files = all(_FILE.fullmatch(file.name) and file.size >= 0 for file in shard.files)
    return files and bool(_HASH.fullmatch(shard.name))


def versions(store: ObjectStore) -> list[StoredObject]:
    """Return the manifests below a URI, the oldest first, ignoring other objects."""
    found = store.entries(_VERSIONS)
    named = [each for each in found if _NUMBER.fullmatch(each.name.removeprefix(f"{_VERSIONS}/"))]
    return sorted(named, key=lambda each: each.name)


def pull(
    uri: str, folder: Path, gone: Callable[[], bool] = lambda: False, *, by_name: bool = False
) -> Path:
    """Copy the library below a URI into a new folder, completely or not at all.

    Several shards are joined to one library.

    Args:
        uri: The place of the published library.
        folder: The new library. With ``by_name`` the folder of copies, each named by its content;
            an existing copy is not made again.
        gone: Whether to stop.
        by_name: See ``folder``.

    Returns the folder of the library. Raises ``path_missing`` if nothing is published,
    ``not_empty``, ``disk_full``, ``library_unwritable``, ``store_failed``, even if a byte differs
    from the published one, and ``Cancelled`` once ``gone`` returns True.
    """
    store = ObjectStore(uri)
    version = latest_version(store)
    if version is None:
        raise WorldError("path_missing", path=uri)
    library = folder / version.name[:32] if by_name else folder
    if by_name and exists(library):
        return library
    if library.exists() and (not library.is_dir() or any(library.iterdir())):
        raise WorldError("not_empty", path=str(library))
    part = library.with_name(f"{library.name}.{os.getpid()}.part")
    size = sum(shard.size for shard in version.shards)
    with library_errors(library, needed=gigabytes(size), disk=library.parent):
        try:
            part.mkdir(mode=0o700, parents=True)
            if len(version.shards) == 1:
                check_room(size, part)
                _download_shard(store, version.shards[0], part, gone)
            else:
                kept = folder / _SHARDS if by_name else part / _SHARDS
                join(_cached(store, version, kept, gone), part, lambda: stop_if(gone))
                if not by_name:
                    shutil.rmtree(kept)
            if library.exists():
                library.rmdir()
            part.rename(library)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return library


def _cached(
    store: ObjectStore, version: Version, cache: Path, gone: Callable[[], bool]
) -> list[Path]:
    """Pull the missing shards of a version into a cache; of other shards the latest are kept.

    The shards and the joined library must fit on the disk together.
    """
    folders = [cache / shard.name[:32] for shard in version.shards]
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    missing = sum(
        one.size for one, at in zip(version.shards, folders, strict=True) if not at.exists()
    )
    check_room(missing + sum(shard.size for shard in version.shards), cache)
    for shard, folder in zip(version.shards, folders, strict=True):
        if not folder.exists():
            part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
            try:
                part.mkdir(mode=0o700)
                _download_shard(store, shard, part, gone)
                with contextlib.suppress(FileExistsError, OSError):  # another process was first
                    part.rename(folder)
            finally:
                shutil.rmtree(part, ignore_errors=True)
        os.utime(folder)
    _evict(cache, set(folders))
    return folders


def _evict(cache: Path, used: Collection[Path]) -> None:
    """Delete the least recently used shards beyond the size of the cache."""
    found = sorted(cache.iterdir(), key=lambda path: (path not in used, -path.stat().st_mtime))
    total = 0
    for path in found:
        total += bytes_under(path)
        if total > CACHE_BYTES and path not in used and path.suffix != ".part":
            shutil.rmtree(path, ignore_errors=True)


def _download_shard(
    store: ObjectStore, shard: Shard, folder: Path, gone: Callable[[], bool]
) -> None:
    with ThreadPoolExecutor(_AT_ONCE, "pull") as pool:
        # The first error ends the others.
        list(pool.map(lambda file: _download(store, shard, file, folder, gone), shard.files))


def _download(
    store: ObjectStore, shard: Shard, file: ShardFile, folder: Path, gone: Callable[[], bool]
) -> None:
    name = f"{_SHARDS}/{shard.name}/{file.name}"
    path = folder / file.name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest = hashlib.sha256()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as target:
        for part in store.read(name, file.size):
            stop_if(gone)
            digest.update(part)
            target.write(part)
    if digest.hexdigest() != file.sha256:
        raise store.failure(f"{name} is damaged there; publish the library again to another place")


def carry(library: Path, roots: Sequence[tuple[str, str]]) -> None:
    """Set the folders on this machine for a library that was read on another one.

    A missing file is shown from its text; an existing one is not read again.

    Args:
        library: The folder of the library, which no engine has open.
        roots: Pairs of an indexed folder and its path on this machine.

    Raises ``not_a_root`` for a folder that the library does not have.
    """
    with (
        LibraryLock.acquire(library, "lectern library pull"),
        Catalog(library / CATALOG_NAME) as catalog,
    ):
        known = {os.fsdecode(root.path): root.id for root in catalog.roots.all()}
        for there, here in roots:
            if there not in known:
                raise WorldError("not_a_root", path=there)
            catalog.roots.relocate(known[there], here)
            catalog.roots.set_location(known[there], "", b"", 0)


def stop_if(gone: Callable[[], bool]) -> None:
    """Raise ``Cancelled`` once a function returns True."""
    if gone():
        raise Cancelled


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
