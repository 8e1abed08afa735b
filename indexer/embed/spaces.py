"""The name of the space of a model's vectors; vectors of another name are not comparable.

It must not know where vectors are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.config import Precision
    from indexer.embed.models import ModelRecord

# Of the numbers that compiled graphs compute. A builder that only computes them more exactly, as
# version 8 does in 8 bits, keeps it, so that nothing is embedded again.
_NUMBERS = 7
# Versions of the layout of a sequence. They are part of the space's name.
LATE, ALONE, TOKENS = "late-3", "alone-1", "tokens-1"


def space_of(record: ModelRecord, precision: Precision) -> str:
    """The name of the space of a model's vectors; vectors of equal spaces are comparable."""
    mode = LATE if record.late else ALONE
    if record.interaction is not None:
        mode = f"{TOKENS}.{record.interaction.pooled}"
    edition = f"/{record.edition}" if record.edition else ""
    return f"{record.id}/{precision}-{_NUMBERS}/{mode}{edition}"
