"""What stands around a passage."""

from __future__ import annotations

import numpy as np
import pytest

from indexer.search.candidates import neighbour_similarity


def test_the_ends_of_a_document_lose_nothing_to_its_middle() -> None:
    # In the middle, at the start, at the end, alone.
    before = np.array([0.2, 0.0, 0.3, 0.0], np.float32)
    after = np.array([0.4, 0.3, 0.0, 0.0], np.float32)
    assert neighbour_similarity(before, after) == pytest.approx([0.6, 0.6, 0.6, 0.6])


def test_where_all_are_alone_nothing_stands_around() -> None:
    none = np.zeros(2, np.float32)
    assert neighbour_similarity(none, none) == pytest.approx([0.0, 0.0])
