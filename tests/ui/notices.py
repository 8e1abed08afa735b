"""A place for notices that remembers them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice, as it was given."""

    text: str
    action: str = ""
    act: Callable[[], None] | None = None
    expired: Callable[[], None] | None = None


@dataclass(slots=True)
class RecordedNotices:
    """Implements ``ports.Notices``."""

    told: list[Notice] = field(default_factory=list)

    def tell(
        self,
        text: str,
        *,
        action: str = "",
        act: Callable[[], None] | None = None,
        undo: Callable[[], None] | None = None,
        seconds: float = 8.0,
        expired: Callable[[], None] | None = None,
    ) -> None:
        self.told.append(Notice(text, action, undo or act, expired))

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.told]

    def lapse(self) -> None:
        """Let the time of the last notice be over."""
        expired = self.told[-1].expired
        assert expired is not None
        expired()
