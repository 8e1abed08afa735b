"""Folders of sentence-transformers: taken over if they compute what they should, else refused."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from indexer.api.errors import Cancelled, WorldError
from indexer.api.models import Origin
from indexer.api.progress import CancelToken, Progress, Reporter
from indexer.config import EngineConfig, Precision
from indexer.embed.batches import unit_vectors
from indexer.embed.exported_folder import card_licence
from indexer.embed.factory import open_embedder
from indexer.embed.imported import SCRATCH, import_model
from indexer.embed.installed import describe, remove_model
from indexer.embed.model_files import find_record
from indexer.embed.models import TOKENIZER, Pooling, PoolScope, space_of
from tests.exported_graph import TABLE, write_graph
from tests.sentence_folder import GRAPH, change, states_of, write_folder
from tests.unit.embed.test_embedder import SENTENCES, passage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Harm = Callable[[Path], Any]


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token"])
def test_a_folder_becomes_a_model(pooling: str, tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine", pooling), tmp_path / "models"
    record = import_model(folder, models)
    assert record == find_record("mine", models)
    assert (record.window, record.query_prefix, record.document_prefix) == (
        150, "query: ", "passage: ",
    )  # fmt: skip
    assert (record.dimension, record.vocabulary) == TABLE.shape[::-1]
    assert -1 < record.cosine_centre < 1
    assert record.cosine_spread > 0
    found = describe(record, models)
    assert (found.origin, found.licence, found.languages) == (Origin.IMPORTED, None, None)
    assert [path.name for path in models.iterdir() if path.is_dir()] == ["mine"]

    embedder = open_embedder(record, models, Precision.FP32, threads=1)
    one = passage(*SENTENCES, title="Log")
    (ids,) = embedder.sequences([one])
    states = states_of(ids)
    pooled = states.mean(axis=0) if pooling == "mean_tokens" else states[0]
    wanted = unit_vectors(pooled.astype(np.float32))
    (made,) = embedder.encode_passages([one])
    np.testing.assert_allclose(made.vector, wanted, atol=2e-5)


def test_a_graph_whose_weights_are_in_a_file_of_their_own(tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine"), tmp_path / "models"
    write_graph(folder / GRAPH, location="model.onnx_data")
    record = import_model(folder, models)
    assert (models / "mine" / "model.onnx_data").exists()
    open_embedder(record, models, Precision.INT8, threads=1)


def test_late_chunking_is_said_by_the_person(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "mine")
    record = import_model(folder, tmp_path / "models", name="late-1.0", late=True)
    assert (record.id, record.late, record.pool_scope) == ("late-1.0", True, PoolScope.PASSAGE)
    change(folder / "1_Pooling" / "config.json", pooling_mode="cls")
    with pytest.raises(WorldError, match="takes a model that pools by the mean"):
        import_model(folder, tmp_path / "models", late=True)


def test_newer_files_are_read_too(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "mine")
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "lasttoken"}', "utf-8")
    (folder / "sentence_bert_config.json").unlink()
    (folder / "config_sentence_transformers.json").unlink()
    record = import_model(folder, tmp_path / "models")
    assert (record.pooling, record.window, record.query_prefix) == (Pooling.LAST, 160, "")


def test_links_of_a_cache_are_followed(tmp_path: Path) -> None:
    folder, linked = write_folder(tmp_path / "blobs"), tmp_path / "linked"
    linked.mkdir()
    for entry in folder.iterdir():
        (linked / entry.name).symlink_to(entry)
    if not (linked / "modules.json").exists():
        pytest.skip("Wine 8 does not follow links")
    models = tmp_path / "models"
    import_model(linked, models)
    assert not (models / "linked" / "model.onnx").is_symlink()


def test_other_weights_under_one_name_have_another_space(tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine"), tmp_path / "models"
    first = import_model(folder, models)
    with pytest.raises(WorldError, match="there is a model named mine"):
        import_model(folder, models)
    remove_model(first.id, EngineConfig(tmp_path, models))
    write_graph(folder / GRAPH, table=2 * TABLE)
    second = import_model(folder, models)
    assert space_of(first, Precision.FP32) != space_of(second, Precision.FP32)


def test_lost_weights_are_not_looked_for_elsewhere(tmp_path: Path) -> None:
    models = tmp_path / "models"
    record = import_model(write_folder(tmp_path / "mine"), models)
    (models / "mine" / "content.json").unlink()
    with pytest.raises(WorldError, match="it was imported from a folder") as caught:
        open_embedder(record, models, Precision.FP32)
    assert caught.value.code == "model_absent"
    assert "lectern models import" in caught.value.next_step


@pytest.mark.parametrize("name", [".", "a/b", "-x", "a..b", "é", "x" * 65, "lectern-e5-late"])
def test_a_bad_name_is_refused(name: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "mine")
    with pytest.raises(WorldError) as caught:
        import_model(folder, tmp_path / "models", name=name)
    assert caught.value.code == "model_refused"
    assert not list((tmp_path / "models").glob("*/*"))


def _as_pipe(folder: Path) -> None:
    (folder / TOKENIZER).unlink()
    os.mkfifo(folder / TOKENIZER)


def _huge(folder: Path) -> None:
    with (folder / GRAPH).open("r+b") as file:
        file.truncate((8 << 30) + 1)


def _config(**values: Any) -> Harm:
    return lambda folder: change(folder / "config.json", **values)


def _graph(**how: Any) -> Harm:
    return lambda folder: write_graph(folder / GRAPH, **how)


def _modules(text: str) -> Harm:
    return lambda folder: (folder / "modules.json").write_text(text, "utf-8")


def _module(kind: str, path: str) -> Harm:
    row = {"type": f"sentence_transformers.models.{kind}", "path": path}
    return _modules(json.dumps([row]))


HARMS: dict[str, tuple[str, Harm]] = {
    "no modules": ("modules.json is missing", lambda folder: (folder / "modules.json").unlink()),
    "no JSON": ("modules.json is damaged", _modules("{")),
    "deep JSON": ("modules.json is damaged", _modules("[" * 500_000)),
    "long JSON": ("modules.json is larger than 1 MB", _modules(" " * (1 << 21))),
    "another type of JSON": ("modules.json is damaged", _modules('[{"type": 5}]')),
    "no pooling": ("modules.json is damaged", _module("Transformer", "")),
    "a path out of the folder": ("type is sent", _module("Transformer", "../../elsewhere")),
    "a module unknown": ("type is sentence_transformers.models.CNN", _module("CNN", "2")),
    "no graph": ("optimum-cli export onnx", lambda folder: (folder / GRAPH).unlink()),
    "no tokenizer": ("tokenizer.json is missing", lambda f: (f / TOKENIZER).unlink()),
    "a huge graph": ("model.onnx is larger than 8,590 MB", _huge),
    "no number": ("max_position_embeddings is True", _config(max_position_embeddings=True)),
    "a large number": ("max_position_embeddings is 1", _config(max_position_embeddings=10**8)),
    "an unknown pooling": ("pooling_mode is max", lambda folder: change(
        folder / "1_Pooling" / "config.json", pooling_mode="max")),
    "two poolings": ("pooling_mode is", lambda folder: change(
        folder / "1_Pooling" / "config.json", pooling_mode_max_tokens=True)),
    "pooling without prompts": ("include_prompt is False", lambda folder: change(
        folder / "1_Pooling" / "config.json", include_prompt=False)),
    "another distance": ("similarity_fn_name is euclidean", lambda folder: change(
        folder / "config_sentence_transformers.json", similarity_fn_name="euclidean")),
    "an endless prefix": ("prompts is xxx", lambda folder: change(
        folder / "config_sentence_transformers.json", prompts={"query": "x" * 5000})),
    "a tiny window": ("max_seq_length is 64", lambda folder: change(
        folder / "sentence_bert_config.json", max_seq_length=64)),
    # found by trying it
    "a cut graph": ("model.onnx cannot be run", lambda folder: (folder / GRAPH).write_bytes(
        (folder / GRAPH).read_bytes()[:5000])),
    "operators of its own": ("cannot be run", _graph(domain="mine")),
    "padding that counts": ("padding changes what", _graph(masked=False)),
    "no number at all": ("padding changes what its graph computes by nan", _graph(
        table=np.full_like(TABLE, np.nan))),
    "too few positions": ("cannot read 48 tokens", _graph(positions=20)),
    "weights elsewhere": ("cannot be run", _graph(location="elsewhere.bin")),
    "tokens beyond the vectors": ("cannot read", _graph(table=TABLE[:20])),
    "no tokenizer inside": ("tokenizer.json cannot be read", lambda folder: (
        folder / TOKENIZER).write_text("{}")),
}  # fmt: skip
if hasattr(os, "mkfifo"):
    HARMS["a pipe"] = ("tokenizer.json is missing", _as_pipe)


@pytest.mark.parametrize("harm", HARMS)
def test_a_hostile_folder_is_refused_with_its_reason(harm: str, tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine"), tmp_path / "models"
    says, change_folder = HARMS[harm]
    change_folder(folder)
    with pytest.raises(WorldError) as caught:
        import_model(folder, models)
    assert caught.value.code == "model_refused"
    assert says in caught.value.message
    assert not list(models.glob("*/*"))


def test_what_a_killed_import_left_is_removed(tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine"), tmp_path / "models"
    (models / f"{SCRATCH}x" / "mine").mkdir(parents=True)
    import_model(folder, models)
    assert not list(models.glob(f"{SCRATCH}*"))


def test_an_import_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine"), tmp_path / "models"
    token, seen = CancelToken(), list[Progress]()

    def note(text: str) -> None:
        if "Trying" in text:
            token.cancel()

    with pytest.raises(Cancelled):
        import_model(folder, models, reporter=Reporter(seen.append, token, note))
    assert seen[-1].bytes_done == seen[-1].bytes_total > 0
    assert [path.name for path in models.iterdir() if path.is_dir()] == []


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        ("---\nlanguage: en\nlicense: cc-by-nc-4.0\n---\n# Mine", "cc-by-nc-4.0"),
        ("---\nlicense: other\n---\n", None),
        ("# Mine\nlicense: mit\n", None),
        ("---\nlicense: <b>mine</b>\n---\n", None),
    ],
)
def test_the_licence_is_what_the_card_names(tmp_path: Path, card: str, licence: str | None) -> None:
    (tmp_path / "README.md").write_text(card)
    assert card_licence(tmp_path) == licence
