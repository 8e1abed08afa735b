"""What stands around a passage."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.search.candidates import neighbour_similarity


def test_the_ends_of_a_document_lose_nothing_to_its_middle() -> None:
    # In the middle, at the start, at the end, alone.
    before = np.array([0.2, 0.0, 0.3, 0.0], np.float32)
    here = np.array([0.9, 0.9, 0.9, 0.7], np.float32)
    after = np.array([0.4, 0.3, 0.0, 0.0], np.float32)
    found = neighbour_similarity(before, here, after)
    assert found == pytest.approx([0.6, 0.6, 0.6, 1.4])
