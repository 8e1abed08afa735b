"""The calls that the doors have in common, made from the methods of ``DoorLibrary``.

A method's name, docstring, annotations and return type say all that a door needs: the tools of
assistants, the routes over HTTP and their descriptions are made from them. A parameter that is a
dataclass stands for its fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Any, get_args

from app.doors.library import DoorCaller, DoorLibrary


@dataclass(frozen=True, slots=True)
class DoorCall:
    """A call of a library: the method that answers it, and its parameters besides the caller."""

    method: Callable[..., Any]
    arguments: tuple[inspect.Parameter, ...]
    answer: type[Any]

    @classmethod
    def of(cls, method: Callable[..., Any]) -> DoorCall:
        signature = inspect.signature(method, eval_str=True)
        _self, _caller, *arguments = signature.parameters.values()
        return cls(method, tuple(arguments), signature.return_annotation)

    @property
    def name(self) -> str:
        return self.method.__name__

    @property
    def help(self) -> str:
        return inspect.getdoc(self.method) or ""

    @property
    def parameters(self) -> list[inspect.Parameter]:
        """The parameters of the call; a dataclass is replaced by its fields."""
        every = (each for one in self.arguments for each in _expanded(one))
        return [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in every]

    def answered(self, library: DoorLibrary, caller: DoorCaller, values: Mapping[str, Any]) -> Any:
        """Call the method with values that are given by the names of the parameters."""
        given = {}
        for one in self.arguments:
            own = {each.name: values[each.name] for each in _expanded(one)}
            kind = _dataclass_of(one)
            given[one.name] = own[one.name] if kind is None else kind(**own)
        return self.method(library, caller, **given)


def _dataclass_of(parameter: inspect.Parameter) -> type[Any] | None:
    kinds = (parameter.annotation, *get_args(parameter.annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and is_dataclass(kind)), None)


def _expanded(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    kind = _dataclass_of(parameter)
    if kind is None:
        yield parameter
    else:
        yield from inspect.signature(kind, eval_str=True).parameters.values()


CALLS = tuple(
    DoorCall.of(method)
    for method in (
        DoorLibrary.search,
        DoorLibrary.read,
        DoorLibrary.similar,
        DoorLibrary.compare,
        DoorLibrary.documents,
        DoorLibrary.status,
    )
)
