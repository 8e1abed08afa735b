"""Stores that keep every commit as a file of its own, for tests of what becomes of single files."""

from __future__ import annotations

from indexer.store.maintenance import Thresholds

NEVER = (1_000_000, 1_000_000)
SCATTERED = Thresholds(NEVER, NEVER, fragments=NEVER, ann_from=10**6)
