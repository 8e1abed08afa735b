"""Which collections each door may see: the person chooses them, and by default there are none.

The choice is a setting for each door; a change takes effect with the next call. A call for a
collection that the door may not see is answered as if the collection did not exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, cast

from indexer.api.errors import WorldError

if TYPE_CHECKING:
    from app.settings import Settings

EVERYTHING = "*"  # stands for the whole library in place of a name


class Door(StrEnum):
    """A door; the setting that says what it may see is named after it."""

    MCP = "mcp"
    SERVE = "serve"
    DESKTOP = "desktop"

    @property
    def setting(self) -> str:
        return f"{self.value}_collections"


@dataclass(frozen=True, slots=True)
class Access:
    """The names of the collections that a door may see; ``EVERYTHING`` stands for all."""

    allowed: tuple[str, ...]

    @classmethod
    def read(cls, settings: Settings, door: Door) -> Access:
        """Read the person's choice from the file, since another process may have changed it."""
        settings.read_again()
        return cls(cast("tuple[str, ...]", settings[door.setting]))

    @property
    def everything(self) -> bool:
        return EVERYTHING in self.allowed

    def check_open(self, door: Door) -> None:
        """Refuse a door through which nothing may be seen. Raises ``door_closed``."""
        if not self.allowed:
            raise WorldError("door_closed", door=door.value)

    def scopes(self, asked: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the collections to look into; "" stands for the whole library.

        Args:
            asked: Names of collections; by default all that may be seen.
        """
        if asked:
            return tuple(dict.fromkeys("" if name == EVERYTHING else name for name in asked))
        if self.everything:
            return ("",)
        return tuple(dict.fromkeys(self.allowed))

    def check(self, scope: str) -> None:
        """Refuse a collection that may not be seen.

        Raises ``unknown_collection``, as for a collection that does not exist.
        """
        known = {name.casefold() for name in self.allowed}
        if not self.everything and scope.casefold() not in known:
            raise WorldError("unknown_collection", name=scope or EVERYTHING)
