"""How fast this machine reads and embeds, as runs over this library have shown.

Owns the rates that estimates are made from, kept in the catalog from run to run. It must not know
what is estimated.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.api.errors import LecternError

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.pipeline.parts import Counts, Effort

KEY = "rates"
# Where nothing was measured: a laptop of a few years ago, and a model of so many layers.
PAGES = 60.0
PASSAGES = 25.0
LAYERS = 6
PASSAGES_A_PAGE = 3.0
# A run that did less says little.
LEAST_PAGES = 50
LEAST_PASSAGES = 100
# How much the latest run counts against all before it.
WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Throughput:
    """Pages read and passages embedded in a second, each as if nothing else were done."""

    pages: float = PAGES
    passages: float = PASSAGES
    passages_a_page: float = PASSAGES_A_PAGE
    measured: bool = False


def load(catalog: Catalog, space: str, layers: int = LAYERS) -> Throughput:
    """Give the rates of this library.

    Args:
        catalog: Of the library.
        space: The key of the embedding space that the rate of passages belongs to.
        layers: How many its model reads passages through, for a guess.
    """
    known = _known(catalog)
    of_space = known.get(f"passages:{space}")
    return Throughput(
        known.get("pages") or PAGES,
        of_space or PASSAGES * LAYERS / layers,
        known.get("passages_a_page") or PASSAGES_A_PAGE,
        measured=bool(known.get("pages") and of_space),
    )


def record(catalog: Catalog, space: str, done: Counts, effort: Effort) -> None:
    """Take in what a run did, and how long its readers and its model were at work for it."""
    seen: dict[str, float] = {}
    if done.pages >= LEAST_PAGES and effort.reading_s > 0:
        seen["pages"] = done.pages / effort.reading_s
        seen["passages_a_page"] = done.written / done.pages
    if done.embedded >= LEAST_PASSAGES and effort.embedding_s > 0:
        seen[f"passages:{space}"] = done.embedded / effort.embedding_s
    if not seen:
        return
    known = _known(catalog)
    for key, rate in seen.items():
        known[key] = rate if key not in known else WEIGHT * rate + (1 - WEIGHT) * known[key]
    # Only estimates depend on it, so a full disk must not cost the run.
    with contextlib.suppress(LecternError):
        catalog.set_meta(KEY, json.dumps(known))


def _known(catalog: Catalog) -> dict[str, float]:
    try:
        return {key: float(rate) for key, rate in json.loads(catalog.meta(KEY) or "{}").items()}
    except (ValueError, TypeError, AttributeError):
        return {}
