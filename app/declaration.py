"""What a setting is: its name, its type, its default, its bounds and what is said about it.

Owns how a value is understood and refused. It must not know which settings there are
(``app.settings``), nor where values are kept.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from collections.abc import Callable

TRUE = frozenset({"on", "yes", "true", "1"})
FALSE = frozenset({"off", "no", "false", "0"})

Value = str | int | float | bool | tuple[str, ...]


class Kind(Enum):
    """The type of a setting; the value is how the documentation calls it."""

    FLAG = "on or off"
    INTEGER = "whole number"
    NUMBER = "number"
    CHOICE = "one of"
    TEXT = "text"
    FOLDER = "folder"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Setting:
    """One declared setting.

    ``low`` and ``high`` bound numbers, ``choices`` the values of one. ``group`` is the page of the
    window's dialog that it stands on.
    """

    name: str
    kind: Kind
    default: Value
    help: str
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()
    group: str = "advanced"

    @property
    def values(self) -> str:
        """What it may be, in words."""
        match self.kind:
            case Kind.CHOICE:
                return ", ".join(self.choices)
            case Kind.INTEGER | Kind.NUMBER:
                return f"{self.low:g} to {self.high:g}"
            case _:
                return str(self.kind.value)

    def read(self, words: list[str]) -> Value:
        """Understand what a person typed.

        Raises:
            WorldError: ``bad_setting``.
        """
        if self.kind is Kind.LIST:
            return self.check(words)
        if len(words) != 1:
            raise self._wrong(" ".join(words), "takes_one")
        word = words[0]
        if self.kind is Kind.FLAG:
            if word.lower() not in TRUE | FALSE:
                raise self._wrong(word, "takes_flag")
            return word.lower() in TRUE
        if self.kind in {Kind.INTEGER, Kind.NUMBER}:
            try:
                return self.check(int(word) if self.kind is Kind.INTEGER else float(word))
            except ValueError:
                raise self._wrong(word, self._takes) from None
        if self.kind is Kind.FOLDER and word:
            # Unlike pathlib's, this leaves a home it does not know as it was typed.
            return str(Path(os.path.expanduser(word)).absolute())  # noqa: PTH111
        return self.check(word)

    def check(self, value: object) -> Value:
        """Return a value as this setting keeps it.

        Raises:
            WorldError: ``bad_setting``, if it is of another type or out of bounds.
        """
        if not _FITS[self.kind](value):
            raise self._wrong(value, self._takes)
        if self.choices and value not in self.choices:
            raise self._wrong(value, "takes_choice", choices=", ".join(self.choices))
        if self.kind in {Kind.INTEGER, Kind.NUMBER}:
            return self._bounded(value)
        checked: Any = tuple(value) if isinstance(value, list) else value
        return cast("Value", checked)

    def _bounded(self, value: Any) -> Value:
        if not self.low <= value <= self.high:
            raise self._wrong(value, "takes_range", low=f"{self.low:g}", high=f"{self.high:g}")
        return int(value) if self.kind is Kind.INTEGER else float(value)

    @property
    def _takes(self) -> str:
        return f"takes_{self.kind.name.lower()}"

    def _wrong(self, value: object, reason: str, **detail: str) -> WorldError:
        return WorldError("bad_setting", name=self.name, value=value, reason=reason, **detail)


def _is_words(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_FITS: dict[Kind, Callable[[object], bool]] = {
    Kind.FLAG: lambda value: isinstance(value, bool),
    # True is a number to Python, but not to a person.
    Kind.INTEGER: lambda value: isinstance(value, int) and not isinstance(value, bool),
    Kind.NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    Kind.CHOICE: _is_text,
    Kind.TEXT: _is_text,
    Kind.FOLDER: _is_text,
    Kind.LIST: _is_words,
}
