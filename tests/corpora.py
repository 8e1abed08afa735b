"""Where the shared benchmark corpora are, when they are there at all."""

from __future__ import annotations

from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "shared" / "bench"

needs_corpus = pytest.mark.skipif(
    not BENCH.is_dir(), reason=f"the benchmark corpora are not at {BENCH.name} beside the checkout"
)
