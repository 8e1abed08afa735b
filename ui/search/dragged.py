"""Hits within the data of a drag, for another part of the window. It must not know widgets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from indexer.api.codec import decode, encode
from indexer.api.errors import LecternError
from indexer.api.types import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QMimeData

HIT_MIME = "application/x-lectern-hits"


def packed(hits: Sequence[Hit]) -> bytes:
    return json.dumps(encode(tuple(hits))).encode()


def dragged_hits(data: QMimeData) -> tuple[Hit, ...]:
    """Return the hits that a drag carries; none if they are not valid."""
    try:
        hits: tuple[Hit, ...] = decode(
            tuple[Hit, ...], json.loads(bytes(data.data(HIT_MIME).data()))
        )
    except (ValueError, LecternError):
        return ()
    return hits
