"""Values as JSON between processes: dataclasses, checked by msgspec from their hints.

Paths travel as text and must be absolute; unknown keys are ignored, as a newer program may have
added them. A missing, wrongly typed or out-of-range value is a ``bad_request``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from itertools import chain
from pathlib import Path, PurePath
from typing import Any, ClassVar, NoReturn, Self, TypeVar, overload

import msgspec

from indexer.api.errors import Failure, LecternError, WorldError

T = TypeVar("T")

# A message as JSON types.
Header = dict[str, Any]

# The range of integers in SQLite, and in JSON parsers of other languages.
MAX_INT = 2**63 - 1


class Message:
    """A kind of message within one conversation, named after its class.

    A family declares ``kinds = {}``, where its subclasses, frozen dataclasses, are registered.
    Their fields are in the same header as ``type`` and ``id``, and may not have these names.
    """

    __slots__ = ()
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
        """Decode a message of this family.

        Raises:
            WorldError: ``bad_request``.
        """
        kind = header.get("type")
        known = cls.kinds.get(kind) if isinstance(kind, str) else None
        if known is None:
            raise WorldError("bad_request", reason="its type is unknown")
        check_values(header)
        message: Self = decode(known, header)
        return message


def read_answer(header: Mapping[str, Any], kind: Any) -> Any:
    """Decode the answer in a reply to a type.

    Raises:
        LecternError: If the reply is an error.
    """
    if header.get("type") == "error":
        raise decode_error(header.get("error"))
    check_values(header)
    return decode(kind, header.get("answer"))


def decode_error(data: object) -> LecternError:
    """Decode an encoded ``Failure`` to its exception."""
    return decode(Failure, data).error()


def encode(value: Any) -> Any:
    """Encode a value as JSON types.

    Raises:
        TypeError: If it holds a value of an unsupported type.
    """
    return msgspec.to_builtins(value, enc_hook=_encode_other)


@overload
def decode(kind: type[T], data: Any) -> T: ...
@overload
def decode(kind: Any, data: Any) -> Any: ...
def decode(kind: Any, data: Any) -> Any:
    """Decode a value of a type from JSON types.

    Raises:
        WorldError: ``bad_request``, or the error of the type's own checks.
    """
    try:
        return msgspec.convert(data, kind, dec_hook=_decode_other)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # the latter from enumerations
        raise WorldError("bad_request", reason=str(error)) from error


def to_json(value: Any) -> bytes:
    """Encode a value as JSON in UTF-8; numbers that are not finite become null.

    Lone surrogates (names of files that are not UTF-8) are written as escapes.

    Raises:
        TypeError: If it holds a value of an unsupported type.
    """
    try:
        return msgspec.json.encode(value, enc_hook=_encode_other)
    except UnicodeEncodeError:
        return json.dumps(encode(value), separators=(",", ":")).encode("ascii")


def from_json(data: bytes) -> Any:
    """Parse JSON; ``check_values`` is for data that may be hostile.

    Raises:
        ValueError: If it is no JSON, or nested too deeply.
    """
    try:
        try:
            return msgspec.json.decode(data)
        except msgspec.DecodeError:  # perhaps for lone surrogates, or a number that is too large
            return json.loads(data.decode("utf-8"), parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def check_values(value: Any) -> None:
    """Check numbers and texts of parsed JSON: 64 bits, finite, surrogates only as in file names.

    Raises:
        WorldError: ``bad_request``.
    """
    if isinstance(value, str):
        if not value.isascii():
            try:
                os.fsencode(value)
            except UnicodeEncodeError as error:
                raise WorldError("bad_request", reason="it has text that is not Unicode") from error
    elif isinstance(value, dict):
        for part in chain.from_iterable(value.items()):
            check_values(part)
    elif isinstance(value, list):
        for part in value:
            check_values(part)
    elif isinstance(value, (int, float)) and not -MAX_INT <= value <= MAX_INT:
        raise WorldError("bad_request", reason="it has a number of more than 64 bits")


def _refuse(constant: str) -> NoReturn:
    """Refuse NaN and infinities, which Python parses though they are no JSON."""
    raise ValueError(constant)


def _encode_other(value: Any) -> Any:
    """Encode what msgspec does not know."""
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
    # Checked before it is a path, which drops a drive's ".".
    if not isinstance(value, str) or not os.path.isabs(value):  # noqa: PTH117  # see above
        raise ValueError("an absolute path is needed")
    return Path(value)
