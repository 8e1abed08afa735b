"""What one document may unpack to: bytes, elements and characters, counted as they come.

Owns the counting and the outcome once a limit is passed, so that a small file that unpacks without
end costs no more than a large one; it must not know any format. Standard library only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.errors import WorldError
from indexer.extract.base import shown_size

if TYPE_CHECKING:
    from indexer.extract.base import Limits


class Budget:
    """Counts what a document has cost so far.

    ``spend`` methods raise ``WorldError`` ``too_complex`` once a limit is passed.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.unpacked = 0
        self.elements = 0
        self.characters = 0

    def spend_bytes(self, count: int) -> None:
        """Count bytes that were unpacked."""
        self.unpacked += count
        if self.unpacked > self.limits.unpacked_bytes:
            raise WorldError("too_complex", limit=shown_size(self.limits.unpacked_bytes))

    def spend_elements(self, count: int) -> None:
        """Count elements of XML, or whatever else a format is nested of."""
        self.elements += count
        if self.elements > self.limits.elements:
            raise WorldError("too_complex", limit=f"{self.limits.elements:,} elements")

    def spend_characters(self, count: int) -> None:
        """Count characters of text that were read."""
        self.characters += count
        if self.characters > self.limits.characters:
            raise WorldError("too_complex", limit=f"{self.limits.characters:,} characters")
