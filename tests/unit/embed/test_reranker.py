"""A tiny random cross-encoder: imported, compiled, and asked for the order of passages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from indexer.api.errors import WorldError
from indexer.api.models import ModelKind
from indexer.api.progress import CancelToken
from indexer.compiler.reference import reference_states
from indexer.config import NO_RERANKER, EngineConfig, Precision
from indexer.embed.imported import import_model
from indexer.embed.installed import describe, remove
from indexer.embed.models import WEIGHTS
from indexer.embed.record_files import find_embedding
from indexer.embed.reranker import CrossEncoder, Reranker
from indexer.embed.tokens import TextTokenizer
from tests.sentence_folder import MODULES, change, write_cross_encoder, write_late_interaction
from tests.tiny_families import SCORERS, SHAPES, family_weights
from tests.waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "who pays the rent"
PASSAGES = tuple(f"the {word} pays it " * 3 for word in ("tenant", "owner", "bank", "state", "sea"))
PASSAGES += ("rent is due in may", "a calm sea", "nobody")


def _config(tmp_path: Path) -> EngineConfig:
    return EngineConfig(tmp_path / "library", tmp_path / "models", threads=2, offline=True)


@pytest.mark.parametrize("family", SCORERS)
def test_the_order_is_that_of_the_reference(family: str, tmp_path: Path) -> None:
    config = replace(_config(tmp_path), precision=Precision.FP32)
    folder = write_cross_encoder(tmp_path / "mine", family)
    reranker = Reranker(config)
    assert reranker.order(QUESTION, PASSAGES, CancelToken(), wait=True) == ()
    record = import_model(folder, config.models)
    assert describe(record, config.models).kind is ModelKind.RERANKER
    with pytest.raises(WorldError, match="mine only orders the hits"):
        find_embedding("mine", config.models)

    shape = replace(SHAPES[family], scores=True)
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
    remove(record.id, config)
    assert reranker.order(QUESTION, PASSAGES, CancelToken(), wait=True) == ()


def test_it_is_opened_beside_the_queries_in_8_bits(tmp_path: Path) -> None:
    config = _config(tmp_path)
    record = import_model(write_cross_encoder(tmp_path / "mine", "bert"), config.models)
    reranker, token = Reranker(config), CancelToken()
    assert reranker.order(QUESTION, PASSAGES, token, wait=False) == ()
    wait_for(lambda: bool(reranker.order(QUESTION, PASSAGES, token, wait=False)))
    assert describe(record, config.models).compiled == (Precision.INT8,)
    coarse, exact = (
        CrossEncoder(replace(config, precision=each), record).score(QUESTION, PASSAGES, 1e6)
        for each in (Precision.INT8, Precision.FP32)
    )
    assert np.corrcoef(coarse, exact)[0, 1] > 0.98


def test_a_bert_whose_tokenizer_has_one_type_is_read_so(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "mine", "bert")
    tokenizer = folder / "tokenizer.json"
    tokenizer.write_text(tokenizer.read_text("utf-8").replace('"type_id": 1', '"type_id": 0'))
    config = replace(_config(tmp_path), precision=Precision.FP32)
    record = import_model(folder, config.models)
    assert record.architecture.one_type
    one = CrossEncoder(config, record).score(QUESTION, PASSAGES, 1e6)
    weights = load_file(folder / WEIGHTS)
    types = next(name for name in weights if name.endswith("token_type_embeddings.weight"))
    weights[types][1] = 9  # of no token
    save_file(weights, folder / WEIGHTS)
    other = CrossEncoder(config, import_model(folder, config.models, name="other"))
    np.testing.assert_allclose(other.score(QUESTION, PASSAGES, 1e6), one, atol=1e-5)


def test_the_chosen_one_of_several_orders_hits(tmp_path: Path) -> None:
    config = _config(tmp_path)
    reranker = Reranker(config)
    for name, folder in (
        ("a", write_late_interaction(tmp_path / "a")),
        ("b", write_cross_encoder(tmp_path / "b")),
        ("c", write_cross_encoder(tmp_path / "c", "bert")),
    ):
        import_model(folder, config.models, name=name)

    def used(chosen: str) -> str:
        reranker.use(replace(config, reranker=chosen))
        return reranker.record.id if reranker.record is not None else ""

    assert [used(chosen) for chosen in ("", "a", "c", "gone", NO_RERANKER)] == [*"bacb", ""]
    reranker.use(replace(config, reranker="a"))  # not by reading question and passage together
    assert reranker.order(QUESTION, PASSAGES, CancelToken(), wait=True) == ()
    remove("b", config)
    remove("c", config)
    assert used("") == "a"


def test_one_that_was_saved_with_its_modules_is_known(tmp_path: Path) -> None:
    folder = write_cross_encoder(tmp_path / "mine")
    (folder / "modules.json").write_text(json.dumps(MODULES[:1]))  # since version 6
    assert import_model(folder, tmp_path / "models").architecture.scores


def test_one_that_8_bits_change_stays_in_float32(tmp_path: Path) -> None:
    config, folder = _config(tmp_path), write_cross_encoder(tmp_path / "mine", "bert")
    weights = load_file(folder / WEIGHTS)
    weights["classifier.weight"][:] = 0  # all scores are alike, so that none is close
    save_file(weights, folder / WEIGHTS)
    record = import_model(folder, config.models)
    for _ in range(2):
        CrossEncoder(config, record)
        assert describe(record, config.models).compiled == (Precision.FP32,)


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
