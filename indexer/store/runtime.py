"""Brings LanceDB up in this process: threads, allocator, caches, log level.

Owns what must be settled before ``lancedb`` is imported, and the import itself, which takes a
second and 100 MB and therefore happens at the first ``connect`` and nowhere else.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING, Any

from indexer.store.sizes import index_bytes

if TYPE_CHECKING:
    from pathlib import Path

# Pages of indices that queries came by, postings and vector codes: 90 MB for 100,000 passages. A
# vector index that does not fit is read again by every query, so a large library has a large
# cache; a small one must not fill it with indices that were rebuilt since.
_INDEX_CACHE_BYTES = (96 << 20, 384 << 20)
_METADATA_CACHE_BYTES = 32 << 20

# Lance reads on threads of its own; more of them than this only adds memory on a local disk.
_IO_THREADS = 4

# Text is compressed in chunks of so many bytes; the smaller, the quicker one passage is fetched.
TEXT_CHUNK = 16_384

_M_ARENA_MAX = -8
_ARENAS = 4


def connect(path: Path, threads: int) -> Any:
    """Open the LanceDB database in a directory; its threads obey the first call's number."""
    for name in ("LANCE_CPU_THREADS", "TOKIO_WORKER_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(max(1, threads))
    os.environ["LANCE_IO_THREADS"] = str(_IO_THREADS)
    os.environ["LANCE_BINARY_MINIBLOCK_CHUNK_SIZE"] = str(TEXT_CHUNK)
    # Its warnings go straight to stderr, past our log, and tell a person nothing.
    os.environ.setdefault("LANCEDB_LOG", "error")
    # One allocator for all, so that ``give_back`` reaches the memory of pyarrow too.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    _limit_arenas()
    import lancedb

    return lancedb.connect(
        str(path),
        # Row ids that survive compaction: indices need no rewriting then, and a row found a
        # moment ago can still be fetched.
        storage_options={"new_table_enable_stable_row_ids": "true"},
        session=lancedb.Session(_index_cache(path), _METADATA_CACHE_BYTES),
    )


def _index_cache(path: Path) -> int:
    least, most = _INDEX_CACHE_BYTES
    return min(most, max(least, index_bytes(path)))


def give_back() -> None:
    """Return freed memory to the system after large work, where the C library can."""
    libc = _glibc()
    if libc is not None:
        libc.malloc_trim(0)


def _limit_arenas() -> None:
    """Keep glibc from hoarding a heap for each thread: they add up to hundreds of MB."""
    libc = _glibc()
    if libc is not None:
        libc.mallopt(_M_ARENA_MAX, _ARENAS)


def _glibc() -> Any:
    if not sys.platform.startswith("linux"):
        return None
    try:
        libc = ctypes.CDLL("libc.so.6")
    except OSError:  # another C library
        return None
    return libc if hasattr(libc, "malloc_trim") else None
