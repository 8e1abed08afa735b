"""Models of the known families, live: as transformers and sentence-transformers compute them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.compiler.reference import reference_states
from indexer.config import Precision
from indexer.embed.base import EmbedInput
from indexer.embed.factory import open_embedder
from indexer.embed.imported import import_model
from tests.sentence_folder import write_cross_encoder, write_folder
from tests.tiny_families import FAMILIES, family_weights, kept_states, sequences, torch_states

if TYPE_CHECKING:
    from pathlib import Path

# torch and its company deprecate things of their own.
pytestmark = [pytest.mark.convert, pytest.mark.filterwarnings("default")]

TEXTS = ["The storm broke at dawn. Nobody had slept.", "bread", "a long text " * 9, "Who pays?"]
TOKENS = {f"{name.lower()}_token": f"[{name}]" for name in ("PAD", "UNK", "CLS", "SEP", "MASK")}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_kept_states_are_those_of_transformers(name: str) -> None:
    pytest.importorskip("transformers", reason="needs `make test-convert`")
    for found, kept in zip(torch_states(name), kept_states(name), strict=True):
        np.testing.assert_allclose(found, kept, atol=1e-5)


@pytest.mark.parametrize("name", ["modernbert", "xlm-roberta"])
def test_a_cross_encoder_scores_as_that_of_transformers(name: str, tmp_path: Path) -> None:
    library = pytest.importorskip("transformers", reason="needs `make test-convert`")
    import torch

    folder, shape = write_cross_encoder(tmp_path / "mine", name), FAMILIES[name]
    model = library.AutoModelForSequenceClassification.from_pretrained(
        folder, attn_implementation="eager"
    )
    weights = family_weights(name, replace(shape, scores=True))
    for ids in sequences():
        with torch.no_grad():
            wanted = model(torch.from_numpy(ids[None]).long()).logits[0]
        found = reference_states(replace(shape, scores=True), weights.__getitem__, ids)[0]
        np.testing.assert_allclose(found, wanted, atol=1e-4)


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
