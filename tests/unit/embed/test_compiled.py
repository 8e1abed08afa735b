"""Compiled models: built once, verified, and rebuilt if damaged."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from indexer.api.errors import InternalError, WorldError
from indexer.config import Precision
from indexer.embed.batches import Batch
from indexer.embed.compiled import (
    DATA,
    GRAPH,
    MANIFEST,
    CompiledModel,
    changed_files,
    compiled_folder,
    ensure_compiled,
    intact,
)
from indexer.embed.devices import CPU
from indexer.embed.encoder import Encoder
from indexer.embed.models import TOKENIZER, WEIGHTS
from tests.tiny_model import TINY, install_tiny_model, tiny_weights
from tests.unit.embed.wheels import write_wheel

if TYPE_CHECKING:
    from indexer.embed.models import ModelRecord
    from tests.mounting import Mounter

FP32 = Precision.FP32
both = pytest.mark.parametrize("precision", list(Precision))


@pytest.fixture
def record(tmp_path: Path) -> ModelRecord:
    return install_tiny_model(tmp_path)


def _compile(record: ModelRecord, models: Path, precision: Precision) -> CompiledModel:
    return ensure_compiled(record, models, precision, download=False)


@both
def test_it_is_compiled_once(record: ModelRecord, tmp_path: Path, precision: Precision) -> None:
    first = _compile(record, tmp_path, precision)
    stamps = {path: path.stat().st_mtime_ns for path in first.folder.iterdir()}
    assert {path.name for path in stamps} == {GRAPH, DATA, TOKENIZER, MANIFEST}
    again = _compile(record, tmp_path, precision)
    assert {path: path.stat().st_mtime_ns for path in again.folder.iterdir()} == stamps


def test_a_shipped_compiled_model_is_used_and_not_written(
    record: ModelRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, models = tmp_path / "shipped", tmp_path / "models"
    came = _compile(record, tmp_path, Precision.INT8)
    place = compiled_folder(record, shipped, Precision.INT8)
    shutil.copytree(came.folder, place)
    monkeypatch.setattr("indexer.embed.compiled.shipped_folder", lambda: shipped)
    assert _compile(record, models, Precision.INT8).folder == place
    assert not models.exists()
    (place / GRAPH).write_bytes(b"harmed")
    shutil.copytree(tmp_path / record.id / "source", models / record.id / "source")
    assert _compile(record, models, Precision.INT8).folder.is_relative_to(models)
    assert (place / GRAPH).read_bytes() == b"harmed"


def test_a_graph_refers_to_weights_of_half_precision(tmp_path: Path) -> None:
    halves = {name: values.astype(np.float16) for name, values in tiny_weights().items()}
    same = {name: values.astype(np.float32) for name, values in halves.items()}
    plain = _compile(install_tiny_model(tmp_path / "a", weights=same), tmp_path / "a", FP32)
    record = install_tiny_model(tmp_path / "b", weights=halves)
    small = _compile(record, tmp_path / "b", FP32)
    given = tmp_path / "b" / TINY / "source" / WEIGHTS
    assert (small.folder / WEIGHTS).read_bytes() == given.read_bytes()
    assert 4 * (small.folder / DATA).stat().st_size < (plain.folder / DATA).stat().st_size
    ids = np.arange(40, dtype=np.int32)[None] + 7
    batch = Batch((0,), ids, np.array([40], np.int32))
    wanted, states = (Encoder(each.graph, CPU).states(batch) for each in (plain, small))
    np.testing.assert_array_equal(states, wanted)
    (small.folder / WEIGHTS).write_bytes(b"harmed")
    assert changed_files(small) == [WEIGHTS]
    assert intact(_compile(record, tmp_path / "b", FP32))


def test_shipped_weights_may_be_in_the_compiled_model_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    halves = {name: values.astype(np.float16) for name, values in tiny_weights().items()}
    record = install_tiny_model(tmp_path, weights=halves)
    came = _compile(record, tmp_path, FP32)
    shutil.copytree(came.folder, compiled_folder(record, tmp_path / "shipped", FP32))
    monkeypatch.setattr("indexer.embed.fetch.shipped_folder", lambda: tmp_path / "shipped")
    assert intact(_compile(record, tmp_path / "models", Precision.INT8))


@both
def test_a_damaged_file_is_rebuilt(
    record: ModelRecord, tmp_path: Path, precision: Precision
) -> None:
    compiled = _compile(record, tmp_path, precision)
    assert changed_files(compiled) == []
    for name in (GRAPH, DATA, TOKENIZER, MANIFEST):
        path = compiled.folder / name
        content, middle = path.read_bytes(), path.stat().st_size // 2
        for harmed in (content[:middle], content[:middle] + b"!" + content[middle + 1 :]):
            path.write_bytes(harmed)
            assert not intact(compiled)
            assert changed_files(compiled) == [name]
        path.unlink()
        assert not intact(compiled)
        path.write_bytes(content)
        assert intact(compiled)
    (compiled.folder / GRAPH).unlink()
    assert intact(_compile(record, tmp_path, precision))


def test_the_error_of_a_crashed_compiler_has_the_tail_of_its_stderr(
    record: ModelRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.embed.compiling.COMPILER", "no_such_compiler")
    with pytest.raises(InternalError, match=r"compiler crashed.*no_such_compiler"):
        _compile(record, tmp_path, Precision.INT8)
    assert [path.name for path in (tmp_path / TINY).iterdir() if path.is_dir()] == ["source"]


@pytest.mark.skipif(os.name != "posix", reason="a script in the place of the interpreter")
def test_the_error_of_a_silent_compiler_has_its_status(
    record: ModelRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(InternalError, match="status 3"):
        _compile(record, tmp_path, Precision.INT8)


def test_invalid_weights_are_reported_as_damaged(record: ModelRecord, tmp_path: Path) -> None:
    with pytest.raises(WorldError) as caught:
        _compile(replace(record, window=161), tmp_path, Precision.INT8)
    assert caught.value.code == "model_damaged"
    assert [path.name for path in (tmp_path / TINY).iterdir() if path.is_dir()] == ["source"]


@pytest.mark.skipif(sys.platform != "linux", reason="a file system that nobody may write to")
def test_a_read_only_folder_is_reported(record: ModelRecord, tmp_path: Path) -> None:
    with pytest.raises(WorldError) as caught:
        _compile(record, Path("/sys/lectern"), Precision.INT8)
    assert caught.value.code == "library_unwritable"


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a small disk")
def test_a_full_disk_is_reported(record: ModelRecord, tmp_path: Path, mounter: Mounter) -> None:
    full = tmp_path / "full"
    full.mkdir()
    mounter.memory(1, full)
    (full / "other").write_bytes(bytes(1000 << 10))
    (full / TINY).mkdir()
    (full / TINY / "source").symlink_to(tmp_path / TINY / "source")
    with pytest.raises(WorldError) as caught:
        _compile(record, full, Precision.INT8)
    assert caught.value.code == "disk_full"


def test_a_file_instead_of_the_folder_raises_its_own_error(
    record: ModelRecord, tmp_path: Path
) -> None:
    (tmp_path / "models").touch()
    with pytest.raises((NotADirectoryError, FileNotFoundError, FileExistsError)):
        _compile(record, tmp_path / "models", Precision.INT8)


def test_a_compiled_model_needs_no_weights(record: ModelRecord, tmp_path: Path) -> None:
    _compile(record, tmp_path, Precision.INT8)
    shutil.rmtree(tmp_path / TINY / "source")
    assert intact(_compile(record, tmp_path, Precision.INT8))


def test_other_weights_are_compiled_again(record: ModelRecord, tmp_path: Path) -> None:
    _compile(record, tmp_path, Precision.INT8)
    late = install_tiny_model(tmp_path, window=80)
    assert intact(_compile(late, tmp_path, Precision.INT8))  # the same weights
    folder = compiled_folder(record, tmp_path, Precision.INT8)
    manifest = (folder / MANIFEST).read_text("utf-8")
    (folder / MANIFEST).write_text(manifest.replace(record.package.files[0].sha256, "0" * 64))
    assert not intact(CompiledModel(record, Precision.INT8, folder))


@pytest.mark.skipif(os.name != "posix", reason="permission bits are a POSIX matter")
def test_its_files_are_their_owners_alone(record: ModelRecord, tmp_path: Path) -> None:
    folder = _compile(record, tmp_path, Precision.INT8).folder
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}


def test_folders_of_killed_and_older_builds_are_deleted(
    record: ModelRecord, tmp_path: Path
) -> None:
    home = tmp_path / TINY
    for name in ("building-x7", "int8-0"):
        (home / name).mkdir(parents=True)
        (home / name / GRAPH).write_bytes(b"half")
    compiled = _compile(record, tmp_path, Precision.INT8)
    assert sorted(path.name for path in home.iterdir() if path.is_dir()) == sorted(
        [compiled.folder.name, "source"]
    )


def test_two_concurrent_builds_succeed(record: ModelRecord, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        made = list(pool.map(lambda _: _compile(record, tmp_path, Precision.INT8), range(2)))
    assert made[0] == made[1]
    assert intact(made[0])


def test_a_wheel_in_the_folder_of_models_is_found(record: ModelRecord, tmp_path: Path) -> None:
    models = tmp_path / "elsewhere"
    write_wheel(record, tmp_path / TINY / "source", models)
    assert intact(_compile(record, models, Precision.INT8))


def test_missing_weights_are_reported(record: ModelRecord, tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="working offline") as caught:
        _compile(record, tmp_path / "elsewhere", Precision.INT8)
    assert caught.value.code == "model_missing"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_write_permission_is_reported(record: ModelRecord, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(WorldError) as caught:
            _compile(record, tmp_path / "models", Precision.INT8)
    finally:
        tmp_path.chmod(0o700)
    assert caught.value.code == "library_unwritable"
