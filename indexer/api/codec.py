"""Converts dataclasses to JSON-able values and back, from their type hints.

Owns the encoding of values between processes, and validating decoded ones. Supports dataclasses,
enumerations, ``Literal``, ``X | None``, tuples, lists, mappings with string keys, absolute paths,
text, numbers (64 bits, finite), booleans and ``Any`` (unchanged JSON). Unknown keys are ignored, as
a newer program may have added them; a missing, wrongly typed or out-of-range value is a
``bad_request``. It must not know how values become bytes (``indexer.api.protocol``). Standard
library only.
"""

from __future__ import annotations

import math
import os
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path, PurePath
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Self,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from indexer.api.errors import Failure, LecternError, WorldError

if TYPE_CHECKING:
    from indexer.api.protocol import Header

T = TypeVar("T")

# Takes a value and the name of its field.
Decoder = Callable[[Any, str], Any]

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
            cls.wire_name = _snake(cls.__name__)
            cls.kinds[cls.wire_name] = cls

    def header(self, number: int = 0) -> Header:
        """Encode the message, numbered within its conversation."""
        return {**encode(self), "type": self.wire_name, "id": number}

    @classmethod
    def read(cls, header: Mapping[str, Any]) -> Self:
        """Decode a message of this family.

        Raises:
            WorldError: ``bad_request``.
        """
        kind = header.get("type")
        known = cls.kinds.get(kind) if isinstance(kind, str) else None
        if known is None:
            raise WorldError("bad_request", reason="its type is unknown")
        message: Self = decode(known, header)
        return message


def read_answer(header: Mapping[str, Any], kind: Any) -> Any:
    """Decode the answer in a reply to a type.

    Raises:
        LecternError: If the reply is an error.
    """
    if header.get("type") == "error":
        raise decode_error(header.get("error"))
    return decode(kind, header.get("answer"))


def decode_error(data: object) -> LecternError:
    """Decode an encoded ``Failure`` to its exception."""
    return decode(Failure, data).error()


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).removeprefix("_")


def encode(value: Any) -> Any:
    """Encode a value as JSON types.

    Raises:
        TypeError: If it holds a value of an unsupported type.
    """
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, (str, int, float)):
        return value
    if is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): encode(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [encode(one) for one in value]
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"a {type(value).__name__} cannot cross a border")


@overload
def decode(kind: type[T], data: Any) -> T: ...
@overload
def decode(kind: Any, data: Any) -> Any: ...
def decode(kind: Any, data: Any) -> Any:
    """Decode a value of a type.

    Raises:
        WorldError: ``bad_request``, or the error of the type's own checks.
        TypeError: If the type is not supported.
    """
    return _decoder(kind)(data, getattr(kind, "__name__", "it"))


@cache
def _decoder(kind: Any) -> Decoder:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _optional(kind, arguments)
    if origin is Literal:
        return _choice(arguments, {one: one for one in arguments})
    if origin in (tuple, list) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return _many(origin, arguments)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _choice([one.value for one in kind], {one.value: one for one in kind})
    if is_dataclass(kind):
        return _record(kind)
    return _PLAIN[kind] if kind in _PLAIN else _unknown(kind)


def _optional(kind: Any, arguments: tuple[Any, ...]) -> Decoder:
    rest = [one for one in arguments if one is not types.NoneType]
    if len(rest) != 1 or len(rest) == len(arguments):
        _unknown(kind)
    decoder = _decoder(rest[0])
    return lambda value, name: None if value is None else decoder(value, name)


def _choice(known: Iterable[Any], values: Mapping[Any, Any]) -> Decoder:
    listed = ", ".join(map(str, known))

    def read(value: Any, name: str) -> Any:
        # Unlike in JSON, True == 1 in Python.
        if not isinstance(value, (str, int)) or isinstance(value, bool) or value not in values:
            raise _bad(name, f"one of {listed}")
        return values[value]

    return read


def _many(origin: Any, arguments: tuple[Any, ...]) -> Decoder:
    if origin is tuple and arguments[-1] is not Ellipsis:
        decoders = [_decoder(one) for one in arguments]

        def read_fixed(value: Any, name: str) -> Any:
            if not isinstance(value, list) or len(value) != len(decoders):
                raise _bad(name, f"a list of {len(decoders)}")
            return tuple(one(part, name) for one, part in zip(decoders, value, strict=True))

        return read_fixed
    if origin in (tuple, list):
        element = _decoder(arguments[0])

        def read_list(value: Any, name: str) -> Any:
            if not isinstance(value, list):
                raise _bad(name, "a list")
            return origin(element(part, name) for part in value)

        return read_list
    key, content = map(_decoder, arguments)

    def read_mapping(value: Any, name: str) -> Any:
        if not isinstance(value, dict):
            raise _bad(name, "an object")
        return {key(k, name): content(v, name) for k, v in value.items()}

    return read_mapping


def _record(kind: Any) -> Decoder:
    hints = get_type_hints(kind)
    parts = [(field.name, _decoder(hints[field.name])) for field in fields(kind)]
    needed = {
        field.name
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    }

    def read(value: Any, name: str) -> Any:
        if not isinstance(value, dict):
            raise _bad(name, "an object")
        if missing := needed - value.keys():
            raise _bad(min(missing), "given")
        return kind(**{name: one(value[name], name) for name, one in parts if name in value})

    return read


def _plain(kind: type, said: str) -> Decoder:
    def read(value: Any, name: str) -> Any:
        # True is an int in Python, but not in the protocol.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise _bad(name, said)
        return value

    return read


def _text(value: Any, name: str) -> str:
    """Decode text; surrogates must be those of a file name that is not UTF-8."""
    if not isinstance(value, str):
        raise _bad(name, "text")
    if not value.isascii():
        try:
            os.fsencode(value)
        except UnicodeEncodeError as error:
            raise _bad(name, "text") from error
    return value


def _integer(value: Any, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise _bad(name, "a whole number")
    if abs(value) > MAX_INT:
        raise _bad(name, "of 64 bits")
    return value


def _number(value: Any, name: str) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise _bad(name, "a number")
    if abs(value) > MAX_INT if isinstance(value, int) else not math.isfinite(value):
        raise _bad(name, "a finite number")
    return float(value)


def _path(value: Any, name: str) -> Path:
    text = _text(value, name)
    if not os.path.isabs(text):  # noqa: PTH117  # before it is a path, which drops a drive's "."
        raise _bad(name, "an absolute path")
    return Path(text)


def _unknown(kind: Any) -> Decoder:
    raise TypeError(f"{kind} cannot cross a border")


def _bad(name: str, wanted: str) -> WorldError:
    return WorldError("bad_request", reason=f"{name} must be {wanted}")


_PLAIN: dict[Any, Decoder] = {
    str: _text,
    int: _integer,
    float: _number,
    bool: _plain(bool, "true or false"),
    Path: _path,
    types.NoneType: _plain(types.NoneType, "null"),
    Any: lambda value, _name: value,
}
