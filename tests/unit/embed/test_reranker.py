"""A tiny random cross-encoder: imported, compiled, and asked for the order of passages."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.api.errors import WorldError
from indexer.api.models import ModelKind
from indexer.api.progress import CancelToken
from indexer.config import NO_RERANKER, EngineConfig, Precision
from indexer.embed.batches import Batch
from indexer.embed.encoder import _types
from indexer.embed.imported import import_model
from indexer.embed.installed import describe, remove_model
from indexer.embed.layout import TextTokenizer
from indexer.embed.model_files import find_embedding
from indexer.embed.reranker import CrossEncoder, Reranker
from tests.sentence_folder import change, states_of, write_cross_encoder, write_folder
from tests.waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = "who pays the rent"
PASSAGES = tuple(f"the {word} pays it " * 3 for word in ("tenant", "owner", "bank", "state", "sea"))
PASSAGES += ("rent is due in may", "a calm sea", "nobody")


def _config(tmp_path: Path) -> EngineConfig:
    return EngineConfig(tmp_path / "library", tmp_path / "models", threads=2, offline=True)


def test_the_order_is_that_of_the_reference(tmp_path: Path) -> None:
    config = replace(_config(tmp_path), precision=Precision.FP32)
    folder = write_cross_encoder(tmp_path / "mine")
    reranker = Reranker(config)
    assert reranker.order_passages(QUESTION, PASSAGES, CancelToken(), wait=True) == ()
    record = import_model(folder, config.models)
    assert describe(record, config.models).kind is ModelKind.RERANKER
    with pytest.raises(WorldError, match="mine only orders the hits"):
        find_embedding("mine", config.models)

    tokenizer = TextTokenizer(folder / "tokenizer.json")
    asked, *texts = (tokens.ids for tokens in tokenizer.encode([QUESTION, *PASSAGES]))
    end = tokenizer.tail
    read = (np.concatenate([tokenizer.lead, asked, end, text, end]) for text in texts)
    scores = [states_of(ids).mean() / 2 for ids in read]
    encoder = CrossEncoder(config, record)
    np.testing.assert_allclose(encoder.score(QUESTION, PASSAGES, 1e6), scores, atol=1e-4)
    found = reranker.order_passages(QUESTION, PASSAGES, CancelToken(), wait=True)
    assert found == tuple(np.argsort(-np.array(scores), kind="stable").tolist())
    # On a machine too slow for the least number of passages the order stays.
    assert not len(encoder.score(QUESTION, PASSAGES, 0.0))
    remove_model(record.id, config)
    assert reranker.order_passages(QUESTION, PASSAGES, CancelToken(), wait=True) == ()


def test_it_is_opened_beside_the_queries(tmp_path: Path) -> None:
    config = _config(tmp_path)
    import_model(write_cross_encoder(tmp_path / "mine"), config.models)
    reranker, token = Reranker(config), CancelToken()
    assert reranker.order_passages(QUESTION, PASSAGES, token, wait=False) == ()
    wait_for(lambda: bool(reranker.order_passages(QUESTION, PASSAGES, token, wait=False)))


def test_the_passage_has_tokens_of_the_second_type() -> None:
    ids = np.array([[1, 5, 6, 2, 7, 8, 2, 0, 0]], np.int32)
    lengths = np.array([7], np.int32)
    real = np.arange(ids.shape[1]) < lengths[:, None]
    types = _types(Batch((0,), ids, lengths), real)
    assert types.astype(int).tolist() == [[0, 0, 0, 0, 1, 1, 1, 0, 0]]


def test_the_chosen_one_of_several_orders_hits(tmp_path: Path) -> None:
    config = _config(tmp_path)
    reranker = Reranker(config)
    for name, folder in (
        ("a", write_folder(tmp_path / "a")),
        ("b", write_cross_encoder(tmp_path / "b")),
        ("c", write_cross_encoder(tmp_path / "c", 3)),
    ):
        import_model(folder, config.models, name=name)

    def used(chosen: str) -> str:
        reranker.configure_reranker(replace(config, reranker=chosen))
        return reranker.record.id if reranker.record is not None else ""

    assert [used(chosen) for chosen in ("", "a", "c", "gone", NO_RERANKER)] == [*"bbcb", ""]
    remove_model("b", config)
    remove_model("c", config)
    assert used("") == ""
    assert reranker.order_passages(QUESTION, PASSAGES, CancelToken(), wait=True) == ()


@pytest.mark.parametrize(("seed", "kept"), [(0, ("fp32", "int8")), (3, ("fp32",))])
def test_a_form_in_8_bits_that_changes_the_answers_is_not_used(
    seed: int, kept: tuple[str, ...], tmp_path: Path
) -> None:
    config, folder = _config(tmp_path), write_cross_encoder(tmp_path / "mine")
    coarse = write_cross_encoder(tmp_path / "coarse", seed) / "onnx" / "model.onnx"
    shutil.copyfile(coarse, folder / "onnx" / "model_quantized.onnx")
    record = import_model(folder, config.models)
    assert describe(record, config.models).precisions == kept
    CrossEncoder(config, record)


@pytest.mark.parametrize(
    ("option", "value"),
    [("id2label", {"0": "no", "1": "yes"}), ("max_position_embeddings", "many")],
)
def test_what_would_be_scored_wrongly_is_refused(
    option: str, value: object, tmp_path: Path
) -> None:
    folder = write_cross_encoder(tmp_path / "mine")
    change(folder / "config.json", **{option: value})
    with pytest.raises(WorldError) as caught:
        import_model(folder, tmp_path / "models")
    assert caught.value.code == "model_refused"
