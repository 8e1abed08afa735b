"""Values as JSON between processes, and the framing of messages with binary parts.

Structs and dataclasses are checked by msgspec from their hints. Paths travel as text and must be
absolute; unknown keys are ignored, as a newer program may have added them. A missing, wrongly typed
or out-of-range value is a ``bad_request``. A message is a 4-byte big-endian header length, the JSON
header in UTF-8 and the binary part; on a stream it is preceded by a 4-byte big-endian total length.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePath
from typing import IO, Any, ClassVar, NoReturn, Self, TypeVar, overload

import msgspec
from msgspec import Struct

from indexer.api.errors import Failure, LecternError, WorldError

T = TypeVar("T")

# A message as JSON types.
Header = dict[str, Any]

# The environment in which a command that fails writes its error to stderr as JSON.
ERRORS_AS_JSON = {"LECTERN_ERRORS": "json"}

# The range of integers in SQLite, and in JSON parsers of other languages.
MAX_INT = 2**63 - 1


class Message(Struct, frozen=True):
    """A kind of message within one conversation, named after its class.

    A family declares ``kinds = {}``, where its subclasses, frozen structs, are registered.
    Their fields are in the same header as ``type`` and ``id``, and may not have these names.
    """

    kinds: ClassVar[dict[str, type[Any]]] = {}
    wire_name: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "kinds" not in cls.__dict__:
            snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in cls.__name__)
            cls.wire_name = snake.removeprefix("_")
            cls.kinds[cls.wire_name] = cls

    def header(self, number: int = 0) -> Header:
        """Encode the message, numbered within its conversation."""
        return {**encode(self), "type": self.wire_name, "id": number}

    @classmethod
    def from_header(cls, header: Mapping[str, Any]) -> Self:
        """Decode a message of this family. Raises ``bad_request``."""
        kind = header.get("type")
        known = cls.kinds.get(kind) if isinstance(kind, str) else None
        if known is None:
            raise WorldError("bad_request", reason="its type is unknown")
        check_values(header)
        message: Self = decode(known, header)
        return message


def read_answer(header: Mapping[str, Any], kind: Any) -> Any:
    """Decode the answer in a reply to type ``kind``. Raises the error if the reply is one."""
    if header.get("type") == "error":
        raise decode_error(header.get("error"))
    check_values(header)
    return decode(kind, header.get("answer"))


def decode_error(data: object) -> LecternError:
    """Decode a ``Failure`` and return its exception."""
    return decode(Failure, data).error()


def written_error(stderr: str) -> LecternError | None:
    """The last error that a command wrote to stderr as JSON; see ``ERRORS_AS_JSON``."""
    for line in reversed(stderr.splitlines()):
        with suppress(ValueError):
            said = json.loads(line)
            if isinstance(said, dict) and "code" in said:
                return decode_error(said)
    return None


def encode(value: Any) -> Any:
    """Encode a value as JSON types.

    Raises ``TypeError`` if it holds a value of an unsupported type.
    """
    return msgspec.to_builtins(value, enc_hook=_encode_other)


@overload
def decode(kind: type[T], data: Any) -> T: ...
@overload
def decode(kind: Any, data: Any) -> Any: ...
def decode(kind: Any, data: Any) -> Any:
    """Decode JSON types to a value of the given type.

    Raises ``bad_request``, or the error of the type's own checks.
    """
    try:
        return msgspec.convert(data, kind, dec_hook=_decode_other)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # enumerations raise ValueError
        raise WorldError("bad_request", reason=str(error)) from error


def to_json(value: Any) -> bytes:
    """Encode a value as JSON in UTF-8; numbers that are not finite become null.

    Lone surrogates (names of files that are not UTF-8) are written as escapes. Raises ``TypeError``
    if it holds a value of an unsupported type.
    """
    try:
        return msgspec.json.encode(value, enc_hook=_encode_other)
    except UnicodeEncodeError:
        return json.dumps(encode(value), separators=(",", ":")).encode("ascii")


def from_json(data: bytes) -> Any:
    """Parse JSON; ``check_values`` is for data that may be hostile.

    Raises ``ValueError`` if it is not JSON, or nested too deeply.
    """
    try:
        try:
            return msgspec.json.decode(data)
        except msgspec.DecodeError:  # lone surrogates or a number too large for a float
            return json.loads(data.decode("utf-8"), parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def check_values(value: Any, surrogates: str = sys.getfilesystemencodeerrors()) -> None:
    """Check numbers and texts of parsed JSON: 64 bits, finite, surrogates only as in file names.

    Args:
        surrogates: "strict" refuses the surrogates of file names as well.

    Raises ``bad_request``.
    """
    waiting = [value]  # recursion would fail on a deeply nested message
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            if not part.isascii():
                try:
                    part.encode("utf-8", surrogates)
                except UnicodeEncodeError as error:
                    reason = "it has text that is not Unicode"
                    raise WorldError("bad_request", reason=reason) from error
        elif isinstance(part, dict):
            waiting += chain.from_iterable(part.items())
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, (int, float)) and not -MAX_INT <= part <= MAX_INT:
            raise WorldError("bad_request", reason="it has a number of more than 64 bits")


def _refuse(constant: str) -> NoReturn:
    """Refuse NaN and infinities, which Python parses though they are not JSON."""
    raise ValueError(constant)


def _encode_other(value: Any) -> Any:
    """Encode the types that msgspec does not know."""
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, float):  # numpy's float64
        return float(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a {type(value).__name__} cannot cross a border")


def _decode_other(kind: type, value: Any) -> Any:
    if kind is not Path:
        raise TypeError(f"{kind} cannot cross a border")
    # The text is checked before ``Path`` drops the "." after a drive.
    if not isinstance(value, str) or not os.path.isabs(value):  # noqa: PTH117  # see above
        raise ValueError("an absolute path is needed")
    return Path(value)


# Incremented when a field changes its type or is removed; a new field with a default is compatible.
PROTOCOL_VERSION = 8
# The largest messages are page images and batches of passages; a larger one is a fault or an
# attack, and must be refused before it is allocated.
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
# The limit of requests to the engine. The paths of some ten thousand files fit.
MAX_REQUEST_BYTES = 4 * 1024 * 1024
_LENGTH = struct.Struct(">I")
LENGTH_BYTES = _LENGTH.size

H = TypeVar("H")


def pack(header: Mapping[str, Any], binary: bytes = b"") -> bytes:
    """Encode a message as bytes.

    Raises ``bad_request`` if the message exceeds the limit; ``TypeError`` if the header holds a
    value that cannot be encoded.
    """
    encoded = to_json(header)
    _check_size(_LENGTH.size + len(encoded) + len(binary))
    return _LENGTH.pack(len(encoded)) + encoded + binary


def unpack(message: bytes) -> tuple[Header, bytes]:
    """Decode bytes to the header and the binary part.

    Raises ``bad_request`` if the bytes are not a message.
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

    Raises ``bad_request`` if the message is too large, ``OSError`` if the stream is closed.
    """
    stream.write(frame(header, binary))
    stream.flush()


def read_frame(stream: IO[bytes]) -> tuple[Header, bytes] | None:
    """Read one message from a byte stream; ``None`` if the stream ends between two messages.

    Raises ``bad_request`` if the stream ends inside a message or holds no message.
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

    def decode_frames(self, data: bytes) -> Iterator[tuple[Header, bytes]]:
        """Add a chunk and yield the messages that it completes.

        Raises ``bad_request`` if this is not a stream of messages.
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


class Hello(Struct, frozen=True):
    """The first message of a child, with its pid, or of a client, with the library's secret."""

    role: str
    pid: int = 0
    secret: str = ""


class Greeting(Struct, frozen=True):
    """The hello of an engine.

    Attributes:
        holding: The engine's holding of the library lock, see ``indexer.api.private_files``.
        offline: Whether the engine never uses the network.
        version: The version of the program.
        staying: Whether the engine only waits for questions, and ends for any other command.
    """

    pid: int
    holding: tuple[int, int, str]
    library: str
    offline: bool
    version: str
    staying: bool = False


def hello(words: Hello | Greeting) -> Header:
    """Encode a hello, with the version of the protocol."""
    return {"type": "hello", "protocol": PROTOCOL_VERSION, **encode(words)}


def program_version(package: str = "lectern") -> str:
    """Return the version of this program, or of another package; "" if it is not installed."""
    from importlib import metadata  # importing it takes 15 ms, and children never need it

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def check_hello(header: Mapping[str, Any], kind: type[H]) -> H:
    """Decode a hello, and check the version of its protocol.

    Raises ``bad_request`` if the message is not a hello, ``engine_version`` if the versions differ.
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
