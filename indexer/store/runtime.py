"""Initialises LanceDB in this process, and limits what the C library keeps of freed memory.

Importing it takes a second and 100 MB, which only libraries with an index of vectors spend. It may
be missing, as a package of its own has it: then every vector is compared with a question.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
from pathlib import Path
from typing import Any

import psutil

from indexer.api.private_files import bytes_under

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

# Read ahead of what is decoded; by default 2 GiB, which a local disk fills. Building the index of a
# million vectors takes 30 MB less.
_READ_AHEAD_BYTES = 64 << 20

# mallopt parameters of glibc and their values: few arenas, and large blocks unmapped when freed.
# The arrays of a query are below the limit, as new pages would cost it a millisecond.
_HEAPS = {"M_ARENA_MAX": (-8, 4), "M_MMAP_THRESHOLD": (-3, 4 << 20), "M_TRIM": (-1, 32 << 20)}


def is_there() -> bool:
    """Whether LanceDB is installed, which is not imported for that."""
    found = importlib.util.find_spec("lancedb")
    # A frozen program knows the names of its modules also where their libraries are away.
    return found is not None and any(map(os.path.isdir, found.submodule_search_locations or ()))


def connect(path: Path, threads: int, cache: int) -> Any:
    """Open the LanceDB database in a directory.

    ``threads`` is the number of LanceDB's threads; only the first call in a process sets it;
    ``cache`` is the size of the index cache in bytes.
    """
    for name in ("LANCE_CPU_THREADS", "TOKIO_WORKER_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(max(1, threads))
    os.environ["LANCE_IO_THREADS"] = str(_IO_THREADS)
    os.environ["LANCE_DEFAULT_IO_BUFFER_SIZE"] = str(_READ_AHEAD_BYTES)
    # Its warnings bypass our log, go to stderr and do not help a person.
    os.environ.setdefault("LANCEDB_LOG", "error")
    # One allocator for all, so that ``release_memory`` reaches the memory of pyarrow too.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    import lancedb

    return lancedb.connect(
        str(path),
        # Row ids then count from 0 in the order of writing, in tables of several fragments too.
        storage_options={"new_table_enable_stable_row_ids": "true"},
        session=lancedb.Session(cache, _METADATA_CACHE_BYTES),
    )


def cache_bytes(path: Path, free: int | None = None) -> int:
    """Return the size of the cache for the indices below a directory, in bytes.

    ``free`` are the bytes of free memory; None to ask the system.
    """
    wanted = int(bytes_under(*path.glob("*.lance/_indices")) * _CACHE_SHARE)
    free = int(psutil.virtual_memory().available) if free is None else free
    most = min(_INDEX_CACHE_LIMIT, free // _FREE_MEMORY_SHARE)
    return max(_INDEX_CACHE_LEAST, min(wanted, most))


def limit_heaps() -> None:
    """Limit glibc's arenas, which hold freed memory per thread: hundreds of MB in all."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # another C library
        libc = ctypes.CDLL("libc.so.6")
        for knob, setting in _HEAPS.values():
            libc.mallopt(knob, setting)
