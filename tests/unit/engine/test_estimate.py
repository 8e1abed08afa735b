"""Estimates of pages from bytes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pymupdf

from indexer.api.progress import CancelToken
from indexer.engine.estimate import pages_of, sampled_page_bytes

if TYPE_CHECKING:
    from pathlib import Path


def test_the_pages_of_scans_are_not_estimated_by_their_size(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (5, 64 * 1024 * 3), np.uint8)
    path = tmp_path / "scans.pdf"
    with pymupdf.open() as document:
        for samples in noise:
            scan = pymupdf.Pixmap(pymupdf.csRGB, 256, 256, samples.tobytes(), False)
            document.new_page().insert_image(pymupdf.Rect(0, 0, 500, 500), pixmap=scan)
        document.save(path)
    size = path.stat().st_size
    assert pages_of("pdf", 1, size, {}) > 50
    known = sampled_page_bytes([os.fsencode(path), b"/none.pdf"], CancelToken())
    assert pages_of("pdf", 1, size, known) == 5
    assert sampled_page_bytes([b"/none.pdf"], CancelToken()) == {}
