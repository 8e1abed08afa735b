"""The files of models: verified before they are opened."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from indexer.api.errors import WorldError
from indexer.config import Precision
from indexer.embed import model_files
from indexer.embed.model_files import (
    CONTENT,
    changed_files,
    find_form,
    read_content,
    write_content,
    write_record,
)
from indexer.embed.models import TOKENIZER, Side
from tests.tiny_model import TINY, install_tiny_model
from tests.two_encoders import install_two_encoders

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("precision", list(Precision))
def test_a_form_is_found_by_its_precision(precision: Precision, tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    form = find_form(record, tmp_path, precision)
    assert (form.path.name, form.precision) == (f"{precision}.onnx", precision)
    assert form.graph.card == (precision is Precision.FP16)
    assert find_form(record, tmp_path, Precision.FP32, card=True).path.name == "fp32-card.onnx"


def test_each_of_two_encoders_has_its_forms(tmp_path: Path) -> None:
    record = install_two_encoders(tmp_path)
    for side in Side:
        form = find_form(record, tmp_path, Precision.INT8, side)
        assert form.path.name == f"{side}-int8.onnx"


def test_a_model_without_a_precision_is_read_in_float32(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    content = read_content(tmp_path / TINY)
    assert content is not None
    kept = [graph for graph in content.graphs if graph.name == "fp32.onnx"]
    names = [kept[0].name, *kept[0].data, TOKENIZER]
    write_content(tmp_path / TINY, kept, names)
    for precision in Precision:
        form = find_form(record, tmp_path, precision, card=True)
        assert (form.path.name, form.precision) == ("fp32.onnx", precision)


def test_a_damaged_file_is_not_opened(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    form = find_form(record, tmp_path, Precision.INT8)
    for name in (form.graph.name, *form.graph.data, TOKENIZER):
        path = form.folder / name
        content, middle = path.read_bytes(), path.stat().st_size // 2
        for harmed in (content[:middle], content[:middle] + b"!" + content[middle + 1 :]):
            path.write_bytes(harmed)
            os.utime(path, ns=(1, hash(harmed) & 0xFFFFFFFF))
            assert changed_files(form.folder) == [name]
            with pytest.raises(WorldError) as caught:
                find_form(record, tmp_path, Precision.INT8)
            assert caught.value.code == "model_damaged"
        path.unlink()
        assert changed_files(form.folder) == [name]
        path.write_bytes(content)
    assert find_form(record, tmp_path, Precision.INT8) == form


def test_a_model_whose_files_are_gone_says_where_it_came_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = install_tiny_model(tmp_path)
    (tmp_path / TINY / CONTENT).unlink()
    for changed, reason in (
        (record, "was_imported"), (replace(record, repository="a/b"), "fetch_again"),
    ):  # fmt: skip
        write_record(changed, tmp_path)
        with pytest.raises(WorldError) as caught:
            find_form(changed, tmp_path, Precision.INT8)
        assert (caught.value.code, caught.value.reason) == ("model_absent", reason)
    monkeypatch.setattr(model_files, "shipped_folder", lambda: tmp_path)
    with pytest.raises(WorldError) as caught:
        find_form(record, tmp_path / "other", Precision.INT8)
    assert caught.value.reason == "not_built"
