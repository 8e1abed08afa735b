"""How fast this machine reads and understands, as runs over this library have shown.

Owns the rates that estimates are made from, kept in the catalog from run to run. It must not know
what is estimated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.catalog import Catalog

KEY = "rates"
# Where nothing was measured: a laptop of a few years ago.
PAGES = 60.0
PASSAGES = 25.0
PASSAGES_A_PAGE = 3.0
# A run that did less says little.
LEAST_PAGES = 50
LEAST_PASSAGES = 100
# How much the latest run counts against all before it.
WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Measured:
    """Pages read and passages understood in a second, each as if nothing else were done."""

    pages: float = PAGES
    passages: float = PASSAGES
    passages_a_page: float = PASSAGES_A_PAGE
    measured: bool = False


def load(catalog: Catalog, space: str) -> Measured:
    """Give the rates of this library; those of passages belong to an embedding space."""
    try:
        known = json.loads(catalog.meta(KEY) or "{}")
    except ValueError:
        known = {}
    of_space = known.get(f"passages:{space}")
    return Measured(
        float(known.get("pages") or PAGES),
        float(of_space or PASSAGES),
        float(known.get("passages_a_page") or PASSAGES_A_PAGE),
        measured=bool(known.get("pages") and of_space),
    )
