"""A ``Notices`` that records them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ui.ports import Notice


@dataclass(slots=True)
class RecordedNotices:
    """Implements ``ports.Notices``."""

    told: list[Notice] = field(default_factory=list)

    def post(self, notice: Notice) -> None:
        self.told.append(notice)

    @property
    def texts(self) -> list[str]:
        return [each.text for each in self.told]

    def lapse(self) -> None:
        """Expire the last notice."""
        expired = self.told[-1].expired
        assert expired is not None
        expired()
