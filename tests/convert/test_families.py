"""Models of the known families, live: as transformers and sentence-transformers compute them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.config import Precision
from indexer.embed.base import EmbedInput
from indexer.embed.factory import open_embedder
from indexer.embed.imported import import_model
from tests.sentence_folder import write_folder
from tests.tiny_families import (
    SCORERS,
    SHAPES,
    kept_scores,
    kept_states,
    torch_scores,
    torch_states,
)

if TYPE_CHECKING:
    from pathlib import Path

# torch and its company deprecate things of their own, and take minutes to load where others work.
pytestmark = [
    pytest.mark.convert, pytest.mark.filterwarnings("default"), pytest.mark.timeout(900),
]  # fmt: skip

TEXTS = ["The storm broke at dawn. Nobody had slept.", "bread", "a long text " * 9, "Who pays?"]
TOKENS = {f"{name.lower()}_token": f"[{name}]" for name in ("PAD", "UNK", "CLS", "SEP", "MASK")}


@pytest.mark.parametrize("name", SHAPES)
def test_the_kept_states_are_those_of_transformers(name: str) -> None:
    pytest.importorskip("transformers", reason="needs `make test-convert`")
    for found, kept in zip(torch_states(name), kept_states(name), strict=True):
        np.testing.assert_allclose(found, kept, atol=1e-5)


@pytest.mark.parametrize("name", SCORERS)
def test_the_kept_scores_are_those_of_transformers(name: str) -> None:
    pytest.importorskip("transformers", reason="needs `make test-convert`")
    np.testing.assert_allclose(torch_scores(name), kept_scores(name), atol=1e-5)


# transformers has no JinaBERT and no Qwen3 in both directions, and other options for NomicBERT.
@pytest.mark.parametrize("name", ["modernbert", "xlm-roberta", "qwen3", "gemma3_text"])
@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token", "lasttoken"])
def test_an_imported_folder_has_the_vectors_of_sentence_transformers(
    name: str, pooling: str, tmp_path: Path
) -> None:
    library = pytest.importorskip("sentence_transformers", reason="needs `make test-convert`")
    folder = write_folder(tmp_path / "mine", name, pooling)
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 150, **TOKENS}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    record = import_model(folder, tmp_path / "models")
    embedder = open_embedder(record, tmp_path / "models", Precision.FP32, download=False)
    model = library.SentenceTransformer(str(folder), device="cpu")
    wanted = {
        prompt: model.encode(TEXTS, prompt_name=prompt, normalize_embeddings=True)
        for prompt in ("query", "document")
    }
    made = embedder.encode_passages([EmbedInput("", (), text, (0,)) for text in TEXTS])
    np.testing.assert_allclose(
        np.stack([vectors.vector for vectors in made]), wanted["document"], atol=1e-5
    )
    queries = np.stack([embedder.encode_query(text) for text in TEXTS])
    np.testing.assert_allclose(queries, wanted["query"], atol=1e-5)
