"""Initialises LanceDB in this process: threads, allocator, caches, log level.

Owns what must be set before ``lancedb`` is imported, and the import itself, which takes a
second and 100 MB and therefore happens at the first ``connect`` and nowhere else.
"""

from __future__ import annotations

import ctypes
import os
import sys
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Any

import psutil

from indexer.store.disk import bytes_under

if TYPE_CHECKING:
    from pathlib import Path

# The cache holds all indices of the library, up to an eighth of the memory that is free at opening.
# A vector index that does not fit is decoded again by every query (100 ms rather than 15 at a
# million passages). Not larger than needed, since entries of indices that have been rebuilt would
# fill it. Measured at 100,000 passages: a byte of a vector index takes 1.0 bytes in memory.
_CACHE_SHARE = 1.25
_INDEX_CACHE_LEAST, _INDEX_CACHE_LIMIT = 32 << 20, 2 << 30
_FREE_MEMORY_SHARE = 8
_METADATA_CACHE_BYTES = 32 << 20

# Lance reads on threads of its own; on a local disk more than this only take memory.
_IO_THREADS = 4

# Rows read at a time by maintenance: Lance's own 8,192 hold 60 MB more at the peak.
_BATCH_ROWS = 1_024

# Read ahead of what is decoded; by default 2 GiB, which a local disk fills. For a million passages
# compaction takes 60 MB less, and building the vector index 30. Wider rows are read all the same.
_READ_AHEAD_BYTES = 64 << 20

# LanceDB imports it for its data classes; loading the whole client takes .5 s and 14 MB.
_REST_CLIENT = "lance_namespace_urllib3_client"

# mallopt parameters of glibc and their values: few arenas, and large blocks unmapped when freed.
# The arrays of a query are below the limit, as new pages would cost it a millisecond.
_HEAPS = {"M_ARENA_MAX": (-8, 4), "M_MMAP_THRESHOLD": (-3, 4 << 20), "M_TRIM": (-1, 32 << 20)}


def connect(path: Path, threads: int, cache: int) -> Any:
    """Open the LanceDB database in a directory.

    Args:
        path: The directory.
        threads: The number of LanceDB's threads; only the first call in a process sets it.
        cache: The size of the index cache in bytes.
    """
    for name in ("LANCE_CPU_THREADS", "TOKIO_WORKER_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(max(1, threads))
    os.environ["LANCE_IO_THREADS"] = str(_IO_THREADS)
    os.environ["LANCE_DEFAULT_BATCH_SIZE"] = str(_BATCH_ROWS)
    os.environ["LANCE_DEFAULT_IO_BUFFER_SIZE"] = str(_READ_AHEAD_BYTES)
    # Its warnings bypass our log, go to stderr and do not help a person.
    os.environ.setdefault("LANCEDB_LOG", "error")
    # One allocator for all, so that ``give_back`` reaches the memory of pyarrow too.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    _limit_heaps()
    _shorten_import()
    import lancedb

    return lancedb.connect(
        str(path),
        # Row ids that survive compaction: indices need no rewriting then, and a row found a
        # moment ago can still be fetched.
        storage_options={"new_table_enable_stable_row_ids": "true"},
        session=lancedb.Session(cache, _METADATA_CACHE_BYTES),
    )


def _shorten_import() -> None:
    """Leave out work of LanceDB's import that nothing here needs."""
    _postpone(_REST_CLIENT)
    _trust_overrides()
    import pydantic  # which LanceDB imports

    # Its data classes of the REST client get their validators when the first of each is made.
    pydantic.BaseModel.model_config["defer_build"] = True


def _trust_overrides() -> None:
    """Do not compare the signatures of LanceDB's methods by their byte code at each start."""
    if find_spec("overrides") is None:  # LanceDB needs it on Python 3.11 alone
        return
    import overrides

    def trusted(method: Any) -> Any:
        method.__override__ = True  # asked for by ``EnforceOverrides``
        return method

    vars(overrides)["override"] = trusted


def _postpone(package: str) -> None:
    """Load a package lazily: only when an attribute other than a submodule is read."""
    spec = None if package in sys.modules else find_spec(package)
    if spec is None or spec.loader is None:
        return
    loader, module = spec.loader, module_from_spec(spec)

    def load(name: str) -> Any:
        del vars(module)["__getattr__"]
        loader.exec_module(module)
        return getattr(module, name)

    vars(module)["__getattr__"] = load
    sys.modules[package] = module


def reopen(path: Path) -> Any:
    """Open a table with an empty cache; ``connect`` must have been called before."""
    import lancedb

    session = lancedb.Session(_METADATA_CACHE_BYTES, _METADATA_CACHE_BYTES)
    return lancedb.connect(str(path.parent), session=session).open_table(path.stem)


def cache_bytes(path: Path, free: int | None = None) -> int:
    """Return the size of the cache for the indices below a directory, in bytes.

    Args:
        path: The directory.
        free: The bytes of free memory; None to ask the system.
    """
    wanted = int(bytes_under(path.glob("*.lance/_indices")) * _CACHE_SHARE)
    free = int(psutil.virtual_memory().available) if free is None else free
    most = min(_INDEX_CACHE_LIMIT, free // _FREE_MEMORY_SHARE)
    return max(_INDEX_CACHE_LEAST, min(wanted, most))


def give_back() -> None:
    """Return freed memory to the system, if the C library can."""
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(0)


def _limit_heaps() -> None:
    """Limit glibc's arenas, which hold freed memory per thread: hundreds of MB in all."""
    libc = _glibc()
    if libc is not None:
        for knob, setting in _HEAPS.values():
            libc.mallopt(knob, setting)


def _glibc() -> Any:
    if not sys.platform.startswith("linux"):
        return None
    try:
        libc = ctypes.CDLL("libc.so.6")
    except OSError:  # another C library
        return None
    return libc if hasattr(libc, "malloc_trim") else None
