"""LanceDB's index of the pooled vectors of a large space, in a folder of its own.

An index is built from the vectors in one go and never changed. Rows written later are scored by
other means, and rows deleted later are left out of its results. When there are many of either, the
index is built again. So it never has to be repaired. Its files have checksums, which are compared
before their first use, since damaged bytes may end the process. It is also built again after a
wrong checksum, an error of LanceDB, or a fault that ended the last engine.

The index is IVF_RQ: RaBitQ codes of 4 bits per component and a few floats, 216 bytes per passage.
Measured with 100,000 vectors of 384 dimensions and every partition probed: built in 5 s on two
cores with 120 MB; a million in 2 minutes with 530 MB. Recall of the first 50, if twice as many are
scored exactly: .999 (clustered synthetic vectors and real passages and questions alike).
Alternatives at 100,000, on two busy cores: IVF_FLAT 32 ms per query and 770 bytes per passage;
IVF_SQ 27 ms and 390 bytes; IVF_HNSW_SQ takes a minute to build.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil

from indexer import faults
from indexer.api.private_files import bytes_under, write_file
from indexer.api.status import TableSize
from indexer.arrays import Float32s, Int64s, Mask, find_sorted
from indexer.database import write_errors
from indexer.embed.devices import release_memory

if TYPE_CHECKING:
    from indexer.store.vectors import Vectors

log = logging.getLogger(__name__)

#: Fewer vectors are searched exhaustively, which is exact and faster (see ``nearest``). This takes
#: a byte of memory for each component: 77 MB.
ANN_FROM = 200_000
_RQ_BITS = 4
_EVERY_PARTITION = 1 << 16
_BATCH = 8_192  # vectors passed to LanceDB at a time
_TABLE, _KEYS, _CHECKSUMS = "pooled", "keys.npy", "checksums.json"
_BLOCK = 1 << 20
# The index is built again if more than this share of rows is missing or deleted.
_CHANGED_SHARE, _CHANGED_SHARE_IDLE = 0.25, 0.1
# The cache holds all indices of the library, up to an eighth of the memory that is free at opening.
# Every query decodes an index again that does not fit (100 ms instead of 15 at a million passages).
# The cache is not larger than needed, since entries of replaced indices would fill it. Measured at
# 100,000 passages: a byte of an index takes 1.0 bytes in memory.
_CACHE_SHARE = 1.25
_CACHE_LEAST, _CACHE_LIMIT = 32 << 20, 2 << 30
_FREE_MEMORY_SHARE = 8
_METADATA_CACHE_BYTES = 32 << 20
# Lance reads on its own threads; on a local disk more threads than this only take memory.
_IO_THREADS = 4
# The most bytes to read before they are decoded. By default it is 2 GiB, which a local disk fills.
# This saves 30 MB when the index of a million vectors is built.
_READ_AHEAD_BYTES = 64 << 20
# Rust panics are not subclasses of ``Exception``.
_PANICS = ("PanicException", "RustPanic")


class VectorIndex:
    """An index of some rows, whose keys ascend. Any thread may search.

    Attributes:
        keys: The keys of the rows that it was built from, (n,).
        live: Which of these rows have not changed since, (n,).
    """

    def __init__(self, folder: Path, threads: int, present: Int64s) -> None:
        self.folder = folder
        self.keys: Int64s = np.load(folder / _KEYS)
        self.live: Mask = np.isin(self.keys, present)
        self._threads = threads
        self.empty_cache()

    def empty_cache(self) -> None:
        """Free the memory that searches have cached."""
        self._table = _connect(self.folder, self._threads).open_table(_TABLE)

    def nearest(self, query: Float32s, limit: int) -> tuple[Int64s, Float32s]:
        """The approximately nearest rows as indices into ``keys``, with cosines, best first."""
        from lancedb.background_loop import LOOP
        from lancedb.query import AsyncQuery

        # LanceDB's Python classes would take five turns of its event loop instead of one: 1.5 ms.
        native = self._table._inner  # noqa: SLF001  # no public attribute leads there
        wanted = AsyncQuery(native.query()).nearest_to(query).column("vector")
        wanted = wanted.distance_type("dot").nprobes(_EVERY_PARTITION).limit(limit)
        # Row ids count from 0 in the order of writing. Reading keys takes longer than the search.
        found = LOOP.run(wanted.select(["_rowid", "_distance"]).to_arrow())
        rows = found.column("_rowid").to_numpy().astype(np.int64)
        return rows, np.float32(1.0) - found.column("_distance").to_numpy()

    def forget(self, keys: Int64s) -> None:
        """Leave out rows that were deleted or replaced."""
        at, _ = find_sorted(self.keys, keys)
        self.live[at] = False

    def lacks(self, keys: Int64s) -> Int64s:
        """The given keys that the index cannot find."""
        return keys[np.isin(keys, self.keys[self.live], invert=True)]

    def is_outgrown(self, keys: Int64s, *, idle: bool) -> bool:
        """Whether too much has changed; ``keys`` are those of all rows."""
        changed = len(self.lacks(keys)) + int(np.count_nonzero(~self.live))
        return changed > len(self.keys) * (_CHANGED_SHARE_IDLE if idle else _CHANGED_SHARE)

    def size(self) -> TableSize:
        """Count the rows and bytes."""
        size = bytes_under(self.folder)
        return TableSize(len(self.keys), size, size)

    def altered_files(self) -> list[str]:
        """The names of files that are missing or altered."""
        return _altered_files(self.folder, everything=True)


def open_index(vectors: Vectors, threads: int, *, writable: bool) -> VectorIndex | None:
    """Open the intact index of a space, if any, and delete others. None without LanceDB."""
    found: VectorIndex | None = None
    folders = sorted(_folders(vectors), reverse=True)
    for folder in folders if folders and is_lancedb_there() else ():
        if found is None and not _altered_files(folder):
            try:
                found = VectorIndex(folder, threads, vectors.keys())
                continue
            except BaseException as error:
                if not is_lances(error):
                    raise
        if writable:
            log.warning("%s is made again", folder.name)
            shutil.rmtree(folder, ignore_errors=True)
    return found


def build_index(vectors: Vectors, threads: int) -> VectorIndex:
    """Build the index of all vectors of a space; it replaces an earlier one.

    Raises ``disk_full``, or another error of the system.
    """
    import pyarrow as pa
    from lancedb.index import IvfRq

    keys = vectors.keys()
    columns = pa.schema([pa.field("vector", pa.list_(pa.float16(), vectors.dimension))])

    def batches() -> Iterator[Any]:
        for at in range(0, len(keys), _BATCH):
            halves = vectors.pooled_of(keys[at : at + _BATCH]).astype(np.float16)
            made = pa.FixedSizeListArray.from_arrays(pa.array(halves.ravel()), halves.shape[1])
            yield pa.record_batch([made], schema=columns)

    last = max((int(folder.name.rpartition("-")[2]) for folder in _folders(vectors)), default=0)
    folder = vectors.folder / f"{vectors.name}.index-{last + 1:06}"
    faults.reached("vectors-indexing")
    with ExitStack() as unless_made, write_errors(vectors.folder):
        unless_made.callback(shutil.rmtree, folder, ignore_errors=True)
        folder.mkdir(mode=0o700)
        database = _connect(folder, threads)
        reader = pa.RecordBatchReader.from_batches(columns, batches())
        table = database.create_table(_TABLE, data=reader, schema=columns)
        table.create_index("vector", config=IvfRq(distance_type="dot", num_bits=_RQ_BITS))
        np.save(folder / _KEYS, keys)
        sums = {path.relative_to(folder).as_posix(): _checksum(path) for path in _files(folder)}
        faults.reached("vectors-indexed")
        write_file(folder / _CHECKSUMS, json.dumps(sums))
        unless_made.pop_all()
    release_memory()
    return VectorIndex(folder, threads, vectors.keys())


def remove_indices(vectors: Vectors, but: VectorIndex | None = None) -> None:
    """Delete the indices of a space, except the one in use."""
    for folder in _folders(vectors):
        if but is None or folder != but.folder:
            shutil.rmtree(folder, ignore_errors=True)


def is_lances(error: BaseException) -> bool:
    """Whether an exception may be LanceDB's, a panic included."""
    return isinstance(error, RuntimeError | ValueError | OSError) or (
        type(error).__name__ in _PANICS
    )


def is_lancedb_there() -> bool:
    """Whether LanceDB is installed; importing it takes a second and 100 MB.

    It may be missing, as it comes in a separate package. Then a question is compared with every
    vector.
    """
    found = importlib.util.find_spec("lancedb")
    # A frozen program knows the names of its modules even if their libraries are missing.
    return found is not None and any(map(os.path.isdir, found.submodule_search_locations or ()))


def _connect(folder: Path, threads: int) -> Any:
    """Open the LanceDB database in a folder. Only the first call in a process sets the threads."""
    for name in ("LANCE_CPU_THREADS", "TOKIO_WORKER_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(max(1, threads))
    os.environ["LANCE_IO_THREADS"] = str(_IO_THREADS)
    os.environ["LANCE_DEFAULT_IO_BUFFER_SIZE"] = str(_READ_AHEAD_BYTES)
    # LanceDB's warnings bypass our log, go to stderr and do not help a person.
    os.environ.setdefault("LANCEDB_LOG", "error")
    # With one allocator for all, ``release_memory`` also frees the memory of pyarrow.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    import lancedb

    return lancedb.connect(
        str(folder),
        # With it row ids count from 0 in the order of writing even in tables of several fragments.
        storage_options={"new_table_enable_stable_row_ids": "true"},
        session=lancedb.Session(cache_bytes(folder), _METADATA_CACHE_BYTES),
    )


def cache_bytes(folder: Path, free: int | None = None) -> int:
    """Return the size of the cache for the indices below a folder, in bytes.

    ``free`` is the free memory in bytes; None asks the system.
    """
    wanted = int(bytes_under(*folder.glob("*.lance/_indices")) * _CACHE_SHARE)
    free = int(psutil.virtual_memory().available) if free is None else free
    most = min(_CACHE_LIMIT, free // _FREE_MEMORY_SHARE)
    return max(_CACHE_LEAST, min(wanted, most))


def _folders(vectors: Vectors) -> list[Path]:
    return [*vectors.folder.glob(f"{vectors.name}.index-*")]


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.name != _CHECKSUMS]


def _altered_files(folder: Path, *, everything: bool = False) -> list[str]:
    """The altered files, among all files or only among those that searches read."""
    try:
        sums: dict[str, int] = json.loads((folder / _CHECKSUMS).read_bytes())
        return [
            name
            for name, expected in sums.items()
            if (everything or "/data/" not in name) and _checksum(folder / name) != expected
        ]
    except (OSError, ValueError, AttributeError):
        return [_CHECKSUMS]


def _checksum(path: Path) -> int:
    """The CRC-32 of a file, -1 if there is none."""
    checksum = 0
    with suppress(FileNotFoundError), path.open("rb") as file:
        while block := file.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
        return checksum
    return -1
