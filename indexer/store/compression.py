"""Bytes compressed by zstd.

Owns the codec and the block that says its own size. It must not know what the bytes are.
"""

from __future__ import annotations

from functools import cache
from typing import Any

_SIZE_BYTES = 4
_LEVEL = 6


@cache
def codec(level: int) -> Any:
    """Arrow's codec; higher levels take longer to compress."""
    import pyarrow as pa

    return pa.Codec("zstd", compression_level=level)


def compressed(plain: bytes) -> bytes:
    """A block that begins with its uncompressed size."""
    squeezed: bytes = codec(_LEVEL).compress(plain, asbytes=True)
    return len(plain).to_bytes(_SIZE_BYTES, "little") + squeezed


def decompressed(block: bytes) -> bytes:
    """What was ``compressed``.

    Raises:
        OSError: If it cannot be decompressed.
    """
    size = int.from_bytes(block[:_SIZE_BYTES], "little")
    plain: bytes = codec(_LEVEL).decompress(block[_SIZE_BYTES:], size, asbytes=True)
    return plain
