"""Limits on the unpacked size of one document: bytes, elements and characters.

Owns the counting and the outcome once a limit is passed, so that a small file that unpacks without
end costs no more than a large one; it must not know any format. What a document inside another
costs is paid by both, except for characters: those are counted where they are written. Standard
library only.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract.base import shown_size

_MAX_DOCUMENTS = 256  # inside one document, however deep, unless it is there to hold more


@dataclass(frozen=True, slots=True)
class NestedLimits(Limits):
    """The limits of an embedded document.

    Attributes:
        parent: The budget of the document around it, which pays as well.
        depth: How many documents are around it.
    """

    parent: Budget | None = None
    depth: int = 0


class Budget:
    """Counts what a document has cost so far.

    ``spend`` methods raise ``WorldError`` ``too_complex`` once a limit is passed.
    """

    def __init__(self, limits: Limits, documents: int = _MAX_DOCUMENTS) -> None:
        self.limits = limits
        self._most_documents = documents
        self.unpacked = 0
        self.elements = 0
        self.characters = 0
        self.documents = 0
        self.depth = limits.depth if isinstance(limits, NestedLimits) else 0
        self._parent = limits.parent if isinstance(limits, NestedLimits) else None

    def nested_limits(self) -> NestedLimits:
        """Return what a document inside may cost.

        It is half of what is left, so that one without end leaves something for the others.
        """
        known = {field.name: getattr(self.limits, field.name) for field in fields(Limits)}
        left = {
            "unpacked_bytes": (self.limits.unpacked_bytes - self.unpacked) // 2,
            "elements": (self.limits.elements - self.elements) // 2,
            "characters": self.limits.characters // 2,
        }
        return NestedLimits(**{**known, **left}, parent=self, depth=self.depth + 1)

    @property
    def spent(self) -> bool:
        """Whether nothing more may be unpacked."""
        mine = self.unpacked > self.limits.unpacked_bytes or self.documents > self._most_documents
        return mine or (self._parent is not None and self._parent.spent)

    def spend_document(self) -> None:
        """Count a document inside this one."""
        self.documents += 1
        if self.documents > self._most_documents:
            limit = f"{self._most_documents:,} documents"
            raise WorldError("too_complex", limit=limit, reason="too_many_inside")
        if self._parent is not None:
            self._parent.spend_document()

    def spend_bytes(self, count: int) -> None:
        """Count bytes that were unpacked."""
        self.unpacked += count
        if self.unpacked > self.limits.unpacked_bytes:
            raise WorldError("too_complex", limit=shown_size(self.limits.unpacked_bytes))
        if self._parent is not None:
            self._parent.spend_bytes(count)

    def spend_elements(self, count: int) -> None:
        """Count elements of XML, or other nested parts of a format."""
        self.elements += count
        if self.elements > self.limits.elements:
            raise WorldError("too_complex", limit=f"{self.limits.elements:,} elements")
        if self._parent is not None:
            self._parent.spend_elements(count)

    def spend_characters(self, count: int) -> None:
        """Count characters of text that were read."""
        self.characters += count
        if self.characters > self.limits.characters:
            raise WorldError("too_complex", limit=f"{self.limits.characters:,} characters")
