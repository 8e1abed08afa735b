"""The framing of all messages between processes: a JSON header, optionally followed by bytes.

A message is a 4-byte big-endian header length, the JSON header in UTF-8 and the binary part; on a
stream it is preceded by a 4-byte big-endian total length.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, TypeVar

from indexer.api.codec import Header, decode, encode, from_json, to_json
from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Incremented when a field changes its type or is removed; a new field with a default is compatible.
PROTOCOL_VERSION = 6
# The largest messages are page images and batches of passages; a larger one is a fault or an
# attack, and must be refused before it is allocated.
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
# The limit of requests to the engine: the paths of some ten thousand files.
MAX_REQUEST_BYTES = 4 * 1024 * 1024
_LENGTH = struct.Struct(">I")

H = TypeVar("H")


def pack(header: Mapping[str, Any], binary: bytes = b"") -> bytes:
    """Encode a message as bytes.

    Args:
        header: Values that ``codec`` can encode.
        binary: The binary part.

    Raises:
        WorldError: ``bad_request`` if the message exceeds the limit.
        TypeError: If the header holds a value that cannot be encoded.
    """
    encoded = to_json(header)
    _check_size(_LENGTH.size + len(encoded) + len(binary))
    return _LENGTH.pack(len(encoded)) + encoded + binary


def unpack(message: bytes) -> tuple[Header, bytes]:
    """Decode bytes to the header and the binary part.

    Raises:
        WorldError: ``bad_request`` if the bytes are not a message.
    """
    _check_size(len(message))
    if len(message) < _LENGTH.size:
        raise WorldError("bad_request", reason="the message is cut off")
    (length,) = _LENGTH.unpack_from(message)
    end = _LENGTH.size + length
    if end > len(message):
        raise WorldError("bad_request", reason="the header is cut off")
    try:
        header = from_json(message[_LENGTH.size : end])
    except ValueError as error:
        raise WorldError("bad_request", reason="the header is not JSON") from error
    if not isinstance(header, dict):
        raise WorldError("bad_request", reason="the header is not an object")
    return header, message[end:]


def frame(header: Mapping[str, Any], binary: bytes = b"") -> bytes:
    """Encode a message for a byte stream; raises as ``pack`` does."""
    message = pack(header, binary)
    return _LENGTH.pack(len(message)) + message


def write_frame(stream: IO[bytes], header: Mapping[str, Any], binary: bytes = b"") -> None:
    """Write one message to a byte stream and flush it.

    Raises:
        WorldError: ``bad_request`` if it is too large.
        OSError: If the other side has closed the stream.
    """
    stream.write(frame(header, binary))
    stream.flush()


def read_frame(stream: IO[bytes]) -> tuple[Header, bytes] | None:
    """Read one message from a byte stream; ``None`` if the stream ends between two messages.

    Raises:
        WorldError: ``bad_request`` if the stream ends inside a message or holds no message.
    """
    prefix = _read_exactly(stream, _LENGTH.size)
    if not prefix:
        return None
    if len(prefix) < _LENGTH.size:
        raise WorldError("bad_request", reason="the stream ended inside a length")
    (length,) = _LENGTH.unpack(prefix)
    _check_size(length)
    message = _read_exactly(stream, length)
    if len(message) < length:
        raise WorldError("bad_request", reason="the stream ended inside a message")
    return unpack(message)


class FrameReader:
    """Assembles messages from chunks of a byte stream, for readers that must not block."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Header, bytes]]:
        """Add a chunk and yield the messages that it completes.

        Raises:
            WorldError: ``bad_request`` if this is no stream of messages.
        """
        self._bytes += data
        while len(self._bytes) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._bytes)
            _check_size(length)
            end = _LENGTH.size + length
            if len(self._bytes) < end:
                return
            message = bytes(memoryview(self._bytes)[_LENGTH.size : end])
            del self._bytes[:end]
            yield unpack(message)


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message of a child, with its pid, or of a client, with the library's secret."""

    role: str
    pid: int = 0
    secret: str = ""


@dataclass(frozen=True, slots=True)
class Greeting:
    """The hello of an engine.

    Attributes:
        holding: The holding of the lock, see ``indexer.api.lock``.
        offline: It never uses the network.
        version: Of the program.
    """

    pid: int
    holding: tuple[int, int, str]
    library: str
    offline: bool
    version: str


def hello(words: Hello | Greeting) -> Header:
    """Encode a hello, with the version of the protocol."""
    return {"type": "hello", "protocol": PROTOCOL_VERSION, **encode(words)}


def program_version() -> str:
    """Return the version of this program, "" if it is not installed."""
    from importlib import metadata  # children never say it, and would pay 15 ms for it

    try:
        return metadata.version("lectern")
    except metadata.PackageNotFoundError:
        return ""


def check_hello(header: Mapping[str, Any], kind: type[H]) -> H:
    """Decode a hello, and check the version of its protocol.

    Raises:
        WorldError: ``bad_request`` if it is no hello, ``engine_version`` if the versions differ.
    """
    if header.get("type") != "hello":
        raise WorldError("bad_request", reason="the other side did not say hello")
    if header.get("protocol") != PROTOCOL_VERSION:
        raise WorldError("engine_version", found=header.get("protocol"), known=PROTOCOL_VERSION)
    return decode(kind, header)


def _check_size(size: int) -> None:
    if size > MAX_MESSAGE_BYTES:
        raise WorldError("bad_request", reason=f"a message of {size} bytes is too large")


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    """Read ``size`` bytes, fewer only at the end of the stream (pipes return partial reads)."""
    parts: list[bytes] = []
    missing = size
    while missing and (part := stream.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
