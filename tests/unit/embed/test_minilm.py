"""The base model: equal to sentence-transformers in float32, close in 8 bits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.config import Precision
from indexer.embed.base import EmbedInput
from indexer.embed.factory import open_embedder
from indexer.embed.models import MINILM, RECORDS

if TYPE_CHECKING:
    from indexer.embed.embedder import OnnxEmbedder

DATA = Path(__file__).resolve().parents[2] / "data" / "minilm"


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return list(json.loads((DATA / "passages.json").read_text("utf-8")))[::4]


@pytest.fixture(scope="module")
def expected() -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    with np.load(DATA / "vectors.npz") as file:
        return np.asarray(file["vectors"])[::4]


def _open(models: Path, precision: Precision) -> OnnxEmbedder:
    return open_embedder(RECORDS[MINILM], models, precision, download=False)


@pytest.fixture(scope="module")
def int8(minilm_models_dir: Path) -> OnnxEmbedder:
    return _open(minilm_models_dir, Precision.INT8)


def _vectors(
    embedder: OnnxEmbedder, texts: list[str]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    made = embedder.encode_passages([EmbedInput("", (), text, (0,)) for text in texts])
    return np.stack([vectors.vector for vectors in made])


def test_float32_equals_sentence_transformers(
    minilm_models_dir: Path,
    texts: list[str],
    expected: np.ndarray[tuple[int, int], np.dtype[np.float32]],
) -> None:
    embedder = _open(minilm_models_dir, Precision.FP32)
    assert len(texts) == len(expected) == 50
    np.testing.assert_allclose(_vectors(embedder, texts), expected, atol=1e-4)


def test_the_texts_fill_the_window(int8: OnnxEmbedder, texts: list[str]) -> None:
    lengths = [len(ids) for ids in int8.sequences([EmbedInput("", (), t, (0,)) for t in texts])]
    assert max(lengths) == int8.record.window
    assert sum(length > 256 for length in lengths) > 10


def test_8_bits_are_close(
    int8: OnnxEmbedder,
    texts: list[str],
    expected: np.ndarray[tuple[int, int], np.dtype[np.float32]],
) -> None:
    assert (_vectors(int8, texts) * expected).sum(axis=1).min() >= 0.98


def test_8_bits_do_not_depend_on_the_batch(int8: OnnxEmbedder, texts: list[str]) -> None:
    chosen = sorted(texts, key=len)[:30]
    together = _vectors(int8, chosen)
    alone = np.concatenate([_vectors(int8, [text]) for text in chosen])
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_similar_texts_have_similar_vectors(int8: OnnxEmbedder) -> None:
    query = int8.encode_query("How much notice must be given to terminate the agreement?")
    notice, bread = _vectors(
        int8,
        [
            "Either party may terminate this agreement upon thirty days' written notice.",
            "Knead the dough for ten minutes and let it rise in a warm place.",
        ],
    )
    assert query @ notice > query @ bread + 0.2
