"""The declaration of a setting: its name, type, default, bounds and texts.

A declaration parses and validates values; the command line and the window's dialog derive from it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct, field

from indexer.api.errors import WorldError, not_a_choice

TRUE = frozenset({"on", "yes", "true", "1"})
FALSE = frozenset({"off", "no", "false", "0"})

Value = str | int | float | bool | tuple[str, ...]


class SettingType(Enum):
    """The type of a setting; its value is the type's name in the documentation."""

    FLAG = "on or off"
    INTEGER = "whole number"
    NUMBER = "number"
    CHOICE = "one of"
    TEXT = "text"
    FOLDER = "folder"
    KEYS = "keys"
    LIST = "list"
    VIEWER = "command"
    STYLE = "style or template"


# The Python types of values; values of other settings are text.
_KINDS: dict[SettingType, Any] = {
    SettingType.FLAG: bool,
    SettingType.INTEGER: int,
    SettingType.NUMBER: float,
    SettingType.LIST: tuple[str, ...],
}


class Setting(Struct, frozen=True):
    """One declared setting.

    ``group`` is the label of its page in the dialog, "" for a setting that is not in the dialog but
    beside its effect. ``type`` decides the editor. ``low`` and ``high`` bound numbers, ``choices``
    maps values to their labels, and looks of the window are ``drawn`` as pictures. A change is
    effective ``at_once``, or when the engine or the window starts again. A setting that few people
    need is ``advanced`` and folded away.
    """

    name: str
    group: str
    type: SettingType
    default: Value
    label: str
    help: str
    low: float = 0
    high: float = 0
    choices: Mapping[str, str] = field(default_factory=dict)
    at_once: bool = False
    advanced: bool = False
    drawn: bool = False

    @property
    def values(self) -> str:
        """The permitted values, in words."""
        match self.type:
            case SettingType.CHOICE:
                return ", ".join(self.choices)
            case SettingType.INTEGER | SettingType.NUMBER:
                return f"{self.low:g} to {self.high:g}"
            case _:
                return str(self.type.value)

    def parse_value(self, words: list[str]) -> Value:
        """Parse typed text. Raises ``bad_setting``."""
        if self.type is SettingType.LIST:
            return self.check(words)
        if len(words) != 1:
            raise self._wrong(" ".join(words), "takes_one")
        word = words[0]
        if self.type is SettingType.FLAG:
            if word.lower() not in TRUE | FALSE:
                raise self._wrong(word, "takes_flag")
            return word.lower() in TRUE
        if self.type in {SettingType.INTEGER, SettingType.NUMBER}:
            try:
                return self.check(int(word) if self.type is SettingType.INTEGER else float(word))
            except ValueError:
                raise self._wrong(word, self._takes) from None
        if self.type is SettingType.FOLDER and word and "://" not in word:
            # Unlike pathlib, this function leaves an unknown home unchanged.
            return str(Path(os.path.expanduser(word)).absolute())  # noqa: PTH111  # see above
        return self.check(word)

    def check(self, value: object) -> Value:
        """Validate a value. Raises ``bad_setting`` if it has another type or is out of bounds."""
        kind = _KINDS.get(self.type, str)
        try:
            checked = msgspec.convert(value, kind)
        except msgspec.ValidationError:
            raise self._wrong(value, self._takes) from None
        if self.type is SettingType.CHOICE and checked not in self.choices:
            raise not_a_choice(self.name, value, self.choices)
        if kind in (int, float) and not self.low <= checked <= self.high:
            raise self._wrong(value, "takes_range", low=f"{self.low:g}", high=f"{self.high:g}")
        return cast("Value", checked)

    @property
    def _takes(self) -> str:
        return f"takes_{self.type.name.lower()}" if self.type in _KINDS else "takes_text"

    def _wrong(self, value: object, reason: str, **detail: str) -> WorldError:
        return WorldError("bad_setting", name=self.name, value=value, reason=reason, **detail)
