"""How fast this machine reads and embeds, measured in runs over this library.

Owns the rates that estimates use, stored in the catalog. It must not know what is estimated.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer.api.errors import LecternError

if TYPE_CHECKING:
    from indexer.catalog.catalog import Catalog
    from indexer.pipeline.parts import Effort, RunCounts

KEY = "rates"
# Defaults before the first measurement: of a laptop, and of a model of so many layers.
PAGES = 60.0
PASSAGES = 25.0
LAYERS = 6
PASSAGES_A_PAGE = 3.0
# Smaller runs are not recorded.
LEAST_PAGES = 50
LEAST_PASSAGES = 100
# The weight of the latest run in the moving average.
WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Throughput:
    """Pages read and passages embedded per second, each while nothing else runs."""

    pages: float = PAGES
    passages: float = PASSAGES
    passages_a_page: float = PASSAGES_A_PAGE
    measured: bool = False


def load(catalog: Catalog, space: str, layers: int = LAYERS) -> Throughput:
    """Return the rates measured in this library, or defaults.

    Args:
        catalog: Of the library.
        space: The key of the embedding space whose rate of passages is meant.
        layers: Of its model, to scale the default.
    """
    known = _known(catalog)
    of_space = known.get(f"passages:{space}")
    return Throughput(
        known.get("pages") or PAGES,
        of_space or PASSAGES * LAYERS / layers,
        known.get("passages_a_page") or PASSAGES_A_PAGE,
        measured=bool(known.get("pages") and of_space),
    )


def record(catalog: Catalog, space: str, done: RunCounts, effort: Effort) -> None:
    """Update the rates by a run's counts and busy times."""
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
    # Only estimates depend on it, so a full disk must not fail the run.
    with contextlib.suppress(LecternError):
        catalog.set_meta(KEY, json.dumps(known))


def _known(catalog: Catalog) -> dict[str, float]:
    try:
        return {key: float(rate) for key, rate in json.loads(catalog.meta(KEY) or "{}").items()}
    except (ValueError, TypeError, AttributeError):
        return {}
