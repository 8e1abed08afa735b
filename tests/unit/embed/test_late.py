"""Our late-chunked model: equal in float32 to a library that is not ours, close to it in 8 bits."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.config import Precision
from indexer.embed.base import EmbedInput
from indexer.embed.factory import open_embedder
from indexer.embed.fetch import ensure_source
from indexer.embed.models import Side
from indexer.embed.record_files import find_record, shipped_folder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indexer.embed.embedder import OnnxEmbedder

LATE = "lectern-minilm-late"
DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def expected() -> NDArray[np.float32]:
    with np.load(DATA / "late" / "vectors.npz") as file:
        return np.asarray(file["vectors"])


def _vectors(models: Path, precision: Precision) -> tuple[OnnxEmbedder, NDArray[np.float32]]:
    """The vectors of the kept runs, made from nothing but what comes with Lectern."""
    kept = json.loads((DATA / "late" / "runs.json").read_text("utf-8"))
    record = replace(find_record(LATE), window=kept["window"])
    embedder = open_embedder(record, models, precision, download=False)
    headings = tuple(kept["headings"])
    passages = [
        EmbedInput(kept["title"], headings, text, (0,)) for run in kept["runs"] for text in run
    ]
    found: dict[int, NDArray[np.float32]] = {}
    for batch in embedder.encode_batches(passages, runs=[len(run) for run in kept["runs"]]):
        found.update({index: vectors.vector for index, vectors in batch})
    return embedder, np.stack([found[index] for index in range(len(passages))])


def test_float32_equals_transformers(models: Path, expected: NDArray[np.float32]) -> None:
    embedder, vectors = _vectors(models, Precision.FP32)
    assert embedder.record.late
    np.testing.assert_allclose(vectors, expected, atol=1e-4)


def test_8_bits_are_close(models: Path, expected: NDArray[np.float32]) -> None:
    _, vectors = _vectors(models, Precision.INT8)
    assert (vectors * expected).sum(axis=1).min() >= 0.98


def test_its_files_are_used_where_they_lie(tmp_path: Path) -> None:
    record = find_record(LATE)
    assert ensure_source(record, tmp_path / "source", download=False) == shipped_folder() / LATE
    assert not (tmp_path / "source").exists()
    assert record.download_bytes < 50e6


def test_queries_are_read_by_the_genuine_model(models: Path) -> None:
    texts = json.loads((DATA / "minilm" / "passages.json").read_text("utf-8"))
    with np.load(DATA / "minilm" / "vectors.npz") as file:
        genuine = np.asarray(file["vectors"])
    queries = open_embedder(find_record(LATE), models, Precision.FP32, Side.QUERIES, download=False)
    found = np.stack([queries.encode_query(text) for text in texts[::4]])
    assert (found * genuine[::4]).sum(axis=1).min() >= 0.9999  # the file has half the digits


def test_a_query_finds_its_passage(models: Path) -> None:
    passages, queries = (
        open_embedder(find_record(LATE), models, Precision.FP32, side, download=False)
        for side in Side
    )
    query = queries.encode_query("How much notice must be given to terminate the agreement?")
    notice, bread = passages.encode_passages(
        [
            EmbedInput("", (), "Either party may terminate upon thirty days' notice. ", (0,)),
            EmbedInput("", (), "Knead the dough for ten minutes and let it rise.", (0,)),
        ]
    )
    assert query @ notice.vector > query @ bread.vector + 0.2
