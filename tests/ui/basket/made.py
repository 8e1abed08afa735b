"""A document for tests of the basket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.extract.pdfs import box, save

if TYPE_CHECKING:
    from pathlib import Path

LEASE = (
    "The landlord lets the workshop to the tenant. The rent is due on the first of each month. "
    "Either party may end this lease with three months to the end of a quarter. "
    "The deposit is returned within 30 days of the end of the lease. "
)


def lease(path: Path, text: str = LEASE) -> Path:
    """Save a contract of one page."""
    return save(path, box(72, 90, 540, 700, text))
