"""What is said of the models of a machine, and their removal."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from indexer.api.errors import WorldError
from indexer.api.models import ModelState, Origin
from indexer.config import DEFAULT_MODEL, EngineConfig, Precision
from indexer.embed.compiled import BUILD_LOCK, ensure_compiled
from indexer.embed.installed import describe, remove
from indexer.embed.models import MINILM, RECORDS
from indexer.embed.record_files import find_record, known_records, write_record
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path


def _remove(model: str, models: Path) -> int:
    """Remove a model that the settings do not name."""
    return remove(model, EngineConfig(models, models, model="another"))


def test_a_model_is_absent_then_here_then_compiled_then_removed(tmp_path: Path) -> None:
    absent = describe(RECORDS[MINILM], tmp_path)
    assert (absent.origin, absent.state, absent.disk_bytes) == (Origin.FETCHED, "absent", 0)
    record = install_tiny_model(tmp_path)
    here = describe(record, tmp_path)
    assert (here.state, here.compiled) == (ModelState.WEIGHTS, ())
    assert here.bytes == record.download_bytes < here.disk_bytes
    ensure_compiled(record, tmp_path, Precision.FP32, download=False)
    found = describe(record, tmp_path)
    assert (found.state, found.compiled) == (ModelState.COMPILED, ("fp32",))
    assert _remove(TINY, tmp_path) == found.disk_bytes
    assert list(known_records(tmp_path)) == list(known_records())
    with pytest.raises(WorldError, match="no language model named tiny"):
        _remove(TINY, tmp_path)
    assert _remove(MINILM, tmp_path) == 0


def test_a_model_that_comes_with_lectern_stays_known(tmp_path: Path) -> None:
    record = find_record(DEFAULT_MODEL)
    (tmp_path / record.id / "int8-0").mkdir(parents=True)
    _remove(record.id, tmp_path)
    assert not (tmp_path / record.id).exists()
    assert describe(record, tmp_path).origin is Origin.SHIPPED
    assert describe(record, tmp_path).state is not ModelState.ABSENT


def test_what_a_record_does_not_know_is_none(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    write_record(replace(record, licence=None, languages=()), tmp_path)
    found = describe(find_record(TINY, tmp_path), tmp_path)
    assert (found.licence, found.languages, found.homepage) == (None, None, None)


def test_a_model_that_is_being_compiled_is_not_removed(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    with FileLock(tmp_path / TINY / BUILD_LOCK), pytest.raises(WorldError) as caught:
        _remove(TINY, tmp_path)
    assert caught.value.code == "busy"
    assert find_record(TINY, tmp_path) == record


def test_a_link_in_its_folder_is_removed_and_not_followed(tmp_path: Path) -> None:
    install_tiny_model(tmp_path / "models")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").touch()
    source = tmp_path / "models" / TINY / "source"
    shutil.rmtree(source)
    source.symlink_to(elsewhere)
    _remove(TINY, tmp_path / "models")
    assert (elsewhere / "mine").exists()
