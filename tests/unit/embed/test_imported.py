"""Folders of sentence-transformers: taken over if they compute what they should, else refused."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from indexer.api.errors import Cancelled, WorldError
from indexer.api.models import Origin
from indexer.api.progress import CancelToken, Progress, Reporter
from indexer.compiler.reference import reference_states
from indexer.config import EngineConfig, Precision
from indexer.embed.factory import open_embedder
from indexer.embed.folder_options import card_licence
from indexer.embed.imported import SCRATCH, import_model
from indexer.embed.installed import describe, remove
from indexer.embed.models import MINILM, TOKENIZER, WEIGHTS, Pooling, PoolScope
from indexer.embed.pooling import unit
from indexer.embed.record_files import find_record
from indexer.embed.sentence_folder import LARGEST
from indexer.embed.spaces import space_of
from tests.sentence_folder import change, write_folder
from tests.tiny_families import FAMILIES, family_weights
from tests.unit.embed.test_embedder import SENTENCES, passage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Harm = Callable[[Path], Any]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token"])
def test_a_folder_becomes_a_model(family: str, pooling: str, tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine", family, pooling), tmp_path / "models"
    record = import_model(folder, models)
    assert record == find_record("mine", models)
    assert record.architecture == FAMILIES[family]
    assert (record.window, record.query_prefix, record.document_prefix) == (
        150, "query: ", "passage: ",
    )  # fmt: skip
    assert record.probe is not None
    assert -1 < record.cosine_centre < 1
    assert record.cosine_spread > 0
    found = describe(record, models)
    assert (found.origin, found.licence, found.languages) == (Origin.IMPORTED, None, None)
    assert found.parameters == sum(part.size for part in load_file(folder / WEIGHTS).values())
    assert [path.name for path in models.iterdir() if path.is_dir()] == ["mine"]

    embedder = open_embedder(record, models, Precision.FP32, threads=1, download=False)
    one = passage(*SENTENCES, title="Log")
    (ids,) = embedder.sequences([one])
    states = reference_states(FAMILIES[family], family_weights(family).__getitem__, ids)
    wanted = unit(states.mean(axis=0) if pooling == "mean_tokens" else states[0])
    (made,) = embedder.encode_passages([one])
    np.testing.assert_allclose(made.vector, wanted, atol=2e-5)


def test_late_chunking_is_said_by_the_person(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "mine", "modernbert")
    record = import_model(folder, tmp_path / "models", name="late-1.0", late=True)
    assert (record.id, record.late, record.pool_scope) == ("late-1.0", True, PoolScope.PASSAGE)
    change(folder / "1_Pooling" / "config.json", pooling_mode="cls")
    with pytest.raises(WorldError, match="takes a model that pools by the mean"):
        import_model(folder, tmp_path / "models", late=True)


def test_newer_files_are_read_too(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "mine", "modernbert")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    for key in ("global_rope_theta", "local_rope_theta"):
        del config[key]
    kinds = ["full_attention", "sliding_attention", "sliding_attention", "full_attention"]
    bases = {"full_attention": 160_000.0, "sliding_attention": 10_000.0}
    config |= {
        "layer_types": kinds,
        "rope_parameters": {
            kind: {"rope_theta": base, "rope_type": "default"} for kind, base in bases.items()
        },
    }
    (folder / "config.json").write_text(json.dumps(config), "utf-8")
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode": "lasttoken"}', "utf-8")
    (folder / "sentence_bert_config.json").unlink()
    (folder / "config_sentence_transformers.json").unlink()
    record = import_model(folder, tmp_path / "models")
    assert record.architecture == FAMILIES["modernbert"]
    assert (record.pooling, record.window, record.query_prefix) == (Pooling.LAST, 160, "")


def test_links_of_a_cache_are_followed(tmp_path: Path) -> None:
    folder, linked = write_folder(tmp_path / "blobs", "xlm-roberta"), tmp_path / "linked"
    linked.mkdir()
    for entry in folder.iterdir():
        (linked / entry.name).symlink_to(entry)
    if not (linked / "modules.json").exists():
        pytest.skip("Wine 8 does not follow links")
    models = tmp_path / "models"
    import_model(linked, models)
    assert not (models / "linked" / "source" / WEIGHTS).is_symlink()


def test_other_weights_under_one_name_have_another_space(tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine", "modernbert"), tmp_path / "models"
    first = import_model(folder, models)
    with pytest.raises(WorldError, match="there is a model named mine"):
        import_model(folder, models)
    remove(first.id, EngineConfig(tmp_path, models))
    tensors = load_file(folder / WEIGHTS)
    tensors["final_norm.weight"] = tensors["final_norm.weight"] * np.float32(2)
    save_file(tensors, folder / WEIGHTS)
    second = import_model(folder, models)
    assert space_of(first, Precision.FP32) != space_of(second, Precision.FP32)


def test_lost_weights_are_not_looked_for_elsewhere(tmp_path: Path) -> None:
    models = tmp_path / "models"
    record = import_model(write_folder(tmp_path / "mine", "modernbert"), models)
    shutil.rmtree(models / "mine" / "source")
    with pytest.raises(WorldError, match="it was imported from a folder") as caught:
        open_embedder(record, models, Precision.FP32)
    assert caught.value.code == "model_absent"
    assert "lectern models import" in caught.value.next_step


@pytest.mark.parametrize("name", [".", "a/b", "-x", "a..b", "é", "x" * 65, MINILM])
def test_a_bad_name_is_refused(name: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "mine", "modernbert")
    with pytest.raises(WorldError) as caught:
        import_model(folder, tmp_path / "models", name=name)
    assert caught.value.code == "model_refused"
    assert not list((tmp_path / "models").glob("*/*"))


def _tensors(folder: Path, **changes: Any) -> None:
    tensors = load_file(folder / WEIGHTS)
    for name, value in changes.items():
        tensors[name.replace("__", ".")] = value
    save_file(tensors, folder / WEIGHTS)


def _cut(folder: Path) -> None:
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(content[: len(content) // 2])


def _as_pipe(folder: Path) -> None:
    (folder / TOKENIZER).unlink()
    os.mkfifo(folder / TOKENIZER)


def _huge(folder: Path) -> None:
    with (folder / WEIGHTS).open("r+b") as file:
        file.truncate(LARGEST[WEIGHTS] + 1)


def _more_tokens(folder: Path) -> None:
    tokenizer = json.loads((folder / TOKENIZER).read_text("utf-8"))
    tokenizer["model"]["vocab"]["beyond"] = 5000
    (folder / TOKENIZER).write_text(json.dumps(tokenizer), "utf-8")


def _pickled(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder / "pytorch_model.bin")


def _split(folder: Path) -> None:
    (folder / WEIGHTS).rename(folder / "model-00001-of-00002.safetensors")
    (folder / "model.safetensors.index.json").write_text("{}")


def _config(**values: Any) -> Harm:
    return lambda folder: change(folder / "config.json", **values)


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
    "a pickle": ("its weights are a pickle", _pickled),
    "split weights": ("save them in one model.safetensors", _split),
    "no tokenizer": ("tokenizer.json is missing", lambda f: (f / TOKENIZER).unlink()),
    "huge weights": ("model.safetensors is larger than 8,590 MB", _huge),
    "an unknown family": ("the architecture t5 is not known", _config(model_type="t5")),
    "a family of another type": ("architecture 5 is not", _config(model_type=5)),
    "an unknown activation": ("hidden_activation is relu", _config(hidden_activation="relu")),
    "biases": ("mlp_bias is True", _config(mlp_bias=True)),
    "too many layers": ("num_hidden_layers is 100000000", _config(num_hidden_layers=10**8)),
    "no number": ("hidden_size is True", _config(hidden_size=True)),
    "a zero": ("num_attention_heads is 0", _config(num_attention_heads=0)),
    "uneven heads": ("hidden_size is 32", _config(num_attention_heads=3)),
    "NaN": ("norm_eps is nan", _config(norm_eps=float("nan"))),
    "scaled positions": ("rope_type is yarn", _config(rope_parameters={
        "full_attention": {"rope_type": "yarn", "rope_theta": 1.0}})),
    "other layers": ("layer_types is", _config(layer_types=["full_attention"] * 4)),
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
    # found by the compiler process
    "cut weights": ("cannot be imported", _cut),
    "a missing tensor": ("layers.4.attn.Wqkv.weight is nothing", _config(num_hidden_layers=5)),
    "another shape": ("is F32", _config(intermediate_size=64)),
    "whole numbers": ("final_norm.weight is I32", lambda folder: _tensors(
        folder, final_norm__weight=np.ones(32, np.int32))),
    "values that are not finite": ("differs from the reference by nan", lambda folder: _tensors(
        folder, final_norm__weight=np.full(32, np.nan, np.float32))),
    "a second encoder": ("holds two encoders", lambda folder: _tensors(
        folder, passages__x=np.ones(32, np.float32))),
    "tokens beyond the vectors": ("more tokens than there are vectors", _more_tokens),
    "no tokenizer inside": ("tokenizer.json cannot be read", lambda folder: (
        folder / TOKENIZER).write_text("{}")),
}  # fmt: skip
if hasattr(os, "mkfifo"):
    HARMS["a pipe"] = ("tokenizer.json is missing", _as_pipe)


@pytest.mark.parametrize("harm", HARMS)
def test_a_hostile_folder_is_refused_with_its_reason(harm: str, tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine", "modernbert"), tmp_path / "models"
    says, change_folder = HARMS[harm]
    change_folder(folder)
    with pytest.raises(WorldError) as caught:
        import_model(folder, models)
    assert caught.value.code == "model_refused"
    assert says in caught.value.message
    assert not list(models.glob("*/*"))


def test_a_folder_that_takes_too_long_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, models = write_folder(tmp_path / "mine", "modernbert"), tmp_path / "models"
    monkeypatch.setattr("indexer.embed.compiling.COMPILE_LIMIT_S", 0.0)
    # No processor starts Python within it, while some compile this model before the usual poll.
    monkeypatch.setattr("indexer.embed.fetch._POLL_S", 0.005)
    with pytest.raises(WorldError) as caught:
        import_model(folder, models)
    assert caught.value.code == "model_slow"
    assert [path.name for path in models.iterdir() if path.is_dir()] == []


def test_what_a_killed_import_left_is_removed(tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine", "modernbert"), tmp_path / "models"
    (models / f"{SCRATCH}x" / "mine" / "source").mkdir(parents=True)
    import_model(folder, models)
    assert not list(models.glob(f"{SCRATCH}*"))


def test_an_import_that_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    folder, models = write_folder(tmp_path / "mine", "modernbert"), tmp_path / "models"
    token, seen = CancelToken(), list[Progress]()

    def note(text: str) -> None:
        if "with a reference" in text:
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
