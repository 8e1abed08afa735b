"""The live comparison with torch and sentence-transformers (``make test-convert``)."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexer.config import Precision
from indexer.embed.base import EmbedInput
from indexer.embed.factory import open_embedder
from indexer.embed.models import MINILM, RECORDS

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
# torch and its company deprecate things of their own.
pytestmark = [
    pytest.mark.convert, pytest.mark.filterwarnings("default"), pytest.mark.timeout(900),
]  # fmt: skip


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    pytest.importorskip("sentence_transformers", reason="needs `make test-convert`")
    path = ROOT / "packaging" / "model" / "reference.py"
    spec = importlib.util.spec_from_file_location("reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def original(reference: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return reference.open_original(reference.unpack_original(tmp_path_factory.mktemp("original")))


@pytest.fixture(scope="module")
def texts(reference: ModuleType) -> list[str]:
    return list(json.loads(reference.TEXTS.read_text("utf-8")))


@pytest.fixture(scope="module")
def encoded(reference: ModuleType, original: Any, texts: list[str]) -> NDArray[np.float32]:
    vectors: NDArray[np.float32] = reference.encode(original, texts)
    return vectors


def test_the_kept_vectors_are_the_originals(
    reference: ModuleType, encoded: NDArray[np.float32]
) -> None:
    with np.load(reference.VECTORS) as file:
        np.testing.assert_allclose(encoded, file["vectors"], atol=1e-5)


def test_float32_equals_the_original(
    encoded: NDArray[np.float32], texts: list[str], minilm_models_dir: Path
) -> None:
    embedder = open_embedder(RECORDS[MINILM], minilm_models_dir, Precision.FP32)
    made = embedder.encode_passages([EmbedInput("", (), text, (0,)) for text in texts])
    ours = np.stack([vectors.vector for vectors in made])
    np.testing.assert_allclose(ours, encoded, atol=1e-4)


def test_states_of_single_tokens_equal_the_originals(
    original: Any, texts: list[str], minilm_models_dir: Path
) -> None:
    embedder = open_embedder(RECORDS[MINILM], minilm_models_dir, Precision.FP32)
    text = sorted(texts, key=len)[len(texts) // 2]
    middle = text.index(" ", len(text) // 2)
    (made,) = embedder.encode_passages([EmbedInput("", (), text, (0, middle))])
    states = original.encode([text], output_value="token_embeddings")[0].cpu().numpy()
    tokens = original.tokenizer(text[:middle], add_special_tokens=False)["input_ids"]
    first = states[1 : 1 + len(tokens)].mean(axis=0)
    np.testing.assert_allclose(made.sentences[0], first / np.linalg.norm(first), atol=1e-4)
