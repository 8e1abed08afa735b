"""Fetching a published model from a hub: whole or not at all, and never twice what is there."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import Cancelled, WorldError
from indexer.api.models import ModelInfo, ModelState, Origin
from indexer.api.private_files import check_room
from indexer.api.progress import CancelToken, Progress, Reporter
from indexer.embed import hub, hub_child
from indexer.embed.hub import download_known, get_published, read_connections
from indexer.embed.installed import describe, list_models
from indexer.embed.model_files import find_record
from indexer.embed.models import PUBLISHED, TOKENIZER
from tests.fake_hub import REVISION, Hub, serving
from tests.sentence_folder import write_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GTE = PUBLISHED["gte-modernbert-base"]
WEIGHTS = "model.onnx"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_folder(tmp_path_factory.mktemp("hub") / "repo", "cls_token")
    (folder / "README.md").write_text("Not fetched.")
    (folder / "model.safetensors").write_text("Not fetched.")
    return folder


@pytest.fixture
def served(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving(folder, GTE.repository) as hub:
        for name, value in hub.environment.items():
            monkeypatch.setenv(name, value)
        yield hub


def refused(models: Path, published: ModelInfo = GTE, *, offline: bool = False) -> WorldError:
    with pytest.raises(WorldError) as caught:
        get_published(published, models, offline=offline)
    assert not (models / published.id).exists()
    return caught.value


def test_a_model_is_fetched_verified_and_becomes_one(served: Hub, tmp_path: Path) -> None:
    seen: list[Progress] = []
    record = get_published(GTE, tmp_path, reporter=Reporter(seen.append))
    assert record == find_record(GTE.id, tmp_path)
    found = describe(record, tmp_path)
    assert (found.origin, found.state, found.revision) == (
        Origin.PUBLISHED, ModelState.HERE, REVISION,
    )  # fmt: skip
    assert (found.licence, found.languages, found.pooling) == ("Apache-2.0", ("en",), "cls")
    assert seen[-1].bytes_done == seen[-1].bytes_total > 0
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == [GTE.id]
    # Nothing but the description of the repository and the files of the model.
    stem = f"/{GTE.repository}/resolve/{REVISION}/"
    paths = {path.removeprefix(stem) for _, path, _ in served.asked}
    assert paths == {
        f"/api/models/{GTE.repository}", "1_Pooling/config.json", "config.json", TOKENIZER,
        f"onnx/{WEIGHTS}", "config_sentence_transformers.json", "modules.json",
        "sentence_bert_config.json",
    }  # fmt: skip
    (made,) = read_connections(tmp_path)
    assert (made.what, made.outcome) == (f"GET {GTE.homepage}", "connected")


def test_a_connection_that_is_cut_goes_on(served: Hub, tmp_path: Path) -> None:
    served.cuts = 1
    get_published(GTE, tmp_path)
    first, second = served.ranges(WEIGHTS)
    assert not first
    assert second.startswith("bytes=")


def test_a_cancelled_fetch_goes_on_where_it_stopped(served: Hub, tmp_path: Path) -> None:
    served.hold, token = threading.Event(), CancelToken()
    half = (served.folder / "onnx" / WEIGHTS).stat().st_size // 2

    def stop(progress: Progress) -> None:
        if served.held.is_set() and progress.bytes_done > half // 2:
            token.cancel()

    with pytest.raises(Cancelled):
        get_published(GTE, tmp_path, reporter=Reporter(stop, token))
    assert not (tmp_path / GTE.id).exists()
    served.hold.set()
    served.hold = None
    get_published(GTE, tmp_path)
    assert served.ranges(WEIGHTS)[-1] not in {"", "bytes=0-"}
    assert len(served.ranges("config.json")) == 2  # of the model and of its pooling


def test_a_file_with_another_hash_is_refused_and_deleted(served: Hub, tmp_path: Path) -> None:
    content = (served.folder / "onnx" / WEIGHTS).read_bytes()
    served.replaced[f"onnx/{WEIGHTS}"] = content[:-1] + bytes([content[-1] ^ 1])
    error = refused(tmp_path)
    assert (error.code, error.detail["file"]) == ("download_wrong", f"onnx/{WEIGHTS}")
    left = tmp_path / f"{hub.FOLDER}{GTE.id}"
    assert not (left / "onnx" / WEIGHTS).exists()
    del served.replaced[f"onnx/{WEIGHTS}"]
    get_published(GTE, tmp_path)


def test_what_is_not_there_is_reported(served: Hub, tmp_path: Path) -> None:
    served.repository = "somebody/else"
    assert refused(tmp_path).reason == "not_on_hub"
    served.repository, served.gated = GTE.repository, True
    assert refused(tmp_path).code == "model_gated"


def test_a_repository_without_its_graph_is_refused_before_it_is_fetched(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = tmp_path / "repo"
    only.mkdir()
    for name in ("config.json", TOKENIZER, "model.safetensors"):
        (only / name).write_bytes((folder / name).read_bytes())
    with serving(only, GTE.repository) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.address)
        error = refused(tmp_path)
    assert (error.code, error.reason) == ("model_refused", "model_file_missing")
    assert len(served.asked) == 1


def test_a_hub_that_cannot_be_reached_is_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    error = refused(tmp_path)
    assert error.code == "model_missing"
    assert "onnect" in error.reason
    (made,) = read_connections(tmp_path)
    assert made.outcome == error.reason


def test_a_proxy_is_asked_in_place_of_the_hub(
    served: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
    monkeypatch.setenv("HTTP_PROXY", served.address)
    assert get_published(GTE, tmp_path).revision == REVISION


def test_the_disk_is_looked_at_before(tmp_path: Path) -> None:
    huge = hub.HubFile("a", 1 << 60, "0")
    with pytest.raises(WorldError) as caught:
        check_room(hub_child._missing_bytes(tmp_path, hub.Listing(REVISION, (huge,))), tmp_path)
    assert caught.value.code == "disk_full"


def test_nothing_is_asked_offline(tmp_path: Path, served: Hub) -> None:
    assert refused(tmp_path, offline=True).reason == "offline"
    assert served.asked == []


def test_the_launcher_fetches_only_what_is_known(tmp_path: Path) -> None:
    for model, name in (("other", "other"), (GTE.id, "elsewhere")):
        with pytest.raises(WorldError, match=r"unknown|no folder|named other"):
            download_known(model, tmp_path / name, lambda: False)


def test_every_published_model_is_listed_once(tmp_path: Path) -> None:
    listed = {each.id: each for each in list_models(tmp_path)}
    assert set(PUBLISHED) <= set(listed)
    assert (listed["bge-m3"].layers, listed["bge-m3"].revision) == (None, "")
    assert all(row.repository.count("/") == 1 for row in PUBLISHED.values())


@pytest.mark.skipif(os.name != "posix", reason="permission bits are a POSIX matter")
def test_what_is_fetched_is_the_persons_own(served: Hub, tmp_path: Path) -> None:
    get_published(GTE, tmp_path)
    assert (tmp_path / GTE.id / WEIGHTS).stat().st_mode & 0o077 == 0
