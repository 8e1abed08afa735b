"""Limits on the unpacked size of one document: bytes, elements, characters, embedded documents.

They stop files that expand without end. What an embedded document spends counts for those around it
too, except for characters, which are counted where they are written.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from indexer.api.errors import WorldError
from indexer.config import Limits
from indexer.extract.base import shown_size

_MAX_DOCUMENTS = 256  # embedded in one document at any depth; archives and mailboxes set their own


@dataclass(frozen=True, slots=True)
class NestedLimits(Limits):
    """The limits of an embedded document, below ``depth`` others; ``parent`` is charged as well."""

    parent: Budget | None = None
    depth: int = 0


class Budget:
    """The counters of one document.

    The ``spend`` methods raise ``WorldError`` ``too_complex`` when a limit is exceeded.
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
        """Return the limits of an embedded document: half of what is left, as others may follow."""
        known = {field.name: getattr(self.limits, field.name) for field in fields(Limits)}
        left = {
            "unpacked_bytes": (self.limits.unpacked_bytes - self.unpacked) // 2,
            "elements": (self.limits.elements - self.elements) // 2,
            "characters": self.limits.characters // 2,
        }
        return NestedLimits(**{**known, **left}, parent=self, depth=self.depth + 1)

    @property
    def spent(self) -> bool:
        """Whether a limit was exceeded, so that nothing more may be unpacked."""
        own = self.unpacked > self.limits.unpacked_bytes or self.documents > self._most_documents
        return own or (self._parent is not None and self._parent.spent)

    def spend_document(self) -> None:
        """Count an embedded document."""
        self.documents += 1
        if self.documents > self._most_documents:
            limit = f"{self._most_documents:,} documents"
            raise WorldError("too_complex", limit=limit, reason="too_many_inside")
        if self._parent is not None:
            self._parent.spend_document()

    def spend_bytes(self, count: int) -> None:
        """Count unpacked bytes."""
        self.unpacked += count
        if self.unpacked > self.limits.unpacked_bytes:
            raise WorldError("too_complex", limit=shown_size(self.limits.unpacked_bytes))
        if self._parent is not None:
            self._parent.spend_bytes(count)

    def spend_elements(self, count: int) -> None:
        """Count XML elements, or similar parts of a format."""
        self.elements += count
        if self.elements > self.limits.elements:
            raise WorldError("too_complex", limit=f"{self.limits.elements:,} elements")
        if self._parent is not None:
            self._parent.spend_elements(count)

    def spend_characters(self, count: int) -> None:
        """Count characters of extracted text."""
        self.characters += count
        if self.characters > self.limits.characters:
            raise WorldError("too_complex", limit=f"{self.limits.characters:,} characters")
