"""What a run has in hand: the files it took, and the documents that are being written.

Owns these values. It must not know what is done with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.api.types import DocumentInfo
    from indexer.catalog.records import Job


@dataclass(slots=True)
class Writing:
    """A document whose passages are coming in."""

    doc: int
    info: DocumentInfo
    terms: Mapping[str, int]
    passages: int = 0


@dataclass(slots=True)
class InHand:
    """Taken jobs, and the documents being written, by file."""

    jobs: dict[int, Job] = field(default_factory=dict)
    writing: dict[int, Writing] = field(default_factory=dict)
