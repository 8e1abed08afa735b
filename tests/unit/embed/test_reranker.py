"""A tiny random cross-encoder: imported, compiled, and asked for the order of passages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.api.errors import WorldError
from indexer.api.models import ModelKind
from indexer.api.progress import CancelToken
from indexer.compiler.reference import reference_states
from indexer.config import EngineConfig
from indexer.embed.imported import import_model
from indexer.embed.installed import describe, remove
from indexer.embed.record_files import find_embedding
from indexer.embed.reranker import CrossEncoder, Reranker
from indexer.embed.tokens import TextTokenizer
from tests.sentence_folder import change, write_cross_encoder
from tests.tiny_families import FAMILIES, family_weights
from tests.waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "who pays the rent"
PASSAGES = tuple(f"the {word} pays it " * 3 for word in ("tenant", "owner", "bank", "state", "sea"))
PASSAGES += ("rent is due in may", "a calm sea", "nobody")


def _config(tmp_path: Path) -> EngineConfig:
    return EngineConfig(tmp_path / "library", tmp_path / "models", threads=2, offline=True)


@pytest.mark.parametrize("family", ["modernbert", "xlm-roberta"])
def test_the_order_is_that_of_the_reference(family: str, tmp_path: Path) -> None:
    config, folder = _config(tmp_path), write_cross_encoder(tmp_path / "mine", family)
    reranker = Reranker(config)
    assert reranker.order(QUESTION, PASSAGES, CancelToken(), wait=True) == ()
    record = import_model(folder, config.models)
    assert describe(record, config.models).kind is ModelKind.RERANKER
    with pytest.raises(WorldError, match="no language model named mine"):
        find_embedding("mine", config.models)

    shape = replace(FAMILIES[family], scores=True)
    weights, tokenizer = family_weights(family, shape), TextTokenizer(folder / "tokenizer.json")
    asked, *texts = (tokens.ids for tokens in tokenizer.encode([QUESTION, *PASSAGES]))
    separator = tokenizer.tail
    scores = [
        reference_states(
            shape, weights.__getitem__,
            np.concatenate([tokenizer.lead, asked, separator, text, separator]),
        )[0, 0]
        for text in texts
    ]  # fmt: skip
    encoder = CrossEncoder(config, record)
    np.testing.assert_allclose(encoder.score(QUESTION, PASSAGES, 1e6), scores, atol=1e-4)
    found = reranker.order(QUESTION, PASSAGES, CancelToken(), wait=True)
    assert found == tuple(np.argsort(-np.array(scores), kind="stable").tolist())
    # On a machine too slow for the least number of passages the order stays.
    assert not len(encoder.score(QUESTION, PASSAGES, 0.0))
    remove(record, config.models)
    assert reranker.order(QUESTION, PASSAGES, CancelToken(), wait=True) == ()


def test_it_is_opened_beside_the_queries(tmp_path: Path) -> None:
    config = _config(tmp_path)
    import_model(write_cross_encoder(tmp_path / "mine"), config.models)
    reranker, token = Reranker(config), CancelToken()
    assert reranker.order(QUESTION, PASSAGES, token, wait=False) == ()
    wait_for(lambda: bool(reranker.order(QUESTION, PASSAGES, token, wait=False)))


@pytest.mark.parametrize(
    ("option", "value"),
    [("id2label", {"0": "no", "1": "yes"}), ("classifier_pooling", "mean"), ("model_type", "t5")],
)
def test_what_would_be_scored_wrongly_is_refused(
    option: str, value: object, tmp_path: Path
) -> None:
    folder = write_cross_encoder(tmp_path / "mine")
    change(folder / "config.json", **{option: value})
    with pytest.raises(WorldError) as caught:
        import_model(folder, tmp_path / "models")
    assert caught.value.code == "model_refused"


def test_one_with_two_types_of_tokens_is_refused(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "mine", "xlm-roberta")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"model_type": "bert"}), "utf-8")
    with pytest.raises(WorldError, match="architectures is"):
        import_model(folder, tmp_path / "models")
