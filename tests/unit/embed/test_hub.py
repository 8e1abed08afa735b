"""Fetching a published model from a hub: whole or not at all, and never twice what is there."""

from __future__ import annotations

import os
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import Cancelled, WorldError
from indexer.api.models import ModelKind, ModelState, Origin
from indexer.api.progress import CancelToken, Progress, Reporter
from indexer.embed import connections, hub, hub_child
from indexer.embed.architecture import Family
from indexer.embed.fetch import hash_file
from indexer.embed.hub import PART, download_known, get_published
from indexer.embed.installed import describe, list_models
from indexer.embed.models import GIVEN_GRAPH, TOKENIZER, WEIGHTS
from indexer.embed.published import PUBLISHED, Published
from indexer.embed.record_files import find_record
from tests.exported_graph import write_graph
from tests.fake_hub import REVISION, Hub, serving
from tests.sentence_folder import change, write_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

GRANITE = PUBLISHED["granite-embedding-small-english-r2"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_folder(tmp_path_factory.mktemp("hub") / "repo", "modernbert", "cls_token")
    (folder / "README.md").write_text("Not fetched.")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_text("Not fetched.")
    return folder


@pytest.fixture
def served(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving(folder, GRANITE.repository) as hub:
        for name, value in hub.environment.items():
            monkeypatch.setenv(name, value)
        yield hub


def refused(models: Path, published: Published = GRANITE, *, offline: bool = False) -> WorldError:
    with pytest.raises(WorldError) as caught:
        get_published(published, models, offline=offline)
    assert not (models / published.id).exists()
    return caught.value


def test_a_model_is_fetched_verified_and_becomes_one(served: Hub, tmp_path: Path) -> None:
    seen: list[Progress] = []
    record = get_published(GRANITE, tmp_path, reporter=Reporter(seen.append))
    assert record == find_record(GRANITE.id, tmp_path)
    found = describe(record, tmp_path)
    assert (found.origin, found.state, found.revision) == (
        Origin.PUBLISHED, ModelState.WEIGHTS, REVISION,
    )  # fmt: skip
    assert (found.licence, found.languages, found.pooling) == ("Apache-2.0", ("en",), "cls")
    assert seen[-1].bytes_done == seen[-1].bytes_total > record.download_bytes
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == [GRANITE.id]
    # Nothing but the description of the repository and the files of the model.
    stem = f"/{GRANITE.repository}/resolve/{REVISION}/"
    paths = {path.removeprefix(stem) for _, path, _ in served.asked}
    assert paths == {
        f"/api/models/{GRANITE.repository}", "1_Pooling/config.json", "config.json", TOKENIZER,
        WEIGHTS, "config_sentence_transformers.json", "modules.json", "sentence_bert_config.json",
    }  # fmt: skip
    (made,) = connections.read(tmp_path)
    assert (made.what, made.outcome) == (f"GET {GRANITE.homepage}", "connected")


def test_a_connection_that_is_cut_goes_on(served: Hub, tmp_path: Path) -> None:
    served.cuts = 1
    get_published(GRANITE, tmp_path)
    first, second = served.ranges(WEIGHTS)
    assert not first
    assert second.startswith("bytes=")


def test_a_cancelled_fetch_goes_on_where_it_stopped(served: Hub, tmp_path: Path) -> None:
    served.hold, token = threading.Event(), CancelToken()
    half = (served.folder / WEIGHTS).stat().st_size // 2

    def stop(progress: Progress) -> None:
        if served.held.is_set() and progress.bytes_done > half // 2:
            token.cancel()

    with pytest.raises(Cancelled):
        get_published(GRANITE, tmp_path, reporter=Reporter(stop, token))
    assert not (tmp_path / GRANITE.id).exists()
    served.hold.set()
    served.hold = None
    get_published(GRANITE, tmp_path)
    assert served.ranges(WEIGHTS)[-1] not in {"", "bytes=0-"}
    assert len(served.ranges("config.json")) == 2  # of the model and of its pooling


def test_a_file_with_another_hash_is_refused_and_deleted(served: Hub, tmp_path: Path) -> None:
    content = (served.folder / WEIGHTS).read_bytes()
    served.replaced[WEIGHTS] = content[:-1] + bytes([content[-1] ^ 1])
    error = refused(tmp_path)
    assert (error.code, error.detail["file"]) == ("download_wrong", WEIGHTS)
    left = tmp_path / f"{hub.FOLDER}{GRANITE.id}"
    assert not list(left.glob(f"*{PART}"))
    assert not (left / WEIGHTS).exists()
    del served.replaced[WEIGHTS]
    get_published(GRANITE, tmp_path)


def test_what_is_not_there_is_reported(served: Hub, tmp_path: Path) -> None:
    served.repository = "somebody/else"
    assert refused(tmp_path).reason == "not_on_hub"
    served.repository, served.gated = GRANITE.repository, True
    assert refused(tmp_path).code == "model_gated"


def test_a_repository_without_safetensors_is_refused_before_it_is_fetched(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = tmp_path / "repo"
    only.mkdir()
    for name in ("config.json", TOKENIZER):
        (only / name).write_bytes((folder / name).read_bytes())
    (only / "pytorch_model.bin").touch()
    with serving(only, GRANITE.repository) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.address)
        error = refused(tmp_path)
    assert (error.code, error.reason) == ("model_refused", "model_pickle")
    assert len(served.asked) == 1


def test_graphs_are_fetched_where_there_are_no_other_weights(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = tmp_path / "repo"
    shutil.copytree(folder, only, ignore=shutil.ignore_patterns(WEIGHTS))
    write_graph(only / "onnx" / GIVEN_GRAPH)
    with serving(only, GRANITE.repository) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.address)
        record = get_published(GRANITE, tmp_path)
    assert record.architecture.family is Family.ONNX
    assert [file.name for file in record.package.files] == [GIVEN_GRAPH, TOKENIZER]


def test_graphs_are_fetched_where_weights_cannot_be_converted(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arctic = PUBLISHED["snowflake-arctic-embed-m-v2.0"]
    assert arctic.runs
    repository = shutil.copytree(folder, tmp_path / "repo")
    change(repository / "config.json", model_type="strange")
    write_graph(repository / "onnx" / GIVEN_GRAPH)
    with serving(repository, arctic.repository) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.address)
        record = get_published(arctic, tmp_path)
        assert served.ranges(WEIGHTS) == []
        (repository / "onnx" / GIVEN_GRAPH).unlink()
        assert refused(tmp_path / "other", arctic).reason == "model_family"
        assert served.ranges(WEIGHTS) == []
    assert record.architecture.family is Family.ONNX


def test_a_hub_that_cannot_be_reached_is_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    error = refused(tmp_path)
    assert error.code == "model_missing"
    assert "onnect" in error.reason
    (made,) = connections.read(tmp_path)
    assert made.outcome == error.reason


def test_a_proxy_is_asked_in_place_of_the_hub(
    served: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
    monkeypatch.setenv("HTTP_PROXY", served.address)
    assert get_published(GRANITE, tmp_path).revision == REVISION


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_disk_that_fills_up_is_the_reason(served: Hub, tmp_path: Path) -> None:
    weights = hash_file(served.folder / WEIGHTS)
    left = tmp_path / f"{hub.FOLDER}{GRANITE.id}"
    left.mkdir()
    part = left / f"{weights}{PART}"
    part.symlink_to("/dev/full")
    error = refused(tmp_path)
    assert (error.code, error.detail["path"]) == ("disk_full", str(left))
    part.unlink()
    get_published(GRANITE, tmp_path)
    assert len(served.ranges("config.json")) == 2  # what was there is not asked again


def test_the_disk_is_looked_at_before(tmp_path: Path) -> None:
    huge = hub.HubFile("a", 1 << 60, "0")
    with pytest.raises(WorldError) as caught:
        hub_child._check_disk(tmp_path, hub.Listing(REVISION, (huge,)))
    assert caught.value.code == "disk_full"


def test_conditions_come_before_the_network(tmp_path: Path, served: Hub) -> None:
    restricted = replace(GRANITE, terms="https://terms.example")
    assert refused(tmp_path, restricted).code == "licence_not_accepted"
    assert refused(tmp_path, offline=True).reason == "offline"
    by_token = replace(GRANITE, kind=ModelKind.LATE_INTERACTION, family=None)
    assert refused(tmp_path, by_token).code == "model_unsupported"
    assert served.asked == []
    get_published(restricted, tmp_path, accepted=True)


def test_the_launcher_fetches_only_what_is_known(tmp_path: Path) -> None:
    for model, name in (("other", "other"), (GRANITE.id, "elsewhere")):
        with pytest.raises(WorldError, match=r"unknown|no folder|named other"):
            download_known(model, tmp_path / name, lambda: False)


def test_a_repository_of_another_architecture_is_refused(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = shutil.copytree(folder, tmp_path / "repo")
    change(other / "config.json", model_type="strange")
    with serving(other, GRANITE.repository) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.address)
        assert refused(tmp_path).reason == "model_family"
        assert served.ranges(WEIGHTS) == []


def test_every_published_model_is_listed_once(tmp_path: Path) -> None:
    listed = {each.id: each for each in list_models(tmp_path)}
    assert set(PUBLISHED) <= set(listed)
    gemma = listed["embeddinggemma-300m"]
    assert (gemma.runs, gemma.layers, gemma.revision) == (PUBLISHED[gemma.id].runs, None, "")
    assert gemma.terms
    assert all(row.repository.count("/") == 1 for row in PUBLISHED.values())


@pytest.mark.skipif(os.name != "posix", reason="permission bits are a POSIX matter")
def test_what_is_fetched_is_the_persons_own(served: Hub, tmp_path: Path) -> None:
    get_published(GRANITE, tmp_path)
    assert (tmp_path / GRANITE.id / "source" / WEIGHTS).stat().st_mode & 0o077 == 0
