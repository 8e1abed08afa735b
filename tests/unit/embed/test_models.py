"""Model records: complete, consistent, and extensible by files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.embed.model_files import (
    RECORD,
    find_record,
    known_records,
    shipped_folder,
    write_record,
)
from tests.compiler import compiler

if TYPE_CHECKING:
    from pathlib import Path

    from indexer.embed.models import ModelRecord

KNOWN = list(known_records())
every_record = pytest.mark.parametrize("record", KNOWN, ids=[record.id for record in KNOWN])


@every_record
def test_the_fields_of_a_record_are_consistent(record: ModelRecord) -> None:
    checkpoint = compiler("architecture").read_checkpoint(shipped_folder() / record.id)
    shape = checkpoint.architecture
    assert (record.dimension, record.vocabulary) == (shape.hidden, shape.vocabulary)
    assert record.layers == len(shape.kept_layers)
    assert record.edition == checkpoint.sha256[:8]
    assert record.max_prefix + record.overlap < record.window <= shape.positions
    assert record.query_window <= shape.positions
    assert record.licence
    assert record.languages
    assert checkpoint.probe is not None


@every_record
def test_a_record_survives_writing_and_reading(record: ModelRecord, tmp_path: Path) -> None:
    other = replace(record, id="another")
    write_record(other, tmp_path)
    assert find_record("another", tmp_path) == other


def test_an_unknown_model_is_rejected() -> None:
    with pytest.raises(WorldError, match="no language model named nonesuch") as caught:
        find_record("nonesuch")
    assert caught.value.code == "unknown_model"


def test_a_model_id_cannot_be_a_path(tmp_path: Path) -> None:
    models = tmp_path / "models"
    models.mkdir()
    write_record(replace(KNOWN[0], id="outside"), tmp_path)
    with pytest.raises(WorldError):
        find_record("../outside", models)


def test_models_in_the_persons_folder_are_listed_once(tmp_path: Path) -> None:
    built_in = KNOWN[0]
    mine = replace(built_in, id="mine")
    for record in (built_in, mine):
        write_record(record, tmp_path)
    (tmp_path / "mine").rename(tmp_path / "renamed")
    write_record(mine, tmp_path)
    known = list(known_records(tmp_path))
    assert known[-1] == mine
    assert len(known) == len({record.id for record in known}) == len(KNOWN) + 1
    assert find_record(built_in.id, tmp_path) == built_in
    with pytest.raises(WorldError) as caught:
        find_record("renamed", tmp_path)
    assert caught.value.code == "unknown_model"


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"id": 3}'])
def test_a_damaged_record_is_an_unknown_model(content: str, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / RECORD).write_text(content)
    with pytest.raises(WorldError):
        find_record("mine", tmp_path)


def test_the_parameters_of_a_shipped_model_are_those_of_its_weights() -> None:
    files = {record.id: shipped_folder() / record.id / "model.safetensors" for record in KNOWN}
    count_parameters = compiler("tensors").count_parameters
    counted = {name: count_parameters(file) for name, file in files.items() if file.exists()}
    assert counted == {record.id: record.parameters for record in KNOWN if record.id in counted}
    assert len(counted) == 2
