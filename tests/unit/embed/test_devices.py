"""The choice of the execution provider, and its notes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from indexer.api.errors import WorldError
from indexer.api.phrases import Note
from indexer.config import Precision
from indexer.embed.compiled import ensure_compiled
from indexer.embed.devices import (
    AUTO,
    CPU,
    PROVIDERS,
    candidates,
    choose,
    load_runtime,
    open_on,
)
from indexer.embed.factory import open_embedder
from tests.tiny_model import install_tiny_model

if TYPE_CHECKING:
    from pathlib import Path

EVERYTHING = list(PROVIDERS.values())


def _opens(name: str) -> str:
    return name


def test_accelerators_come_first_and_the_cpu_last() -> None:
    assert candidates(EVERYTHING) == ["cuda", "directml", "coreml", "cpu"]
    assert candidates(["CPUExecutionProvider"]) == ["cpu"]


def test_only_the_wanted_provider_and_the_cpu_are_tried() -> None:
    assert candidates(EVERYTHING, "coreml") == ["coreml", "cpu"]
    assert candidates(EVERYTHING, "cpu") == ["cpu"]
    assert candidates(["CPUExecutionProvider"], "cuda") == ["cpu"]


def test_an_unknown_provider_is_rejected() -> None:
    with pytest.raises(WorldError, match="choose auto, cuda") as caught:
        candidates(EVERYTHING, "abacus")
    assert caught.value.code == "bad_setting"


def test_the_cpu_is_used_when_asked_for() -> None:
    assert choose(CPU, _opens)[1].notes == (Note("device_asked"),)


def test_a_missing_provider_is_noted() -> None:
    proven, provider = choose("directml", _opens)
    assert proven == provider.name == CPU
    assert provider.notes == (Note("device_absent", {"device": "directml"}),)


def test_a_failing_provider_is_skipped_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: EVERYTHING)

    def without_driver(name: str) -> str:
        if name != CPU:
            raise RuntimeError(f"no driver for {name}\nand a long trace")
        return name

    _, provider = choose(AUTO, without_driver)
    assert provider.name == CPU
    assert provider.notes == tuple(
        Note("device_failed", {"device": name, "said": f"no driver for {name}"})
        for name in ("cuda", "directml", "coreml")
    )
    assert choose(AUTO, _opens)[1].name == "cuda"


def test_int8_is_used_on_the_cpu_if_the_accelerator_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import onnxruntime

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: EVERYTHING)
    record = install_tiny_model(tmp_path)
    embedder = open_embedder(record, tmp_path, Precision.INT8, provider="coreml", download=False)
    assert embedder.precision is Precision.INT8
    assert embedder.provider.name == CPU
    assert [note.code for note in embedder.provider.notes] == ["device_failed"]


def test_a_session_that_falls_back_to_the_cpu_raises(tmp_path: Path) -> None:
    record = install_tiny_model(tmp_path)
    compiled = ensure_compiled(record, tmp_path, Precision.FP32, download=False)
    runtime = load_runtime()
    if PROVIDERS["cuda"] in runtime.get_available_providers():
        pytest.skip("it would not fall back")
    with (
        pytest.warns(UserWarning, match="CUDAExecutionProvider"),
        pytest.raises(RuntimeError, match="fell back to CPUExecutionProvider"),
    ):
        open_on(runtime, compiled.graph, "cuda")


def test_a_leftover_folder_of_the_runtime_is_not_a_runtime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "onnxruntime").mkdir()
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(WorldError) as caught:
        load_runtime()
    assert caught.value.code == "no_runtime"


def test_a_missing_runtime_names_the_extra_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(WorldError, match="No ONNX Runtime is installed") as caught:
        open_embedder(install_tiny_model(tmp_path), tmp_path, Precision.INT8)
    assert caught.value.code == "no_runtime"
    assert "lectern[cpu]" in caught.value.next_step
