"""What is said of the models of a machine, and their removal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.api.models import ModelState, Origin
from indexer.config import DEFAULT_MODEL, EngineConfig
from indexer.embed.imported import IMPORT_LOCK
from indexer.embed.installed import describe, describe_model, remove_model
from indexer.embed.model_files import find_record, known_records, write_record
from tests.tiny_model import TINY, install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path


def _remove(model: str, models: Path) -> int:
    """Remove a model that the settings do not name."""
    return remove_model(model, EngineConfig(models, models, model="another"))


def test_a_model_is_here_then_removed(tmp_path: Path) -> None:
    absent = describe_model("all-MiniLM-L6-v2", tmp_path)
    assert (absent.origin, absent.state, absent.disk_bytes) == (Origin.PUBLISHED, "absent", 0)
    record = install_tiny_model(tmp_path)
    found = describe(record, tmp_path)
    assert (found.state, found.precisions) == (ModelState.HERE, ("fp16", "fp32", "int8"))
    assert found.bytes is not None
    assert 0 < found.bytes < found.disk_bytes
    (tmp_path / TINY / "fp32.onnx").unlink()
    assert describe(record, tmp_path).state is ModelState.ABSENT
    assert 0 < _remove(TINY, tmp_path) < found.disk_bytes
    assert list(known_records(tmp_path)) == list(known_records())
    with pytest.raises(WorldError, match="no language model named tiny"):
        _remove(TINY, tmp_path)


def test_a_model_that_comes_with_lectern_stays_known(tmp_path: Path) -> None:
    record = find_record(DEFAULT_MODEL)
    assert _remove(record.id, tmp_path) == 0
    assert describe(record, tmp_path).origin is Origin.SHIPPED


def test_what_a_record_does_not_know_is_none(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    write_record(replace(record, licence=None, languages=()), tmp_path)
    found = describe(find_record(TINY, tmp_path), tmp_path)
    assert (found.licence, found.languages, found.homepage) == (None, None, None)


def test_nothing_is_removed_while_a_model_is_imported(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    with FileLock(tmp_path / IMPORT_LOCK), pytest.raises(WorldError) as caught:
        _remove(TINY, tmp_path)
    assert caught.value.code == "busy"
    assert find_record(TINY, tmp_path) == record


def test_a_link_in_its_folder_is_removed_and_not_followed(tmp_path: Path) -> None:
    install_tiny_model(tmp_path / "models")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").touch()
    (tmp_path / "models" / TINY / "link").symlink_to(elsewhere)
    _remove(TINY, tmp_path / "models")
    assert (elsewhere / "mine").exists()
