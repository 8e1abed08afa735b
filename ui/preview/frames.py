"""Messages out of a stream that comes in pieces.

Owns the putting together of frames of ``indexer.api.protocol`` from what a process has written so
far, and the other way round. It must not know processes or messages.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from indexer.api.errors import WorldError
from indexer.api.protocol import MAX_MESSAGE_BYTES, Header, pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LENGTH = struct.Struct(">I")


def frame(header: Mapping[str, Any]) -> bytes:
    """Return a message as it is written to a stream."""
    message = pack(header)
    return _LENGTH.pack(len(message)) + message


class FrameReader:
    """Collects bytes and gives out whole messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Header, bytes]]:
        """Take in what came and yield the messages that are whole now.

        Raises:
            WorldError: ``bad_request`` if this is no stream of messages.
        """
        self._bytes += data
        while len(self._bytes) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._bytes)
            if length > MAX_MESSAGE_BYTES:
                raise WorldError("bad_request", reason=f"a message of {length} bytes is too large")
            end = _LENGTH.size + length
            if len(self._bytes) < end:
                return
            message = bytes(memoryview(self._bytes)[_LENGTH.size : end])
            del self._bytes[:end]
            yield unpack(message)
